//! `<mimic>`: joints that follow others.

use bunraku_document::Diagnostic;

use super::super::joint_couplings;
use super::joints::JointEntry;
use super::xml::{Element, Xml, child, short, suggest};
use crate::{Body, JointCoupling, LinkIndex};

/// A `<mimic>` of a joint, by the names of the joints.
pub(super) struct Mimic<'a> {
    element: Element<'a>,
    follower: String,
    leader: &'a str,
    multiplier: f64,
    offset: f64,
}

/// Mimics of the joints, in file order. Those of joints that do not exist are reported.
pub(super) fn read<'a>(joints: &[JointEntry<'a>], xml: &Xml<'a>) -> Vec<Mimic<'a>> {
    let names: Vec<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
    let read = |joint: &JointEntry<'a>| {
        let element = child(joint.element, "mimic")?;
        xml.check(element, &["joint", "multiplier", "offset"], &[]);
        let leader = xml.required(element, "joint")?;
        if !names.contains(&leader) {
            let message =
                format!("`{}` is to follow a joint `{}` that does not exist", short(&joint.name), short(leader));
            let warning = suggest(Diagnostic::warning("unknown-joint", message), leader, &names);
            xml.report_attribute(element, "joint", warning);
            return None;
        }
        let number = |name, default| xml.number(element, name).unwrap_or(default);
        let (multiplier, offset) = (number("multiplier", 1.0), number("offset", 0.0));
        Some(Mimic { element, follower: joint.name.clone(), leader, multiplier, offset })
    };
    joints.iter().filter_map(read).collect()
}

/// Couples the joints of the body. A coupling that is not possible is a warning: the joint then moves independently.
pub(super) fn apply(mimics: &[Mimic<'_>], body: &mut Body, xml: &Xml<'_>) {
    for mimic in mimics {
        let link = |name: &str| -> Option<LinkIndex> {
            let is_own = |link: &&crate::Link| link.joint_name() == name;
            body.links().iter().position(|link| is_own(&link)).map(LinkIndex)
        };
        let (Some(follower), Some(leader)) = (link(&mimic.follower), link(mimic.leader)) else { continue };
        let coupling = JointCoupling::linear(follower, leader, mimic.multiplier, mimic.offset);
        if let Err(error) = body.couple(coupling) {
            let message = format!(
                "{}: `{}` moves independently",
                joint_couplings::message(error, body, &coupling),
                short(&mimic.follower)
            );
            xml.report(mimic.element, Diagnostic::warning(error.code(), message).help(joint_couplings::help(error)));
        }
    }
}
