//! Synthetic frames of a walking robot.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

pub const NUM_JOINTS: usize = 29;

/// Number of distinct frames. They repeat, so that their generation takes no time during a measurement.
const NUM_DIFFERENT: usize = 1000;

pub struct Frames {
    roots: Vec<Isometry3<f64>>,
    joints: Vec<f64>,
}

impl Frames {
    pub fn new() -> Self {
        let phase = |frame: usize| TAU * frame as f64 / NUM_DIFFERENT as f64;
        let root = |frame: usize| {
            let (sin, cos) = phase(frame).sin_cos();
            Isometry3::from_parts(
                Translation3::new(0.3 * cos, 0.3 * sin, 0.7 + 0.01 * (2.0 * phase(frame)).sin()),
                UnitQuaternion::from_euler_angles(0.05 * sin, 0.1 * cos, phase(frame)),
            )
        };
        let joint = |index: usize| {
            let (frame, joint) = (index / NUM_JOINTS, (index % NUM_JOINTS) as f64);
            (0.2 + 0.04 * joint) * (phase(frame) + 0.37 * joint).sin()
        };
        Self {
            roots: (0..NUM_DIFFERENT).map(root).collect(),
            joints: (0..NUM_DIFFERENT * NUM_JOINTS).map(joint).collect(),
        }
    }

    pub fn num_different(&self) -> usize {
        NUM_DIFFERENT
    }

    pub fn frame(&self, index: usize) -> (Isometry3<f64>, &[f64]) {
        let index = index % NUM_DIFFERENT;
        (self.roots[index], &self.joints[index * NUM_JOINTS..][..NUM_JOINTS])
    }
}
