use std::path::{Path, PathBuf};

use crate::seq::number::NumberFormat;

/// What every frame of a recording has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordingLayout {
    /// Frames per second, Hz; positive and finite.
    pub frame_rate: f64,
    /// Links with a pose; at least 1, the root.
    pub num_links: usize,
    /// Joints with a displacement; may be 0.
    pub num_joints: usize,
}

/// The first line of a partial file.
pub(super) const TYPE_LINE: &str = "type: BunrakuRecording\n";

/// The last line before the frames, with the line end before it.
pub(super) const FRAMES_LINE: &str = "\nframes:\n";

impl RecordingLayout {
    /// Lines a frame takes in the partial file.
    pub(super) fn lines_per_frame(&self) -> usize {
        if self.num_joints > 0 { 2 } else { 1 }
    }

    /// Time of a frame of the recording, s.
    pub(super) fn time(&self, frame: usize) -> f64 {
        frame as f64 / self.frame_rate
    }

    /// The partial file up to its first frame, which is frame `first_frame` of the recording.
    pub(super) fn header(&self, first_frame: usize) -> Vec<u8> {
        let mut header = Vec::from(TYPE_LINE);
        header.extend_from_slice(b"formatVersion: 2\nframeRate: ");
        NumberFormat::new().push(&mut header, self.frame_rate);
        let Self { num_links, num_joints, .. } = self;
        let counts = format!("\nfirstFrame: {first_frame}\nnumLinks: {num_links}\nnumJoints: {num_joints}\n");
        header.extend_from_slice(counts.as_bytes());
        header.extend_from_slice(b"SE3Format: XYZQWQXQYQZ");
        header.extend_from_slice(FRAMES_LINE.as_bytes());
        header
    }
}

/// Where the recording of `path` grows until it is finished: `walk/SR1.seq` in `walk/SR1.seq.partial`.
pub fn partial_path(path: &Path) -> PathBuf {
    with_ending(path, ".partial")
}

/// Where a partial file is made anew before it takes the place of the old one.
pub(super) fn next_path(partial: &Path) -> PathBuf {
    with_ending(partial, ".next")
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
