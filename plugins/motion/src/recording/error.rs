use std::io;
use std::path::PathBuf;

/// Reason why a recording failed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The rate is zero, negative or not finite.
    #[error("the frame rate must be a positive number of hertz, not {0}")]
    FrameRate(f64),
    /// The layout has no links; at least the root is needed.
    #[error("a recording needs at least one link")]
    NoLinks,
    /// The duration to keep is zero, negative or not finite.
    #[error("the time to keep of a recording must be a positive number of seconds, not {0}")]
    Duration(f64),
    /// The path is a directory.
    #[error("a recording cannot be written to a directory: {}", .0.display())]
    Directory(PathBuf),
    /// The directory of the path does not exist.
    #[error("there is no directory to record into: {}", .0.display())]
    NoDirectory(PathBuf),
    /// The file cannot be created.
    #[error("cannot create the recording: {source}: {}", .path.display())]
    Create {
        /// The partial file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A frame has the wrong number of values; nothing of it was written.
    #[error("frame {frame} has {found} {what} instead of {expected}")]
    FrameSize {
        /// Index of the frame.
        frame: usize,
        /// Counted values: `link poses` or `joint displacements`.
        what: &'static str,
        /// Number given by the layout.
        expected: usize,
        /// Number of values given.
        found: usize,
    },
    /// A value is infinite or NaN; nothing of the frame was written.
    #[error("{what} {index} of frame {frame} is not finite")]
    NotFinite {
        /// Index of the frame.
        frame: usize,
        /// Kind of value: `link pose` or `joint displacement`.
        what: &'static str,
        /// Index of the value.
        index: usize,
    },
    /// The file cannot be written, for example because the disk is full.
    #[error("cannot write the recording: {source}: {}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// An earlier write failed, and nothing can be added.
    #[error("the recording was interrupted by an earlier error; the data written so far are in {}", .0.display())]
    Broken(PathBuf),
    /// No frame was recorded.
    #[error("no frame was recorded for {}", .0.display())]
    Empty(PathBuf),
}
