//! Controllers: they follow motions, hold poses and apply forces.
//!
//! Each is a component of a body entity and writes commands ([`bunraku_body::JointEfforts`],
//! [`bunraku_body::JointTargets`], [`bunraku_physics::KinematicRoot`], [`bunraku_physics::ExternalForces`]) at the
//! beginning of a step. They run before [`bunraku_simulation::SimulationSystems::Control`], so a user's controller in
//! that set overrides them and needs no ordering against them.

mod feed_forward;
mod follow_motion;
mod force_profiles;
mod gravity_compensation;
mod pd_controller;
mod plugin;
mod process;
mod velocity_commands;

pub use feed_forward::FeedForward;
pub use follow_motion::FollowMotion;
pub use force_profiles::{ForceProfile, ForceProfiles};
pub use gravity_compensation::GravityCompensation;
pub use pd_controller::PdController;
pub use plugin::{ControlPlugin, FollowReferences};
pub use process::{ControllerProcess, ProcessController, ProcessLayout, ProcessOutput, ProcessState};
pub use velocity_commands::VelocityCommands;
