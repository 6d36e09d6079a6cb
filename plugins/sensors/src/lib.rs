//! Simulated sensors on bodies: readings, sampling times and log files.
//!
//! - [`specific_force`] and [`angular_velocity`]: acceleration sensors, rate gyros and IMUs, with limits and errors by
//!   a [`Channel`]; [`force_reading`]: force sensors;
//! - [`Scanner`] and [`RollingScan`]: range sensors; [`CameraModel`]: cameras, both on a [`bunraku_render::Scene`];
//! - [`Schedule`]: sampling times of a sensor; [`Sensor`]: the sensors among the devices of a body;
//! - [`log`]: log files;
//! - with the feature `bevy` (on by default): `SensorsPlugin`, the sensors on the bodies of a running simulation.
//!
//! All except the plugin are plain functions of models and states. Frames, signs, units and orders are documented in
//! `docs/reference/sensors.md`. All quantities are in SI units.

// Sines and the like are those of `libm`, so that results have the same bits everywhere.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod camera;
mod camera_options;
mod channel;
mod encoder;
mod environment;
mod error;
mod force;
mod label;
pub mod log;
mod motion;
mod noise;
#[cfg(feature = "bevy")]
mod plugin;
mod range;
mod schedule;
mod sensor;
mod truth;
mod values;
mod vector_error;

pub use camera::{CameraModel, CameraMotion, CameraReading, CameraRenderer};
pub use camera_options::CameraOptions;
pub use channel::{Channel, ChannelState};
pub use encoder::{Encoder, EncoderState};
pub use environment::Environment;
pub use error::{MAX_RAYS, SensorError};
pub use force::{ForceReading, force_reading};
pub use label::device_labels;
pub use motion::{LinkMotion, angular_velocity, specific_force};
pub use noise::{Random, seed_of};
#[cfg(feature = "bevy")]
pub use plugin::{
    BalanceLog, BalanceLogPlugin, BodySensors, ContactLog, ContactLogPlugin, DeviceSwitches, JointChannels, JointLog,
    JointLogPlugin, McapRecorder, Measured, Measurement, MessagePublisher, RayThreads, RecordSensors, Sample,
    ScenePainter, SensorEntities, SensorLog, SensorModel, SensorOf, SensorReading, SensorsPlugin, Shared,
    SurroundingLight, VisualModels,
};
pub use range::{Carried, PatternBeam, RollingScan, Scan, ScanOptions, ScanPattern, ScanPoint, Scanner};
pub use schedule::{Due, SampleRate, Schedule};
pub use sensor::{Sensor, SensorKind};
pub use truth::{GroundTruth, LabelBox, TruthKinds, Watched, ground_truth};
pub use values::{Quantity, Values, ValuesKind};
pub use vector_error::{ErrorState, VectorError};
