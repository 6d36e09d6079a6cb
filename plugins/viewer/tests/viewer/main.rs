//! Pictures show what is there, and look as they did before; panels show what there is, and ask for what is clicked.

// A test that cannot go on says so loudly.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)]

mod common;
mod painter;
mod panel_texts;
mod panels;
mod real_models;
mod small_bodies;
mod task_panel;
