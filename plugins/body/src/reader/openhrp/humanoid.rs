//! The `Humanoid` node: its pose, and its link if it has no joint.

use bunraku_document::Diagnostic;
use nalgebra::{Isometry3, Vector3};

use super::fields::Fields;
use super::place::shortened;
use crate::{Joint, JointKind, Link};

/// Name of the link if the `Humanoid` has no name.
const LINK_NAME: &str = "HUMANOID";

/// Pose of the model, as in the manual; the original ignores it.
pub(super) fn pose(fields: Fields<'_>) -> Isometry3<f64> {
    let pose = fields.centered_pose();
    if pose != Isometry3::identity() {
        let message = "the `Humanoid` moves the model, as the manual says; in Choreonoid it has no effect";
        let name = ["translation", "rotation"].into_iter().find(|name| fields.is_given(name)).unwrap_or_default();
        fields.report(name, Diagnostic::note("manual-wins", message).help("move the root joint instead"));
    }
    pose
}

/// A link for its frame, fixed to the world; `count` is the number of nodes below it.
pub(super) fn link(fields: Fields<'_>, name: String, offset: Isometry3<f64>, count: usize) -> Link {
    let name = if name.is_empty() { LINK_NAME.to_owned() } else { name };
    let what = if count == 0 { "empty" } else { "not a single joint" };
    let link = shortened(&name);
    let message = format!("`humanoidBody` is {what}: the `Humanoid` is the root link `{link}`, fixed to the world");
    let warning = Diagnostic::warning("humanoid-link", message);
    fields.report("humanoidBody", warning.help("put one `Joint` around all others: Choreonoid does not read this"));
    let joint = Joint { kind: JointKind::Fixed, axis: Vector3::zeros(), ..Joint::default() };
    Link::new(name, None, offset, joint)
}
