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

    /// The partial file up to its first frame.
    pub(super) fn header(&self) -> Vec<u8> {
        let mut header = Vec::from(TYPE_LINE);
        header.extend_from_slice(b"formatVersion: 1\nframeRate: ");
        NumberFormat::new().push(&mut header, self.frame_rate);
        let counts = format!("\nnumLinks: {}\nnumJoints: {}\n", self.num_links, self.num_joints);
        header.extend_from_slice(counts.as_bytes());
        header.extend_from_slice(b"SE3Format: XYZQWQXQYQZ");
        header.extend_from_slice(FRAMES_LINE.as_bytes());
        header
    }
}

/// Where the recording of `path` grows until it is finished: `walk/SR1.seq` in `walk/SR1.seq.partial`.
pub fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}
