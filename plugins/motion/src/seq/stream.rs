//! Reading of motions frame by frame, in constant memory.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use bunraku_document::{Diagnostic, Reporter, Result, SourceFile};
use nalgebra::Isometry3;

use super::collect::collect;
use super::frames::{FrameReader, Shape};
use super::headers::Headers;
use super::lines::{LineReader, Origin};
use super::part::Part;
use super::read::{open_lines, open_tree, settle, whole};
use super::shape::Style;
use super::split::Block;
use super::stop::{Step, Stop};
use crate::{ComponentKind, ComponentRole, OtherFrames, Sequence};

/// Reads a `.seq` file frame by frame, for motions larger than memory.
///
/// ```
/// use bunraku_document::Reporter;
/// use bunraku_motion::MotionReader;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("turn.seq");
/// # std::fs::write(&path, "type: CompositeSeq\nformatVersion: 2\nframeRate: 10\ncomponents:\n  -\n    \
/// #     type: MultiValueSeq\n    content: JointDisplacement\n    numParts: 2\n    frames:\n      - [ 0, 1 ]\n      - [ 2, 3 ]\n")?;
/// let reporter = Reporter::new();
/// let motion = MotionReader::open(&path, &reporter)?;
/// for component in motion.components() {
///     println!("{}: {} frames of {}", component.content, component.num_frames, component.num_parts);
/// }
/// let (mut poses, mut joints) = (Vec::new(), Vec::new());
/// let mut states = motion.states(&reporter)?;
/// let mut largest = 0.0;
/// while let Some(time) = states.next_state(&mut poses, &mut joints)? {
///     println!("{time} s: {joints:?}");
///     largest = joints.iter().copied().fold(largest, f64::max);
/// }
/// assert_eq!(largest, 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It needs memory for a chunk of the file and a frame. A file without the usual layout of one frame on each line is
/// loaded as a whole, with the same interface.
#[derive(Debug)]
pub struct MotionReader {
    origin: Origin,
    components: Vec<ComponentHeader>,
    details: Vec<Details>,
    /// Whether the file has nothing but these components.
    is_plain: bool,
    /// All frames, if the file had to be loaded as a whole.
    loaded: OnceLock<Arc<Vec<OtherFrames>>>,
}

/// Header of one component.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentHeader {
    /// Purpose, as given in the file.
    pub content: String,
    /// Role for a body.
    pub role: ComponentRole,
    /// Type of its frames.
    pub kind: ComponentKind,
    /// Number of parts in a frame (joints, links), at least 1.
    pub num_parts: usize,
    /// Frame rate, Hz; for timed frames the rate for their import.
    pub frame_rate: f64,
    /// Whether each frame has an individual time.
    pub timed: bool,
    /// Time of the first frame, s, if they are not timed.
    pub offset: f64,
    /// Number of frames in the file. Of frames with the same time only the last is returned, so there may be fewer.
    pub num_frames: usize,
    /// Names of the parts, if given; there may be fewer or more than parts.
    pub part_labels: Vec<String>,
}

/// Data for reading the frames of a component.
#[derive(Debug)]
struct Details {
    shape: Shape,
    /// `None` if the file was loaded as a whole.
    block: Option<Block>,
}

impl MotionReader {
    /// Opens a `.seq` file of any version: scans it once for its frames, and reads the headers.
    ///
    /// Irregularities go to `reporter`, such as a wrong `numFrames` or a truncated file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a body motion, with the line and column where known. Errors in frames are
    /// reported when they are read.
    pub fn open(path: &Path, reporter: &Reporter) -> Result<Self> {
        if path.is_file() {
            match Self::by_lines(Origin::File(path.to_owned())) {
                Err(Stop::Foreign) => {}
                Err(Stop::Unusual) => return Self::by_tree(&whole(path, reporter)?, reporter),
                result => return Self::settle(path, result, reporter),
            }
        }
        Self::read(&whole(path, reporter)?, reporter)
    }

    /// Opens a file of the usual layout without unknown content, and returns the findings so far.
    pub(crate) fn open_plain(path: &Path) -> Option<(Self, Reporter)> {
        let opened = path.is_file().then(|| Self::by_lines(Origin::File(path.to_owned())))?.ok()?;
        opened.0.is_plain.then_some(opened)
    }

    /// As [`open`](Self::open), for a text in memory.
    ///
    /// # Errors
    /// As for [`MotionReader::open`].
    pub fn read(source: &Arc<SourceFile>, reporter: &Reporter) -> Result<Self> {
        match Self::by_lines(Origin::Text(Arc::clone(source))) {
            Err(Stop::Unusual | Stop::Foreign) => Self::by_tree(source, reporter),
            result => Self::settle(source.path(), result, reporter),
        }
    }

    /// Headers of the components of known type, in file order.
    pub fn components(&self) -> &[ComponentHeader] {
        &self.components
    }

