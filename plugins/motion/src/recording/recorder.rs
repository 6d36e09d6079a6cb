use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use nalgebra::Isometry3;

use super::layout::{RecordingLayout, partial_path};
use crate::output::write_atomically;
use crate::seq::header::Header;
use crate::seq::number::NumberFormat;
use crate::seq::write::{WritePart, write_component, write_frame, write_top};

/// Why a recording failed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The rate is zero, negative or not finite.
    #[error("the frame rate must be a positive number of hertz, not {0}")]
    FrameRate(f64),
    /// A recording has at least the root link.
    #[error("a recording needs at least one link")]
    NoLinks,
    /// The place is taken by a directory.
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

/// What [`Recorder::finish`] made.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedRecording {
    /// The `.seq` file.
    pub path: PathBuf,
    /// Frames in it.
    pub num_frames: usize,
    /// Its size in bytes.
    pub size: u64,
}

/// Writes a motion to a file while it happens, in constant memory.
///
/// Frames go to [`partial_path`] at once, give or take 16 KiB, and stay there if the process dies or the recorder is
/// dropped; [`BodyMotion::load`](crate::BodyMotion::load) reads that file up to its last whole frame.
/// [`finish`](Self::finish) makes the `.seq` file of it; until then an older one is left alone. The same frames
/// give the same bytes.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    partial: PathBuf,
    file: File,
    layout: RecordingLayout,
    header_size: u64,
    pending: Vec<u8>,
    format: NumberFormat,
    num_frames: usize,
    broken: bool,
}

/// Bytes that may wait in memory, and be lost with the process.
const MAX_PENDING: usize = 16 << 10;

impl Recorder {
    /// Starts the recording of the `.seq` file `path`. The partial file of an earlier one is overwritten.
    ///
    /// # Errors
    /// If the layout makes no sense, the directory does not exist or is not writable, or `path` is a directory.
    pub fn create(path: &Path, layout: RecordingLayout) -> Result<Self, RecordError> {
        if !(layout.frame_rate > 0.0 && layout.frame_rate.is_finite()) {
            return Err(RecordError::FrameRate(layout.frame_rate));
        }
        if layout.num_links == 0 {
            return Err(RecordError::NoLinks);
        }
        if path.is_dir() {
            return Err(RecordError::Directory(path.to_owned()));
        }
        if let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir()) {
            return Err(RecordError::NoDirectory(directory.to_owned()));
        }
        let partial = partial_path(path);
        let header = layout.header();
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&partial);
        let mut file = file.map_err(|source| RecordError::Create { path: partial.clone(), source })?;
        file.write_all(&header).map_err(|source| RecordError::Write { path: partial.clone(), source })?;
        Ok(Self {
            path: path.to_owned(),
            partial,
            file,
            layout,
            header_size: header.len() as u64,
            pending: Vec::with_capacity(2 * MAX_PENDING),
            format: NumberFormat::new(),
            num_frames: 0,
            broken: false,
        })
    }

    /// Appends a frame: the world pose of each link (m), the displacement of each joint (rad or m).
    ///
    /// # Errors
    /// If there are more or fewer values than the layout says or one is not finite, in which case nothing of the
    /// frame is written; or if the file cannot be written, after which the recording is over.
    pub fn record(&mut self, links: &[Isometry3<f64>], joints: &[f64]) -> Result<(), RecordError> {
        if self.broken {
            return Err(RecordError::Broken(self.partial.clone()));
        }
        let frame = self.num_frames;
        check_frame(frame, ["link pose", "link poses"], self.layout.num_links, links)?;
        check_frame(frame, ["joint displacement", "joint displacements"], self.layout.num_joints, joints)?;
        write_frame(&mut self.pending, &mut self.format, links);
        if !joints.is_empty() {
            write_frame(&mut self.pending, &mut self.format, joints);
        }
        self.num_frames += 1;
        if self.pending.len() >= MAX_PENDING { self.flush() } else { Ok(()) }
    }

    /// Frames recorded so far.
    pub fn num_frames(&self) -> usize {
        self.num_frames
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
        if self.broken {
            return Err(RecordError::Broken(self.partial.clone()));
        }
        let result = self.file.write_all(&self.pending);
        self.pending.clear();
        result.map_err(|source| {
            self.broken = true;
            RecordError::Write { path: self.partial.clone(), source }
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
        if self.num_frames == 0 {
            return Err(RecordError::Empty(self.path.clone()));
        }
        let size = write_atomically(&self.path, |out| self.copy_to(out))
            .map_err(|source| RecordError::Write { path: self.path.clone(), source })?;
        // The recording is safe; a partial file that stays behind does no harm.
        let _ = fs::remove_file(&self.partial);
        Ok(FinishedRecording { path: self.path.clone(), num_frames: self.num_frames, size })
    }

    /// Sorts the alternating lines into the two components, one pass for each.
    fn copy_to(&self, out: &mut File) -> io::Result<u64> {
        let RecordingLayout { frame_rate, num_links, num_joints } = self.layout;
        let mut text = Vec::with_capacity(2 * COPY_CHUNK);
        let mut format = NumberFormat::new();
        write_top(&mut text, &mut format, frame_rate, self.num_frames);
        let header = Header::new("MultiSE3Seq", "LinkPosition", frame_rate, self.num_frames, Some(num_links));
        write_component(&mut text, &mut format, &header);
        self.copy_lines(0, &mut text, out)?;
        if num_joints > 0 {
            let header =
                Header::new("MultiValueSeq", "JointDisplacement", frame_rate, self.num_frames, Some(num_joints));
            write_component(&mut text, &mut format, &header);
            self.copy_lines(1, &mut text, out)?;
        }
        out.write_all(&text)?;
        out.stream_position()
    }

    /// Copies one line of each frame, by way of `text`.
    fn copy_lines(&self, which: usize, text: &mut Vec<u8>, out: &mut File) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(self.header_size))?;
        let mut reader = BufReader::with_capacity(COPY_CHUNK, file);
        for _ in 0..self.num_frames {
            for line in 0..self.layout.lines_per_frame() {
                let start = text.len();
                reader.read_until(b'\n', text)?;
                if text.len() == start || text.last() != Some(&b'\n') {
                    let message = format!("{} was changed by another program", self.partial.display());
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
                }
                if line != which {
                    text.truncate(start);
                }
            }
            if text.len() >= COPY_CHUNK {
                out.write_all(text)?;
                text.clear();
            }
        }
        Ok(())
    }
}

/// Bytes copied at a time.
const COPY_CHUNK: usize = 64 << 10;

impl Drop for Recorder {
    /// Leaves the partial file with all frames recorded.
    fn drop(&mut self) {
        if !self.broken && !self.pending.is_empty() {
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
