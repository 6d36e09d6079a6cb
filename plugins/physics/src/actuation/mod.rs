//! Commands of controllers and external forces, for both solvers.

pub(crate) mod demand;
pub(crate) mod external_forces;
pub(crate) mod faulty_commands;
