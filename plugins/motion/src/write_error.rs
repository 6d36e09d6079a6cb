use std::io;
use std::path::{Path, PathBuf};

use bunraku_document::Diagnostic;

/// Reason why a motion was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The motion has no frames.
    #[error("the motion has no frames")]
    Empty,
    /// The frame rate is invalid: zero, negative, not finite, or so small or large that times have no meaning.
    #[error("the frame rate must be positive, from 1e-9 to 1e12 Hz, not {0:?}")]
    FrameRate(f64),
    /// Two components would have the same content.
    #[error("the motion has more than one component `{0}`")]
    SameContent(String),
    /// The name of a further sequence would make it links, joints or ZMP when it is read again.
    #[error("a further sequence `{0}` would be read as links, joints or ZMP")]
    ReservedContent(String),
    /// A value is infinite or NaN.
    #[error("frame {frame} of `{content}` holds a value that is not finite")]
    NotFinite {
        /// The component.
        content: String,
        /// Index of the frame.
        frame: usize,
    },
    /// A timed frame is before 0 s, which `.seq` and JSON do not allow.
    #[error("frame {frame} of `{content}` has the time {time} s, and the format has no times below 0")]
    NegativeTime {
        /// The component.
        content: String,
        /// Index of the frame.
        frame: usize,
        /// Its time, s.
        time: f64,
    },
    /// Version 1 of `.seq` has no timed frames.
    #[error("the frames of `{0}` have individual times, which version 1 of the format does not support")]
    TimesInVersionOne(String),
    /// The format has one vector in each frame.
    #[error("`{content}` has {num_parts} vectors a frame, and the format has one")]
    VectorParts {
        /// The component.
        content: String,
        /// Number of vectors in a frame.
        num_parts: usize,
    },
    /// A text in [`BodyMotion::kept`](crate::BodyMotion::kept) would damage the file.
    #[error("unknown content kept from another file cannot be written: {0}")]
    Kept(String),
    /// A table has one column of times, but these two have different times.
    #[error("the frames of `{one}` and `{other}` are not at the same times, and a table has one time a row")]
    TimeBase {
        /// The first component.
        one: String,
        /// One that differs from it.
        other: String,
    },
    /// The names of the columns would be ambiguous when the table is read.
    #[error("the columns of the table would be ambiguous: {0}")]
    Columns(String),
    /// Writing failed.
    #[error("cannot write the motion: {source}: {}", .path.display())]
    Io {
        /// The file; `-` for a writer.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

impl WriteError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    /// Suggested remedy.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Empty => "it needs one sequence with one frame at least",
            Self::FrameRate(_) => "give it a rate, such as 100 Hz",
            Self::SameContent(_) => "give one of them another name, or leave it out",
            Self::ReservedContent(_) => "give it another name, or write another version of the format",
            Self::NotFinite { .. } => "the simulation that produced it failed before that frame",
            Self::NegativeTime { .. } => "shift its times, or bring it to a fixed rate with `--rate HZ`",
            Self::TimesInVersionOne(_) => "write version 2, or bring it to a fixed rate with `--rate HZ`",
            Self::VectorParts { .. } => "make a sequence of each",
            Self::Kept(_) => "leave it out",
            Self::TimeBase { .. } => "`--rate HZ` brings all to one rate",
            Self::Columns(_) => "give them other names",
            Self::Io { .. } => return None,
        })
    }

    /// Converts the error to a diagnostic without a location.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let code = match self {
            Self::Empty => "empty-motion",
            Self::FrameRate(_) => "frame-rate",
            Self::SameContent(_) => "same-component",
            Self::ReservedContent(_) => "reserved-content",
            Self::NotFinite { .. } => "not-finite",
            Self::NegativeTime { .. } => "negative-time",
            Self::TimesInVersionOne(_) => "frame-time-version",
            Self::VectorParts { .. } => "num-parts",
            Self::Kept(_) => "kept-yaml",
            Self::TimeBase { .. } => "time-base",
            Self::Columns(_) => "csv-columns",
            Self::Io { .. } => "file-unwritable",
        };
        let diagnostic = Diagnostic::error(code, self.to_string());
        match self.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}
