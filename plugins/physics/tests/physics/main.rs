//! Bodies that move by forces: against closed formulas, against what others measured, and with both of rapier's joint solvers.

// Failures panic, and tests print the measured errors.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)]

mod canaries;
mod closed_loops;
mod commands;
mod common;
mod continuous_tracks;
mod driven_bodies;
mod faults;
mod forces;
mod free_bodies;
mod joined_bodies;
mod joint_limits;
mod joints;
mod prescribed;
mod random_scenes;
mod rapier_step;
mod rotors;
mod servos;
mod snapshots;
mod standing;
mod teleport;
mod users_rapier;
mod users_systems;
