//! What can be said about extra joints between bodies before they are simulated.

use super::Party;
use super::fit::Support;
use super::fit::fits;
use crate::impulse::joints::loops::findings::LoopTrouble;
use crate::impulse::joints::loops::rows::asked;
use crate::impulse::joints::loops::{LoopFinding, findings};
use crate::model::extra_joint::{ExtraJointBetween, JointEnd};
use crate::model::rigid_parts::RigidParts;

/// Looks at extra joints between bodies that start like this; ends are indices in `parties`. In the order of the joints; one
/// whose ends cannot move against each other has no other finding.
pub fn extra_joint_findings(parties: &[Party<'_>], joints: &[ExtraJointBetween<usize>]) -> Vec<LoopFinding> {
    let fitted = joints.iter().zip(fits(parties, joints)).enumerate();
    let findings = fitted.flat_map(|(extra_joint, (joint, fit))| {
        let troubles = if moves(joint, parties) {
            findings::troubles(&fit.open, (asked(joint.form.kind), fit.locked), &fit.offset)
        } else {
            [Some(LoopTrouble::NothingMoves), None]
        };
        troubles.into_iter().flatten().map(move |trouble| LoopFinding { extra_joint, trouble })
    });
    findings.collect()
}

/// Whether forces can move the ends of a joint against each other.
pub(super) fn moves(joint: &ExtraJointBetween<usize>, parties: &[Party<'_>]) -> bool {
    if let [JointEnd::Link { body, link }, JointEnd::Link { body: other, link: second }] = joint.ends
        && body == other
        && let Some(party) = parties.get(body)
    {
        let parts = RigidParts::of(party.body);
        let [first, second] = [link, second].map(|link| parts.links.get(link).map(|of_link| of_link.part));
        if first == second {
            return false;
        }
    }
    joint.ends.iter().any(|end| Support::of(*end, parties).yields())
}
