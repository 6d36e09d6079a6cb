//! Extra joints between bodies, and between bodies and the world.

mod arms;
mod chains;
mod driven;
mod forces;
mod opening;
pub mod support;
mod trouble;
