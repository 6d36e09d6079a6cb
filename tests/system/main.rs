//! The whole system: what a user sees of the program, and what a simulation comes to.

// A test that cannot go on says so loudly; figures are seen where a test fails.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)]

mod command_line;
mod common;
mod documentation;
mod drawn_scenes;
mod golden_models;
mod golden_runs;
mod measured_forces;
mod openhrp_models;
mod own_scenes;
mod played_motion;
mod prelude;
mod scene_documentation;
mod sensing;
mod simulation_loop;
mod snapshot_file;
mod sr1_walk;
mod window;
