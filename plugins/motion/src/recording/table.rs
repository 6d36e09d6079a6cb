use std::io::{Seek, Write};
use std::path::Path;

use super::growing::GrowingFile;
use super::layout::{Layout, TableLayout};
use super::options::RecordOptions;
use super::recorder::check_frame;
use super::{FinishedRecording, RecordError};

/// Writes a table of numbers (`.csv`) during a simulation, in constant memory, like [`Recorder`](super::Recorder).
///
/// The first line contains the names of the columns, `time` first. Each other line is a frame at `index / frame_rate`
/// s. The lines are written to [`partial_path`](super::partial_path), which is a valid table up to its last complete
/// line.
#[derive(Debug)]
pub struct TableRecorder {
    num_columns: usize,
    frame_rate: f64,
    file: GrowingFile,
}

impl TableRecorder {
    /// Starts the recording of the table `path` with these columns besides the time, at `frame_rate` Hz.
    ///
    /// # Errors
    /// As for [`Recorder::with_options`](super::Recorder::with_options).
    pub fn create(
        path: &Path,
        columns: &[String],
        frame_rate: f64,
        options: RecordOptions,
    ) -> Result<Self, RecordError> {
        if !(frame_rate > 0.0 && frame_rate.is_finite()) {
            return Err(RecordError::FrameRate(frame_rate));
        }
        let mut writer = csv::Writer::from_writer(Vec::new());
        let names = std::iter::once("time [s]").chain(columns.iter().map(String::as_str));
        let header = writer
            .write_record(names)
            .map_err(std::io::Error::from)
            .and_then(|()| writer.into_inner().map_err(csv::IntoInnerError::into_error));
        let header = header.map_err(|source| RecordError::Create { path: path.to_owned(), source })?;
        let layout = Layout::Table(TableLayout { frame_rate, num_columns: columns.len(), header });
        Ok(Self { num_columns: columns.len(), frame_rate, file: GrowingFile::create(path, layout, options)? })
    }

    /// Appends a line.
    ///
    /// # Errors
    /// As for [`Recorder::record`](super::Recorder::record).
    pub fn record(&mut self, values: &[f64]) -> Result<(), RecordError> {
        let frame = self.file.num_frames();
        check_frame(frame, ["value", "values"], self.num_columns, values)?;
        let time = frame as f64 / self.frame_rate;
        self.file.push(std::iter::once(time).chain(values.iter().copied()))
    }

    /// New path of an older partial file that had the name of this one's.
    pub fn set_aside(&self) -> Option<&Path> {
        self.file.set_aside()
    }

    /// Path of the file to be created when the recording is finished.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Writes the waiting lines to the partial file, if the flush interval is over.
    ///
    /// # Errors
    /// If the file cannot be written; the recording cannot continue then.
    pub fn flush_if_due(&mut self) -> Result<(), RecordError> {
        self.file.flush_if_due()
    }

    /// Discards all but the first `num_frames` lines; the next one follows them.
    ///
    /// # Errors
    /// If the file cannot be written; the recording cannot continue then.
    pub fn rewind(&mut self, num_frames: usize) -> Result<(), RecordError> {
        self.file.rewind(num_frames)
    }

    /// Number of lines so far.
    pub fn num_frames(&self) -> usize {
        self.file.num_frames()
    }

    /// Creates the finished file and removes the partial one.
    ///
    /// # Errors
    /// As for [`Recorder::finish`](super::Recorder::finish).
    pub fn finish(self) -> Result<FinishedRecording, RecordError> {
        self.file.finish(|partial, out| {
            let mut text = partial.layout().header(0);
            partial.copy_lines(0, &mut text, out)?;
            out.write_all(&text)?;
            out.stream_position()
        })
    }
}
