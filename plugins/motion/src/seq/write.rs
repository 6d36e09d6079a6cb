//! A motion to a `.seq` text of version 2.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use nalgebra::{Isometry3, Vector3};

use super::number::NumberFormat;
use crate::output::write_atomically;
use crate::{BodyMotion, OtherFrames, OtherSequence, Sequence};

/// Why a motion was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// There is no frame of links or joints.
    #[error("the motion has no frames of links or joints")]
    Empty,
    /// The rate is zero, negative or not finite.
    #[error("the frame rate must be a positive number of hertz, not {0}")]
    FrameRate(f64),
    /// Two components would have the same content.
    #[error("the motion has more than one component `{0}`")]
    SameContent(String),
    /// A value is infinite or not a number.
    #[error("frame {frame} of `{content}` holds a value that is not finite")]
    NotFinite {
        /// The component.
        content: String,
        /// Index of the frame.
        frame: usize,
    },
    /// The output refused.
    #[error("cannot write the motion: {source}: {}", .path.display())]
    Io {
        /// The file; `-` for a writer.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// Writes a motion as a `.seq` file, version 2, every number so that it reads back to the same bits.
///
/// The file appears as a whole or not at all: it is written beside its place, synced and renamed.
///
/// # Errors
/// If the motion has no frames, holds values that are not finite, has two components of the same content, or the
/// file cannot be written. An old file then stays as it is.
pub fn write_seq(motion: &BodyMotion, path: &Path) -> Result<(), WriteError> {
    check(motion)?;
    write_atomically(path, |file| write_text(motion, file))
        .map_err(|source| WriteError::Io { path: path.to_owned(), source })
}

/// Writes the same text to any writer.
///
/// # Errors
/// As for [`write_seq`].
pub fn write_seq_to(motion: &BodyMotion, mut out: impl Write) -> Result<(), WriteError> {
    check(motion)?;
    write_text(motion, &mut out).map_err(|source| WriteError::Io { path: PathBuf::from("-"), source })
}

/// A part of a frame as text.
pub(crate) trait WritePart {
    fn is_finite(&self) -> bool;
    fn write(&self, out: &mut Vec<u8>, format: &mut NumberFormat);
}

impl WritePart for f64 {
    fn is_finite(&self) -> bool {
        f64::is_finite(*self)
    }

    fn write(&self, out: &mut Vec<u8>, format: &mut NumberFormat) {
        format.push(out, *self);
    }
}

/// The three numbers themselves: the frame of a `Vector3Seq` is not a list of lists.
impl WritePart for Vector3<f64> {
    fn is_finite(&self) -> bool {
        self.iter().all(|number| number.is_finite())
    }

    fn write(&self, out: &mut Vec<u8>, format: &mut NumberFormat) {
        write_list(out, format, self.as_slice());
    }
}

impl WritePart for Isometry3<f64> {
    fn is_finite(&self) -> bool {
        self.translation.vector.iter().chain(self.rotation.coords.iter()).all(|number| number.is_finite())
    }

    fn write(&self, out: &mut Vec<u8>, format: &mut NumberFormat) {
        let (t, q) = (&self.translation.vector, &self.rotation);
        out.extend_from_slice(b"[ ");
        write_list(out, format, &[t.x, t.y, t.z, q.w, q.i, q.j, q.k]);
        out.extend_from_slice(b" ]");
    }
}

/// Parts with commas between.
fn write_list<T: WritePart>(out: &mut Vec<u8>, format: &mut NumberFormat, parts: &[T]) {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(b", ");
        }
        part.write(out, format);
    }
}

/// One frame on a line of its own: `      - [ 1, 2 ]`.
pub(crate) fn write_frame<T: WritePart>(out: &mut Vec<u8>, format: &mut NumberFormat, parts: &[T]) {
    out.extend_from_slice(b"      - [ ");
    write_list(out, format, parts);
    out.extend_from_slice(b" ]\n");
}

/// The lines above the components. `offset` is the time of the first frame, s.
pub(crate) fn write_top(out: &mut Vec<u8>, format: &mut NumberFormat, frame_rate: f64, offset: f64, num_frames: usize) {
    out.extend_from_slice(b"type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: ");
    format.push(out, frame_rate);
    if offset != 0.0 {
        out.extend_from_slice(b"\noffsetTime: ");
        format.push(out, offset);
    }
    out.extend_from_slice(format!("\nnumFrames: {num_frames}\ncomponents:\n").as_bytes());
}

/// The lines of a component above its frames.
pub(crate) fn write_component(out: &mut Vec<u8>, kind: &str, content: &str, num_parts: Option<usize>, more: &[u8]) {
    out.extend_from_slice(format!("  -\n    type: {kind}\n    content: {content}\n").as_bytes());
    if let Some(num_parts) = num_parts {
        out.extend_from_slice(format!("    numParts: {num_parts}\n").as_bytes());
    }
    out.extend_from_slice(more);
    if kind == "MultiSE3Seq" {
        out.extend_from_slice(b"    SE3Format: XYZQWQXQYQZ\n");
    }
    out.extend_from_slice(b"    frames:\n");
}

