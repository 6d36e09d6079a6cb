//! Findings about extra joints between bodies before they are simulated.

use super::Party;
use super::fit::{Support, fits};
use bunraku_body::RigidParts;

use crate::model::extra_joint::{ExtraJointBetween, JointEnd};
use crate::model::loops::findings::{LoopFinding, LoopTrouble, troubles};

/// Looks at extra joints between bodies that start like this; ends are indices in `parties`. In the order of the joints; one
/// whose ends cannot move against each other has no other finding.
pub fn extra_joint_findings(parties: &[Party<'_>], joints: &[ExtraJointBetween<usize>]) -> Vec<LoopFinding> {
    let fitted = joints.iter().zip(fits(parties, joints)).enumerate();
    let findings = fitted.flat_map(|(extra_joint, (joint, fit))| {
        let found = if moves(joint, parties) { troubles(&fit) } else { [Some(LoopTrouble::NothingMoves), None] };
        found.into_iter().flatten().map(move |trouble| LoopFinding { extra_joint, trouble })
    });
    findings.collect()
}

/// Whether forces can move the ends of a joint against each other.
fn moves(joint: &ExtraJointBetween<usize>, parties: &[Party<'_>]) -> bool {
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
