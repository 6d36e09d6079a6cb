//! Rays and images compared with closed formulas.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;
mod moving;
mod pictures;
mod primitives;
mod rays;
