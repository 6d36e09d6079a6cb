//! Comparison of values to the last bit: `==` does not distinguish 0 from -0.

use std::fmt::Debug;

use bunraku_motion::{BodyMotion, OtherFrames, Sequence, Timing};
use nalgebra::{Isometry3, Vector3};

/// A value made of numbers.
pub trait Numbers: Copy {
    fn numbers(&self) -> Vec<f64>;

    fn bits(&self) -> Vec<u64> {
        self.numbers().into_iter().map(f64::to_bits).collect()
    }
}

impl Numbers for f64 {
    fn numbers(&self) -> Vec<f64> {
        vec![*self]
    }
}

impl Numbers for Vector3<f64> {
    fn numbers(&self) -> Vec<f64> {
        self.as_slice().to_vec()
    }
}

impl Numbers for Isometry3<f64> {
    fn numbers(&self) -> Vec<f64> {
        [self.translation.vector.as_slice(), self.rotation.coords.as_slice()].concat()
    }
}

pub fn bits<T: Numbers>(values: &[T]) -> Vec<Vec<u64>> {
    values.iter().map(Numbers::bits).collect()
}

/// All data of a sequence.
#[derive(Debug, PartialEq)]
pub struct SequenceBits {
    name: String,
    rate: u64,
    offset: Option<u64>,
    times: Vec<u64>,
    num_parts: usize,
    part_labels: Vec<String>,
    values: Vec<Vec<u64>>,
}

fn of_sequence<T: Numbers + Debug>(name: &str, sequence: &Sequence<T>) -> SequenceBits {
    SequenceBits {
        name: name.to_owned(),
        rate: sequence.frame_rate().to_bits(),
        offset: match sequence.timing() {
            // A first frame at -0 s equals one at 0 s.
            Timing::Rate { offset, .. } => Some((offset + 0.0).to_bits()),
            Timing::Times { .. } => None,
        },
        times: sequence.times().unwrap_or_default().iter().map(|time| (time + 0.0).to_bits()).collect(),
        num_parts: sequence.num_parts(),
        part_labels: sequence.part_labels().to_vec(),
        values: bits(sequence.values()),
    }
}

/// All data of a motion.
pub fn of_motion(motion: &BodyMotion) -> (u64, Vec<SequenceBits>) {
    let mut all = Vec::new();
    all.extend(motion.link_positions.as_ref().map(|frames| of_sequence("links", frames)));
    all.extend(motion.joint_displacements.as_ref().map(|frames| of_sequence("joints", frames)));
    all.extend(motion.zmp.as_ref().map(|zmp| of_sequence(&format!("zmp {}", zmp.root_relative), &zmp.frames)));
    all.extend(motion.others.iter().map(|other| match &other.frames {
        OtherFrames::Values(frames) => of_sequence(&format!("values {}", other.content), frames),
        OtherFrames::Poses(frames) => of_sequence(&format!("poses {}", other.content), frames),
        OtherFrames::Vectors(frames) => of_sequence(&format!("vectors {}", other.content), frames),
    }));
    (motion.frame_rate.to_bits(), all)
}
