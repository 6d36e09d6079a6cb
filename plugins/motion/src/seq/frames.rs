//! Reading of frames of a component, one by one, from lines or from a YAML tree.

use std::path::Path;

use bunraku_document::{Reporter, Result, SourceFile, Value, yaml::Document};

use super::limits::LIMITS;
use super::lines::Line;
use super::part::{Converted, Part};
use super::pose_format::PoseFormat;
use super::scan::scan;
use super::shape::{Style, is_blank};
use super::stop::{Step, Stop};
use crate::ComponentKind;

/// Layout of frames, from the header of a component.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Name of the component in messages.
    pub(super) what: String,
    /// Number of parts in a frame, at least 1.
    pub(super) num_parts: usize,
    /// Notation of poses.
    pub(super) format: PoseFormat,
    /// Frame rate, Hz; positive and finite.
    pub(super) frame_rate: f64,
    /// Time of the first frame, s, for frames without times.
    pub(super) offset: f64,
    /// Names of the parts.
    pub(super) part_labels: Vec<String>,
    /// Whether each frame begins with its time, s.
    pub(super) timed: bool,
}

/// Reads the frames of one component in order.
pub(super) struct FrameReader<T> {
    shape: Shape,
    num_frames: usize,
    last_time: Option<f64>,
    /// Numbers of the current frame as in the file, the time first.
    numbers: Vec<f64>,
    /// Parts of the current frame.
    parts: Vec<T>,
    /// The previous frame of a flow list had no comma, so no frame may follow.
    is_last: bool,
    warned: Warned,
}

/// Time of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameTime {
    /// Individual time, s, if frames have times.
    pub(super) time: Option<f64>,
    /// Whether it has the same time as the previous frame, which it replaces.
    pub(super) replaces: bool,
}

/// Warnings that were reported already, once for each component.
#[derive(Clone, Copy, Default)]
struct Warned {
    norm: bool,
    same_time: bool,
    text_after_number: bool,
}

