//! ROS 2 without an installation of ROS: topics, commands and services of a simulation over DDS.
//!
//! [`connect`] adds it to an app whose bodies are spawned. Messages are encoded by `bunraku_sensors`, as in MCAP files;
//! threads of this crate do the network, so that the simulation never waits for it, except within steps that a service
//! has requested. Topics, services and units are documented in `docs/guide/ros2.md`.

mod bridge;
mod commands;
mod decode;
mod entities;
mod inbox;
mod messages;
mod names;
mod network;
mod services;
mod settings;
mod spawner;

pub use bridge::connect;
pub use settings::{BaseDrive, Progress, Ros2Error, Ros2Settings};
pub use spawner::{ModelSource, SpawnError, Spawner};
