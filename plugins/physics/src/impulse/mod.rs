//! Rapier's own step: its joints, and what has to be done beside it.

pub(crate) mod guided_root;
pub(crate) mod impacts;
pub(crate) mod initial_velocities;
pub(crate) mod joints;
pub(crate) mod light_links;
pub(crate) mod step;
