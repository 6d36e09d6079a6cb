//! Tests of the whole system: the program as its users see it, and the results of simulations.

// Tests panic and print on purpose when they cannot continue; measured values are shown when a test fails.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)]

mod command_line;
mod common;
mod documentation;
#[cfg(feature = "viewer")]
mod drawn_scenes;
mod drawn_transforms;
mod golden_hashes;
mod golden_models;
mod golden_runs;
mod measured_forces;
mod openhrp_models;
mod own_scenes;
mod played_motion;
mod prelude;
mod robots;
mod scene_documentation;
mod sensing;
mod simulation_loop;
mod snapshot_file;
mod sr1_walk;
#[cfg(feature = "viewer")]
mod window;
