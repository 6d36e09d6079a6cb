//! Commands of controllers, and forces from outside, for both solvers.

pub(crate) mod demand;
pub(crate) mod external_forces;
pub(crate) mod faulty_commands;
