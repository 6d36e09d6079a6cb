//! Measurements of sensors.

use std::ops::Deref;
use std::sync::Arc;

use bevy::prelude::*;
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{CameraReading, ForceReading, Scan, Values};

/// Last sample of a sensor entity; `None` before the first one and while the sensor is off.
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SensorReading(pub Option<Sample>);

/// A message with a new sample.
///
/// Messages wait for the readers of an update of the app. In a run of many steps without an update the older ones are
/// dropped.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Measured {
    /// The sensor entity.
    pub sensor: Entity,
    /// The sample.
    pub sample: Sample,
}

/// A sample of a sensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Number from 0, over the whole run.
    pub number: u64,
    /// Number of samples that were due since the last one but were not taken, because the time steps are too long.
    pub missed: u64,
    /// Simulated time of the sample, s: the end of a step.
    pub time: f64,
    /// Time since the measurement, s: the latency of the sensor.
    pub age: f64,
    /// World pose of the sensor frame at the time of the measurement.
    pub pose: Isometry3<f64>,
    /// Measured data.
    pub measurement: Measurement,
}

/// Measured data; vectors are in the sensor frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Measurement {
    /// Specific force, m/s²: the mean over the step.
    Acceleration(Vector3<f64>),
    /// Angular velocity, rad/s, at the end of the step.
    AngularVelocity(Vector3<f64>),
    /// Specific force and angular velocity.
    Imu {
        /// As [`Measurement::Acceleration`].
        acceleration: Vector3<f64>,
        /// As [`Measurement::AngularVelocity`].
        angular_velocity: Vector3<f64>,
    },
    /// Force, N, and torque, N·m, of the link on its parent: the mean over the step.
    Force(ForceReading),
    /// Distances.
    Range(Shared<Scan>),
    /// An image, depths or a point cloud.
    Camera(Shared<CameraReading>),
    /// A few numbers of other sensors.
    Values(Values),
}

/// Data shared by components, messages and snapshots.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    pub(super) fn new(data: T) -> Self {
        Self(Arc::new(data))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::new)
    }
}
