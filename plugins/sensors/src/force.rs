//! Force sensors.

use bunraku_body::dynamics::Wrench;
use nalgebra::{Isometry3, Vector3};

/// What a force sensor reads.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct ForceReading {
    /// Force, N, in the sensor frame.
    pub force: Vector3<f64>,
    /// Torque about the sensor's origin, N·m, in the sensor frame.
    pub torque: Vector3<f64>,
}

/// Force and torque that a link, with everything beyond it, exerts on its parent through the joint between them. A foot
/// that stands reads the weight on it upwards.
///
/// `reaction` is what the parent exerts on the link, at the link origin and in world axes; `mounting` is the sensor
/// frame in the link frame, `pose` the link frame in the world. Where the sensor is moves the point of reference of the
/// torque alone.
pub fn force_reading(mounting: &Isometry3<f64>, pose: &Isometry3<f64>, reaction: &Wrench) -> ForceReading {
    let lever = pose.rotation * mounting.translation.vector;
    let turn = (pose.rotation * mounting.rotation).inverse();
    let torque = reaction.torque - lever.cross(&reaction.force);
    ForceReading { force: turn * -reaction.force, torque: turn * -torque }
}
