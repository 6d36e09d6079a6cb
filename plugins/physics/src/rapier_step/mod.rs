//! `joints: impulse`: rapier's own step as rapier has it, an independent second opinion beside the default solver.
//!
//! A body is rigid bodies held together by rapier's joints, in single precision. Its limits and motors are rapier's. Three figures are
//! corrected, because rapier's are wrong and not merely coarse, and each has a canary test:
//!
//! - mass properties are those of the model ([`crate::world::mass_properties`]),
//! - contact forces are scaled ([`contacts`]),
//! - the quaternion of a kinematic body has the sign that is nearer ([`kinematic`]).
//!
//! [`crate::model::limitations`] lists the features of a scene that this step does not have. No other room imports from this one; the plugin and the
//! schedule of new bodies add its systems.

pub(crate) mod contacts;
pub(crate) mod extra_joints;
pub(crate) mod joints;
pub(crate) mod kinematic;
pub(crate) mod motors;
pub(crate) mod readings;
mod reports;
pub(crate) mod states;
pub(crate) mod step;
