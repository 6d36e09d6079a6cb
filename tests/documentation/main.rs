//! What the project says of itself holds.

// A test that cannot go on says so loudly.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod circles;
mod commands;
mod examples;
mod names;
mod pages;
mod reflection;
