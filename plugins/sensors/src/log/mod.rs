//! Sensor logs: files of measurements.
//!
//! - [`VectorLog`]: a table of numbers as CSV, one row for each sample;
//! - [`write_color_png`], [`write_depth_png`], [`write_npy`], [`write_ply`]: one file for each sample, written
//!   atomically;
//! - [`IndexLog`]: the times of those files;
//! - [`McapLog`]: all data in one file.
//!
//! A failure is reported once as a [`LogError`]; completely written data remain.

mod cloud;
mod index;
mod mcap;
mod npy;
mod picture;
mod table;
mod truth;
mod whole;

use std::io;
use std::path::PathBuf;

use thiserror::Error;

pub use cloud::{Cloud, write_ply};
pub use index::IndexLog;
pub use mcap::{Cdr, McapLog, McapProfile, MessageSink, ScanRow, Surface, WORLD, scan_frame, topic_name};
pub use npy::{Element, write_npy, write_vectors_npy};
pub use picture::{encode_color_png, write_color_png, write_depth_png, write_label_png};
pub use table::{Column, Rows, Target, VectorLog, quoted};
pub use truth::write_truth;

/// Reason why a log cannot continue.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// A file with one sample could not be written, and does not exist.
    #[error("{path} cannot be written: {reason}. Data written before are kept")]
    File {
        /// The file.
        path: PathBuf,
        /// Reason.
        reason: String,
    },
    /// A table could not be continued.
    #[error("{path} cannot be written any further: {source}. Its {rows} rows are kept")]
    Table {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: io::Error,
        /// Number of complete rows in it.
        rows: u64,
    },
    /// The number of values differs from the size.
    #[error("{path} is not written: {values} values do not fill {width} × {height}")]
    Shape {
        /// The file.
        path: PathBuf,
        /// Number of values.
        values: usize,
        /// Values in a row.
        width: usize,
        /// Number of rows.
        height: usize,
    },
}
