//! Frames of one component, from lines or from a YAML tree, to a sequence.

use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, Result, SourceFile, Value, yaml::Document};

use super::LIMITS;
use super::part::{Converted, Part, PoseFormat};
use super::relocate::relocate;
use super::scan::scan_frame;
use super::split::{Block, Lines, is_blank};
use crate::Sequence;

/// Why reading stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// The file is at fault.
    Error(Box<Diagnostic>),
    /// The file is at fault, and the reporter knows.
    Reported,
    /// These lines make sense, if at all, only to a YAML parser that sees the whole file.
    Unusual,
}

impl From<Box<Diagnostic>> for Stop {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Error(diagnostic)
    }
}

/// What the header of a component says about its frames.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// What the component is called in messages.
    pub(super) what: String,
    /// Parts of a frame, at least 1.
    pub(super) num_parts: usize,
    /// How poses are written.
    pub(super) format: PoseFormat,
    /// Hz, positive and finite.
    pub(super) frame_rate: f64,
    /// Time of the first frame, s, if frames have no times.
    pub(super) offset: f64,
    /// Names of the parts.
    pub(super) part_labels: Vec<String>,
    /// Whether each frame begins with its time, s.
    pub(super) timed: bool,
}

/// Collects the frames of one component.
pub(super) struct FrameReader<T> {
    shape: Shape,
    values: Vec<T>,
    num_frames_read: usize,
    times: Vec<f64>,
    /// Numbers of the current frame as in the file, the time first.
    numbers: Vec<f64>,
    /// Parts of the current frame.
    parts: Vec<T>,
    warned: Warned,
}

/// What was said already: once a component is enough.
#[derive(Clone, Copy, Default)]
struct Warned {
    norm: bool,
    same_time: bool,
    text_after_number: bool,
}

/// How the time of a frame follows on the one before.
enum TimeStep {
    Forward,
    Same,
    Backward(f64),
    Negative,
}

