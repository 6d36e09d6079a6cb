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

/// A chain of more joints takes most of a millisecond a step as a multibody: 0.75 ms was measured for 250, 44 ms for 1000, as the cost
/// grows with the cube of its length.
const LONG_CHAIN: usize = 250;
/// The most joints of a chain that is held as one multibody: a step of it would take a third of a second.
const LONGEST_CHAIN: usize = 2000;

/// Reports bodies whose chains are long for the joint solver of the scene.
pub(super) fn report_joints(bodies: &[SceneBody], places: &[Value<'_>], solver: JointSolver, reporter: &Reporter) {
    if solver != JointSolver::Multibody {
        return;
    }
    for (SceneBody { name, body, drive, .. }, place) in bodies.iter().zip(places) {
        let length = longest_chain(body);
        if drive.of_body() != Drive::Physics || length <= LONG_CHAIN {
            continue;
        }
        let help = "the cost of a step grows with the cube of the length of a chain; with `joints: impulse` it grows with the number of joints";
        let finding = if length > LONGEST_CHAIN {
            let message = format!(
                "`{name}` has a chain of {length} joints, more than the {LONGEST_CHAIN} that `joints: multibody` takes"
            );
            place.error("too-many-joints", message)
        } else {
            place.warning("long-chain", format!("`{name}` has a chain of {length} joints, which takes long to step"))
        };
        reporter.report(finding.help(help));
    }
}

/// The most moving joints one after the other from the root.
fn longest_chain(body: &Body) -> usize {
    let mut lengths: Vec<usize> = Vec::with_capacity(body.links().len());
    for link in body.links() {
        let above = link.parent.map_or(0, |parent| lengths[parent.0]);
        lengths.push(above + usize::from(link.parent.is_some() && link.joint.kind.has_displacement()));
    }
    lengths.into_iter().max().unwrap_or(0)
}

/// The same of the frames of an extra joint.
pub(super) fn report_frames(place: Value<'_>, form: &ExtraJointForm, reporter: &Reporter) {
    if let Some(coordinate) = form.frames.iter().find_map(too_far) {
        let message =
            format!("the joint has a coordinate of {coordinate:e} m, beyond the {FARTHEST:e} m that can be simulated");
        reporter.report(place.error("too-far", message));
    }
}
