//! The simulated system: parts, joints, closures and drives, and the state that a step changes.

pub mod closure;
pub mod contact;
pub mod coupling;
pub mod drive;
pub mod index;
pub mod law_errors;
pub mod of_body;
pub mod parameters;
pub mod removal;
pub mod state;
pub mod system;
