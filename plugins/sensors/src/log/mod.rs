//! Sensor logs: files that hold what was measured.
//!
//! - [`VectorLog`]: a table of numbers as CSV, a row a sample;
//! - [`write_color_png`], [`write_depth_png`], [`write_npy`], [`write_ply`]: one file a sample, written beside and
//!   renamed, so that a file is whole or not there;
//! - [`IndexLog`]: which of those files shows which time;
//! - [`McapLog`]: all of it as one file.
//!
//! What fails is told once as a [`LogError`]; what was written whole before stays.

mod cloud;
mod index;
mod mcap;
mod npy;
mod picture;
mod table;
mod whole;

use std::io;
use std::path::PathBuf;

use thiserror::Error;

pub use cloud::write_ply;
pub use index::IndexLog;
pub use mcap::{McapLog, Surface, WORLD};
pub use npy::{Element, write_npy};
pub use picture::{encode_color_png, write_color_png, write_depth_png};
pub use table::{Column, Rows, Target, VectorLog, quoted};

/// Why a log cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// A file with one sample could not be written; it is not there.
    #[error("{path} cannot be written: {reason}. What was written before is kept")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A table could not go on.
    #[error("{path} cannot be written any further: {source}. Its {rows} rows are kept")]
    Table {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
        /// Whole rows in it.
        rows: u64,
    },
    /// There are not as many values as the shape says.
    #[error("{path} is not written: {values} values do not fill {width} × {height}")]
    Shape {
        /// The file.
        path: PathBuf,
        /// How many there are.
        values: usize,
        /// In a row.
        width: usize,
        /// Rows.
        height: usize,
    },
}