    /// Frames of the component at `index` in [`components`](Self::components). `None` if it does not exist, or its
    /// frames are not of type `T`: `f64` for values, [`Isometry3`] for poses, [`Vector3`](nalgebra::Vector3) for
    /// vectors.
    ///
    /// Irregularities in frames go to `reporter`.
    ///
    /// # Errors
    /// If the file cannot be read again.
    pub fn frames<'a, T: Part>(&'a self, index: usize, reporter: &'a Reporter) -> Result<Option<FrameStream<'a, T>>> {
        let (Some(header), Some(details)) = (self.components.get(index), self.details.get(index)) else {
            return Ok(None);
        };
        if header.kind != T::KIND {
            return Ok(None);
        }
        let from = match (&details.block, self.loaded.get()) {
            (_, Some(loaded)) => From::Loaded(Arc::clone(loaded)),
            (Some(block), None) => {
                let lines = self.origin.part(block.bytes.clone(), block.key_line);
                let lines = settle(self.origin.path(), lines, Reporter::new(), reporter)?;
                From::Lines(Box::new(Lines {
                    lines,
                    reader: FrameReader::new(details.shape.clone()),
                    style: block.style,
                }))
            }
            (None, None) => return Ok(None),
        };
        Ok(Some(FrameStream { motion: self, index, reporter, from, given: 0, ahead: None, is_over: false }))
    }

    /// Link poses and joint displacements together. Of several components of either kind the last one is used.
    ///
    /// # Errors
    /// If the file cannot be read again.
    pub fn states<'a>(&'a self, reporter: &'a Reporter) -> Result<StateStream<'a>> {
        let find = |role| self.components.iter().rposition(|component| component.role == role);
        let links = find(ComponentRole::LinkPositions).map(|index| self.frames(index, reporter)).transpose()?.flatten();
        let joints = find(ComponentRole::JointDisplacements).map(|index| self.frames(index, reporter));
        Ok(StateStream { links, joints: joints.transpose()?.flatten() })
    }

    fn settle(path: &Path, result: Step<(Self, Reporter)>, reporter: &Reporter) -> Result<Self> {
        let (result, local) = match result {
            Ok((motion, local)) => (Ok(motion), local),
            Err(stop) => (Err(stop), Reporter::new()),
        };
        settle(path, result, local, reporter)
    }

    fn by_lines(origin: Origin) -> Step<(Self, Reporter)> {
        let opened = open_lines(&origin)?;
        let reporter = opened.reporter;
        let headers = Headers::read(&opened.document, &opened.blocks, &reporter)?;
        // A component whose frames are in the tree is small, but the file does not have the usual layout then.
        let frames = headers.components.iter().map(|component| component.block.as_ref().map(|block| block.frames));
        let frames: Vec<usize> = frames.collect::<Option<_>>().ok_or(Stop::Unusual)?;
        Ok((Self::new(origin, &headers, &frames, &reporter)?, reporter))
    }

    fn by_tree(source: &Arc<SourceFile>, reporter: &Reporter) -> Result<Self> {
        let (local, document) = open_tree(source);
        let origin = Origin::Text(Arc::clone(source));
        let read = || {
            let document = document?;
            let headers = Headers::read(&document, &[], &local)?;
            let (mut loaded, mut counts) = (Vec::new(), Vec::new());
            for component in &headers.components {
                let (frames, count) = collect(component, &origin, &local)?;
                loaded.push(frames);
                counts.push(count);
            }
            let motion = Self::new(origin, &headers, &counts, &local)?;
            let _ = motion.loaded.set(Arc::new(loaded));
            Ok(motion)
        };
        let result = read();
        settle(source.path(), result, local, reporter)
    }

    fn new(origin: Origin, headers: &Headers<'_>, counts: &[usize], reporter: &Reporter) -> Step<Self> {
        let (mut components, mut details, mut said) = (Vec::new(), Vec::new(), HashSet::new());
        for (component, &num_frames) in headers.components.iter().zip(counts) {
            component.check_count(num_frames, &mut said, reporter);
            let Shape { num_parts, frame_rate, offset, timed, ref part_labels, .. } = component.shape;
            components.push(ComponentHeader {
                content: component.content.to_owned(),
                role: component.role,
                kind: component.kind,
                num_parts,
                frame_rate,
                timed,
                offset,
                num_frames,
                part_labels: part_labels.clone(),
            });
            details.push(Details { shape: component.shape.clone(), block: component.block.clone() });
        }
        if components.is_empty() && !reporter.has_errors() {
            headers.report_no_motion(reporter)?;
        }
        let is_plain = headers.kept.is_empty();
        Ok(Self { origin, components, details, is_plain, loaded: OnceLock::new() })
    }

    /// The error for a file that is not what it was when it was opened.
    pub(crate) fn has_changed(&self) -> Box<Diagnostic> {
        let message = "the file was changed by another program while it was read";
        let file = SourceFile::from_text(self.origin.path(), "");
        let diagnostic = Diagnostic::error("file-changed", message).in_file(&file);
        Box::new(diagnostic.help("read it again when it is finished"))
    }

