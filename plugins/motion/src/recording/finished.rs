use std::path::PathBuf;

/// What finishing a recording made.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedRecording {
    /// The file.
    pub path: PathBuf,
    /// Time of the first frame in it, s: 0, if all frames were kept.
    pub start: f64,
    /// Frames in it.
    pub num_frames: usize,
    /// Its size in bytes.
    pub size: u64,
}
