use std::path::{Path, PathBuf};

use bunraku_document::yaml::NumberFormat;

use crate::seq::write::write_frame;

/// Count of numbers of a pose.
const POSE_NUMBERS: usize = 7;

/// Content of every frame of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordingLayout {
    /// Frames per second, Hz; positive and finite.
    pub frame_rate: f64,
    /// Number of links with a pose; at least 1, the root.
    pub num_links: usize,
    /// Number of joints with a displacement; may be 0.
    pub num_joints: usize,
}

/// First line of a partial file.
pub(super) const TYPE_LINE: &str = "type: BunrakuRecording\n";

/// Last line before the frames, including the preceding line end.
pub(super) const FRAMES_LINE: &str = "\nframes:\n";

/// Content of a partial file.
#[derive(Clone, Debug)]
pub(super) enum Layout {
    Motion(RecordingLayout),
    Table(TableLayout),
}

/// A table of numbers over time.
#[derive(Clone, Debug)]
pub(super) struct TableLayout {
    /// Frame rate, Hz; positive and finite.
    pub frame_rate: f64,
    /// Number of columns besides the time.
    pub num_columns: usize,
    /// Line of column names, with its line end.
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

    /// Number of lines of a frame in the partial file.
    pub(super) fn lines_per_frame(&self) -> usize {
        match self {
            Self::Motion(layout) => layout.lines_per_frame(),
            Self::Table(_) => 1,
        }
    }

    /// Count of numbers of a frame, for [`write_frame`](Self::write_frame).
    pub(super) fn numbers_per_frame(&self) -> usize {
        match self {
            Self::Motion(layout) => POSE_NUMBERS * layout.num_links + layout.num_joints,
            Self::Table(layout) => 1 + layout.num_columns,
        }
    }

    /// Appends the lines of a frame: for a motion the poses, then the displacements; for a table the time, then the
    /// values.
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

    /// Text of the partial file before its first frame, which is frame `first_frame` of the recording.
    pub(super) fn header(&self, first_frame: usize) -> Vec<u8> {
        match self {
            Self::Motion(layout) => layout.header(first_frame),
            Self::Table(layout) => layout.header.clone(),
        }
    }
}

impl RecordingLayout {
    /// Number of lines of a frame in the partial file.
    pub(super) fn lines_per_frame(&self) -> usize {
        if self.num_joints > 0 { 2 } else { 1 }
    }

    /// Time of a frame of the recording, s.
    pub(super) fn time(&self, frame: usize) -> f64 {
        frame as f64 / self.frame_rate
    }

    /// Text of the partial file before its first frame, which is frame `first_frame` of the recording.
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

/// Path of the unfinished recording of `path`: `walk/SR1.seq.partial` for `walk/SR1.seq`.
pub fn partial_path(path: &Path) -> PathBuf {
    with_ending(path, ".partial")
}

/// Temporary path of a rewritten partial file, or of the finished file, before it is renamed.
pub(super) fn next_path(partial: &Path) -> PathBuf {
    with_ending(partial, ".next")
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
