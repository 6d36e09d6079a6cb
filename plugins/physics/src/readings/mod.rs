//! What a step has done: states, contacts, what joints carry, and whether it still makes sense.

pub(crate) mod acting;
pub(crate) mod contact_forces;
pub(crate) mod health;
pub(crate) mod instability;
pub(crate) mod joint_readings;
pub(crate) mod loop_forces;
pub(crate) mod of_multibodies;
pub(crate) mod ranges;
pub(crate) mod torn;
pub(crate) mod words;
