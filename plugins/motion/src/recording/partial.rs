//! The partial file of a recording.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bunraku_document::yaml::NumberFormat;

use super::layout::{FRAMES_LINE, Layout, next_path, partial_path};

/// The partial file during writing.
///
/// It contains at least the frames to be kept, as far as they exist, and at most twice as many: then the frames to be
/// kept are copied to a new file, which replaces it.
///
/// It is open only during writes, so that a scene may record more bodies than a process may open files.
#[derive(Debug)]
pub(super) struct PartialFile {
    path: PathBuf,
    identity: Identity,
    layout: Layout,
    /// Size of the header, bytes.
    header_size: u64,
    /// Bytes written so far, including the header.
    size: u64,
    /// Text of complete frames to be written.
    pending: Vec<u8>,
    format: NumberFormat,
    /// Index in the recording of the first frame in this file.
    first_frame: usize,
    /// Number of frames in this file, including waiting ones.
    num_frames: usize,
    /// Number of frames to be kept, at least 1.
    num_kept: usize,
    /// Offset of the frame after the first `num_kept`: with twice as many frames it is the first one to be kept.
    middle: u64,
}

/// Number of bytes that are written or copied at a time.
const CHUNK: usize = 64 << 10;

impl PartialFile {
    /// Creates an empty file for the last `num_kept` frames (at least 1) of the recording of `target`.
    ///
    /// An existing file is neither overwritten nor followed if it is a link. One with frames is renamed, and its new
    /// path is returned.
    pub(super) fn create(target: &Path, layout: Layout, num_kept: usize) -> io::Result<(Self, Option<PathBuf>)> {
        let path = partial_path(target);
        // Left by a process that was killed while it rewrote the file.
        let _ = fs::remove_file(next_path(&path));
        let set_aside = make_room(&path, target)?;
        let (identity, header_size) = create(&path, &layout.header(0))?;
        let partial = Self {
            path,
            identity,
            layout,
            header_size,
            size: header_size,
            pending: Vec::new(),
            format: NumberFormat::default(),
            first_frame: 0,
            num_frames: 0,
            num_kept,
            middle: header_size,
        };
        Ok((partial, set_aside))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Number of frames recorded so far, including those that were not kept.
    pub(super) fn num_recorded(&self) -> usize {
        self.first_frame + self.num_frames
    }

    /// Index in the recording of the first frame to be kept, if it ends now.
    pub(super) fn first_kept(&self) -> usize {
        self.num_recorded().saturating_sub(self.num_kept)
    }

    /// Adds a frame of [as many numbers](Layout::numbers_per_frame) as the layout specifies.
    pub(super) fn push(&mut self, numbers: &[f64]) -> io::Result<()> {
        if self.num_frames == self.num_kept.saturating_mul(2) {
            self.flush()?;
            self.drop_first_half()?;
        }
        if self.num_frames == self.num_kept {
            self.middle = self.size + self.pending.len() as u64;
        }
        self.layout.write_frame(numbers, &mut self.pending, &mut self.format);
        self.num_frames += 1;
        Ok(())
    }

    /// Writes the waiting frames to the file.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let result = self.open(OpenOptions::new().append(true)).and_then(|mut file| file.write_all(&self.pending));
        self.size += self.pending.len() as u64;
        self.pending.clear();
        result
    }

    /// Opens the file. It must be the one that was created, with everything written to it.
    fn open(&self, options: &OpenOptions) -> io::Result<File> {
        let file = options.open(&self.path)?;
        let metadata = file.metadata()?;
        if Identity::of(&metadata) == self.identity && metadata.len() == self.size {
            Ok(file)
        } else {
            Err(self.changed())
        }
    }

    /// Continues in a new file with the later half of the frames. If the process dies, one of the two files is
    /// complete. They are not synced: a partial file survives the death of the process, not of the machine.
    fn drop_first_half(&mut self) -> io::Result<()> {
        let next = next_path(&self.path);
        let (identity, header_size) = self.copy_later_half(&next).and_then(|created| {
            fs::rename(&next, &self.path).inspect_err(|_| {
                let _ = fs::remove_file(&next);
            })?;
            Ok(created)
        })?;
        self.size = header_size + (self.size - self.middle);
        self.identity = identity;
        self.header_size = header_size;
        self.first_frame += self.num_frames - self.num_kept;
        self.num_frames = self.num_kept;
        Ok(())
    }