impl<T: Part> FrameReader<T> {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            shape,
            values: Vec::new(),
            num_frames_read: 0,
            times: Vec::new(),
            numbers: Vec::new(),
            parts: Vec::new(),
            warned: Warned::default(),
        }
    }

    /// Reads the lines of a block. Only what does not look usual costs a YAML parser, line by line.
    pub(super) fn read_block(
        &mut self,
        source: &Arc<SourceFile>,
        block: &Block,
        reporter: &Reporter,
    ) -> std::result::Result<(), Stop> {
        let mut lines = Lines::new(source.text(), block.text.clone(), block.key_line);
        while let Some(line) = lines.next() {
            if self.read_usual(line) || is_blank(line) {
                continue;
            }
            self.read_unusual(source, line, lines.number(), reporter)?;
        }
        Ok(())
    }

    /// Reads a list of frames of a YAML tree.
    pub(super) fn read_tree(&mut self, frames: Value<'_>, reporter: &Reporter) -> Result<()> {
        let items = frames.items().ok_or_else(|| Box::new(frames.expected("a list of frames")))?;
        for item in items {
            self.read_item(item, reporter)?;
        }
        Ok(())
    }

    /// The sequence, and how many frames the file had for it.
    pub(super) fn finish(self) -> (Option<Sequence<T>>, usize) {
        let Shape { num_parts, frame_rate, offset, timed, part_labels, .. } = self.shape;
        let sequence = if timed {
            Sequence::timed(self.times, num_parts, self.values).and_then(|timed| timed.with_frame_rate(frame_rate))
        } else {
            Sequence::new(frame_rate, num_parts, self.values).and_then(|fixed| fixed.with_offset(offset))
        };
        (sequence.ok().map(|sequence| sequence.with_part_labels(part_labels)), self.num_frames_read)
    }

    /// Reads a line about which there is nothing to say; `false`, and nothing done, for any other.
    fn read_usual(&mut self, line: &str) -> bool {
        let width = T::width(self.shape.format);
        let timed = usize::from(self.shape.timed);
        let (flat, lists) = if T::NESTED { (0, self.shape.num_parts) } else { (self.shape.num_parts * width, 0) };
        if !scan_frame(line.as_bytes(), timed + flat, lists, width, &mut self.numbers) {
            return false;
        }
        self.parts.clear();
        for numbers in self.numbers[timed..].chunks_exact(width) {
            match T::convert(numbers, self.shape.format) {
                Converted::Good(part) => self.parts.push(part),
                Converted::OffNorm(part, _) if self.warned.norm => self.parts.push(part),
                Converted::OffNorm(..) | Converted::ZeroQuaternion => return false,
            }
        }
        if self.shape.timed {
            let time = self.numbers[0];
            let TimeStep::Forward = self.step_to(time) else { return false };
            self.times.push(time);
        }
        self.values.extend_from_slice(&self.parts);
        self.num_frames_read += 1;
        true
    }

    /// Reads a line as a YAML document of its own, for its oddities and mistakes.
    fn read_unusual(
        &mut self,
        source: &Arc<SourceFile>,
        line: &str,
        number: u32,
        reporter: &Reporter,
    ) -> std::result::Result<(), Stop> {
        let content = line.trim_end_matches(['\n', '\r']);
        if !content.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')) {
            return Err(Stop::Unusual);
        }
        let excerpt = SourceFile::from_text(source.path(), content);
        let local = Reporter::new();
        let document = Document::parse(&excerpt, &LIMITS, &local).map_err(|_| Stop::Unusual)?;
        let mut items = document.root().items().ok_or(Stop::Unusual)?;
        let (Some(item), None) = (items.next(), items.next()) else { return Err(Stop::Unusual) };
        let result = self.read_item(item, &local);
        for diagnostic in local.into_diagnostics() {
            reporter.report(relocate(diagnostic, source, number - 1));
        }
        result.map_err(|diagnostic| Stop::Error(Box::new(relocate(*diagnostic, source, number - 1))))
    }

    /// Reads one frame of a YAML tree and says what is wrong with it.
    fn read_item(&mut self, frame: Value<'_>, reporter: &Reporter) -> Result<()> {
        let width = T::width(self.shape.format);
        let timed = usize::from(self.shape.timed);
        let expected = timed + if T::NESTED { self.shape.num_parts } else { self.shape.num_parts * width };
        let mut items = frame.items().ok_or_else(|| Box::new(frame.expected("a frame, which is a list")))?;
        if items.len() != expected {
            let message = format!(
                "frame {} of {} has {} entries instead of {}",
                self.num_frames_read,
                self.shape.what,
                items.len(),
                self.frame_in_words(expected)
            );
            return Err(Box::new(frame.error("frame-size", message)));
        }
        let time = match if self.shape.timed { items.next() } else { None } {
            Some(value) => Some((self.number(value, reporter)?, value)),
            None => None,
        };
        self.parts.clear();
        if T::NESTED {
            for item in items {
                let part = self.nested_part(item, width, reporter)?;
                self.parts.push(part);
            }
        } else {
            let mut numbers = std::mem::take(&mut self.numbers);
            numbers.clear();
            for item in items {
                numbers.push(self.number(item, reporter)?);
            }
            for numbers in numbers.chunks_exact(width) {
                if let Converted::Good(part) = T::convert(numbers, self.shape.format) {
                    self.parts.push(part);
                }
            }
            self.numbers = numbers;
        }
        if let Some((time, value)) = time {
            self.take_time(time, value, reporter)?;
        }
        self.values.extend_from_slice(&self.parts);
        self.num_frames_read += 1;
        Ok(())
    }

    fn frame_in_words(&self, expected: usize) -> String {
        let time = if self.shape.timed { "the time and " } else { "" };
        let parts = expected - usize::from(self.shape.timed);
        let unit = if T::NESTED { "poses" } else { "numbers" };
        format!("{time}{parts} {unit}")
    }

    fn number(&mut self, value: Value<'_>, reporter: &Reporter) -> Result<f64> {
        let local = Reporter::new();
        let number = value.as_number(&local)?;
        if let Some(diagnostic) = local.into_diagnostics().pop()
            && !std::mem::replace(&mut self.warned.text_after_number, true)
        {
            reporter.report(diagnostic);
        }
        Ok(number)
    }

    fn nested_part(&mut self, value: Value<'_>, width: usize, reporter: &Reporter) -> Result<T> {
        let items =
            value.items().ok_or_else(|| Box::new(value.expected(&format!("a pose, a list of {width} numbers"))))?;
        if items.len() != width {
            let message = format!("a pose of {} has {} numbers instead of {width}", self.shape.what, items.len());
            return Err(Box::new(value.error("pose-size", message)));
        }
        let mut numbers = [0.0; 7];
        for (slot, item) in numbers.iter_mut().zip(items) {
            *slot = self.number(item, reporter)?;
        }
        match T::convert(&numbers[..width], self.shape.format) {
            Converted::Good(part) => Ok(part),
            Converted::OffNorm(part, norm) => {
                if !std::mem::replace(&mut self.warned.norm, true) {
                    let message = format!("a quaternion of {} has norm {norm:.6}, not 1", self.shape.what);
                    reporter.report(
                        value
                            .warning("quaternion-norm", message)
                            .help("it is normalised, as are others of the same component without further notice"),
                    );
                }
                Ok(part)
            }
            Converted::ZeroQuaternion => {
                let message = format!("a quaternion of {} is zero, which is no rotation", self.shape.what);
                Err(Box::new(
                    value.error("zero-quaternion", message).help("without rotation it is w = 1, x = y = z = 0"),
                ))
            }
        }
    }

    fn step_to(&self, time: f64) -> TimeStep {
        match self.times.last() {
            _ if time < 0.0 => TimeStep::Negative,
            Some(&last) if time < last => TimeStep::Backward(last),
            Some(&last) if time == last => TimeStep::Same,
            _ => TimeStep::Forward,
        }
    }

    /// Notes the time of the frame that comes next.
    fn take_time(&mut self, time: f64, value: Value<'_>, reporter: &Reporter) -> Result<()> {
        match self.step_to(time) {
            TimeStep::Forward => self.times.push(time),
            TimeStep::Same => {
                if !std::mem::replace(&mut self.warned.same_time, true) {
                    let message = format!("two frames have the same time of {time} s; the later one counts");
                    reporter.report(value.warning("same-time", message));
                }
                self.values.truncate(self.values.len() - self.shape.num_parts);
            }
            TimeStep::Backward(last) => {
                let message = format!("time goes backward: {time} s comes after {last} s");
                return Err(Box::new(value.error("time-backward", message)));
            }
            TimeStep::Negative => {
                let message = format!("the time of a frame is negative: {time} s");
                return Err(Box::new(value.error("negative-time", message)));
            }
        }
        Ok(())
    }
}
