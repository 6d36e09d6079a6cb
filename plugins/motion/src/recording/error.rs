use std::io;
use std::path::PathBuf;

/// Why a recording failed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The rate is zero, negative or not finite.
    #[error("the frame rate must be a positive number of hertz, not {0}")]
    FrameRate(f64),
    /// A recording has at least the root link.
    #[error("a recording needs at least one link")]
    NoLinks,
    /// The time to keep is zero, negative or not finite.
    #[error("the time to keep of a recording must be a positive number of seconds, not {0}")]
    Duration(f64),
    /// There is a directory of this name.
    #[error("a recording cannot be written to a directory: {}", .0.display())]
    Directory(PathBuf),
    /// The directory to record into does not exist.
    #[error("there is no directory to record into: {}", .0.display())]
    NoDirectory(PathBuf),
    /// The file to record into cannot be created.
    #[error("cannot create the recording: {source}: {}", .path.display())]
    Create {
        /// The partial file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A frame has not the values it should have; nothing of it was written.
    #[error("frame {frame} has {found} {what} instead of {expected}")]
    FrameSize {
        /// Index of the frame.
        frame: usize,
        /// What was counted: `link poses` or `joint displacements`.
        what: &'static str,
        /// As many as the layout says.
        expected: usize,
        /// As many as were given.
        found: usize,
    },
    /// A value is infinite or not a number; nothing of the frame was written.
    #[error("{what} {index} of frame {frame} is not finite")]
    NotFinite {
        /// Index of the frame.
        frame: usize,
        /// What it is: `link pose` or `joint displacement`.
        what: &'static str,
        /// Which one.
        index: usize,
    },
    /// The file cannot be written, for example because the disk is full.
    #[error("cannot write the recording: {source}: {}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Writing failed before, and nothing can be added any more.
    #[error("the recording was broken off by an earlier failure; what was written is in {}", .0.display())]
    Broken(PathBuf),
    /// There is nothing to finish: no frame was recorded.
    #[error("no frame was recorded for {}", .0.display())]
    Empty(PathBuf),
}
