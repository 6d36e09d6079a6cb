//! Bodies under forces: [`PhysicsPlugin`] steps them with rapier.
//!
//! A body's links become rapier bodies joint by joint; links that cannot move against each other become one. The
//! step runs rapier's pipeline directly on the context that bevy_rapier keeps, so that users may add rapier entities of
//! their own, but nothing is copied between Bevy and rapier during a step.
//!
//! What rapier leaves to its user is set in one place, [`PhysicsParameters`], with the reasons.

mod actuation;
mod assembly;
mod colliders;
mod commands;
mod contact_forces;
mod contacts;
mod convert;
mod culling;
mod external_forces;
mod faulty_commands;
mod follow_motion;
mod guided_root;
mod health;
mod impacts;
mod initial_velocities;
mod instability;
mod joint_gaps;
mod joint_log;
mod joint_losses;
mod joint_readings;
mod joints;
mod loop_forces;
mod mass_properties;
// Nothing uses it yet: bodies are still put together of rapier's joints.
#[allow(dead_code, unused_imports)]
mod multibody;
mod parameters;
mod pd_controller;
mod plugin;
mod ranges;
mod rigid_parts;
mod snapshot;
mod step;
mod tracks;
mod velocity_limits;

pub use assembly::{BodyCollision, SimulatedBody};
pub use colliders::LinkCollision;
pub use commands::{FeedForward, VelocityCommands};
pub use contact_forces::{Contact, Contacts};
pub use contacts::SurfaceMaterials;
pub use external_forces::{ExternalForce, ExternalForces, ForceFrame};
pub use follow_motion::FollowMotion;
pub use guided_root::GuidedRoot;
pub use initial_velocities::InitialTwist;
pub use joint_gaps::{JointGap, WidestGap};
pub use joint_log::{JointChannels, JointLog};
pub use joint_losses::JointLosses;
pub use joint_readings::JointReadings;
pub use joints::{
    ExtraJointBetween, JointEnd, JointSolver, LoopFinding, LoopTrouble, Party, extra_joint_findings, loop_findings,
    track_closures,
};
pub use parameters::PhysicsParameters;
pub use pd_controller::{Gains, GainsError, PdController};
pub use plugin::{PhysicsPlugin, PhysicsSystems};
pub use ranges::{FARTHEST, LARGEST_GAIN, MASSES, MOMENTS, RangeFinding, range_findings, too_far};
pub use rigid_parts::massless_links;
pub use snapshot::{SimulationSnapshot, SnapshotError};
pub use velocity_limits::VelocityLimits;