    fn copy_later_half(&self, next: &Path) -> io::Result<(Identity, u64)> {
        let mut old = self.open(OpenOptions::new().read(true))?;
        let created = create(next, &self.layout.header(self.first_frame + self.num_kept))?;
        let mut copy = || {
            let mut file = OpenOptions::new().append(true).open(next)?;
            old.seek(SeekFrom::Start(self.middle))?;
            if io::copy(&mut old, &mut file)? == self.size - self.middle { Ok(()) } else { Err(self.changed()) }
        };
        copy().inspect_err(|_| {
            // The old file is complete, and the disk may be full.
            let _ = fs::remove_file(next);
        })?;
        Ok(created)
    }

    /// Truncates the recording to its first `num_frames` frames; those that were dropped before are not restored.
    pub(super) fn rewind(&mut self, num_frames: usize) -> io::Result<()> {
        if num_frames >= self.num_recorded() {
            return Ok(());
        }
        self.flush()?;
        let left = num_frames.saturating_sub(self.first_frame);
        let file = self.open(OpenOptions::new().read(true).write(true))?;
        let mut reader = BufReader::with_capacity(CHUNK, &file);
        reader.seek(SeekFrom::Start(self.header_size))?;
        let (mut size, mut line) = (self.header_size, Vec::new());
        for frame in 0..left {
            if frame == self.num_kept {
                self.middle = size;
            }
            for _ in 0..self.layout.lines_per_frame() {
                line.clear();
                size += reader.read_until(b'\n', &mut line)? as u64;
                if line.last() != Some(&b'\n') {
                    return Err(self.changed());
                }
            }
        }
        file.set_len(size)?;
        self.size = size;
        self.num_frames = left;
        Ok(())
    }

    /// Copies line `which` of each frame to be kept, through the buffer `text`, which may keep a rest.
    pub(super) fn copy_lines(&self, which: usize, text: &mut Vec<u8>, out: &mut File) -> io::Result<()> {
        let first_kept = self.first_kept() - self.first_frame;
        let mut file = self.open(OpenOptions::new().read(true))?;
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

/// Identity of a file, as far as the system reports it: when a path is opened again, it may refer to another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
}

impl Identity {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Self { device_and_inode: (metadata.dev(), metadata.ino()) }
        }
        #[cfg(not(unix))]
        {
            let _ = metadata;
            Self {}
        }
    }
}

/// Creates a file with this text; returns its size. An existing file, or a link, is an error, because it may belong to
/// another program.
fn create(path: &Path, text: &[u8]) -> io::Result<(Identity, u64)> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let written = file.write_all(text).and_then(|()| file.metadata());
    let metadata = written.inspect_err(|_| {
        let _ = fs::remove_file(path);
    })?;
    Ok((Identity::of(&metadata), text.len() as u64))
}

/// Frees the name of a partial file: the remains of an interrupted recording are renamed with a number.
fn make_room(path: &Path, target: &Path) -> io::Result<Option<PathBuf>> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        result => result?,
    };
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    if metadata.is_file() && !has_frames(path)? {
        fs::remove_file(path)?;
        return Ok(None);
    }
    let stem = target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = target.extension().unwrap_or_default().to_string_lossy().into_owned();
    let mut numbers = 1_u64..;
    let free = numbers.find_map(|number| {
        let kept = partial_path(&target.with_file_name(format!("{stem}.{number}.{extension}")));
        fs::symlink_metadata(&kept).is_err().then_some(kept)
    });
    let Some(kept) = free else { return Err(io::Error::from(io::ErrorKind::AlreadyExists)) };
    fs::rename(path, &kept)?;
    Ok(Some(kept))
}

/// Whether a partial file, of any layout, contains anything after its header.
fn has_frames(path: &Path) -> io::Result<bool> {
    let mut beginning = Vec::new();
    File::open(path)?.take(CHUNK as u64).read_to_end(&mut beginning)?;
    let frames_line = FRAMES_LINE.as_bytes();
    let header = match beginning.windows(frames_line.len()).position(|window| window == frames_line) {
        Some(start) => start + frames_line.len(),
        None => beginning.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1),
    };
    Ok(beginning.len() > header)
}
