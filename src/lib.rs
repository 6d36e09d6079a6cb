//! Bunraku: a robot simulation sandbox on Bevy for Choreonoid and OpenHRP data.
//!
//! [`SandboxPlugins`] contains everything that a simulation needs inside a Bevy app. The areas of the sandbox are
//! separate crates; the program `bunraku`, behind the default feature `cli`, is a thin layer on top of them:
//!
//! | module | what is in it |
//! |---|---|
//! | [`body`] | body models, the `.body` reader, kinematics |
//! | [`control`] | controllers that follow motions, hold poses and push |
//! | [`document`] | located YAML, diagnostics, limits, paths |
//! | [`mesh`] | triangles and primitives, mesh files |
//! | [`motion`] | `.seq` files, playing and recording motions |
//! | [`physics`] | rapier steps, joints, contacts, actuation |
//! | [`render`] | scenes of triangles, rays, pictures without a graphics driver |
//! | `ros2` | ROS 2 over DDS; with the feature `ros2` |
//! | [`scene`] | scene files and Choreonoid projects: reading, building the world, recording |
//! | [`sensors`] | sensors on bodies, and their logs |
//! | [`simulation`] | schedule, clock, pace, status, snapshots |
//! | [`task`] | task files, and tasks on robots |
//! | `viewer` | the window, and pictures of bodies; with the feature `viewer`, which needs a renderer and takes long to build |
//!
//! A body in an app of your own:
//!
//! ```
//! use bevy::prelude::*;
//! use bunraku::prelude::*;
//!
//! # fn main() -> Result {
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
//! let stone = (BodyModel::open("assets/models/box.body")?, Transform::from_xyz(0.0, 0.0, 10.0));
//! let stone = app.world_mut().spawn(stone).id();
//! app.run_steps(1000);
//! let height = app.world().get::<BodyState>(stone).ok_or("no stone")?.link_poses[0].translation.z;
//! assert!((10.0 - height - 9.80665 / 2.0).abs() < 0.01, "{height}");
//! # Ok(())
//! # }
//! ```

/// The programs of the pages, which `cargo test` compiles and runs.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/guide/bevy-app.md")]
    struct BevyApp;
}

pub mod describe;

pub use bunraku_body as body;
pub use bunraku_control as control;
pub use bunraku_document as document;
pub use bunraku_mesh as mesh;
pub use bunraku_motion as motion;
pub use bunraku_physics as physics;
pub use bunraku_render as render;
#[cfg(feature = "ros2")]
pub use bunraku_ros2 as ros2;
pub use bunraku_scene as scene;
pub use bunraku_sensors as sensors;
pub use bunraku_simulation as simulation;
pub use bunraku_task as task;
#[cfg(feature = "viewer")]
pub use bunraku_viewer as viewer;

use bevy::app::{PluginGroup, PluginGroupBuilder};

/// All plugins of the sandbox.
///
/// | plugin | what it does |
/// |---|---|
/// | [`simulation::SimulationPlugin`] | the simulation schedule, its clock and its pace |
/// | [`body::BodyPlugin`] | bodies as entities |
/// | [`motion::MotionPlugin`] | plays motions on bodies, records bodies to `.seq` |
/// | [`physics::PhysicsPlugin`] | moves bodies by forces: rapier, joints, contacts |
/// | [`control::ControlPlugin`] | controllers |
/// | [`sensors::SensorsPlugin`] | sensors of bodies that have [`sensors::BodySensors`] |
/// | [`scene::HandPlugin`] | interactions of a user, and their repetition |
/// | [`sensors::JointLogPlugin`] | records velocities, efforts and forces of joints |
/// | [`sensors::ContactLogPlugin`] | records contacts |
/// | [`sensors::BalanceLogPlugin`] | records centres of mass and zero moment points |
/// | [`physics::StartReportPlugin`] | warns of bodies that interpenetrate at the start |
/// | `viewer::painter::PainterPlugin` | with the feature `viewer`: draws the images of cameras that ask for the graphics card |
///
/// They need Bevy's `TransformPlugin` and a runner that updates the app. Before they are added, each may be configured
/// or left out:
///
/// ```
/// use bevy::prelude::*;
/// use bunraku::prelude::*;
///
/// let parameters = PhysicsParameters { gravity: nalgebra::Vector3::new(0.0, 0.0, -1.62), ..default() };
/// let on_the_moon = SandboxPlugins
///     .set(SimulationPlugin { time_step: 0.002, pace: Pace::Unpaced })
///     .set(PhysicsPlugin { parameters })
///     .disable::<bunraku::sensors::JointLogPlugin>();
/// App::new().add_plugins((MinimalPlugins, TransformPlugin, on_the_moon));
/// ```
pub struct SandboxPlugins;

impl PluginGroup for SandboxPlugins {
    fn build(self) -> PluginGroupBuilder {
        let plugins = PluginGroupBuilder::start::<Self>()
            .add(simulation::SimulationPlugin::default())
            .add(body::BodyPlugin)
            .add(motion::MotionPlugin)
            .add(physics::PhysicsPlugin::default())
            .add(control::ControlPlugin)
            .add(sensors::SensorsPlugin)
            .add(scene::HandPlugin)
            .add(sensors::JointLogPlugin)
            .add(sensors::ContactLogPlugin)
            .add(sensors::BalanceLogPlugin)
            .add(physics::StartReportPlugin);
        #[cfg(feature = "viewer")]
        let plugins = plugins.add(viewer::painter::PainterPlugin);
        plugins
    }
}

/// The names that most apps need.
pub mod prelude {
    pub use crate::SandboxPlugins;
    pub use bunraku_body::{
        Actuation, Body, BodyLinks, BodyModel, BodySpawned, BodyState, Drive, JointActuation, JointEfforts, JointIndex,
        JointTargets, LinkIndex, LinkNumber, LinkOf, Robot, RobotReadOnly, ToBevy, ToNalgebra,
    };
    pub use bunraku_control::{FollowMotion, PdController};
    pub use bunraku_motion::{BodyMotion, MotionEnded, MotionPlayer, StateRecorder};
    pub use bunraku_physics::{Contacts, JointReadings, PhysicsParameters, PhysicsPlugin, Teleport};
    pub use bunraku_scene::Scene;
    pub use bunraku_simulation::{
        Pace, RegisterSimulationState, RunSteps, SimulationClock, SimulationPlugin, SimulationSnapshot, SimulationStep,
        SimulationSystems,
    };
}
