//! Images match their references; panels display the data and return requests for clicks.

// Failed assumptions in tests may panic.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)]

mod common;
mod editing;
mod painter;
mod panel_texts;
mod panels;
mod real_models;
mod small_bodies;
mod task_panel;
