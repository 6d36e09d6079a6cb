//! Differences between two motions.

use nalgebra::Isometry3;

use crate::{BodyMotion, Interpolate, Sequence};

/// The largest of some differences and its time, and their root mean square.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extreme {
    /// Magnitude of the largest; 0 or more.
    pub value: f64,
    /// Its time, s.
    pub time: f64,
    /// Root mean square over all compared frames.
    pub rms: f64,
}

/// The largest differences of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkDifference {
    /// Distance of the origins of the link, m.
    pub distance: Extreme,
    /// Angle between its orientations, rad, from 0 to π.
    pub angle: Extreme,
    /// Distance of the origins in the last compared frame, m.
    pub distance_at_end: f64,
}

/// The largest differences of two motions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionDifference {
    /// Number of compared frames.
    pub num_frames: usize,
    /// Time of the first compared frame, s.
    pub start: f64,
    /// Time of the last compared frame, s.
    pub end: f64,
    /// Links that both motions have, by index.
    pub links: Vec<LinkDifference>,
    /// Joints that both motions have, by index; rad or m.
    pub joints: Vec<Extreme>,
    /// Number of links that only one of the motions has.
    pub unmatched_links: usize,
    /// Number of joints that only one of the motions has.
    pub unmatched_joints: usize,
}

impl MotionDifference {
    /// The largest distance of a link, m; 0 without links.
    pub fn largest_distance(&self) -> f64 {
        self.links.iter().map(|link| link.distance.value).fold(0.0, f64::max)
    }

    /// The largest angle of a link, rad.
    pub fn largest_angle(&self) -> f64 {
        self.links.iter().map(|link| link.angle.value).fold(0.0, f64::max)
    }

    /// The largest difference of a joint, rad or m.
    pub fn largest_joint(&self) -> f64 {
        self.joints.iter().map(|joint| joint.value).fold(0.0, f64::max)
    }
}

/// Reason why two motions cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// The time spans do not overlap.
    #[error("the motions have no time in common")]
    NoCommonTime,
    /// The motions have neither links nor joints in common.
    #[error("the motions have neither links nor joints in common")]
    NothingInCommon,
}

/// Compares two motions over their common time span, at the frames of the one with fewer of them. The other one is
/// interpolated linearly (orientations along the shorter arc). Links and joints are matched by index.
///
/// # Errors
/// If there is nothing to compare.
pub fn compare(one: &BodyMotion, other: &BodyMotion) -> Result<MotionDifference, CompareError> {
    compare_from(one, other, f64::NEG_INFINITY)
}

/// As [`compare`], at the frames from this time on, s.
///
/// # Errors
/// If there is nothing to compare.
pub fn compare_from(one: &BodyMotion, other: &BodyMotion, from: f64) -> Result<MotionDifference, CompareError> {
    let mut difference =
        MotionDifference { start: f64::INFINITY, end: f64::NEG_INFINITY, ..MotionDifference::default() };
    let mut overlaps = true;
    let mut has_any = false;
    if let (Some(one), Some(other)) = (&one.link_positions, &other.link_positions) {
        has_any = true;
        let mut links = vec![LinkDifference::default(); one.num_parts().min(other.num_parts())];
        difference.unmatched_links = one.num_parts().abs_diff(other.num_parts());
        let count = walk((one, other), from, &mut difference, |time, ours, theirs| {
            for (link, (ours, theirs)) in links.iter_mut().zip(ours.iter().zip(theirs)) {
                let distance = (ours.translation.vector - theirs.translation.vector).norm();
                link.distance.add(distance, time);
                link.angle.add(angle_between(ours, theirs), time);
                link.distance_at_end = distance;
            }
        });
        for link in &mut links {
            link.distance.finish(count);
            link.angle.finish(count);
        }
        overlaps &= count > 0;
        difference.links = links;
    }
    if let (Some(one), Some(other)) = (&one.joint_displacements, &other.joint_displacements) {
        has_any = true;
        let mut joints = vec![Extreme::default(); one.num_parts().min(other.num_parts())];
        difference.unmatched_joints = one.num_parts().abs_diff(other.num_parts());
        let count = walk((one, other), from, &mut difference, |time, ours, theirs| {
            for (joint, (ours, theirs)) in joints.iter_mut().zip(ours.iter().zip(theirs)) {
                joint.add((ours - theirs).abs(), time);
            }
        });
        joints.iter_mut().for_each(|joint| joint.finish(count));
        overlaps &= count > 0;
        difference.joints = joints;
    }
    match (has_any, overlaps) {
        (false, _) => Err(CompareError::NothingInCommon),
        (true, false) => Err(CompareError::NoCommonTime),
        (true, true) => Ok(difference),
    }
}

/// Angle from 0 to π; unlike the arc cosine, exact for small angles.
fn angle_between(one: &Isometry3<f64>, other: &Isometry3<f64>) -> f64 {
    let between = one.rotation.inverse() * other.rotation;
    2.0 * libm::atan2(between.imag().norm(), between.scalar().abs())
}

impl Extreme {
    /// Adds a difference; NaN counts as larger than any number. Until [`finish`](Self::finish) `rms` is the sum of squares.
    fn add(&mut self, value: f64, time: f64) {
        let value = if value.is_nan() { f64::INFINITY } else { value };
        if value > self.value {
            (self.value, self.time) = (value, time);
        }
        self.rms += value * value;
    }

    #[allow(clippy::cast_precision_loss)]
    fn finish(&mut self, count: usize) {
        self.rms = (self.rms / count.max(1) as f64).sqrt();
    }
}

/// Tolerance for equal times, s.
const SAME_TIME: f64 = 1e-9;

