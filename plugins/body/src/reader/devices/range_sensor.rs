//! Range sensors.

use std::f64::consts::TAU;

use super::keys::{Allowed, Keys, Names, Placed};
use super::vision::{read_distances, read_optical_frame};
use crate::{MAX_RAYS, RangeSensor, ScanAngles};

/// Rounding tolerance of a full turn converted from degrees to radian.
const ROUNDING: f64 = 1e-9;
/// The manual's limit for pitch.
const LARGEST_PITCH_RANGE: f64 = 170.0 / 360.0 * TAU;

/// Keys of the angles in one direction.
struct AngleKeys {
    direction: &'static str,
    min: Names,
    max: Names,
    range: Names,
    step: Names,
    samples: Names,
    /// Largest range allowed by the manual, and its text in messages.
    limit: (f64, &'static str),
}

const YAW: AngleKeys = AngleKeys {
    direction: "yaw",
    min: &["min_yaw_angle"],
    max: &["max_yaw_angle"],
    range: &["yaw_range", "yawRange", "scanAngle"],
    step: &["yaw_step", "yawStep", "scanStep"],
    samples: &["yaw_samples"],
    limit: (TAU, "360 degrees"),
};

const PITCH: AngleKeys = AngleKeys {
    direction: "pitch",
    min: &["min_pitch_angle"],
    max: &["max_pitch_angle"],
    range: &["pitch_range", "pitchRange"],
    step: &["pitch_step", "pitchStep"],
    samples: &["pitch_samples"],
    limit: (LARGEST_PITCH_RANGE, "170 degrees"),
};

/// The rays start at the lower end of the range, as in the original. In the manual they are at multiples of the step on
/// both sides of 0, and ranges are multiples of the step; for even multiples both agree.
pub(super) fn read_range_sensor(keys: &Keys<'_, '_, '_>) -> RangeSensor {
    let default = RangeSensor::default();
    let [min_distance, max_distance] = read_distances(keys, [default.min_distance, default.max_distance]);
    let (optical_frame, optical_rotation) = read_optical_frame(keys);
    let mut sensor = RangeSensor {
        yaw: read_angles(keys, &YAW, default.yaw),
        pitch: read_angles(keys, &PITCH, default.pitch),
        min_distance,
        max_distance,
        scan_rate: keys.number(
            &["scan_rate", "scanRate", "frame_rate", "frameRate"],
            Allowed::POSITIVE,
            default.scan_rate,
        ),
        detection_rate: keys.number(&["detection_rate"], Allowed::SHARE, default.detection_rate),
        error_deviation: keys.number(&["error_deviation"], Allowed::NOT_NEGATIVE, default.error_deviation),
        optical_frame,
        optical_rotation,
    };
    if sensor.samples() > MAX_RAYS {
        let message = format!("the scan has more than {MAX_RAYS} rays: its angles are ignored");
        keys.report(keys.mapping.node().warning("limit-rays", message).help("write larger steps, or a smaller range"));
        (sensor.yaw, sensor.pitch) = (default.yaw, default.pitch);
    }
    sensor
}

fn read_angles(keys: &Keys<'_, '_, '_>, names: &AngleKeys, default: ScanAngles) -> ScanAngles {
    let (mut angles, given) = read_scan_range(keys, names, default);
    let limit = names.limit.0;
    if let Some(given) = given
        && angles.range() > limit + ROUNDING
    {
        let message = format!("the {} range is more than {}", names.direction, names.limit.1);
        keys.report(given.value.warning("out-of-range", message).help("write a smaller range"));
    }
    read_step(keys, names, &mut angles, given);
    angles
}

/// Limits of the scan, and a value that specifies them.
fn read_scan_range<'a>(
    keys: &Keys<'_, 'a, '_>,
    names: &AngleKeys,
    default: ScanAngles,
) -> (ScanAngles, Option<Placed<'a>>) {
    const ANY: Allowed = Allowed::new(|_| true, "");
    let (min, max) = (keys.placed_angle(names.min, ANY), keys.placed_angle(names.max, ANY));
    let range = keys.placed_angle(names.range, Allowed::NOT_NEGATIVE);
    match (min, max, range) {
        (Some(min), Some(max), range) => {
            if let Some(range) = range {
                let message = format!("the {} range is ignored because both its ends are given", names.direction);
                keys.report(range.value.warning("same-key-twice", message).help("remove it"));
            }
            if min.number > max.number {
                let message = format!("the {} range ends before it starts: it is ignored", names.direction);
                keys.report(max.value.warning("empty-range", message).help("write the smaller angle as the minimum"));
                return (default, None);
            }
            (ScanAngles { min: min.number, max: max.number, ..default }, Some(max))
        }
        (min, max, range) => {
            if let Some(lonely) = min.or(max) {
                let message = format!("one end of the {} range is ignored without the other", names.direction);
                keys.report(lonely.value.warning("half-a-range", message).help("write the other end, too"));
            }
            (range.map_or(default, |range| ScanAngles::centered(range.number, default.step)), range)
        }
    }
}

fn read_step(keys: &Keys<'_, '_, '_>, names: &AngleKeys, angles: &mut ScanAngles, given: Option<Placed<'_>>) {
    let name = names.step.first().copied().unwrap_or_default();
    let step = keys.placed_angle(names.step, Allowed::NOT_NEGATIVE);
    let samples = keys.placed(names.samples, Allowed::new(|samples| samples >= 1.0, "at least 1"));
    if let (Some(_), Some(samples)) = (step, samples) {
        let message = format!("the samples are ignored because `{name}` is given too");
        keys.report(samples.value.warning("same-key-twice", message).help("remove one of the two"));
    }
    if let Some(step) = step {
        angles.step = step.number;
        note_uneven_step(keys, names, angles, step);
    } else if let Some(samples) = samples {
        let samples = samples.number.trunc();
        angles.step = if samples > 1.0 { angles.range() / (samples - 1.0) } else { 0.0 };
    } else if angles.range() > 0.0 && angles.step > 0.0 {
        let message = format!(
            "without a valid `{name}` the step is 1 radian, 57.3 degrees: the scan has {} rays in this direction",
            angles.samples()
        );
        let node = given.map_or_else(|| keys.mapping.node(), |given| given.value);
        keys.report(node.note("default-step", message).help(format!("write `{name}`")));
    } else if angles.range() > 0.0 {
        let message =
            format!("without a valid `{name}` the scan has one ray in this direction, in the middle of the range");
        let node = given.map_or_else(|| keys.mapping.node(), |given| given.value);
        keys.report(node.note("default-step", message).help(format!("write `{name}`")));
    }
}

/// The manual requires ranges that are multiples of the step. Otherwise the last ray is short of the end.
fn note_uneven_step(keys: &Keys<'_, '_, '_>, names: &AngleKeys, angles: &ScanAngles, step: Placed<'_>) {
    /// Tolerance relative to a step, for rounded decimal degrees.
    const UNEVEN: f64 = 1e-6;
    let direction = names.direction;
    if angles.step == 0.0 {
        if angles.range() > 0.0 {
            let message = format!("a {direction} step of 0 leaves one ray, in the middle of the range");
            keys.report(step.value.note("uneven-step", message).help("write a step that the range is a multiple of"));
        }
        return;
    }
    let steps = angles.range() / angles.step;
    if (steps - steps.round()).abs() > UNEVEN {
        let message = format!("the {direction} range is no multiple of the step: the last ray is short of its end");
        keys.report(step.value.note("uneven-step", message).help("write a step that the range is a multiple of"));
    }
}
