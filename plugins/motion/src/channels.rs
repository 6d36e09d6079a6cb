//! Curves of a motion over time.

use bunraku_body::{Body, JointIndex, JointKind, LinkIndex};

use crate::{BodyMotion, Channel, OtherFrames, Sequence};

const AXES: [&str; 3] = ["x", "y", "z"];
const ANGLES: [&str; 3] = ["roll", "pitch", "yaw"];

/// Whether a channel of [`channels`] is part of a pose or of the ZMP: plots draw such only on demand, if there are others.
pub fn is_of_pose(name: &str) -> bool {
    let end = name.rsplit_once('.').map(|(_, end)| end);
    end.is_some_and(|end| AXES.contains(&end) || ANGLES.contains(&end))
}

/// All curves of a motion, joints first: `JOINT`, `LINK.x` … `LINK.yaw` with `root` for the root link, `zmp.x` …
/// `zmp.z`, and `CONTENT.0` … of other numbers. Without a body, joints are `joint0` …, and links `link1` ….
pub fn channels(motion: &BodyMotion, body: Option<&Body>) -> Vec<Channel> {
    let mut channels = Vec::new();
    if let Some(joints) = &motion.joint_displacements {
        for index in 0..joints.num_parts() {
            let name = body.map(|body| body.joint_name(JointIndex(index))).unwrap_or_default();
            let name = if name.is_empty() { format!("joint{index}") } else { name.to_owned() };
            let kind = body.and_then(|body| body.joint(JointIndex(index))).map(|joint| joint.kind);
            let unit = match kind {
                Some(JointKind::Revolute) => "rad",
                Some(_) => "m",
                None => "rad or m",
            };
            channels.push(channel(name, unit, values(joints, |frame| frame.get(index).copied())));
        }
    }
    if let Some(links) = &motion.link_positions {
        for index in 0..links.num_parts() {
            let name = body.filter(|body| index < body.links().len()).map(|body| &body.link(LinkIndex(index)).name);
            let name = match (index, name) {
                (0, _) => "root".to_owned(),
                (_, Some(name)) => name.clone(),
                (_, None) => format!("link{index}"),
            };
            for (axis, letter) in AXES.into_iter().enumerate() {
                let points = values(links, |poses| poses.get(index)?.translation.vector.get(axis).copied());
                channels.push(channel(format!("{name}.{letter}"), "m", points));
            }
            for (angle, word) in ANGLES.into_iter().enumerate() {
                let mut points = values(links, |poses| {
                    let (roll, pitch, yaw) = poses.get(index)?.rotation.euler_angles();
                    [roll, pitch, yaw].get(angle).copied()
                });
                without_jumps(&mut points);
                channels.push(channel(format!("{name}.{word}"), "rad", points));
            }
        }
    }
    if let Some(zmp) = &motion.zmp {
        for (axis, letter) in AXES.into_iter().enumerate() {
            let points = values(&zmp.frames, |points| Some(points.first()?[axis]));
            channels.push(channel(format!("zmp.{letter}"), "m", points));
        }
    }
    for other in &motion.others {
        if let OtherFrames::Values(sequence) = &other.frames {
            for index in 0..sequence.num_parts() {
                let points = values(sequence, |frame| frame.get(index).copied());
                channels.push(channel(format!("{}.{index}", other.content), &other.content, points));
            }
        }
    }
    channels
}

fn channel(name: String, unit: &str, points: Vec<(f64, f64)>) -> Channel {
    Channel { name, unit: unit.to_owned(), points }
}

fn values<T>(sequence: &Sequence<T>, value: impl Fn(&[T]) -> Option<f64>) -> Vec<(f64, f64)> {
    let frames = sequence.frames().enumerate();
    frames.filter_map(|(frame, values)| Some((sequence.time(frame), value(values)?))).collect()
}

/// Removes jumps of a full turn between consecutive angles, rad.
pub fn without_jumps(points: &mut [(f64, f64)]) {
    let mut turns = 0.0;
    let mut last: Option<f64> = None;
    for (_, angle) in points.iter_mut().filter(|(_, angle)| angle.is_finite()) {
        let raw = *angle;
        if let Some(last) = last {
            turns -= ((raw - last) / std::f64::consts::TAU).round();
        }
        last = Some(raw);
        *angle = raw + turns * std::f64::consts::TAU;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_go_on_over_a_full_turn() {
        let mut points = [(0.0, 3.0), (1.0, -3.0), (2.0, -2.0), (3.0, f64::NAN), (4.0, 3.0)];
        without_jumps(&mut points);
        let tau = std::f64::consts::TAU;
        assert!((points[1].1 - (tau - 3.0)).abs() < 1e-12 && (points[2].1 - (tau - 2.0)).abs() < 1e-12);
        assert!(points[3].1.is_nan() && (points[4].1 - 3.0).abs() < 1e-12, "{points:?}");
    }
}
