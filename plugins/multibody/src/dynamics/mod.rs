//! Kinematics and dynamics of trees without constraints.

pub mod exact;
pub mod factor;
pub mod integration;
pub mod inverse_dynamics;
pub mod kinematics;
