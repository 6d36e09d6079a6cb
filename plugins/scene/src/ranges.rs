//! Checks for numbers of a scene that are out of the range of the physics engine.

use bunraku_body::{Body, BodyState, Drive, ExtraJointForm};
use bunraku_document::{Reporter, Value};
use bunraku_physics::{FARTHEST, range_findings, too_far};

use super::model::SceneDrive;

/// Reports values of a body and of its initial state that are out of range, at its place in the scene.
pub(super) fn report(
    place: Value<'_>,
    name: &str,
    body: &Body,
    initial: &BodyState,
    drive: &SceneDrive,
    reporter: &Reporter,
) {
    // One finding of each code is enough: a body that starts too far away does so with all its links.
    let mut reported = Vec::new();
    for finding in range_findings(body, initial, drive.of_body() == Drive::Physics) {
        if !reported.contains(&finding.code) {
            reported.push(finding.code);
            let message = format!("link `{}` of `{name}` {}", body.link(finding.link).name, finding.what);
            reporter.report(place.error(finding.code, message));
        }
    }
    let (SceneDrive::Motion(motion) | SceneDrive::KinematicRoot(motion)) = drive else { return };
    let poses = motion.link_positions.iter().flat_map(|links| links.values());
    if let Some(coordinate) = poses.filter_map(too_far).next() {
        let message = format!(
            "the motion of `{name}` has a coordinate of {coordinate:e} m, beyond the {FARTHEST:e} m that can be simulated"
        );
        reporter.report(place.error("too-far", message));
    }
}

/// Reports the values of an extra joint's frames that are out of range.
pub(super) fn report_frames(place: Value<'_>, form: &ExtraJointForm, reporter: &Reporter) {
    if let Some(coordinate) = form.frames.iter().find_map(too_far) {
        let message =
            format!("the joint has a coordinate of {coordinate:e} m, beyond the {FARTHEST:e} m that can be simulated");
        reporter.report(place.error("too-far", message));
    }
}
