//! The `joint_couplings` of a model: joints that follow others.
//!
//! This key is our extension of the format.

use bunraku_document::{Mapping, Value, closest};

use super::pose::AngleUnit;
use crate::{Body, COUPLING_COEFFICIENTS, CouplingError, JointCoupling, JointIndex, JointKind, LinkIndex};

/// Reads the list into the body; an invalid coupling is reported and left out.
pub(super) fn read_joint_couplings(value: Value<'_>, body: &mut Body, unit: AngleUnit, top: &Mapping<'_, '_>) {
    let reporter = top.reporter();
    let Some(items) = value.items() else {
        reporter.report(value.expected("a list of joint couplings"));
        return;
    };
    for item in items {
        let Some(mapping) = Mapping::new(item, "a joint coupling", reporter) else { continue };
        let coupling = read_coupling(&mapping, body, unit);
        mapping.finish();
        let Some(coupling) = coupling else { continue };
        if let Err(error) = body.couple(coupling) {
            let diagnostic = item.error(error.code(), message(error, body, &coupling));
            reporter.report(diagnostic.help(help(error)));
        }
    }
}

fn read_coupling(mapping: &Mapping<'_, '_>, body: &Body, unit: AngleUnit) -> Option<JointCoupling> {
    let (follower, leader) = (read_joint(mapping, "joint", body), read_joint(mapping, "leader", body));
    let multiplier = mapping.number(&["multiplier"]);
    let offset = mapping.number(&["offset"]);
    let polynomial = mapping.get(&["polynomial"]);
    let (follower, leader) = (follower?, leader?);
    let Some(value) = polynomial else {
        let turns = body.link(follower).joint.kind == JointKind::Revolute;
        let offset = offset.map_or(0.0, |offset| if turns { unit.to_radian(offset) } else { offset });
        return Some(JointCoupling::linear(follower, leader, multiplier.unwrap_or(1.0), offset));
    };
    let reporter = mapping.reporter();
    if multiplier.is_some() || offset.is_some() {
        let message = "`polynomial` replaces `multiplier` and `offset`, which are ignored";
        reporter
            .report(value.warning("coupling-polynomial", message).help("its first two numbers are these, reversed"));
    }
    let numbers = reporter.keep(value.as_numbers(reporter))?;
    if numbers.is_empty() || numbers.len() > COUPLING_COEFFICIENTS {
        let message = format!("expected up to {COUPLING_COEFFICIENTS} coefficients, found {}", numbers.len());
        reporter.report(value.error("wrong-length", message).help("write those of 1, q, q², q³ and q⁴"));
        return None;
    }
    let mut coefficients = [0.0; COUPLING_COEFFICIENTS];
    coefficients.iter_mut().zip(numbers).for_each(|(slot, number)| *slot = number);
    Some(JointCoupling { follower, leader, polynomial: coefficients })
}

/// Link that the joint with the given name moves.
fn read_joint(mapping: &Mapping<'_, '_>, key: &'static str, body: &Body) -> Option<LinkIndex> {
    let value = mapping.required(&[key])?;
    let name = mapping.reporter().keep(value.as_text())?;
    let found = body.find_joint(name).and_then(|joint| body.joint_link(joint));
    if found.is_none() {
        let diagnostic = value.error("unknown-joint", format!("the joint `{name}` does not exist"));
        let known = (0..body.num_joints()).map(|joint| body.joint_name(JointIndex(joint)));
        mapping.reporter().report(match closest(name, known) {
            Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
            None => diagnostic.help("it must be the name of a joint of this model, or of the link that it moves"),
        });
    }
    found
}

/// The message that joints of a body cannot be coupled.
pub(super) fn message(error: CouplingError, body: &Body, coupling: &JointCoupling) -> String {
    let name = |link: LinkIndex| body.links().get(link.0).map_or("", |link| link.joint_name());
    let (follower, leader) = (name(coupling.follower), name(coupling.leader));
    match error {
        CouplingError::Immovable(link) => {
            format!("`{}` has no displacement: it is neither revolute nor prismatic", name(link))
        }
        CouplingError::FollowsAlready => format!("`{follower}` follows a joint already"),
        CouplingError::Cycle if follower == leader => format!("`{follower}` cannot follow itself"),
        CouplingError::Cycle => format!("`{follower}` cannot follow `{leader}`, which follows it"),
        CouplingError::Separate => {
            format!("`{follower}` cannot follow `{leader}`: a free joint lies between them")
        }
        CouplingError::NotFinite => "a coefficient of the coupling is not a finite number".to_owned(),
    }
}

/// Advice in the diagnostic.
pub(super) fn help(error: CouplingError) -> &'static str {
    match error {
        CouplingError::Immovable(_) => "couple revolute or prismatic joints",
        CouplingError::FollowsAlready => "leave one of the two couplings out",
        CouplingError::Cycle => "leave one of the couplings of the cycle out",
        CouplingError::Separate => "couple joints of one mechanism",
        CouplingError::NotFinite => "write finite numbers",
    }
}
