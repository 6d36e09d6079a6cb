//! Motions: reading, diagnostics, sampling, recording and writing.

// Failed assumptions in tests may panic; output of helpers is visible when a test fails.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod common;
mod corpus;
mod csv;
mod cut;
mod documentation;
mod errors;
mod fuzz;
mod kept;
mod long;
mod manual;
mod messages;
mod other_readers;
mod player;
mod properties;
mod recorder;
mod recorder_flushing;
mod recorder_memory;
mod recorder_places;
mod recorder_tail;
mod roundtrip;
mod stream;
mod versions;
mod writing;
