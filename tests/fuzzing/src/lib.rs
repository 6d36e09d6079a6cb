//! Properties of the readers that hold for any bytes. Each [`Target`] is a function of bytes that panics if a property
//! does not hold. Two programs call it: libFuzzer (`fuzz/`), for as long as one likes, and the test `bounded`, with a
//! fixed number of files that are the same in every run.
//!
//! Properties of every reader:
//! - no panic, no endless loop, no large memory for a small file (libFuzzer's limits and those of the test);
//! - a rejected file has an error with its location, and errors of an accepted file are none;
//! - messages are short, and contain no control characters once rendered;
//! - what is accepted is finite and consistent, and what the program writes of it is read again.

// A target panics if a property does not hold.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod exports;
mod findings;
mod meshes;
mod models;
mod motions;
mod mutate;
mod recovery;
#[cfg(feature = "scene")]
mod scenes;
mod scratch;
mod solver;
#[cfg(feature = "scene")]
mod summaries;
mod tables;
mod targets;
mod tasks;

pub use exports::{ExportFormat, check_export};
pub use mutate::mutated;
pub use targets::{TARGETS, Target, target};