    /// Loads the whole file, because of a line that is not valid on its own.
    fn load(&self, reporter: &Reporter) -> Result<Arc<Vec<OtherFrames>>> {
        if let Some(loaded) = self.loaded.get() {
            return Ok(Arc::clone(loaded));
        }
        let source = match &self.origin {
            Origin::File(path) => whole(path, reporter)?,
            Origin::Text(source) => Arc::clone(source),
        };
        let motion = Self::by_tree(&source, reporter)?;
        if motion.components.len() != self.components.len() {
            return Err(self.has_changed());
        }
        let loaded = motion.loaded.into_inner().unwrap_or_default();
        Ok(Arc::clone(self.loaded.get_or_init(|| loaded)))
    }
}

/// The frames of one component, one after the other; see [`MotionReader::frames`].
pub struct FrameStream<'a, T> {
    motion: &'a MotionReader,
    index: usize,
    reporter: &'a Reporter,
    from: From<T>,
    /// Number of frames returned so far.
    given: usize,
    /// A timed frame that is returned unless the next one has the same time.
    ahead: Option<(f64, Vec<T>)>,
    is_over: bool,
}

enum From<T> {
    Lines(Box<Lines<T>>),
    Loaded(Arc<Vec<OtherFrames>>),
}

struct Lines<T> {
    lines: LineReader,
    reader: FrameReader<T>,
    style: Style,
}

impl<T: Part> FrameStream<'_, T> {
    /// Replaces the content of `frame` by the parts of the next frame and returns its time (s). `None` after the last,
    /// with `frame` empty.
    ///
    /// # Errors
    /// If the frame is damaged, with line and column; no other frame follows then.
    pub fn next_frame(&mut self, frame: &mut Vec<T>) -> Result<Option<f64>> {
        frame.clear();
        if self.is_over {
            return Ok(None);
        }
        let result = match self.step(frame) {
            Err(Stop::Unusual | Stop::Foreign) => self.motion.load(self.reporter).map(|loaded| {
                self.ahead = None;
                self.from = From::Loaded(loaded);
                frame.clear();
                self.loaded_frame(frame)
            }),
            result => settle(self.motion.origin.path(), result, Reporter::new(), self.reporter),
        };
        match result {
            Ok(Some(_)) => self.given += 1,
            _ => {
                frame.clear();
                self.is_over = true;
            }
        }
        result
    }

    fn step(&mut self, frame: &mut Vec<T>) -> Step<Option<f64>> {
        let From::Lines(from) = &mut self.from else { return Ok(self.loaded_frame(frame)) };
        let Lines { lines, reader, style } = from.as_mut();
        let path = self.motion.origin.path();
        while let Some(line) = lines.next()? {
            let Some(next) = reader.line(path, line, *style, self.reporter)? else { continue };
            let Some(time) = next.time else {
                frame.extend_from_slice(reader.parts());
                let Shape { frame_rate, offset, .. } = *reader.shape();
                return Ok(Some(offset + self.given as f64 / frame_rate));
            };
            let Some((ahead, parts)) = &mut self.ahead else {
                self.ahead = Some((time, reader.parts().to_vec()));
                continue;
            };
            let before = std::mem::replace(ahead, time);
            if !next.replaces {
                frame.extend_from_slice(parts);
            }
            parts.clear();
            parts.extend_from_slice(reader.parts());
            if !next.replaces {
                return Ok(Some(before));
            }
        }
        Ok(self.ahead.take().map(|(time, parts)| {
            frame.extend(parts);
            time
        }))
    }

    /// The next frame of a file that is loaded as a whole.
    fn loaded_frame(&self, frame: &mut Vec<T>) -> Option<f64> {
        let From::Loaded(loaded) = &self.from else { return None };
        let sequence: &Sequence<T> = loaded.get(self.index).and_then(T::among)?;
        if self.given >= sequence.num_frames() {
            return None;
        }
        frame.extend_from_slice(sequence.frame(self.given));
        Some(sequence.time(self.given))
    }
}

/// Link poses and joint displacements together; see [`MotionReader::states`].
pub struct StateStream<'a> {
    links: Option<FrameStream<'a, Isometry3<f64>>>,
    joints: Option<FrameStream<'a, f64>>,
}

impl StateStream<'_> {
    /// Writes the next frame of link poses and the frame of joint displacements with the same index to `poses` and
    /// `joints`. Returns the time (s) of the poses, or else of the joints. `None` after the last.
    ///
    /// A kind that the file lacks, or that has no more frames, is left empty.
    ///
    /// # Errors
    /// If a frame is damaged, with line and column.
    pub fn next_state(&mut self, poses: &mut Vec<Isometry3<f64>>, joints: &mut Vec<f64>) -> Result<Option<f64>> {
        poses.clear();
        joints.clear();
        let of_poses = self.links.as_mut().map(|links| links.next_frame(poses)).transpose()?.flatten();
        let of_joints = self.joints.as_mut().map(|stream| stream.next_frame(joints)).transpose()?.flatten();
        Ok(of_poses.or(of_joints))
    }
}
