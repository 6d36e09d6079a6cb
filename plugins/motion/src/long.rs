//! Motions larger than memory: their contents, and their conversion frame by frame.

use std::io::{self, Write};
use std::path::Path;

use bunraku_document::{Diagnostic, Reporter, write_atomically, yaml::NumberFormat};
use nalgebra::Isometry3;

use crate::components::components;
use crate::csv::write::Table;
use crate::seq::check::check;
use crate::seq::header::{Header, top_entries, write_entries};
use crate::seq::part::Part;
use crate::seq::write::{CHUNK, WritePart, write_frame};
use crate::{
    BodyMotion, ComponentHeader, ComponentKind, ComponentRole, CsvNames, MotionReader, Sequence, WriteError,
    WriteOptions, recording,
};

/// A `.seq` file of link poses and joint displacements at one rate, as recordings are, of which only a frame is in memory.
///
/// Its files are those that the loaded motion would be written to, bit for bit.
#[derive(Debug)]
pub struct LongMotion {
    reader: MotionReader,
    /// The motion with its first frame only.
    first: BodyMotion,
    num_frames: usize,
}

/// Reason why a motion was not converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// A frame cannot be read.
    #[error("{0}")]
    Read(Box<Diagnostic>),
    /// The motion cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl ConvertError {
    /// Converts the error to a diagnostic, with its location in the file where known.
    pub fn into_diagnostic(self) -> Diagnostic {
        match self {
            Self::Read(diagnostic) => *diagnostic,
            Self::Write(error) => error.to_diagnostic(),
        }
    }
}

impl From<Box<Diagnostic>> for ConvertError {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Read(diagnostic)
    }
}

impl LongMotion {
    /// Opens a `.seq` file, whose frames are counted but not read. `None`, without a message, if it has other contents
    /// (frames with times, further sequences, unknown keys), another layout or errors: [`BodyMotion::load`] reads such
    /// files.
    pub fn open(path: &Path, reporter: &Reporter) -> Option<Self> {
        if recording::is_recording_file(path) {
            return None;
        }
        let (reader, local) = MotionReader::open_plain(path)?;
        let first = first_frames(&reader)?;
        let num_frames = reader.components().first()?.num_frames;
        if local.has_errors() {
            return None;
        }
        local.pass_on(reporter);
        Some(Self { reader, first, num_frames })
    }

    /// The motion with its first frame only: its rate, its start and the sizes of its frames.
    pub fn first(&self) -> &BodyMotion {
        &self.first
    }

    /// Number of frames.
    pub fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// Time from the first frame to the last, s.
    pub fn duration(&self) -> f64 {
        self.num_frames.saturating_sub(1) as f64 / self.first.frame_rate
    }

    /// Reads all frames; irregularities go to `reporter`.
    ///
    /// # Errors
    /// If a frame is damaged, with line and column.
    pub fn check(&self, reporter: &Reporter) -> Result<(), Box<Diagnostic>> {
        for (index, component) in self.reader.components().iter().enumerate() {
            match component.kind {
                ComponentKind::Poses => drop(self.each::<Isometry3<f64>>(index, reporter, |_| Ok(()))?),
                _ => drop(self.each::<f64>(index, reporter, |_| Ok(()))?),
            }
        }
        Ok(())
    }

    /// Writes the motion as a `.seq` file, atomically; irregularities of frames go to `reporter`.
    ///
    /// # Errors
    /// If a frame is damaged or the file cannot be written. An old file is unchanged then.
    pub fn write_seq(&self, options: &WriteOptions, path: &Path, reporter: &Reporter) -> Result<(), ConvertError> {
        check(&self.first, &components(&self.first), options.version)?;
        let mut damaged = None;
        let written = write_atomically(path, |file| stop(self.write_text(options, file, reporter)?, &mut damaged));
        finish(path, written, damaged)
    }

    /// Writes the motion as a table, atomically; see [`write_csv`](crate::write_csv).
    ///
    /// # Errors
    /// As for [`write_csv`](crate::write_csv), and if a frame is damaged.
    pub fn write_csv(&self, names: &CsvNames<'_>, path: &Path, reporter: &Reporter) -> Result<(), ConvertError> {
        let table = Table::new(&self.first, names, reporter)?;
        let mut damaged = None;
        let written = write_atomically(path, |file| stop(self.write_rows(&table, file, reporter)?, &mut damaged));
        finish(path, written, damaged)
    }

    fn write_text(&self, options: &WriteOptions, out: &mut impl Write, reporter: &Reporter) -> io::Result<Read> {
        let (mut buffer, mut format) = (Vec::with_capacity(2 * CHUNK), NumberFormat::default());
        let top = top_entries(options.version, self.first.frame_rate, self.num_frames);
        write_entries(&mut buffer, &mut format, "", &top);
        buffer.extend_from_slice(b"components:\n");
        for component in components(&self.first) {
            let header = Header { num_frames: self.num_frames, ..Header::of(&component, options.version) };
            buffer.extend_from_slice(b"  -\n");
            write_entries(&mut buffer, &mut format, "    ", &header.entries(options.version));
            buffer.extend_from_slice(b"    frames:\n");
            let Some(index) = self.index(component.role) else { continue };
            let read = match component.role {
                ComponentRole::LinkPositions => {
                    self.copy::<Isometry3<f64>>(index, reporter, &mut buffer, &mut format, out)
                }
                _ => self.copy::<f64>(index, reporter, &mut buffer, &mut format, out),
            };
            if let Err(damaged) = read? {
                return Ok(Err(damaged));
            }
        }
        out.write_all(&buffer)?;
        Ok(Ok(()))
    }

