//! Motions made up by a small random number generator.

use std::ops::{Deref, DerefMut};

use bunraku_motion::{BodyMotion, OtherFrames, OtherSequence, Sequence, Zmp};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// Random numbers, and what motions are made of.
pub struct Random(bunraku_test_support::Random);

impl Deref for Random {
    type Target = bunraku_test_support::Random;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Random {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// What a motion may have beside plain sequences.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    /// First frames at another time than 0 s.
    pub offsets: bool,
    /// Frames with times of their own.
    pub times: bool,
    /// Names of parts.
    pub labels: bool,
}

const AWKWARD: [f64; 18] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    1.0 / 3.0,
    1e-7,
    1.5e-7,
    1e15,
    1e16,
    1e17,
    -1e20,
    1e300,
    -1e300,
    1e-300,
    f64::MIN_POSITIVE,
    5e-324,
    -2.225_073_858_507_201e-308,
];

/// Names that a careless writer of YAML gets wrong.
const NAMES: [&str; 24] = [
    "",
    " ",
    "a",
    "RARM_JOINT0",
    " ahead",
    "behind ",
    "two words",
    "a: b",
    "a #b",
    "#",
    "- a",
    "[a, b]",
    "{",
    "'",
    "\"",
    "\\",
    "true",
    "null",
    "~",
    "1.5",
    "1e3",
    "line\nbreak\r",
    "\u{7}\u{85}\u{2028}\u{feff}",
    "腕 \u{1F916}",
];

impl Random {
    /// The same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(bunraku_test_support::Random::new(seed))
    }

    /// A number of any size up to 1e300: its square may overflow, its double does not.
    pub fn number(&mut self) -> f64 {
        match self.below(4) {
            0 => AWKWARD[self.below(AWKWARD.len())],
            1 => Some(f64::from_bits(self.bits())).filter(|number| number.abs() <= 1e300).unwrap_or(-0.5),
            _ => self.within(3.0),
        }
    }

    pub fn rate(&mut self) -> f64 {
        match self.below(4) {
            0 => 1000.0 / 3.0,
            1 => 1.0 + self.below(1000) as f64,
            2 => 1e-3 + self.unit(),
            _ => 1e4 * self.unit() + 0.5,
        }
    }

    /// A time that is near enough to 0 to tell frames apart there.
    pub fn offset(&mut self) -> f64 {
        match self.below(3) {
            0 => [0.5, -1.25, 1e-9, 100.0][self.below(4)],
            1 => self.within(1.0),
            _ => self.within(1e4),
        }
    }

    /// Forward, from at least 0 s on.
    pub fn times(&mut self, count: usize) -> Vec<f64> {
        let mut time = if self.chance(2) { 0.0 } else { 10.0 * self.unit() };
        let mut times = Vec::new();
        for _ in 0..count {
            times.push(time);
            time = match self.below(4) {
                0 => time.next_up(),
                1 => time + 0.01,
                _ => time + self.unit() + 1e-6,
            };
        }
        times
    }

    pub fn rotation(&mut self) -> UnitQuaternion<f64> {
        let [w, x, y, z] = match self.below(6) {
            0 => [1.0, 0.0, -0.0, 0.0],
            1 => [-1.0, -0.0, 5e-324, -1e-300],
            2 => [0.0, -0.6, 0.8, 0.0],
            3 => [-0.5, 0.5, -0.5, 0.5],
            _ => std::array::from_fn(|_| self.within(1.0) + 1e-3),
        };
        UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
    }

    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.number())
    }

    pub fn pose(&mut self) -> Isometry3<f64> {
        Isometry3::from_parts(Translation3::from(self.vector()), self.rotation())
    }

    fn name(&mut self) -> String {
        let mut name = NAMES[self.below(NAMES.len())].to_owned();
        for _ in 0..self.below(3) {
            name.extend(char::from_u32(self.below(0x11_0000) as u32));
        }
        name
    }

    pub fn num_frames(&mut self) -> usize {
        1 + self.below(12)
    }

    /// A sequence of so many frames.
    pub fn sequence<T>(
        &mut self,
        num_frames: usize,
        num_parts: usize,
        features: Features,
        mut value: impl FnMut(&mut Self) -> T,
    ) -> Sequence<T> {
        let rate = self.rate();
        let values = (0..num_frames * num_parts).map(|_| value(self)).collect();
        let sequence = if features.times && self.chance(2) {
            let times = self.times(num_frames);
            Sequence::timed(times, num_parts, values).and_then(|sequence| sequence.with_frame_rate(rate))
        } else {
            let offset = if features.offsets && self.chance(2) { self.offset() } else { 0.0 };
            Sequence::new(rate, num_parts, values).and_then(|sequence| sequence.with_offset(offset))
        };
        let num_labels = if features.labels && self.chance(2) { self.below(num_parts + 2) } else { 0 };
        sequence.unwrap().with_part_labels((0..num_labels).map(|_| self.name()).collect())
    }

    /// A motion of whatever there can be, with links or joints. Often its sequences have the same rate, first time or
    /// number of frames, which then is written once.
    pub fn motion(&mut self, features: Features) -> BodyMotion {
        let mut motion = BodyMotion::new(1.0);
        let common = Common {
            rate: self.chance(2).then(|| self.rate()),
            offset: (features.offsets && self.chance(2)).then(|| self.offset()),
            num_frames: self.chance(2).then(|| self.num_frames()),
        };
        let has_joints = self.chance(2);
        if !has_joints || self.chance(2) {
            let num_parts = 1 + self.below(5);
            motion.link_positions = Some(self.component(&common, num_parts, features, Self::pose));
        }
        if has_joints {
            let num_parts = 1 + self.below(9);
            motion.joint_displacements = Some(self.component(&common, num_parts, features, Self::number));
        }
        if self.chance(2) {
            let root_relative = self.chance(2);
            motion.zmp = Some(Zmp { root_relative, frames: self.component(&common, 1, features, Self::vector) });
        }
        for index in 0..self.below(4) {
            // Two components cannot have one name.
            let content = format!("{}{index}", self.name());
            let num_parts = 1 + self.below(4);
            let frames = match self.below(3) {
                0 => OtherFrames::Values(self.component(&common, num_parts, features, Self::number)),
                1 => OtherFrames::Poses(self.component(&common, num_parts, features, Self::pose)),
                _ => OtherFrames::Vectors(self.component(&common, 1, features, Self::vector)),
            };
            motion.others.push(OtherSequence { content, frames });
        }
        // The rate of a motion is that of its links, else of its joints.
        let links = motion.link_positions.as_ref().map(Sequence::frame_rate);
        let joints = motion.joint_displacements.as_ref().map(Sequence::frame_rate);
        motion.frame_rate = links.or(joints).unwrap();
        motion
    }

    fn component<T>(
        &mut self,
        common: &Common,
        num_parts: usize,
        features: Features,
        value: impl FnMut(&mut Self) -> T,
    ) -> Sequence<T> {
        let num_frames = common.num_frames.unwrap_or_else(|| self.num_frames());
        let mut sequence = self.sequence(num_frames, num_parts, features, value);
        if let Some(rate) = common.rate {
            sequence = sequence.with_frame_rate(rate).unwrap();
        }
        if let Some(offset) = common.offset {
            sequence = sequence.with_offset(offset).unwrap();
        }
        sequence
    }
}

/// What the sequences of a motion have in common.
struct Common {
    rate: Option<f64>,
    offset: Option<f64>,
    num_frames: Option<usize>,
}
