use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use bunraku_document::yaml::NumberFormat;
use nalgebra::Isometry3;

use super::RecordError;
use super::finished::FinishedRecording;
use super::growing::GrowingFile;
use super::layout::{Layout, RecordingLayout};
use super::options::RecordOptions;
use super::partial::PartialFile;
use crate::seq::header::Header;
use crate::seq::write::{WritePart, pose_numbers, write_component, write_top};

/// Writes a motion to a file during a simulation, in constant memory.
///
/// Frames go to [`partial_path`](super::partial_path) once a second, or when 64 KiB of them wait. They remain there if
/// the process dies or the recorder is dropped; [`BodyMotion::load`](crate::BodyMotion::load) reads that file up to its
/// last complete frame. [`finish`](Self::finish) converts it to the `.seq` file; until then an older `.seq` file is
/// unchanged. The same frames give the same bytes, independent of timing.
///
/// No file is kept open. Formatting and writing happen on a thread that all recorders share, so an error is reported
/// some frames later.
///
/// With [`Recording::Tail`](crate::Recording::Tail) only the last frames are kept. The partial file then contains at
/// least those, if there were that many, and at most twice as many. While it is rewritten, another file with the later
/// half exists beside it.
#[derive(Debug)]
pub struct Recorder {
    layout: RecordingLayout,
    file: GrowingFile,
}

impl Recorder {
    /// Starts the recording of the `.seq` file `path` with default options. The partial file of an earlier recording is
    /// kept, see [`set_aside`](Self::set_aside).
    ///
    /// # Errors
    /// If the layout is invalid, the directory does not exist or is not writable, or `path` is a directory.
    pub fn create(path: &Path, layout: RecordingLayout) -> Result<Self, RecordError> {
        Self::with_options(path, layout, RecordOptions::default())
    }

    /// As [`create`](Self::create), with options.
    ///
    /// # Errors
    /// As for [`create`](Self::create), and if the duration to keep is not positive.
    pub fn with_options(path: &Path, layout: RecordingLayout, options: RecordOptions) -> Result<Self, RecordError> {
        if !(layout.frame_rate > 0.0 && layout.frame_rate.is_finite()) {
            return Err(RecordError::FrameRate(layout.frame_rate));
        }
        if layout.num_links == 0 {
            return Err(RecordError::NoLinks);
        }
        Ok(Self { layout, file: GrowingFile::create(path, Layout::Motion(layout), options)? })
    }

    /// Appends a frame: the world pose of each link (m), the displacement of each joint (rad or m).
    ///
    /// # Errors
    /// If the number of values differs from the layout or one is not finite, in which case nothing of the frame is
    /// written; or if the file cannot be written, after which the recording cannot continue.
    pub fn record(&mut self, links: &[Isometry3<f64>], joints: &[f64]) -> Result<(), RecordError> {
        let frame = self.num_frames();
        let RecordingLayout { num_links, num_joints, .. } = self.layout;
        check_frame(frame, ["link pose", "link poses"], num_links, links)?;
        check_frame(frame, ["joint displacement", "joint displacements"], num_joints, joints)?;
        self.file.push(links.iter().flat_map(pose_numbers).chain(joints.iter().copied()))
    }

    /// Number of frames recorded so far, including those that are not kept.
    pub fn num_frames(&self) -> usize {
        self.file.num_frames()
    }

    /// Path of the file to be created when the recording is finished.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// New path of an older partial file with frames that had the name of this recording's. It was never finished, and
    /// may contain the only data of a run.
    pub fn set_aside(&self) -> Option<&Path> {
        self.file.set_aside()
    }

    /// Writes the waiting frames to the partial file.
    ///
    /// # Errors
    /// If the file cannot be written; the recording cannot continue then.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.file.flush()
    }

    /// As [`flush`](Self::flush), if the flush interval is over. [`record`](Self::record) does so itself; this function
    /// is for times without frames, such as a paused simulation, and is cheap.
    ///
    /// # Errors
    /// As for [`flush`](Self::flush).
    pub fn flush_if_due(&mut self) -> Result<(), RecordError> {
        self.file.flush_if_due()
    }

    /// Discards all but the first `num_frames` frames; the next one follows them. If a simulation continues from an
    /// earlier state, its recording shows only the final course.
    ///
    /// # Errors
    /// If the file cannot be written; the recording cannot continue then.
    pub fn rewind(&mut self, num_frames: usize) -> Result<(), RecordError> {
        self.file.rewind(num_frames)
    }

    /// Writes the `.seq` file of the frames so far and continues.
    ///
    /// # Errors
    /// As for [`finish`](Self::finish).
    pub fn save(&mut self) -> Result<FinishedRecording, RecordError> {
        let layout = self.layout;
        self.file.save(|partial, out| copy_to(&layout, partial, out))
    }

    /// Writes the `.seq` file, with exactly the content that [`write_seq`](crate::write_seq) would write, and removes
    /// the partial one.
    ///
    /// # Errors
    /// If no frame was recorded or the file cannot be written. The partial file and an older `.seq` file still exist
    /// then.
    pub fn finish(self) -> Result<FinishedRecording, RecordError> {
        let layout = self.layout;
        self.file.finish(|partial, out| copy_to(&layout, partial, out))
    }
}

/// Separates the alternating lines into the two components, in one pass for each.
fn copy_to(layout: &RecordingLayout, partial: &PartialFile, out: &mut File) -> io::Result<u64> {
    let (first, num_frames) = (partial.first_kept(), partial.num_recorded() - partial.first_kept());
    let header = |kind, content, num_parts| Header {
        offset: layout.time(first),
        ..Header::new(kind, content, layout.frame_rate, num_frames, Some(num_parts))
    };
    let (mut text, mut format) = (Vec::new(), NumberFormat::default());
    write_top(&mut text, &mut format, layout.frame_rate, num_frames);
    write_component(&mut text, &mut format, &header("MultiSE3Seq", "LinkPosition", layout.num_links));
    partial.copy_lines(0, &mut text, out)?;
    if layout.num_joints > 0 {
        let header = header("MultiValueSeq", "JointDisplacement", layout.num_joints);
        write_component(&mut text, &mut format, &header);
        partial.copy_lines(1, &mut text, out)?;
    }
    out.write_all(&text)?;
    out.stream_position()
}

pub(super) fn check_frame<T: WritePart>(
    frame: usize,
    [one, many]: [&'static str; 2],
    expected: usize,
    parts: &[T],
) -> Result<(), RecordError> {
    if parts.len() != expected {
        return Err(RecordError::FrameSize { frame, what: many, expected, found: parts.len() });
    }
    match parts.iter().position(|part| !part.is_finite()) {
        Some(index) => Err(RecordError::NotFinite { frame, what: one, index }),
        None => Ok(()),
    }
}
