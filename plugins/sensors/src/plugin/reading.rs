//! What sensors measured.

use std::ops::Deref;
use std::sync::Arc;

use bevy::prelude::*;
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{CameraReading, ForceReading, Scan};

/// The last sample of a sensor entity; `None` before the first one and while the sensor is off.
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SensorReading(pub Option<Sample>);

/// A message to all who read what sensors measure.
///
/// Messages wait for the readers of an update of the app. In a run of many steps without one the older are dropped.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Measured {
    /// The sensor entity.
    pub sensor: Entity,
    /// What it measured.
    pub sample: Sample,
}

/// What a sensor measured at a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// From 0, counted over the whole run.
    pub number: u64,
    /// Samples that should have come between the last one and this, and did not, because steps are too far apart.
    pub missed: u64,
    /// The moment that it shows, s of the simulation: the end of a step.
    pub time: f64,
    /// The sensor's frame in the world at that time.
    pub pose: Isometry3<f64>,
    /// What was measured.
    pub measurement: Measurement,
}

/// What a sensor measured; vectors in the sensor's frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Measurement {
    /// Specific force, m/s²: the mean over the step.
    Acceleration(Vector3<f64>),
    /// Angular velocity, rad/s, at the end of the step.
    AngularVelocity(Vector3<f64>),
    /// Both.
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
    /// A picture, depths or a cloud.
    Camera(Shared<CameraReading>),
}

/// Data that components, messages and snapshots share.
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
