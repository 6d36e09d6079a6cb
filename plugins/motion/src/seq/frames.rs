//! Frames of one component, from lines or from a YAML tree, to a sequence.

use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, Result, SourceFile, Value, yaml::Document};

use super::LIMITS;
use super::part::{Converted, Part, PoseFormat};
use super::relocate::relocate;
use super::scan::scan_frame;
use super::split::{Block, Lines, is_blank};
use crate::sequence::{FRAME_TOLERANCE, Sequence};

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
    /// Whether each frame begins with its time, s.
    pub(super) timed: bool,
}

/// Bytes that spreading timed frames over a fixed rate may take. A log in seconds since 1970 would ask for more
/// than any machine has.
const MAX_SPREAD_BYTES: usize = 1 << 29;

/// Collects the frames of one component.
pub(super) struct FrameReader<T> {
    shape: Shape,
    values: Vec<T>,
    num_frames_read: usize,
    last_time: Option<f64>,
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
    late_start: bool,
    text_after_number: bool,
}

/// Where a frame with a time belongs.
enum Slot {
    /// At this index of the sequence.
    At(usize),
    /// There is something to say about the time, or nothing is there for it.
    Remark(TimeRemark),
}

enum TimeRemark {
    Negative,
    Backward(f64),
    Repeated(usize),
    LateStart(usize),
    TooLate,
}

impl<T: Part> FrameReader<T> {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            shape,
            values: Vec::new(),
            num_frames_read: 0,
            last_time: None,
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
        (Sequence::new(self.shape.frame_rate, self.shape.num_parts, self.values).ok(), self.num_frames_read)
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
            let Slot::At(index) = self.slot(time) else { return false };
            self.last_time = Some(time);
            self.place(index);
        } else {
            self.values.extend_from_slice(&self.parts);
        }
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
        match time {
            None => self.values.extend_from_slice(&self.parts),
            Some((time, value)) => {
                let index = self.slot_with_remarks(time, value, reporter)?;
                self.last_time = Some(time);
                self.place(index);
            }
        }
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

    /// The index of a frame at `time`: the first frame at or after it.
    fn slot(&self, time: f64) -> Slot {
        if time < 0.0 {
            return Slot::Remark(TimeRemark::Negative);
        }
        let index = (time * self.shape.frame_rate - FRAME_TOLERANCE).ceil().max(0.0);
        let frame_bytes = self.shape.num_parts * size_of::<T>();
        if index >= (MAX_SPREAD_BYTES / frame_bytes.max(1)) as f64 {
            return Slot::Remark(TimeRemark::TooLate);
        }
        let index = index as usize;
        match self.last_time {
            Some(last) if time < last => Slot::Remark(TimeRemark::Backward(last)),
            Some(last) if time == last && !self.warned.same_time => Slot::Remark(TimeRemark::Repeated(index)),
            None if index > 0 && !self.warned.late_start => Slot::Remark(TimeRemark::LateStart(index)),
            _ => Slot::At(index),
        }
    }

    fn slot_with_remarks(&mut self, time: f64, value: Value<'_>, reporter: &Reporter) -> Result<usize> {
        let remark = match self.slot(time) {
            Slot::At(index) => return Ok(index),
            Slot::Remark(remark) => remark,
        };
        let rate = self.shape.frame_rate;
        Err(Box::new(match remark {
            TimeRemark::Negative => value.error("negative-time", format!("the time of a frame is negative: {time} s")),
            TimeRemark::Backward(last) => {
                value.error("time-backward", format!("time goes backward: {time} s comes after {last} s"))
            }
            TimeRemark::TooLate => value
                .error("limit-time", format!("a frame at {time} s is too far to fill up to at {rate} frames a second"))
                .help("let the times begin at 0: subtract the time of the first frame"),
            TimeRemark::Repeated(index) => {
                self.warned.same_time = true;
                let message = format!("two frames have the same time of {time} s; the later one counts");
                reporter.report(value.warning("same-time", message));
                return Ok(index);
            }
            TimeRemark::LateStart(index) => {
                self.warned.late_start = true;
                let message = format!("the first frame is at {time} s; it is held from 0 s until then");
                reporter.report(value.note("late-start", message));
                return Ok(index);
            }
        }))
    }

    /// Puts the current parts at a frame index, not before the last one; the frames between hold the last one.
    fn place(&mut self, index: usize) {
        let size = self.parts.len();
        let start = index * size;
        self.values.truncate(start);
        while self.values.len() < start {
            match self.values.len().checked_sub(size) {
                Some(last) => self.values.extend_from_within(last..),
                None => self.values.extend_from_slice(&self.parts),
            }
        }
        self.values.extend_from_slice(&self.parts);
    }
}
