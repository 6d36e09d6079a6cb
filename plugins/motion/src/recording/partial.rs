//! The file that a recording grows in.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use nalgebra::Isometry3;

use super::layout::{RecordingLayout, next_path};
use crate::seq::number::NumberFormat;
use crate::seq::write::write_frame;

/// The partial file while it is written.
///
/// It holds at least the frames to be kept, as far as there are so many, and at most twice as many: then those to be kept
/// are copied to a new file, which takes its place.
#[derive(Debug)]
pub(super) struct PartialFile {
    path: PathBuf,
    file: File,
    layout: RecordingLayout,
    /// Bytes before the first frame.
    header_size: u64,
    /// Bytes handed to the operating system, those of the header included.
    size: u64,
    /// Whole frames that come next.
    pending: Vec<u8>,
    format: NumberFormat,
    /// Index in the recording of the first frame here.
    first_frame: usize,
    /// Frames here, waiting ones included.
    num_frames: usize,
    /// Frames to be kept, at least 1.
    num_kept: usize,
    /// Where the frame after the first `num_kept` begins: with twice as many frames, the first one to be kept.
    middle: u64,
}

/// Bytes that are written or copied at a time.
const CHUNK: usize = 64 << 10;

impl PartialFile {
    /// An empty one for the last `num_kept` frames (at least 1) of a recording. An earlier file is overwritten.
    pub(super) fn create(path: PathBuf, layout: RecordingLayout, num_kept: usize) -> io::Result<Self> {
        // A process killed while it made the file anew has left this behind.
        let _ = fs::remove_file(next_path(&path));
        let (file, header_size) = create(&path, &layout, 0)?;
        Ok(Self {
            path,
            file,
            layout,
            header_size,
            size: header_size,
            pending: Vec::new(),
            format: NumberFormat::new(),
            first_frame: 0,
            num_frames: 0,
            num_kept,
            middle: header_size,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn layout(&self) -> &RecordingLayout {
        &self.layout
    }

    /// Bytes that wait in memory.
    pub(super) fn pending_size(&self) -> usize {
        self.pending.len()
    }

    /// Frames of the recording so far, with those that were not kept.
    pub(super) fn num_recorded(&self) -> usize {
        self.first_frame + self.num_frames
    }

    /// Index in the recording of the first frame to be kept, if it ends now.
    pub(super) fn first_kept(&self) -> usize {
        self.num_recorded().saturating_sub(self.num_kept)
    }

    /// Adds a frame that has what the layout says.
    pub(super) fn push(&mut self, links: &[Isometry3<f64>], joints: &[f64]) -> io::Result<()> {
        if self.num_frames == self.num_kept.saturating_mul(2) {
            self.flush()?;
            self.drop_first_half()?;
        }
        if self.num_frames == self.num_kept {
            self.middle = self.size + self.pending.len() as u64;
        }
        write_frame(&mut self.pending, &mut self.format, links);
        if !joints.is_empty() {
            write_frame(&mut self.pending, &mut self.format, joints);
        }
        self.num_frames += 1;
        Ok(())
    }

    /// Hands what waits in memory to the operating system.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let result = self.file.write_all(&self.pending);
        self.size += self.pending.len() as u64;
        self.pending.clear();
        result
    }

    /// Goes on in a new file with the later half of the frames. Whenever the process dies, one of the two files is
    /// whole. They are not synced: a partial file is safe from the death of the process, not of the machine.
    fn drop_first_half(&mut self) -> io::Result<()> {
        let next = next_path(&self.path);
        let result = self.copy_later_half(&next).and_then(|created| {
            fs::rename(&next, &self.path)?;
            Ok(created)
        });
        let (file, header_size) = result.inspect_err(|_| {
            // The old file has everything, and the disk may be full.
            let _ = fs::remove_file(&next);
        })?;
        self.size = header_size + (self.size - self.middle);
        self.file = file;
        self.header_size = header_size;
        self.first_frame += self.num_frames - self.num_kept;
        self.num_frames = self.num_kept;
        Ok(())
    }

    fn copy_later_half(&self, next: &Path) -> io::Result<(File, u64)> {
        let (mut file, header_size) = create(next, &self.layout, self.first_frame + self.num_kept)?;
        let mut old = &self.file;
        old.seek(SeekFrom::Start(self.middle))?;
        if io::copy(&mut old, &mut file)? != self.size - self.middle {
            return Err(self.changed());
        }
        Ok((file, header_size))
    }

    /// Copies line `which` of each frame to be kept (0 links, 1 joints) by way of `text`, in which some of it stays.
    pub(super) fn copy_lines(&self, which: usize, text: &mut Vec<u8>, out: &mut File) -> io::Result<()> {
        let first_kept = self.first_kept() - self.first_frame;
        let mut file = &self.file;
        file.seek(SeekFrom::Start(self.header_size))?;
        let mut reader = BufReader::with_capacity(CHUNK, file);
        for frame in 0..self.num_frames {
            for line in 0..self.layout.lines_per_frame() {
                let start = text.len();
                reader.read_until(b'\n', text)?;
                if text.len() == start || text.last() != Some(&b'\n') {
                    return Err(self.changed());
                }
                if line != which || frame < first_kept {
                    text.truncate(start);
                }
            }
            if text.len() >= CHUNK {
                out.write_all(text)?;
                text.clear();
            }
        }
        Ok(())
    }

    fn changed(&self) -> io::Error {
        let message = format!("{} was changed by another program", self.path.display());
        io::Error::new(io::ErrorKind::UnexpectedEof, message)
    }
}

/// A partial file without frames, and its size.
fn create(path: &Path, layout: &RecordingLayout, first_frame: usize) -> io::Result<(File, u64)> {
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
    let header = layout.header(first_frame);
    file.write_all(&header)?;
    Ok((file, header.len() as u64))
}
