//! Bodies that come into rapier's world.

pub(crate) mod assembly;
mod start;

pub(crate) use start::{TakeIn, start};
