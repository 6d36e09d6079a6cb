use std::path::PathBuf;

/// Result of finishing a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedRecording {
    /// The file.
    pub path: PathBuf,
    /// Time of its first frame, s: 0 if all frames were kept.
    pub start: f64,
    /// Number of frames.
    pub num_frames: usize,
    /// Size in bytes.
    pub size: u64,
}
