//! Dynamics of bodies: [`PhysicsPlugin`].
//!
//! Links that cannot move against each other are one rigid part, and each part has a rigid body with colliders in the context of
//! bevy_rapier. Users may add rapier entities of their own. Nothing is copied between Bevy and rapier during a step.
//!
//! With [`JointSolver::Multibody`], the default, the solver of `bunraku_multibody` moves bodies, with contacts of its own behind rapier's
//! broad phase. With [`JointSolver::Impulse`] rapier's own step moves them, as rapier has it.
//!
//! The rooms, from the ground: `model` (data), `world` (rapier's context), `actuation` (commands and forces), `detection` (contacts),
//! `readings` (results of a step), `bodies` (bodies in our own solver), `rapier_step` (rapier's own step), `prepare` (bodies that are
//! added, changed and removed). Each imports only what is before it, and `rapier_step` nothing of `bodies`.

// Sines and the like are those of `libm`, so that results have the same bits everywhere.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

/// Bevy's plugin for rapier in the version in use, for user-defined rigid bodies and colliders.
pub use bevy_rapier3d;
/// Rapier itself, in the version in use.
pub use bevy_rapier3d::rapier;

mod actuation;
mod bodies;
mod detection;
mod model;
mod plugin;
mod prepare;
mod rapier_step;
mod readings;
mod world;

pub use actuation::external_forces::{ExternalForce, ExternalForces, ForceFrame};
pub use model::collision::{BodyCollision, LinkCollision, SurfaceMaterials};
pub use model::constraint_errors::{ConstraintError, ConstraintErrors, ConstraintLaw};
pub use model::contact_law::ContactLaw;
pub use model::contact_residuals::{ContactResiduals, LawResiduals};
pub use model::extra_joint::{ExtraJointBetween, JointEnd};
pub use model::gains::{EffortGains, Gains, GainsError};
pub use model::initial_twist::InitialTwist;
pub use model::joint_limits::{BeyondRange, JointLimits, JointsBeyondRange};
pub use model::joint_losses::JointLosses;
pub use model::joint_solver::JointSolver;
pub use model::joint_springs::JointSprings;
pub use model::kinematic_root::KinematicRoot;
pub use model::limitations::{
    BodyUse, Limitation, RapierFinding, ReportedLimitations, first_that_bounces, loop_limitation, rapier_findings,
};
pub use model::loops::between::{Party, extra_joint_findings};
pub use model::loops::findings::{LoopFinding, LoopTrouble, loop_findings};
pub use model::loops::tracks::track_closures;
pub use model::parameters::PhysicsParameters;
pub use model::ranges::{
    FARTHEST, LARGEST_GAIN, MASSES, MOMENTS, RangeFinding, massless_links, range_findings, too_far,
};
pub use model::rapier_poses::RapierPoses;
pub use model::simulated_body::SimulatedBody;
pub use model::teleport::{Teleport, Teleported};
pub use model::velocity_limits::{VelocityLimits, is_limiting, limit_velocity, limited_approach};
pub use model::widest_gap::{JointGap, WidestGap};
pub use plugin::{PhysicsPlugin, PhysicsSystems};
pub use prepare::rebuild_bodies;
pub use readings::contact_changes::{ContactBegan, ContactEnded, ReportContacts};
pub use readings::contact_forces::{Contact, Contacts};
pub use readings::joint_readings::JointReadings;
pub use readings::link_motions::LinkMotions;
pub use readings::start_report::{StartReport, StartReportPlugin};
pub use readings::support::Support;
pub use readings::words::in_digits;
pub use world::hulls::{HullFinding, LARGER_HULL, hull_findings};
