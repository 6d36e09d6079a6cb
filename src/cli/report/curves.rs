//! Curves over time: values of the motion, of joints, of sensors and of contacts.

use std::fs;
use std::path::{Path, PathBuf};

use bunraku::body::{Body, JointKind};
use bunraku::motion::{Channel, channels, is_of_pose};
use serde_json::{Value, json};

use super::super::common::Failure;
use super::super::replay::{Replay, ReplayBody};
use super::super::table;
use super::pack::Pack;

/// Largest number of a stored value. Above it is the mark of a value that is not a number.
const LARGEST: f64 = 65534.0;
const NO_NUMBER: u16 = 65535;

/// A curve, and the heading under which it is listed.
pub(super) struct Curve {
    pub(super) group: String,
    pub(super) channel: Channel,
}

/// The curves of the results in a directory.
///
/// # Errors
/// If a table cannot be read.
pub(super) fn of_results(directory: &Path, replay: &Replay) -> Result<Vec<Curve>, Failure> {
    let mut curves = Vec::new();
    for body in &replay.bodies {
        curves.extend(of_motion(body));
        let joints = directory.join(format!("{}.joints.csv", body.name));
        if joints.is_file() {
            curves.extend(table::channels(&joints)?.into_iter().map(|channel| of_joint(body, channel)));
        }
        for path in sorted(&directory.join("sensors").join(&body.name)) {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            if path.extension().is_some_and(|extension| extension == "csv") && path.is_file() {
                let group = format!("{}: {name}", body.name);
                let of_device = table::channels(&path)?.into_iter();
                curves.extend(of_device.map(|channel| Curve { group: group.clone(), channel }));
            }
        }
    }
    Ok(curves)
}

