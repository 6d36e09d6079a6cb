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
mod contact_forces;
mod contacts;
mod convert;
mod culling;
mod follow_motion;
mod guided_root;
mod health;
mod instability;
mod joint_readings;
mod joints;
mod loop_forces;
#[allow(dead_code, unused_imports)] // To be taken into use by the bridge to rapier's collision detection.
mod multibody;
mod parameters;
mod pd_controller;
mod plugin;
mod rigid_parts;
mod snapshot;
mod step;
mod tracks;

pub use assembly::{BodyCollision, SimulatedBody};
pub use colliders::LinkCollision;
pub use contact_forces::{Contact, Contacts};
pub use contacts::SurfaceMaterials;
pub use follow_motion::FollowMotion;
pub use guided_root::GuidedRoot;
pub use joint_readings::JointReadings;
pub use joints::{
    ExtraJointBetween, JointEnd, JointSolver, LoopFinding, LoopTrouble, Party, extra_joint_findings, loop_findings,
    track_closures,
};
pub use parameters::PhysicsParameters;
pub use pd_controller::{Gains, GainsError, PdController};
pub use plugin::{PhysicsPlugin, PhysicsSystems};
pub use rigid_parts::massless_links;
pub use snapshot::{SimulationSnapshot, SnapshotError};
pub use tracks::TrackSpeeds;
