//! Common part of all recordings.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bunraku_document::write_atomically_by;

use super::RecordError;
use super::finished::FinishedRecording;
use super::flush_timer::FlushTimer;
use super::layout::{Layout, next_path};
use super::options::RecordOptions;
use super::partial::PartialFile;
use super::written::{Written, write_behind};

/// An unfinished recording: its partial file and its state.
#[derive(Debug)]
pub(super) struct GrowingFile {
    path: PathBuf,
    partial_path: PathBuf,
    written: Arc<Mutex<Written>>,
    /// Frames that have not been passed to the writing thread.
    gathered: Vec<f64>,
    num_frames: usize,
    timer: FlushTimer,
    broken: bool,
    set_aside: Option<PathBuf>,
}

/// Number of values after which frames are passed to the writing thread. A number takes at most 25 bytes, so less than
/// 64 KiB wait in memory, gathered or passed on, and would be lost with the process. Waking the thread takes as long as
/// half a step of a humanoid.
const HANDED_OVER: usize = (32 << 10) / 25;

impl GrowingFile {
    pub(super) fn create(path: &Path, layout: Layout, options: RecordOptions) -> Result<Self, RecordError> {
        let num_kept = options.recording.num_kept(layout.frame_rate())?;
        if path.is_dir() {
            return Err(RecordError::Directory(path.to_owned()));
        }
        if let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir()) {
            return Err(RecordError::NoDirectory(directory.to_owned()));
        }
        let (partial, set_aside) = PartialFile::create(path, layout, num_kept)
            .map_err(|source| RecordError::Create { path: super::partial_path(path), source })?;
        Ok(Self {
            path: path.to_owned(),
            partial_path: partial.path().to_owned(),
            written: Arc::new(Mutex::new(Written::new(partial))),
            gathered: Vec::new(),
            num_frames: 0,
            timer: FlushTimer::new(options.flush_interval, Instant::now()),
            broken: false,
            set_aside,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn set_aside(&self) -> Option<&Path> {
        self.set_aside.as_deref()
    }

    pub(super) fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// Accesses the written data; after an error nothing more is done.
    fn write<T>(&mut self, work: impl FnOnce(&mut Written, &mut Vec<f64>) -> io::Result<T>) -> Result<T, RecordError> {
        if self.broken {
            return Err(RecordError::Broken(self.partial_path.clone()));
        }
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut written, &mut self.gathered).map_err(|source| {
            self.broken = true;
            RecordError::Write { path: self.partial_path.clone(), source }
        })
    }

    /// Adds a frame, which is written soon.
    pub(super) fn push(&mut self, numbers: impl Iterator<Item = f64>) -> Result<(), RecordError> {
        if self.broken {
            return Err(RecordError::Broken(self.partial_path.clone()));
        }
        self.gathered.extend(numbers);
        self.num_frames += 1;
        if self.gathered.len() >= HANDED_OVER {
            self.write(Written::take)?;
            write_behind(&self.written);
        }
        self.flush_if_due()
    }

    pub(super) fn flush(&mut self) -> Result<(), RecordError> {
        self.timer.flushed(Instant::now());
        self.write(Written::settle)
    }

    pub(super) fn flush_if_due(&mut self) -> Result<(), RecordError> {
        if self.timer.is_due(Instant::now()) { self.flush() } else { Ok(()) }
    }

    /// Discards all but the first `num_frames` frames.
    pub(super) fn rewind(&mut self, num_frames: usize) -> Result<(), RecordError> {
        self.write(|written, gathered| {
            written.settle(gathered)?;
            written.partial.rewind(num_frames)
        })?;
        self.num_frames = self.num_frames.min(num_frames);
        Ok(())
    }

    /// Creates the finished file. `copy` writes its text and returns its size.
    pub(super) fn finish(
        mut self,
        copy: impl FnOnce(&PartialFile, &mut File) -> io::Result<u64>,
    ) -> Result<FinishedRecording, RecordError> {
        let finished = self.save(copy)?;
        // The recording is complete; a remaining partial file is harmless.
        let _ = fs::remove_file(&self.partial_path);
        Ok(finished)
    }

    /// As [`finish`](Self::finish), but continues.
    pub(super) fn save(
        &mut self,
        copy: impl FnOnce(&PartialFile, &mut File) -> io::Result<u64>,
    ) -> Result<FinishedRecording, RecordError> {
        self.flush()?;
        if self.num_frames == 0 {
            return Err(RecordError::Empty(self.path.clone()));
        }
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let partial = &written.partial;
        // The temporary file has a name that the next recording removes, in case the process is killed here.
        let size = write_atomically_by(&self.path, &next_path(&self.partial_path), |file| copy(partial, file))
            .map_err(|source| RecordError::Write { path: self.path.clone(), source })?;
        let first = partial.first_kept();
        Ok(FinishedRecording {
            path: self.path.clone(),
            start: partial.layout().time(first),
            num_frames: self.num_frames - first,
            size,
        })
    }
}

impl Drop for GrowingFile {
    /// Flushes all frames to the partial file, which remains.
    fn drop(&mut self) {
        if !self.broken {
            let _ = self.flush();
        }
    }
}