/// Relation of the time of a frame to the previous one.
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
            num_frames: 0,
            last_time: None,
            numbers: Vec::new(),
            parts: Vec::new(),
            is_last: false,
            warned: Warned::default(),
        }
    }

    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(super) fn into_shape(self) -> Shape {
        self.shape
    }

    /// Number of frames read.
    pub(super) fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// Parts of the last frame.
    pub(super) fn parts(&self) -> &[T] {
        &self.parts
    }

    /// Reads a line of a block; `None` if it contains no frame. Only irregular lines need a YAML parser, line by line.
    pub(super) fn line(
        &mut self,
        path: &Path,
        line: Line<'_>,
        style: Style,
        reporter: &Reporter,
    ) -> Step<Option<FrameTime>> {
        if let Some((time, comma)) = self.usual(line.bytes, style) {
            self.follow(style, comma)?;
            self.last_time = time;
            return Ok(Some(FrameTime { time, replaces: false }));
        }
        if is_blank(line.bytes)? { Ok(None) } else { self.unusual(path, line, style, reporter).map(Some) }
    }

    /// Reads a regular line without findings. Returns its time and whether a comma follows; `None`, without effect, for
    /// other lines.
    fn usual(&mut self, line: &[u8], style: Style) -> Option<(Option<f64>, bool)> {
        let width = T::width(self.shape.format);
        let timed = usize::from(self.shape.timed);
        let (flat, lists) = if T::NESTED { (0, self.shape.num_parts) } else { (self.shape.num_parts * width, 0) };
        let comma = scan(line, style, timed + flat, lists, width, &mut self.numbers)?;
        self.parts.clear();
        for numbers in self.numbers.get(timed..)?.chunks_exact(width) {
            match T::convert(numbers, self.shape.format) {
                Converted::Good(part) => self.parts.push(part),
                Converted::OffNorm(part, _) if self.warned.norm => self.parts.push(part),
                Converted::OffNorm(..) | Converted::ZeroQuaternion => return None,
            }
        }
        let time = if self.shape.timed { self.numbers.first().copied() } else { None };
        if time.is_some_and(|time| !matches!(self.step_to(time), TimeStep::Forward)) {
            return None;
        }
        Some((time, comma))
    }

    /// Counts a frame of a block, after checking that a frame is allowed here.
    fn follow(&mut self, style: Style, comma: bool) -> Step<()> {
        if self.is_last {
            return Err(Stop::Unusual);
        }
        self.is_last = style == Style::Flow && !comma;
        self.num_frames += 1;
        Ok(())
    }

    /// Reads a line as a separate YAML document, to report its irregularities and errors.
    fn unusual(&mut self, path: &Path, line: Line<'_>, style: Style, reporter: &Reporter) -> Step<FrameTime> {
        let content = std::str::from_utf8(line.bytes).map_err(|_| Stop::Foreign)?.trim_end_matches(['\n', '\r']);
        if !content.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')) {
            return Err(Stop::Unusual);
        }
        let (excerpt, comma) = match style {
            Style::Block => (SourceFile::excerpt(path, line.number, content), false),
            Style::Flow if content.contains('#') => return Err(Stop::Unusual),
            Style::Flow => {
                let list = format!("[\n{content}\n]");
                let above = line.number.saturating_sub(1);
                (SourceFile::excerpt(path, above, list), content.trim_end_matches([' ', '\t']).ends_with(','))
            }
        };
        let local = Reporter::new();
        let document = Document::parse(&excerpt, &LIMITS, &local).map_err(|_| Stop::Unusual)?;
        let root = document.root();
        // An extra bracket closes the list early.
        if style == Style::Flow && root.span().end.line != line.number.saturating_add(1) {
            return Err(Stop::Unusual);
        }
        let mut items = root.items().ok_or(Stop::Unusual)?;
        let (Some(item), None) = (items.next(), items.next()) else { return Err(Stop::Unusual) };
        if self.is_last {
            return Err(Stop::Unusual);
        }
        let result = self.item(item, &local);
        if let Some(error) = local.pass_on(reporter) {
            reporter.report(*error);
        }
        self.is_last = style == Style::Flow && !comma;
        Ok(result?)
    }

    /// Reads one frame of a YAML tree and reports errors in it.
    pub(super) fn item(&mut self, frame: Value<'_>, reporter: &Reporter) -> Result<FrameTime> {
        let width = T::width(self.shape.format);
        let timed = usize::from(self.shape.timed);
        let expected = timed + if T::NESTED { self.shape.num_parts } else { self.shape.num_parts * width };
        let mut items = frame.items().ok_or_else(|| Box::new(frame.expected("a frame, which is a list")))?;
        if items.len() != expected {
            let message = format!(
                "frame {} of {} has {} entries instead of {}",
                self.num_frames,
                self.shape.what,
                items.len(),
                self.frame_in_words(expected)
            );
            let help = match T::KIND {
                ComponentKind::Poses => "each frame has as many poses as `numParts` says, each a list of its own",
                ComponentKind::Values => "each frame has as many numbers as `numParts` says",
                ComponentKind::Vectors => "each frame is one vector of three numbers",
            };
            return Err(Box::new(frame.error("frame-size", message).help(help)));
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
        let replaces = match time {
            Some((time, value)) => self.is_same_time(time, value, reporter)?,
            None => false,
        };
        self.num_frames += 1;
        self.last_time = time.map(|(time, _)| time);
        Ok(FrameTime { time: self.last_time, replaces })
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
            let help = "a pose is x, y, z and a quaternion of 4 numbers, or with `XYZRPY` 3 angles";
            return Err(Box::new(value.error("pose-size", message).help(help)));
        }
        let mut numbers = [0.0; 7];
        for (slot, item) in numbers.iter_mut().zip(items) {
            *slot = self.number(item, reporter)?;
        }
        match T::convert(numbers.get(..width).unwrap_or(&numbers), self.shape.format) {
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
        match self.last_time {
            _ if time < 0.0 => TimeStep::Negative,
            Some(last) if time < last => TimeStep::Backward(last),
            Some(last) if time == last => TimeStep::Same,
            _ => TimeStep::Forward,
        }
    }

    /// Whether the next frame, at this time, has the same time as the previous one.
    fn is_same_time(&mut self, time: f64, value: Value<'_>, reporter: &Reporter) -> Result<bool> {
        match self.step_to(time) {
            TimeStep::Forward => Ok(false),
            TimeStep::Same => {
                if !std::mem::replace(&mut self.warned.same_time, true) {
                    let message = format!("two frames have the same time of {time} s; the later one counts");
                    reporter.report(value.warning("same-time", message).help("each frame needs a later time"));
                }
                Ok(true)
            }
            TimeStep::Backward(last) => {
                let message = format!("time goes backward: {time} s comes after {last} s");
                Err(Box::new(value.error("time-backward", message).help("sort the frames by their times")))
            }
            TimeStep::Negative => {
                let message = format!("the time of a frame is negative: {time} s");
                let help = "times count from 0: add the same number to all of them";
                Err(Box::new(value.error("negative-time", message).help(help)))
            }
        }
    }
}
