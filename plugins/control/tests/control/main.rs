//! Commands that controllers write, step by step, without physics: the state of the body is set by the test.

// Tests panic on purpose when they cannot continue.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod common;
mod forces;
mod pd;
#[cfg(unix)]
mod process;
mod targets;
mod velocities;
