//! Options of a run with ROS 2.

#[cfg(feature = "ros2")]
use std::path::Path;
#[cfg(feature = "ros2")]
use std::sync::Arc;

#[cfg(feature = "ros2")]
use bevy::prelude::*;
#[cfg(feature = "ros2")]
use bunraku::body::{Drive, LoadOptions};
#[cfg(feature = "ros2")]
use bunraku::ros2::{BaseDrive, Progress, Ros2Settings};
#[cfg(feature = "ros2")]
use bunraku::scene::Scene;
#[cfg(feature = "ros2")]
use bunraku::simulation::StopAfter;
use clap::Args;

#[cfg(feature = "ros2")]
use super::spawner::SceneSpawner;
use crate::cli::common::Failure;

/// A run with ROS 2.
#[derive(Args, Clone, Default)]
#[cfg_attr(not(feature = "ros2"), allow(dead_code, reason = "options are the same in every build"))]
#[command(next_help_heading = "ROS 2")]
pub struct Ros2Args {
    /// Publish clock, poses, joints and sensors to ROS 2, and take its commands; until it is stopped, or for
    /// `--duration`
    #[arg(long, conflicts_with_all = ["view", "hands"])]
    ros2: bool,
    /// The domain of ROS 2, from 0 to 232 [default: that of the environment variable ROS_DOMAIN_ID, or 0]
    #[arg(long, value_name = "N", requires = "ros2", value_parser = clap::value_parser!(u16).range(0..=232))]
    domain: Option<u16>,
    /// Namespace of topics and services [default: that of the root]
    #[arg(long, value_name = "NAME", requires = "ros2")]
    namespace: Option<String>,
    /// Messages of clock, poses and joints a simulated second [default: 100]
    #[arg(long, value_name = "HZ", requires = "ros2", value_parser = super::rate)]
    publish_rate: Option<f64>,
    /// Simulated seconds a second [default: 1]
    #[arg(long, value_name = "FACTOR", requires = "ros2", value_parser = super::rate)]
    speed: Option<f64>,
    /// Begin paused: services step or resume the simulation
    #[arg(long, requires = "ros2", conflicts_with = "speed")]
    stepped: bool,
    /// Use all networks of this machine; by default messages stay on it
    #[arg(long, requires = "ros2")]
    all_networks: bool,
}

impl Ros2Args {
    pub fn are_given(&self) -> bool {
        self.ros2
    }

    /// Connects a run; clients spawn models that are read with `options`.
    #[cfg(feature = "ros2")]
    pub fn connect(
        &self,
        app: &mut App,
        scene: &Scene,
        entities: &[Entity],
        options: &LoadOptions,
        has_end: bool,
    ) -> Result<(), Failure> {
        if !has_end {
            app.insert_resource(StopAfter(None));
        }
        let domain = match (self.domain, std::env::var("ROS_DOMAIN_ID")) {
            (Some(domain), _) => domain,
            (None, Ok(text)) if !text.is_empty() => text.parse().map_err(|_| {
                Failure::Usage(format!(
                    "the environment variable ROS_DOMAIN_ID is `{text}`, not a number from 0 to 232"
                ))
            })?,
            _ => 0,
        };
        let body = |index: usize| entities.get(index).copied();
        // Without a choice of the scene: what has joints and is moved by forces.
        let first = || {
            scene.bodies.iter().position(|body| body.drive.of_body() == Drive::Physics && body.body.num_joints() > 0)
        };
        let robot = scene.ros2.robot.or_else(first).and_then(body);
        let base = scene.ros2.base.as_ref().and_then(|base| {
            Some(BaseDrive {
                body: body(base.body)?,
                left: base.left.clone(),
                right: base.right.clone(),
                wheel_radius: base.wheel_radius,
                track_width: base.track_width,
            })
        });
        let directory = scene.file.parent().unwrap_or(Path::new("")).to_owned();
        let options = LoadOptions { roots: options.roots.around(&scene.file), ..options.clone() };
        let spawner = SceneSpawner { directory, options, time_step: scene.time_step };
        let steps = (1.0 / (self.publish_rate.unwrap_or(100.0) * scene.time_step)).round();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let settings = Ros2Settings {
            domain,
            namespace: self.namespace.clone().unwrap_or_default(),
            all_networks: self.all_networks,
            steps_per_message: steps.clamp(1.0, 1e9) as u64,
            progress: if self.stepped { Progress::Paused } else { Progress::Clock(self.speed.unwrap_or(1.0)) },
            robot,
            base,
            spawner: Some(Arc::new(spawner)),
        };
        bunraku::ros2::connect(app, settings).map_err(|error| Failure::Message(error.to_string()))
    }
}

/// The failure when ROS 2 was requested from a build without it.
#[cfg(not(feature = "ros2"))]
pub fn no_ros2() -> Failure {
    Failure::Message(
        "this `bunraku` was built without ROS 2: build it with the feature `ros2`, as in `cargo run --features ros2 -- run --ros2 …`".to_owned(),
    )
}