    fn write_rows(&self, table: &Table<'_>, out: &mut impl Write, reporter: &Reporter) -> io::Result<Read> {
        let (mut buffer, mut format) = (table.first_line(), NumberFormat::default());
        let mut states = match self.reader.states(reporter) {
            Ok(states) => states,
            Err(damaged) => return Ok(Err(damaged)),
        };
        let (mut poses, mut joints, mut count) = (Vec::new(), Vec::new(), 0);
        loop {
            match states.next_state(&mut poses, &mut joints) {
                Ok(Some(time)) => format.push(&mut buffer, time),
                Ok(None) => break,
                Err(damaged) => return Ok(Err(damaged)),
            }
            for number in poses.iter().flat_map(crate::seq::write::pose_numbers).chain(joints.iter().copied()) {
                buffer.push(b',');
                format.push(&mut buffer, number);
            }
            buffer.push(b'\n');
            count += 1;
            if buffer.len() >= CHUNK {
                out.write_all(&buffer)?;
                buffer.clear();
            }
        }
        out.write_all(&buffer)?;
        Ok(if count == self.num_frames { Ok(()) } else { Err(self.reader.has_changed()) })
    }

    /// Index of the component with this role.
    fn index(&self, role: ComponentRole) -> Option<usize> {
        self.reader.components().iter().position(|component| component.role == role)
    }

    /// Copies the frames of a component to `buffer` and, whenever that is full, to `out`.
    fn copy<T: Part + WritePart>(
        &self,
        index: usize,
        reporter: &Reporter,
        buffer: &mut Vec<u8>,
        format: &mut NumberFormat,
        out: &mut impl Write,
    ) -> io::Result<Read> {
        let read = self.each::<T>(index, reporter, |frame| {
            write_frame(buffer, format, frame);
            if buffer.len() >= CHUNK {
                out.write_all(buffer)?;
                buffer.clear();
            }
            Ok(())
        });
        match read {
            Ok(written) => written.map(Ok),
            Err(damaged) => Ok(Err(damaged)),
        }
    }

    /// Applies `each` to the frames of a component, until it fails.
    fn each<T: Part>(
        &self,
        index: usize,
        reporter: &Reporter,
        mut each: impl FnMut(&[T]) -> io::Result<()>,
    ) -> Result<io::Result<()>, Box<Diagnostic>> {
        let (mut frame, mut count) = (Vec::new(), 0);
        if let Some(mut frames) = self.reader.frames::<T>(index, reporter)? {
            while frames.next_frame(&mut frame)?.is_some() {
                count += 1;
                if let Err(error) = each(&frame) {
                    return Ok(Err(error));
                }
            }
        }
        if count == self.num_frames { Ok(Ok(())) } else { Err(self.reader.has_changed()) }
    }
}

/// Whether all frames could be read.
type Read = Result<(), Box<Diagnostic>>;

/// An error of writing, so that no file of a damaged motion comes to be; the reason goes to `damaged`.
fn stop(read: Read, damaged: &mut Option<Box<Diagnostic>>) -> io::Result<()> {
    read.map_err(|found| {
        *damaged = Some(found);
        io::ErrorKind::InvalidData.into()
    })
}

fn finish(path: &Path, written: io::Result<()>, damaged: Option<Box<Diagnostic>>) -> Result<(), ConvertError> {
    match damaged {
        Some(damaged) => Err(damaged.into()),
        None => Ok(written.map_err(WriteError::io(path))?),
    }
}

/// The motion with its first frame, if it has link poses and joint displacements at one rate and nothing else.
fn first_frames(reader: &MotionReader) -> Option<BodyMotion> {
    let first = reader.components().first()?;
    let mut motion = BodyMotion::new(first.frame_rate);
    for (index, component) in reader.components().iter().enumerate() {
        let is_like_first = component.num_frames == first.num_frames
            && component.frame_rate == first.frame_rate
            && component.offset.to_bits() == first.offset.to_bits();
        if component.timed || !is_like_first {
            return None;
        }
        let is_again = match component.role {
            ComponentRole::LinkPositions => {
                motion.link_positions.replace(first_frame(reader, index, component)?).is_some()
            }
            ComponentRole::JointDisplacements => {
                motion.joint_displacements.replace(first_frame(reader, index, component)?).is_some()
            }
            _ => return None,
        };
        if is_again {
            return None;
        }
    }
    Some(motion)
}

fn first_frame<T: Part>(reader: &MotionReader, index: usize, component: &ComponentHeader) -> Option<Sequence<T>> {
    let (reporter, mut frame) = (Reporter::new(), Vec::new());
    reader.frames::<T>(index, &reporter).ok()??.next_frame(&mut frame).ok()??;
    let sequence = Sequence::new(component.frame_rate, component.num_parts, frame).ok()?;
    Some(sequence.with_offset(component.offset).ok()?.with_part_labels(component.part_labels.clone()))
}
