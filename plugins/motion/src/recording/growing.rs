//! What all recordings have in common.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bunraku_document::write_atomically_by;

use super::RecordError;
use super::finished::FinishedRecording;
use super::flush_timer::FlushTimer;
use super::layout::{Layout, next_path};
use super::options::RecordOptions;
use super::partial::PartialFile;

/// A recording while it grows: its partial file, and whether it is still sound.
#[derive(Debug)]
pub(super) struct GrowingFile {
    path: PathBuf,
    partial: PartialFile,
    timer: FlushTimer,
    broken: bool,
    set_aside: Option<PathBuf>,
}

/// Bytes that may wait in memory, and be lost with the process.
const MAX_PENDING: usize = 16 << 10;

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
        let timer = FlushTimer::new(options.flush_interval, Instant::now());
        Ok(Self { path: path.to_owned(), partial, timer, broken: false, set_aside })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn set_aside(&self) -> Option<&Path> {
        self.set_aside.as_deref()
    }

    pub(super) fn num_frames(&self) -> usize {
        self.partial.num_recorded()
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

    /// Adds a frame by `work`, which is on the disk soon.
    pub(super) fn push(&mut self, work: impl FnOnce(&mut PartialFile) -> io::Result<()>) -> Result<(), RecordError> {
        self.write(work)?;
        if self.partial.pending_size() >= MAX_PENDING { self.flush() } else { self.flush_if_due() }
    }

    pub(super) fn flush(&mut self) -> Result<(), RecordError> {
        self.timer.flushed(Instant::now());
        self.write(PartialFile::flush)
    }

    pub(super) fn flush_if_due(&mut self) -> Result<(), RecordError> {
        if self.timer.is_due(Instant::now()) { self.flush() } else { Ok(()) }
    }

    /// Forgets all but the first `num_frames` frames.
    pub(super) fn rewind(&mut self, num_frames: usize) -> Result<(), RecordError> {
        self.write(|partial| partial.rewind(num_frames))
    }

    /// Makes the finished file, whose text `copy` writes and whose size it gives.
    pub(super) fn finish(
        mut self,
        copy: impl FnOnce(&PartialFile, &mut File) -> io::Result<u64>,
    ) -> Result<FinishedRecording, RecordError> {
        let finished = self.save(copy)?;
        // The recording is safe; a partial file that stays behind does no harm.
        let _ = fs::remove_file(self.partial.path());
        Ok(finished)
    }

    /// The same, and goes on.
    pub(super) fn save(
        &mut self,
        copy: impl FnOnce(&PartialFile, &mut File) -> io::Result<u64>,
    ) -> Result<FinishedRecording, RecordError> {
        self.flush()?;
        if self.num_frames() == 0 {
            return Err(RecordError::Empty(self.path.clone()));
        }
        let size = self.put_in_place(copy).map_err(|source| RecordError::Write { path: self.path.clone(), source })?;
        let first = self.partial.first_kept();
        Ok(FinishedRecording {
            path: self.path.clone(),
            start: self.partial.layout().time(first),
            num_frames: self.num_frames() - first,
            size,
        })
    }

    /// The finished file is made under a name that the next recording clears away, should the process be killed here.
    fn put_in_place(&self, copy: impl FnOnce(&PartialFile, &mut File) -> io::Result<u64>) -> io::Result<u64> {
        write_atomically_by(&self.path, &next_path(self.partial.path()), |file| copy(&self.partial, file))
    }
}

impl Drop for GrowingFile {
    /// Leaves the partial file with all frames recorded.
    fn drop(&mut self) {
        if !self.broken && self.partial.pending_size() > 0 {
            let _ = self.flush();
        }
    }
}
