//! The key `extra_joints` of a scene: joints between bodies, and between bodies and the world.

use std::collections::BTreeMap;

use bunraku_body::{Drive, ExtraJointForm, LinkIndex, MOST_HELD};
use bunraku_document::{Mapping, Value, closest};
use bunraku_physics::{
    ExtraJointBetween, JointEnd, JointSolver, LoopTrouble, Party, extra_joint_findings, loop_limitation,
};

use super::context::SceneContext;
use super::loops;
use super::model::{SceneBody, SceneDrive, SceneExtraJoint};
use super::ranges;

/// The name of the world.
const WORLD: &str = "world";

/// Reads and checks the joints of these bodies. Ends on unknown bodies are not reported if bodies are missing because
/// their models could not be read.
pub(super) fn read_extra_joints(
    value: Value<'_>,
    bodies: &[SceneBody],
    bodies_are_complete: bool,
    solver: JointSolver,
    context: &SceneContext<'_>,
) -> Vec<SceneExtraJoint> {
    let reporter = context.reporter;
    let Some(items) = value.items() else {
        reporter.report(value.expected("a list of extra joints"));
        return Vec::new();
    };
    let (mut places, mut joints) = (Vec::new(), Vec::new());
    for item in items {
        let Some(mut mapping) = Mapping::new(item, "an extra joint", reporter) else { continue };
        let name = mapping.text(&["name"]);
        if let Some(name) = name {
            mapping.rename(format!("extra joint `{name}`"));
        }
        let read_end = |value: Value<'_>| read_end(value, bodies, bodies_are_complete, context);
        let first = mapping.required(&["link1"]).and_then(read_end);
        let second = mapping.get(&["link2"]).map_or(Some(JointEnd::World), read_end);
        let form = ExtraJointForm::read(&mapping, &["type", "joint_type", "jointType"]);
        mapping.finish();
        let (Some(form), Some(first), Some(second)) = (form, first, second) else { continue };
        ranges::report_frames(item, &form, reporter);
        let ends = [first, second];
        if first == second {
            let what = describe_end(first, bodies);
            let message = format!("an extra joint cannot join {what} to itself");
            reporter.report(item.error("same-link-twice", message).help("`link1` and `link2` must be different links"));
            continue;
        }
        places.push(item);
        joints.push(SceneExtraJoint { name: name.map(str::to_owned), joint: ExtraJointBetween { form, ends } });
    }
    if !refuse_too_many(&places, &joints, bodies, solver, context) {
        report_findings(&places, &joints, (bodies, solver), context);
    }
    joints
}

/// Reads an end: `body/link`, a body alone for its root, or the world.
pub(super) fn read_end(
    value: Value<'_>,
    bodies: &[SceneBody],
    bodies_are_complete: bool,
    context: &SceneContext<'_>,
) -> Option<JointEnd<usize>> {
    let reporter = context.reporter;
    let text = reporter.keep(value.as_text())?;
    if text == WORLD {
        return Some(JointEnd::World);
    }
    // Names of bodies contain no slash.
    let (name, link) = text.split_once('/').map_or((text, None), |(name, link)| (name, Some(link)));
    let Some((body, SceneBody { body: model, .. })) = bodies.iter().enumerate().find(|(_, body)| body.name == name)
    else {
        if bodies_are_complete {
            let diagnostic = value.error("unknown-body", format!("the scene has no body `{name}`"));
            let meant = closest(name, bodies.iter().map(|body| body.name.as_str()).chain([WORLD]));
            let owner = bodies.iter().find(|body| body.body.find_link(text).is_some());
            reporter.report(match (meant, owner) {
                (Some(meant), _) => diagnostic.help(format!("did you mean `{meant}`?")),
                (None, Some(owner)) => diagnostic.help(format!("did you mean `{}/{text}`?", owner.name)),
                (None, None) => diagnostic.help("write the name of a body and of its link, `body/link`, or `world`"),
            });
        }
        return None;
    };
    let Some(link) = link else { return Some(JointEnd::Link { body, link: LinkIndex::ROOT }) };
    let found = model.find_link(link);
    if found.is_none() {
        let diagnostic = value.error("unknown-link", format!("`{name}` has no link `{link}`"));
        let known = model.links().iter().map(|link| link.name.as_str());
        reporter.report(match closest(link, known) {
            Some(meant) => diagnostic.help(format!("did you mean `{name}/{meant}`?")),
            None => diagnostic.help(format!("its root link is `{}`", model.root().name)),
        });
    }
    found.map(|link| JointEnd::Link { body, link })
}

