//! Writing of a `.seq` text.

use std::io::{self, Write};
use std::path::Path;

use bunraku_document::{write_atomically, yaml::NumberFormat};

use super::check::{check, is_of};
use super::header::{Header, top_entries, write_entries};
use super::keys::SeqVersion;
use super::part_text::write_frame_list;
pub(crate) use super::part_text::{WritePart, pose_numbers};
use crate::components::{Component, components, of_each};
use crate::{BodyMotion, KeptYaml, Sequence, WriteError};

/// Options for writing a `.seq` file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// The version of the format.
    pub version: SeqVersion,
}

/// Writes a motion as a `.seq` file, version 2. Every number reads back to the same bits.
///
/// The file is written atomically: under another name beside it, synced and renamed.
///
/// # Errors
/// If the motion has no frames, contains values that are not finite, has two components with the same content or data
/// that the format cannot express, or if the file cannot be written. An old file is unchanged then.
pub fn write_seq(motion: &BodyMotion, path: &Path) -> Result<(), WriteError> {
    write_seq_with(motion, &WriteOptions::default(), path)
}

/// As [`write_seq`], with options.
///
/// # Errors
/// As for [`write_seq`].
pub fn write_seq_with(motion: &BodyMotion, options: &WriteOptions, path: &Path) -> Result<(), WriteError> {
    let components = components(motion);
    check(motion, &components, options.version)?;
    write_atomically(path, |file| write_text(motion, &components, options.version, file)).map_err(WriteError::io(path))
}

/// Writes the text of [`write_seq`] to any writer.
///
/// # Errors
/// As for [`write_seq`].
pub fn write_seq_to(motion: &BodyMotion, out: impl Write) -> Result<(), WriteError> {
    write_seq_to_with(motion, &WriteOptions::default(), out)
}

/// As [`write_seq_to`], with options.
///
/// # Errors
/// As for [`write_seq`].
pub fn write_seq_to_with(motion: &BodyMotion, options: &WriteOptions, mut out: impl Write) -> Result<(), WriteError> {
    let components = components(motion);
    check(motion, &components, options.version)?;
    write_text(motion, &components, options.version, &mut out).map_err(WriteError::io(Path::new("-")))
}

/// Writes one frame on a line: `      - [ 1, 2 ]`.
pub(crate) fn write_frame<T: WritePart>(out: &mut Vec<u8>, format: &mut NumberFormat, parts: &[T]) {
    write_line(out, format, None, parts);
}

fn write_line<T: WritePart>(out: &mut Vec<u8>, format: &mut NumberFormat, time: Option<f64>, parts: &[T]) {
    out.extend_from_slice(b"      - ");
    write_frame_list(out, format, time, parts);
    out.push(b'\n');
}

/// Writes the lines above the components, in version 2.
pub(crate) fn write_top(out: &mut Vec<u8>, format: &mut NumberFormat, frame_rate: f64, num_frames: usize) {
    write_entries(out, format, "", &top_entries(SeqVersion::Two, frame_rate, num_frames));
    out.extend_from_slice(b"components:\n");
}

/// Writes the lines of a component above its frames, in version 2.
pub(crate) fn write_component(out: &mut Vec<u8>, format: &mut NumberFormat, header: &Header<'_>) {
    out.extend_from_slice(b"  -\n");
    write_entries(out, format, "    ", &header.entries(SeqVersion::Two));
    out.extend_from_slice(b"    frames:\n");
}

/// Number of bytes that are buffered before they are written.
pub(crate) const CHUNK: usize = 64 << 10;

/// Number of frames of the whole motion, for the top of the file.
pub(crate) fn num_frames(motion: &BodyMotion, components: &[Component<'_>]) -> usize {
    match motion.num_frames() {
        0 => components.first().map_or(0, |first| first.frames.num_frames()),
        count => count,
    }
}

fn write_text(
    motion: &BodyMotion,
    components: &[Component<'_>],
    version: SeqVersion,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(2 * CHUNK);
    let mut format = NumberFormat::default();
    let top = top_entries(version, motion.frame_rate, num_frames(motion, components));
    write_entries(&mut buffer, &mut format, "", &top);
    for kept in &motion.kept {
        if let KeptYaml::TopKey { text } = kept {
            write_indented(&mut buffer, "", text);
        }
    }
    buffer.extend_from_slice(b"components:\n");
    for component in components {
        buffer.extend_from_slice(b"  -\n");
        write_entries(&mut buffer, &mut format, "    ", &Header::of(component, version).entries(version));
        for kept in &motion.kept {
            if let KeptYaml::ComponentKey { content, text } = kept
                && is_of(component, content)
            {
                write_indented(&mut buffer, "    ", text);
            }
        }
        buffer.extend_from_slice(b"    frames:\n");
        of_each!(component.frames, frames => write_frames(frames, &mut buffer, &mut format, out))?;
    }
    for kept in &motion.kept {
        if let KeptYaml::Component { text } = kept {
            buffer.extend_from_slice(b"  -\n");
            write_indented(&mut buffer, "    ", text);
        }
    }
    out.write_all(&buffer)
}

fn write_frames<T: WritePart>(
    frames: &Sequence<T>,
    buffer: &mut Vec<u8>,
    format: &mut NumberFormat,
    out: &mut impl Write,
) -> io::Result<()> {
    let times = frames.times();
    for (index, frame) in frames.frames().enumerate() {
        let time = times.and_then(|times| times.get(index)).copied();
        write_line(buffer, format, time, frame);
        if buffer.len() >= CHUNK {
            out.write_all(buffer)?;
            buffer.clear();
        }
    }
    Ok(())
}

/// Writes indented lines; empty ones stay empty.
fn write_indented(out: &mut Vec<u8>, indent: &str, text: &str) {
    for line in text.lines() {
        if !line.is_empty() {
            out.extend_from_slice(indent.as_bytes());
            out.extend_from_slice(line.as_bytes());
        }
        out.push(b'\n');
    }
}
