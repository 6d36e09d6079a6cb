//! Extra joints between bodies, and between bodies and the world.

// A test that cannot go on should say so loudly.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod arms;
mod chains;
mod driven;
mod forces;
mod opening;
mod support;
mod trouble;