/// Bytes gathered before they go out.
const CHUNK: usize = 64 << 10;

fn write_text(motion: &BodyMotion, out: &mut impl Write) -> io::Result<()> {
    let mut text = Text { motion, out, buffer: Vec::with_capacity(2 * CHUNK), format: NumberFormat::new() };
    write_top(&mut text.buffer, &mut text.format, motion.frame_rate, 0.0, motion.num_frames());
    if let Some(links) = &motion.link_positions {
        text.component("MultiSE3Seq", "LinkPosition", links, Some(links.num_parts()), "")?;
    }
    if let Some(joints) = &motion.joint_displacements {
        text.component("MultiValueSeq", "JointDisplacement", joints, Some(joints.num_parts()), "")?;
    }
    if let Some(zmp) = &motion.zmp {
        let relative = if zmp.root_relative { "    isRootRelative: true\n" } else { "" };
        text.component("Vector3Seq", "ZMP", &zmp.frames, None, relative)?;
    }
    for OtherSequence { content, frames } in &motion.others {
        let content = quoted(content);
        match frames {
            OtherFrames::Values(frames) => {
                text.component("MultiValueSeq", &content, frames, Some(frames.num_parts()), "")?;
            }
            OtherFrames::Poses(frames) => {
                text.component("MultiSE3Seq", &content, frames, Some(frames.num_parts()), "")?;
            }
            OtherFrames::Vectors(frames) => text.component("Vector3Seq", &content, frames, None, "")?,
        }
    }
    text.out.write_all(&text.buffer)
}

struct Text<'a, W> {
    motion: &'a BodyMotion,
    out: &'a mut W,
    buffer: Vec<u8>,
    format: NumberFormat,
}

impl<W: Write> Text<'_, W> {
    fn component<T: WritePart>(
        &mut self,
        kind: &str,
        content: &str,
        frames: &Sequence<T>,
        num_parts: Option<usize>,
        more: &str,
    ) -> io::Result<()> {
        if frames.num_frames() == 0 {
            return Ok(());
        }
        let mut header = Vec::new();
        if frames.frame_rate() != self.motion.frame_rate {
            header.extend_from_slice(b"    frameRate: ");
            self.format.push(&mut header, frames.frame_rate());
            header.push(b'\n');
        }
        if frames.num_frames() != self.motion.num_frames() {
            header.extend_from_slice(format!("    numFrames: {}\n", frames.num_frames()).as_bytes());
        }
        header.extend_from_slice(more.as_bytes());
        write_component(&mut self.buffer, kind, content, num_parts, &header);
        for frame in frames.frames() {
            write_frame(&mut self.buffer, &mut self.format, frame);
            if self.buffer.len() >= CHUNK {
                self.out.write_all(&self.buffer)?;
                self.buffer.clear();
            }
        }
        Ok(())
    }
}

/// What cannot be written is found before the first byte is.
fn check(motion: &BodyMotion) -> Result<(), WriteError> {
    if !(motion.frame_rate > 0.0 && motion.frame_rate.is_finite()) {
        return Err(WriteError::FrameRate(motion.frame_rate));
    }
    if motion.num_frames() == 0 {
        return Err(WriteError::Empty);
    }
    let mut contents = Vec::new();
    if let Some(links) = &motion.link_positions {
        check_finite("LinkPosition", links)?;
        contents.push("LinkPosition");
    }
    if let Some(joints) = &motion.joint_displacements {
        check_finite("JointDisplacement", joints)?;
        contents.push("JointDisplacement");
    }
    if let Some(zmp) = &motion.zmp {
        check_finite("ZMP", &zmp.frames)?;
        contents.push("ZMP");
    }
    for OtherSequence { content, frames } in &motion.others {
        if contents.contains(&content.as_str()) {
            return Err(WriteError::SameContent(content.clone()));
        }
        match frames {
            OtherFrames::Values(frames) => check_finite(content, frames),
            OtherFrames::Poses(frames) => check_finite(content, frames),
            OtherFrames::Vectors(frames) => check_finite(content, frames),
        }?;
        contents.push(content);
    }
    Ok(())
}

fn check_finite<T: WritePart>(content: &str, frames: &Sequence<T>) -> Result<(), WriteError> {
    match frames.values().iter().position(|part| !part.is_finite()) {
        Some(at) => Err(WriteError::NotFinite { content: content.to_owned(), frame: at / frames.num_parts() }),
        None => Ok(()),
    }
}

/// A name as a YAML scalar: plain where that is safe beyond doubt.
fn quoted(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
    let is_word = ["y", "n", "yes", "no", "true", "false", "on", "off", "null"]
        .iter()
        .any(|word| name.eq_ignore_ascii_case(word));
    if plain && !is_word {
        return name.to_owned();
    }
    let mut text = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            ' '..='~' => text.push(c),
            _ => text.push_str(&format!("\\U{:08X}", u32::from(c))),
        }
    }
    text.push('"');
    text
}
