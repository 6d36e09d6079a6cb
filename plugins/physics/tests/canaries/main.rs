//! Faults of rapier 0.35 that this crate makes up for, on rapier alone.
//!
//! When one of these tests fails, the engine has been mended: the correction named in the message must go, or forces will
//! be wrong the other way.

// A test that cannot go on should say so loudly.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod loop_onto_fixed_root_explodes;