/// The entries of a directory by name; none if there is no such directory.
pub(super) fn sorted(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The curves of a motion: displacements of joints, positions of the root, and others of the file.
pub(super) fn of_motion(body: &ReplayBody) -> Vec<Curve> {
    let Some(motion) = &body.motion else { return Vec::new() };
    let joints = motion.joint_displacements.as_ref().map_or(0, |joints| joints.num_parts());
    // The replay shows where other links are.
    let is_shown = |channel: &Channel| {
        let of_whole = channel.name.starts_with("root.") || channel.name.starts_with("zmp.");
        of_whole || !is_of_pose(&channel.name)
    };
    let channels = channels(motion, Some(&body.body)).into_iter().enumerate();
    let curve = |(index, channel): (usize, Channel)| {
        let heading = match channel.name.split_once('.') {
            _ if index < joints => "displacements",
            Some(("root", _)) => "root",
            _ => "other",
        };
        Curve { group: format!("{}: {heading}", body.name), channel }
    };
    channels.filter(|(index, channel)| *index < joints || is_shown(channel)).map(curve).collect()
}

/// A column of the table of joints, whose unit depends on the joint.
fn of_joint(body: &ReplayBody, channel: Channel) -> Curve {
    let (joint, quantity) = match channel.name.split_once(".force.").or(channel.name.split_once(".torque.")) {
        Some((joint, _)) => (joint, channel.name[joint.len() + 1..].split('.').next().unwrap_or_default()),
        None => channel.name.rsplit_once('.').unwrap_or((&channel.name, "")),
    };
    let slides = slides(&body.body, joint);
    let unit = match (quantity, slides) {
        ("velocity", true) => "m/s",
        ("velocity", false) => "rad/s",
        ("effort", true) | ("force", _) => "N",
        ("effort", false) | ("torque", _) => "N·m",
        _ => channel.unit.as_str(),
    };
    let heading = if quantity.is_empty() { "joints" } else { quantity };
    let (group, unit) = (format!("{}: {heading}", body.name), unit.to_owned());
    Curve { group, channel: Channel { unit, ..channel } }
}

fn slides(body: &Body, joint: &str) -> bool {
    let found = body.indexed_joints().find(|(index, _)| body.joint_name(*index) == joint);
    found.is_some_and(|(index, _)| body.joint(index).is_some_and(|joint| joint.kind == JointKind::Prismatic))
}

/// Times that curves share; the first are those of the replay.
pub(super) struct TimeBases {
    bases: Vec<Vec<f64>>,
    rate: f64,
}

impl TimeBases {
    pub(super) fn new(times: Vec<f64>, rate: f64) -> Self {
        Self { bases: vec![times], rate }
    }

    /// Describes a curve. One with many more points than the replay has frames becomes the least and the largest value
    /// around each frame.
    pub(super) fn describe(&mut self, curve: &Curve, run: usize, pack: &mut Pack) -> Value {
        let points = &curve.channel.points;
        let frames = self.bases.first().map_or(0, Vec::len);
        let (base, low, high) = if points.len() > frames + frames / 2 {
            let (low, high) = self.ranges(points);
            (0, low, Some(high))
        } else {
            let times: Vec<f64> = points.iter().map(|(time, _)| *time).collect();
            let known = self.bases.iter().position(|known| *known == times);
            let base = known.unwrap_or_else(|| {
                self.bases.push(times);
                self.bases.len() - 1
            });
            (base, points.iter().map(|(_, value)| *value).collect(), None)
        };
        let finite = || low.iter().chain(high.iter().flatten()).copied().filter(|value| value.is_finite());
        let least = finite().reduce(f64::min).unwrap_or(0.0);
        let most = finite().reduce(f64::max).unwrap_or(0.0);
        let codes = |values: &[f64]| values.iter().map(|value| code(*value, [least, most])).collect::<Vec<u16>>();
        json!({
            "run": run,
            "group": curve.group,
            "name": curve.channel.name,
            "unit": curve.channel.unit,
            "times": base,
            "range": [least, most],
            "low": pack.u16s(&codes(&low), 1),
            "high": high.map(|high| pack.u16s(&codes(&high), 1)),
        })
    }

    /// The least and the largest value around each frame of the replay.
    fn ranges(&self, points: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
        let times = self.bases.first().map(Vec::as_slice).unwrap_or_default();
        let start = times.first().copied().unwrap_or_default();
        let (mut low, mut high) = (vec![f64::NAN; times.len()], vec![f64::NAN; times.len()]);
        for (time, value) in points {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let index = (((time - start) * self.rate).round().max(0.0) as usize).min(times.len().saturating_sub(1));
            if let (Some(low), Some(high)) = (low.get_mut(index), high.get_mut(index)) {
                // `min` and `max` pass over NaN.
                (*low, *high) = (low.min(*value), high.max(*value));
            }
        }
        (low, high)
    }

    /// Describes the times, s.
    pub(super) fn finish(self, pack: &mut Pack) -> Vec<Value> {
        #[allow(clippy::cast_possible_truncation)]
        let single = |times: &Vec<f64>| times.iter().map(|time| *time as f32).collect::<Vec<f32>>();
        self.bases.iter().map(|times| pack.f32s(&single(times))).collect()
    }
}

/// A value as a fraction of its range, in 65534ths.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn code(value: f64, [least, most]: [f64; 2]) -> u16 {
    if !value.is_finite() {
        return NO_NUMBER;
    }
    if most > least { ((value - least) / (most - least) * LARGEST).round() as u16 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_curves_keep_their_peaks() {
        let times: Vec<f64> = (0..=60).map(|frame| f64::from(frame) / 60.0).collect();
        let peak = |index: i32| (f64::from(index) / 1000.0, if index == 417 { 9.0 } else { f64::NAN });
        let points: Vec<(f64, f64)> = (0..=1000).map(peak).collect();
        let (low, high) = TimeBases::new(times, 60.0).ranges(&points);
        let found: Vec<usize> = (0..61).filter(|index| high[*index] == 9.0).collect();
        assert_eq!((found.as_slice(), low[25]), (&[25][..], 9.0), "0.417 s is in the 25th sixtieth of a second");
        assert_eq!([-1.0, 0.0, 1.0, f64::NAN].map(|value| code(value, [-1.0, 1.0])), [0, 32767, 65534, 65535]);
        assert_eq!(code(5.0, [5.0, 5.0]), 0);
    }
}
