//! Sensors compared with closed formulas and with measurements of other programs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs
)]

mod cameras;
mod common;
mod errors;
mod golden;
mod mcap;
mod motion;
mod range;
mod rolling;
#[cfg(feature = "bevy")]
mod running;
mod schedule;
mod sensor;
mod truth;
