//! Numbers of a scene that the engine cannot calculate with, told before the run.

use bunraku_body::{Body, BodyState, Drive, ExtraJointForm};
use bunraku_document::{Reporter, Value};
use bunraku_physics::{FARTHEST, JointSolver, range_findings, too_far};

use super::model::{SceneBody, SceneDrive};

/// Reports what of a body that starts like this is out of range, at its place in the scene.
pub(super) fn report(
    place: Value<'_>,
    name: &str,
    body: &Body,
    initial: &BodyState,
    drive: &SceneDrive,
    reporter: &Reporter,
) {
    // One finding of a kind says enough: a body that starts too far away does so with all its links.
    let mut told = Vec::new();
    for finding in range_findings(body, initial, drive.of_body() == Drive::Physics) {
        if !told.contains(&finding.code) {
            told.push(finding.code);
            let message = format!("link `{}` of `{name}` {}", body.link(finding.link).name, finding.what);
            reporter.report(place.error(finding.code, message));
        }
    }
    let (SceneDrive::Motion(motion) | SceneDrive::GuidedRoot(motion)) = drive else { return };
    let poses = motion.link_positions.iter().flat_map(|links| links.values());
    if let Some(coordinate) = poses.filter_map(too_far).next() {
        let message = format!(
            "the motion of `{name}` has a coordinate of {coordinate:e} m, beyond the {FARTHEST:e} m that can be simulated"
        );
        reporter.report(place.error("too-far", message));
    }
}

/// The most joints of a body that are held as one multibody: the matrix of a chain grows with the square of its length, and the
/// cost of a step with the cube.
const MOST_JOINTS: usize = 250;

/// Reports bodies that have too many joints for the joint solver of the scene.
pub(super) fn report_joints(bodies: &[SceneBody], places: &[Value<'_>], solver: JointSolver, reporter: &Reporter) {
    if solver != JointSolver::Multibody {
        return;
    }
    for (SceneBody { name, body, drive, .. }, place) in bodies.iter().zip(places) {
        let moving =
            body.links().iter().filter(|link| link.parent.is_some() && link.joint.kind.has_displacement()).count();
        if drive.of_body() == Drive::Physics && moving > MOST_JOINTS {
            let message =
                format!("`{name}` has {moving} joints, more than the {MOST_JOINTS} that `joints: multibody` takes");
            let help = "the cost of a step grows with the cube of the length of a chain; with `joints: impulse` it grows with the number of joints";
            reporter.report(place.error("too-many-joints", message).help(help));
        }
    }
}

/// The same of the frames of an extra joint.
pub(super) fn report_frames(place: Value<'_>, form: &ExtraJointForm, reporter: &Reporter) {
    if let Some(coordinate) = form.frames.iter().find_map(too_far) {
        let message =
            format!("the joint has a coordinate of {coordinate:e} m, beyond the {FARTHEST:e} m that can be simulated");
        reporter.report(place.error("too-far", message));
    }
}
