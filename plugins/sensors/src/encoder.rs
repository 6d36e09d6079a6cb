//! Joint encoders.

use bunraku_body::JointIndex;
use serde::{Deserialize, Serialize};

use crate::noise::Random;

/// Measures the displacement of a joint on the side of its motor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encoder {
    /// The joint.
    pub joint: JointIndex,
    /// Displacement of one count, rad or m; 0 for a continuous reading.
    pub resolution: f64,
    /// Play between motor and joint, rad or m: the motor side follows when the joint has crossed it.
    pub backlash: f64,
    /// Constant error, rad or m.
    pub bias: f64,
    /// Standard deviation of the error of each sample before it is counted, rad or m.
    pub noise: f64,
}

/// State of an encoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EncoderState {
    /// Displacement of the motor side.
    motor: Option<f64>,
    /// Last reading.
    last: Option<f64>,
}

impl Encoder {
    /// An exact encoder.
    pub fn new(joint: JointIndex) -> Self {
        Self { joint, resolution: 0.0, backlash: 0.0, bias: 0.0, noise: 0.0 }
    }

    /// Lets the motor side follow the joint; call it in each step. At first it is in the middle of the play.
    pub fn follow(&self, displacement: f64, state: &mut EncoderState) {
        let half = self.backlash / 2.0;
        let motor = state.motor.unwrap_or(displacement);
        state.motor = Some(motor.max(displacement - half).min(displacement + half));
    }

    /// Displacement and velocity, rad and rad/s or m and m/s. The velocity is the difference from the reading before,
    /// `interval` s ago, as a controller would compute it; 0 at first. `random` is only called if there is noise.
    pub fn measure(&self, interval: f64, state: &mut EncoderState, random: impl FnOnce() -> Random) -> [f64; 2] {
        let noise = if self.noise > 0.0 { self.noise * random().normal() } else { 0.0 };
        let value = state.motor.unwrap_or(0.0) + self.bias + noise;
        let value = if self.resolution > 0.0 { (value / self.resolution).round() * self.resolution } else { value };
        let velocity = state.last.map_or(0.0, |last| (value - last) / interval);
        state.last = Some(value);
        [value, velocity]
    }
}
