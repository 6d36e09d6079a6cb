//! The first message: the body and its joints.

use bunraku_body::{Body, JointIndex, JointKind, Range};
use serde::Serialize;

use super::settings::ControllerProcess;

/// Version of the messages.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Description<'a> {
    format: &'static str,
    version: u32,
    body: &'a str,
    output: &'static str,
    /// s
    time_step: f64,
    /// s
    period: f64,
    /// s; above 0 if the program was started again.
    time: f64,
    joints: Vec<DescribedJoint<'a>>,
}

/// A joint: SI units, unlimited ends are `null`.
#[derive(Serialize)]
struct DescribedJoint<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    range: [Option<f64>; 2],
    velocity_range: [Option<f64>; 2],
    effort_range: [Option<f64>; 2],
}

/// The description of `body` in JSON, without a line end.
pub(super) fn describe(
    (body, name): (&Body, &str),
    process: &ControllerProcess,
    (time, time_step): (f64, f64),
) -> serde_json::Result<Vec<u8>> {
    #[allow(clippy::cast_precision_loss)]
    let period = process.period as f64 * time_step;
    let joints = (0..body.num_joints()).map(|index| joint(body, JointIndex(index)));
    serde_json::to_vec(&Description {
        format: "BunrakuController",
        version: VERSION,
        body: name,
        output: process.output.word(),
        time_step,
        period,
        time,
        joints: joints.collect(),
    })
}

fn joint(body: &Body, index: JointIndex) -> DescribedJoint<'_> {
    let joint = body.joint(index);
    let of = |choose: fn(&bunraku_body::Joint) -> Range| joint.map_or([None; 2], |joint| ends(choose(joint)));
    DescribedJoint {
        name: body.joint_name(index),
        kind: match joint.map(|joint| joint.kind) {
            Some(JointKind::Revolute) => "revolute",
            Some(JointKind::Prismatic) => "prismatic",
            Some(JointKind::PseudoContinuousTrack) => "pseudo_continuous_track",
            _ => "none",
        },
        range: of(|joint| joint.displacement_range),
        velocity_range: of(|joint| joint.velocity_range),
        effort_range: of(|joint| joint.effort_range),
    }
}

fn ends(Range { lower, upper }: Range) -> [Option<f64>; 2] {
    [lower, upper].map(|end| end.is_finite().then_some(end))
}
