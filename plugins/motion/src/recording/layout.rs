use std::path::{Path, PathBuf};

use bunraku_document::yaml::NumberFormat;

use crate::seq::write::write_frame;

/// Numbers of a pose.
const POSE_NUMBERS: usize = 7;

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

/// What a partial file holds.
#[derive(Clone, Debug)]
pub(super) enum Layout {
    Motion(RecordingLayout),
    Table(TableLayout),
}

/// A table of numbers over time.
#[derive(Clone, Debug)]
pub(super) struct TableLayout {
    /// Hz; positive and finite.
    pub frame_rate: f64,
    /// Beside the time.
    pub num_columns: usize,
    /// The line of names, with its end.
    pub header: Vec<u8>,
}

impl Layout {
    pub(super) fn frame_rate(&self) -> f64 {
        match self {
            Self::Motion(layout) => layout.frame_rate,
            Self::Table(layout) => layout.frame_rate,
        }
    }

    /// Time of a frame of the recording, s.
    pub(super) fn time(&self, frame: usize) -> f64 {
        frame as f64 / self.frame_rate()
    }

    /// Lines a frame takes in the partial file.
    pub(super) fn lines_per_frame(&self) -> usize {
        match self {
            Self::Motion(layout) => layout.lines_per_frame(),
            Self::Table(_) => 1,
        }
    }

    /// Numbers of a frame, as [`write_frame`](Self::write_frame) takes them.
    pub(super) fn numbers_per_frame(&self) -> usize {
        match self {
            Self::Motion(layout) => POSE_NUMBERS * layout.num_links + layout.num_joints,
            Self::Table(layout) => 1 + layout.num_columns,
        }
    }

    /// Appends the lines of a frame: of a motion its poses and then its displacements, of a table the time and then its values.
    pub(super) fn write_frame(&self, numbers: &[f64], text: &mut Vec<u8>, format: &mut NumberFormat) {
        match self {
            Self::Motion(layout) => {
                let (poses, joints) = numbers.split_at(POSE_NUMBERS * layout.num_links);
                write_frame(text, format, poses.as_chunks::<POSE_NUMBERS>().0);
                if !joints.is_empty() {
                    write_frame(text, format, joints);
                }
            }
            Self::Table(_) => {
                for (index, &number) in numbers.iter().enumerate() {
                    if index > 0 {
                        text.push(b',');
                    }
                    format.push(text, number);
                }
                text.push(b'\n');
            }
        }
    }

    /// The partial file up to its first frame, which is frame `first_frame` of the recording.
    pub(super) fn header(&self, first_frame: usize) -> Vec<u8> {
        match self {
            Self::Motion(layout) => layout.header(first_frame),
            Self::Table(layout) => layout.header.clone(),
        }
    }
}

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
        NumberFormat::default().push(&mut header, self.frame_rate);
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

/// Where a partial file is made anew, and the finished one, before it takes its place.
pub(super) fn next_path(partial: &Path) -> PathBuf {
    with_ending(partial, ".next")
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
