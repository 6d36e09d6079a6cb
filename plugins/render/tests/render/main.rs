//! Rays and images compared with closed formulas.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs)]

mod common;
mod exposures;
mod lenses;
mod moving;
mod pictures;
mod primitives;
mod rays;
