use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use nalgebra::Isometry3;

use super::RecordError;
use super::flush_timer::FlushTimer;
use super::layout::{RecordingLayout, partial_path};
use super::options::RecordOptions;
use super::partial::PartialFile;
use crate::output::write_atomically;
use crate::seq::header::Header;
use crate::seq::number::NumberFormat;
use crate::seq::write::{WritePart, write_component, write_top};

/// What [`Recorder::finish`] made.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedRecording {
    /// The `.seq` file.
    pub path: PathBuf,
    /// Time of the first frame in it, s: 0, if all frames were kept.
    pub start: f64,
    /// Frames in it.
    pub num_frames: usize,
    /// Its size in bytes.
    pub size: u64,
}

/// Writes a motion to a file while it happens, in constant memory.
///
/// Frames go to [`partial_path`] once a second while they come, or when there are 16 KiB of them, and stay there if the
/// process dies or the recorder is dropped; [`BodyMotion::load`](crate::BodyMotion::load) reads that file up to its last
/// whole frame. [`finish`](Self::finish) makes the `.seq` file of it; until then an older one is left alone. The same
/// frames give the same bytes, however fast they came.
///
/// With [`Recording::Tail`](crate::Recording::Tail) only the last frames are kept. The partial file then has at least
/// those, if so many came, and at most twice as many; while it is made anew, another one with the later half is beside it.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    partial: PartialFile,
    timer: FlushTimer,
    broken: bool,
}

/// Bytes that may wait in memory, and be lost with the process.
const MAX_PENDING: usize = 16 << 10;

impl Recorder {
    /// Starts the recording of the `.seq` file `path` with the usual options. The partial file of an earlier one is
    /// overwritten.
    ///
    /// # Errors
    /// If the layout makes no sense, the directory does not exist or is not writable, or `path` is a directory.
    pub fn create(path: &Path, layout: RecordingLayout) -> Result<Self, RecordError> {
        Self::with_options(path, layout, RecordOptions::default())
    }

    /// The same with other options.
    ///
    /// # Errors
    /// As for [`create`](Self::create), and if the last frames of no time are to be kept.
    pub fn with_options(path: &Path, layout: RecordingLayout, options: RecordOptions) -> Result<Self, RecordError> {
        if !(layout.frame_rate > 0.0 && layout.frame_rate.is_finite()) {
            return Err(RecordError::FrameRate(layout.frame_rate));
        }
        if layout.num_links == 0 {
            return Err(RecordError::NoLinks);
        }
        let num_kept = options.recording.num_kept(layout.frame_rate)?;
        if path.is_dir() {
            return Err(RecordError::Directory(path.to_owned()));
        }
        if let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir()) {
            return Err(RecordError::NoDirectory(directory.to_owned()));
        }
        let partial = partial_path(path);
        let partial = PartialFile::create(partial.clone(), layout, num_kept)
            .map_err(|source| RecordError::Create { path: partial, source })?;
        let timer = FlushTimer::new(options.flush_interval, Instant::now());
        Ok(Self { path: path.to_owned(), partial, timer, broken: false })
    }

    /// Appends a frame: the world pose of each link (m), the displacement of each joint (rad or m).
    ///
    /// # Errors
    /// If there are more or fewer values than the layout says or one is not finite, in which case nothing of the
    /// frame is written; or if the file cannot be written, after which the recording is over.
    pub fn record(&mut self, links: &[Isometry3<f64>], joints: &[f64]) -> Result<(), RecordError> {
        let frame = self.num_frames();
        let RecordingLayout { num_links, num_joints, .. } = *self.partial.layout();
        check_frame(frame, ["link pose", "link poses"], num_links, links)?;
        check_frame(frame, ["joint displacement", "joint displacements"], num_joints, joints)?;
        self.write(|partial| partial.push(links, joints))?;
        if self.partial.pending_size() >= MAX_PENDING { self.flush() } else { self.flush_if_due() }
    }

    /// Frames recorded so far, whether they are kept or not.
    pub fn num_frames(&self) -> usize {
        self.partial.num_recorded()
    }

    /// The file being recorded; it appears when the recording is finished.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Hands what waits in memory to the operating system.
    ///
    /// # Errors
    /// If the file cannot be written; the recording is over then.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.timer.flushed(Instant::now());
        self.write(PartialFile::flush)
    }

    /// The same, if it is time to. [`record`](Self::record) sees to that itself; this is for when no frame comes, as when
    /// a simulation is paused, and costs next to nothing.
    ///
    /// # Errors
    /// As for [`flush`](Self::flush).
    pub fn flush_if_due(&mut self) -> Result<(), RecordError> {
        if self.timer.is_due(Instant::now()) { self.flush() } else { Ok(()) }
    }

    /// Does something with the partial file; if it fails, nothing more is done.
    fn write(&mut self, work: impl FnOnce(&mut PartialFile) -> io::Result<()>) -> Result<(), RecordError> {
        if self.broken {
            return Err(RecordError::Broken(self.partial.path().to_owned()));
        }
        work(&mut self.partial).map_err(|source| {
            self.broken = true;
            RecordError::Write { path: self.partial.path().to_owned(), source }
        })
    }

    /// Makes the `.seq` file, which then holds exactly what [`write_seq`](crate::write_seq) would write, and
    /// removes the partial one.
    ///
    /// # Errors
    /// If no frame was recorded or the file cannot be written. The partial file and an older `.seq` file are then
    /// still there.
    pub fn finish(mut self) -> Result<FinishedRecording, RecordError> {
        self.flush()?;
        if self.num_frames() == 0 {
            return Err(RecordError::Empty(self.path.clone()));
        }
        let size = write_atomically(&self.path, |out| self.copy_to(out))
            .map_err(|source| RecordError::Write { path: self.path.clone(), source })?;
        // The recording is safe; a partial file that stays behind does no harm.
        let _ = fs::remove_file(self.partial.path());
        let first = self.partial.first_kept();
        Ok(FinishedRecording {
            path: self.path.clone(),
            start: self.partial.layout().time(first),
            num_frames: self.num_frames() - first,
            size,
        })
    }

    /// Sorts the alternating lines into the two components, one pass for each.
    fn copy_to(&self, out: &mut File) -> io::Result<u64> {
        let layout = self.partial.layout();
        let (first, num_frames) = (self.partial.first_kept(), self.num_frames() - self.partial.first_kept());
        let header = |kind, content, num_parts| Header {
            offset: layout.time(first),
            ..Header::new(kind, content, layout.frame_rate, num_frames, Some(num_parts))
        };
        let (mut text, mut format) = (Vec::new(), NumberFormat::new());
        write_top(&mut text, &mut format, layout.frame_rate, num_frames);
        write_component(&mut text, &mut format, &header("MultiSE3Seq", "LinkPosition", layout.num_links));
        self.partial.copy_lines(0, &mut text, out)?;
        if layout.num_joints > 0 {
            let header = header("MultiValueSeq", "JointDisplacement", layout.num_joints);
            write_component(&mut text, &mut format, &header);
            self.partial.copy_lines(1, &mut text, out)?;
        }
        out.write_all(&text)?;
        out.stream_position()
    }
}

impl Drop for Recorder {
    /// Leaves the partial file with all frames recorded.
    fn drop(&mut self) {
        if !self.broken && self.partial.pending_size() > 0 {
            let _ = self.flush();
        }
    }
}

fn check_frame<T: WritePart>(
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
