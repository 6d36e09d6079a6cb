//! Data: what is simulated and how. It imports nothing of the rest of this crate.

pub(crate) mod collision;
pub(crate) mod constraint_errors;
pub(crate) mod contact_law;
pub(crate) mod contact_residuals;
pub(crate) mod extra_joint;
pub(crate) mod gains;
pub(crate) mod initial_twist;
pub(crate) mod joint_limits;
pub(crate) mod joint_losses;
pub(crate) mod joint_name;
pub(crate) mod joint_solver;
pub(crate) mod joint_springs;
pub(crate) mod kinematic_root;
pub(crate) mod limitations;
pub(crate) mod loops;
pub(crate) mod parameters;
pub(crate) mod ranges;
pub(crate) mod rapier_poses;
pub(crate) mod simulated_body;
pub(crate) mod teleport;
pub(crate) mod velocity_limits;
pub(crate) mod widest_gap;
