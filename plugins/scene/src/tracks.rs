//! Pseudo continuous tracks without a drive.

use bunraku_body::{Body, Drive, JointIndex, JointKind};
use bunraku_document::{Mapping, Value};
use bunraku_motion::BodyMotion;

use super::model::{ControllerKind, SceneController, SceneDrive};

/// Warns of tracks that stand still because nothing commands their speed. With the controller `none`, the tracks of a
/// body are driven by other code.
pub(super) fn report_idle(
    mapping: &Mapping<'_, '_>,
    place: Value<'_>,
    name: &str,
    body: &Body,
    drive: &SceneDrive,
    controller: Option<&SceneController>,
) {
    if drive.of_body() != Drive::Physics {
        return;
    }
    let asks_for_none = mapping
        .get(&["controller"])
        .and_then(|controller| controller.get("type"))
        .is_some_and(|kind| kind.text() == Some("none"));
    // An error in the controller has been reported.
    let has_program = controller.is_some_and(|controller| matches!(controller.kind, ControllerKind::Process { .. }));
    if has_program || asks_for_none || (controller.is_none() && mapping.get(&["controller"]).is_some()) {
        return;
    }
    let motion = match drive {
        SceneDrive::PrescribedJoints(motion) => Some(motion),
        _ => controller.and_then(|controller| controller.motion.as_ref()),
    };
    let is_driven = |track: usize| {
        let commands = controller.and_then(|controller| controller.velocities.as_ref());
        commands.and_then(|commands| commands.get(track)).is_some_and(Option::is_some)
            || motion.is_some_and(|motion| moves(motion, track))
    };
    let idle: Vec<&str> = (0..body.num_joints())
        .filter(|index| {
            let joint = body.joint(JointIndex(*index));
            joint.is_some_and(|joint| joint.kind == JointKind::PseudoContinuousTrack) && !is_driven(*index)
        })
        .map(|index| body.joint_name(JointIndex(index)))
        .collect();
    let Some(first) = idle.first() else { return };
    let names = idle.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let message = match (motion, idle.len()) {
        (Some(_), 1) => format!("the motion does not run the track {names} of `{name}`: it stands still"),
        (Some(_), _) => format!("the motion does not run the tracks {names} of `{name}`: they stand still"),
        (None, 1) => format!("nothing drives the track {names} of `{name}`: it stands still"),
        (None, _) => format!("nothing drives the tracks {names} of `{name}`: they stand still"),
    };
    let help = format!(
        "`controller: {{ type: velocity, velocity: {{ {first}: 0.5 }} }}` runs it at 0.5 m/s, `type: none` leaves it to others"
    );
    mapping.reporter().report(place.warning("idle-track", message).help(help));
}

/// Whether a motion contains a joint and its value ever changes.
fn moves(motion: &BodyMotion, joint: usize) -> bool {
    let Some(joints) = &motion.joint_displacements else { return false };
    let mut values = joints.frames().filter_map(|frame| frame.get(joint));
    values.next().is_some_and(|first| values.any(|value| value.to_bits() != first.to_bits()))
}
