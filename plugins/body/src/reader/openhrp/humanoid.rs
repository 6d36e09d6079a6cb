//! The `Humanoid` node itself: where it stands, and the link it is if not a single joint hangs on it.

use bunraku_document::Diagnostic;
use nalgebra::{Isometry3, Vector3};

use super::fields::Fields;
use super::place::shortened;
use crate::{Joint, JointKind, Link, MassProperties};

/// What the link is called if the `Humanoid` has no name.
const LINK_NAME: &str = "HUMANOID";

/// Where the model stands, as the manual says; the original takes no notice.
pub(super) fn pose(fields: Fields<'_>) -> Isometry3<f64> {
    let pose = fields.centered_pose();
    if pose != Isometry3::identity() {
        let message = "the `Humanoid` moves the model, as the manual says; in Choreonoid it has no effect";
        let name = ["translation", "rotation"].into_iter().find(|name| fields.is_given(name)).unwrap_or_default();
        fields.report(name, Diagnostic::note("manual-wins", message).help("move the root joint instead"));
    }
    pose
}

/// Its frame as a link that is fixed to the world; `count` is how many nodes hang on it.
pub(super) fn link(fields: Fields<'_>, name: String, offset: Isometry3<f64>, count: usize) -> Link {
    let name = if name.is_empty() { LINK_NAME.to_owned() } else { name };
    let what = if count == 0 { "empty" } else { "not a single joint" };
    let link = shortened(&name);
    let message = format!("`humanoidBody` is {what}: the `Humanoid` is the root link `{link}`, fixed to the world");
    let warning = Diagnostic::warning("humanoid-link", message);
    fields.report("humanoidBody", warning.help("put one `Joint` around all others: Choreonoid does not read this"));
    Link {
        name,
        parent: None,
        offset,
        joint: Joint { kind: JointKind::Fixed, axis: Vector3::zeros(), ..Joint::default() },
        mass: MassProperties::ZERO,
        material: None,
        visual: Vec::new(),
        collision: Vec::new(),
        collision_shape: None,
        scenery: Vec::new(),
        info: Vec::new(),
    }
}
