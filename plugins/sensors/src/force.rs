//! Force sensors.

use bunraku_body::dynamics::Wrench;
use nalgebra::{Isometry3, Vector3};

/// Reading of a force sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct ForceReading {
    /// Force, N, in the sensor frame.
    pub force: Vector3<f64>,
    /// Torque about the sensor's origin, N·m, in the sensor frame.
    pub torque: Vector3<f64>,
}

/// Force and torque that a link, with its subtree, exerts on its parent through their joint. For a standing foot this
/// is the supported weight, upwards.
///
/// `reaction` is the wrench of the parent on the link, at the link origin and in world axes. `mounting` is the sensor
/// frame in the link frame, `pose` the link frame in the world. The location of the sensor only determines the
/// reference point of the torque.
pub fn force_reading(mounting: &Isometry3<f64>, pose: &Isometry3<f64>, reaction: &Wrench) -> ForceReading {
    let lever = pose.rotation * mounting.translation.vector;
    let turn = (pose.rotation * mounting.rotation).inverse();
    let torque = reaction.torque - lever.cross(&reaction.force);
    ForceReading { force: turn * -reaction.force, torque: turn * -torque }
}
