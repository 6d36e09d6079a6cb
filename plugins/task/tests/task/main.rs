//! Tests of the task crate: files, expressions, checks, inverse kinematics, the executor and the designer.

// In tests, a failed assumption may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod arms;
mod common;
mod corpus;
mod documentation;
mod drafts;
mod evaluator;
mod execution;
mod expressions;
mod fuzz;
mod generations;
mod humanoid;
mod kinematics;
mod mapping;
mod messages;
mod runs;
#[cfg(feature = "bevy")]
mod simulation;
mod writing;