/// Calls `each` with the time and both frames; returns the number of frames, 0 if the time spans do not overlap.
fn walk<T: Interpolate + Clone>(
    (one, other): (&Sequence<T>, &Sequence<T>),
    from: f64,
    difference: &mut MotionDifference,
    mut each: impl FnMut(f64, &[T], &[T]),
) -> usize {
    let start = one.start().max(other.start()).max(from) - SAME_TIME;
    let end = one.end().min(other.end()) + SAME_TIME;
    let within = |sequence: &Sequence<T>| {
        (0..sequence.num_frames()).filter(|&frame| (start..=end).contains(&sequence.time(frame))).count()
    };
    let is_one_coarser = within(one) <= within(other);
    let (coarse, fine) = if is_one_coarser { (one, other) } else { (other, one) };
    let Some(first) = fine.frames().next() else { return 0 };
    let mut sampled = first.to_vec();
    let mut count = 0;
    for frame in 0..coarse.num_frames() {
        let time = coarse.time(frame);
        if !(start..=end).contains(&time) {
            continue;
        }
        fine.sample(time, &mut sampled);
        let frame = coarse.frame(frame);
        if is_one_coarser {
            each(time, frame, &sampled)
        } else {
            each(time, &sampled, frame)
        }
        count += 1;
        difference.start = difference.start.min(time);
        difference.end = difference.end.max(time);
    }
    difference.num_frames = difference.num_frames.max(count);
    count
}

#[cfg(test)]
mod tests {
    use nalgebra::{Translation3, UnitQuaternion, Vector3};

    use super::*;

    /// A link that moves along X at 1 m/s and rotates about Z at 1 rad/s, and a joint with 2 rad/s.
    fn motion(rate: f64, frames: u32, ahead: f64) -> BodyMotion {
        let times = (0..frames).map(|frame| f64::from(frame) / rate + ahead);
        let poses = times.clone().map(|time| {
            Isometry3::from_parts(Translation3::new(time, 0.0, 0.0), UnitQuaternion::new(Vector3::z() * time))
        });
        let mut motion = BodyMotion::new(rate);
        motion.link_positions = Sequence::new(rate, 1, poses.collect()).ok();
        motion.joint_displacements = Sequence::new(rate, 1, times.map(|time| 2.0 * time).collect()).ok();
        motion
    }

    #[test]
    fn motions_of_different_rates_are_compared_over_their_common_time() {
        let same = compare(&motion(500.0, 501, 0.0), &motion(100.0, 201, 0.0)).unwrap();
        assert_eq!((same.num_frames, same.start), (101, 0.0));
        assert!((same.end - 1.0).abs() < 1e-9);
        assert!(same.largest_distance() < 1e-12 && same.largest_angle() < 1e-9 && same.largest_joint() < 1e-12);
        let ahead = compare(&motion(100.0, 11, 0.25), &motion(500.0, 51, 0.0)).unwrap();
        assert!((ahead.largest_distance() - 0.25).abs() < 1e-9, "{ahead:?}");
        assert!((ahead.largest_angle() - 0.25).abs() < 1e-9, "{ahead:?}");
        assert!((ahead.largest_joint() - 0.5).abs() < 1e-9, "{ahead:?}");
    }

    #[test]
    fn the_largest_difference_has_its_time() {
        let (one, mut other) = (motion(10.0, 11, 0.0), motion(10.0, 11, 0.0));
        let mut joints = other.joint_displacements.as_ref().unwrap().values().to_vec();
        joints[7] += 0.5;
        other.joint_displacements = Sequence::new(10.0, 1, joints).ok();
        let difference = compare(&one, &other).unwrap();
        assert!((difference.joints[0].value - 0.5).abs() < 1e-12);
        assert!((difference.joints[0].time - 0.7).abs() < 1e-12);
    }

    #[test]
    fn the_root_mean_square_is_over_all_frames_from_a_time_on() {
        let (one, mut other) = (motion(10.0, 11, 0.0), motion(10.0, 11, 0.0));
        let mut joints = other.joint_displacements.as_ref().unwrap().values().to_vec();
        joints[0] += 8.0;
        joints[6] -= 0.5;
        other.joint_displacements = Sequence::new(10.0, 1, joints).ok();
        let whole = compare(&one, &other).unwrap().joints[0];
        assert!(
            (whole.value - 8.0).abs() < 1e-12 && (whole.rms - (64.25_f64 / 11.0).sqrt()).abs() < 1e-12,
            "{whole:?}"
        );
        let late = compare_from(&one, &other, 0.55).unwrap();
        assert_eq!((late.num_frames, late.links[0].distance.rms), (5, 0.0));
        let joint = late.joints[0];
        assert!((joint.value - 0.5).abs() < 1e-12 && (joint.rms - (0.25_f64 / 5.0).sqrt()).abs() < 1e-12, "{joint:?}");
        assert_eq!(compare_from(&one, &other, 1.5), Err(CompareError::NoCommonTime));
    }

    #[test]
    fn nan_counts_as_the_largest_difference() {
        let mut broken = motion(10.0, 11, 0.0);
        broken.joint_displacements = Sequence::new(10.0, 1, vec![f64::NAN; 11]).ok();
        assert_eq!(compare(&broken, &motion(10.0, 11, 0.0)).unwrap().largest_joint(), f64::INFINITY);
    }

    #[test]
    fn motions_without_common_data_are_refused() {
        assert_eq!(compare(&BodyMotion::new(1.0), &motion(10.0, 11, 0.0)), Err(CompareError::NothingInCommon));
        let mut later = motion(10.0, 11, 0.0);
        later.link_positions = None;
        later.joint_displacements = later.joint_displacements.and_then(|joints| joints.with_offset(5.0).ok());
        assert_eq!(compare(&later, &motion(10.0, 11, 0.0)), Err(CompareError::NoCommonTime));
    }
}