/// An end as text: `` `body/link` `` or the world.
fn describe_end(end: JointEnd<usize>, bodies: &[SceneBody]) -> String {
    SceneExtraJoint::end_name(end, bodies).map_or_else(|| "the world".to_owned(), |name| format!("`{name}`"))
}

/// Reports an error if joints connect so many bodies that the dense matrix of their constraints would be too large.
/// With impulse joints, freely moving bodies have no such matrix.
fn refuse_too_many(
    places: &[Value<'_>],
    joints: &[SceneExtraJoint],
    bodies: &[SceneBody],
    solver: JointSolver,
    context: &SceneContext<'_>,
) -> bool {
    let is_dense = |body: &SceneBody| {
        body.drive.of_body() == Drive::Physics && (solver == JointSolver::Multibody || body.body.is_fixed())
    };
    let dense_ends = |joint: &SceneExtraJoint| {
        let body = |end| match end {
            JointEnd::Link { body, .. } if bodies.get(body).is_some_and(is_dense) => Some(body),
            _ => None,
        };
        joint.joint.ends.into_iter().filter_map(body).collect::<Vec<_>>()
    };
    let mut groups = Groups((0..bodies.len()).collect());
    for joint in joints {
        if let [first, second] = dense_ends(joint)[..] {
            groups.join(first, second);
        }
    }
    let mut held: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, body) in bodies.iter().enumerate().filter(|(_, body)| is_dense(body)) {
        let own: usize = body.body.extra_joints.iter().map(|joint| joint.kind.num_held()).sum();
        *held.entry(groups.first(index)).or_default() += own;
    }
    for (joint, place) in joints.iter().zip(places) {
        let Some(&body) = dense_ends(joint).first() else { continue };
        let held = held.entry(groups.first(body)).or_default();
        *held += joint.joint.form.kind.num_held();
        if *held > MOST_HELD {
            let message = format!(
                "the extra joints that tie these bodies together hold more than {MOST_HELD} directions from here on"
            );
            let help = "they are solved by a dense matrix with a row for each direction (a ball holds 3): use fewer, or \
                `joints: impulse` under `simulation`, which needs none for bodies that float";
            context.reporter.report(place.error("limit-extra-joints", message).help(help));
            return true;
        }
    }
    false
}

/// Connected groups of bodies, as a disjoint-set forest: each entry is the index of another body of its group, and that
/// of the first body is itself.
struct Groups(Vec<usize>);

#[expect(clippy::indexing_slicing, reason = "each entry is the index of an entry")]
impl Groups {
    fn first(&mut self, mut body: usize) -> usize {
        while self.0[body] != body {
            self.0[body] = self.0[self.0[body]];
            body = self.0[body];
        }
        body
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        self.0[one.max(other)] = one.min(other);
    }
}

fn report_findings(
    places: &[Value<'_>],
    joints: &[SceneExtraJoint],
    (bodies, solver): (&[SceneBody], JointSolver),
    context: &SceneContext<'_>,
) {
    let parties: Vec<_> = bodies.iter().map(party).collect();
    let between: Vec<_> = joints.iter().map(|joint| joint.joint).collect();
    for finding in extra_joint_findings(&parties, &between) {
        let (Some(place), Some(joint)) = (places.get(finding.extra_joint), joints.get(finding.extra_joint)) else {
            continue;
        };
        let [first, second] = joint.joint.ends.map(|end| describe_end(end, bodies));
        let kind = joint.joint.form.kind.as_str();
        let what = match &joint.name {
            Some(name) => format!("extra joint `{name}` ({kind} between {first} and {second})"),
            None => format!("the {kind} extra joint between {first} and {second}"),
        };
        let diagnostic = if finding.trouble == LoopTrouble::NothingMoves {
            let message = format!("{what} has no effect: forces cannot move these against each other");
            place.warning("idle-extra-joint", message)
        } else if let (JointSolver::Impulse, Some(limitation)) = (solver, loop_limitation(finding.trouble)) {
            let (code, message) = (limitation.code(), limitation.message(&what));
            let diagnostic =
                if limitation.is_refused() { place.error(code, message) } else { place.warning(code, message) };
            diagnostic.help(limitation.help())
        } else {
            loops::describe(*place, &what, finding.trouble)
        };
        context.reporter.report(diagnostic);
    }
}

fn party(body: &SceneBody) -> Party<'_> {
    Party {
        body: &body.body,
        state: &body.initial,
        drive: body.drive.of_body(),
        is_root_kinematic: matches!(body.drive, SceneDrive::KinematicRoot(_)),
    }
}
