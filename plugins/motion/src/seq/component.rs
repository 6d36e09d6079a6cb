//! One component of a motion: its header and its frames.

use std::sync::Arc;

use bunraku_document::{Diagnostic, Mapping, Position, Reporter, Result, SourceFile, Span, Value, ValueKind, closest};

use super::frames::{FrameReader, Shape, Stop};
use super::part::{Part, PoseFormat};
use super::split::Block;
use super::version::{Kind, Role, Version};
use crate::sequence::DEFAULT_RATE;
use crate::{OtherFrames, Sequence};

/// The file around a component.
pub(super) struct Surroundings<'a, 'r> {
    pub(super) source: &'a Arc<SourceFile>,
    pub(super) top: &'a Mapping<'a, 'r>,
    pub(super) version: Version,
    /// The frames that are not in the tree.
    pub(super) blocks: &'a [Block],
    pub(super) reporter: &'r Reporter,
}

/// A component that was read.
pub(super) struct Component<'a> {
    pub(super) value: Value<'a>,
    pub(super) content: &'a str,
    pub(super) role: Role,
    pub(super) frames: OtherFrames,
}

impl<'a> Surroundings<'a, '_> {
    /// Reads a component; `None` for one of a type that is not known.
    pub(super) fn component(&self, value: Value<'a>, index: usize) -> std::result::Result<Option<Component<'a>>, Stop> {
        let mut what = format!("component {}", index + 1);
        let Some(mut keys) = Mapping::new(value, &what, self.reporter) else { return Ok(None) };
        let Some(type_value) = keys.required(&["type"]) else { return Ok(None) };
        let word = type_value.as_text()?;
        let Some(kind) = self.version.kind(word) else {
            self.reporter.report(unknown_type(type_value, word));
            return Ok(None);
        };
        let names: &[&str] = if self.version == Version::Old { &["content", "purpose"] } else { &["content"] };
        let Some(content) = keys.required(names) else { return Ok(None) };
        let content = content.as_text()?;
        what = format!("component {} (`{content}`)", index + 1);
        keys.rename(&what);

        let timed = self.timed(&keys)?;
        let frame_rate = self.frame_rate(&keys, timed)?;
        let num_parts = if kind == Kind::Vectors { 1 } else { self.num_parts(&keys)? };
        let format = if kind == Kind::Poses { self.pose_format(&keys)? } else { PoseFormat::QuaternionWxyz };
        let role = self.role(&keys, kind, content)?;
        keys.accept(&["formatVersion", "format_version", "num_frames", "numFrames"]);
        let offset = self.lookup(&keys, &["offsetTime", "offset_time"]);
        let offset = offset.map_or(Ok(0.0), |value| value.as_number(self.reporter))?;
        let part_labels = self.part_labels(&keys)?;
        let shape = Shape { what, num_parts, format, frame_rate, offset, timed, part_labels };
        let (frames, count) = match kind {
            Kind::Values => self.frames(&keys, shape).map(|(frames, count)| (OtherFrames::Values(frames), count)),
            Kind::Poses => self.frames(&keys, shape).map(|(frames, count)| (OtherFrames::Poses(frames), count)),
            Kind::Vectors => self.frames(&keys, shape).map(|(frames, count)| (OtherFrames::Vectors(frames), count)),
        }?;
        self.check_count(&keys, count);
        keys.finish();
        Ok(Some(Component { value, content, role, frames }))
    }

    /// A key of the component, or of the top level, from which every key is inherited.
    fn lookup(&self, keys: &Mapping<'a, '_>, names: &[&'static str]) -> Option<Value<'a>> {
        let inherited = self.top.get(names);
        keys.get(names).or(inherited)
    }

    fn timed(&self, keys: &Mapping<'a, '_>) -> Result<bool> {
        let Some(value) = self.lookup(keys, &["hasFrameTime", "has_frame_time"]) else { return Ok(false) };
        if self.version == Version::Old {
            let message = "version 1 of the motion format has no frame times";
            return Err(Box::new(value.error("frame-time-version", message).help("they came with `formatVersion: 2`")));
        }
        value.as_bool()
    }

    fn frame_rate(&self, keys: &Mapping<'a, '_>, timed: bool) -> Result<f64> {
        let Some(value) = self.lookup(keys, &["frameRate", "frame_rate"]) else {
            if timed {
                let message = format!(
                    "{} has frame times but no `frameRate` to import them at; {DEFAULT_RATE} Hz is taken",
                    keys.what()
                );
                self.reporter.report(at_start(Diagnostic::warning("no-frame-rate", message), keys.node()));
                return Ok(DEFAULT_RATE);
            }
            let message = format!("{} has no `frameRate`, and neither has the file as a whole", keys.what());
            return Err(Box::new(at_start(Diagnostic::error("missing-key", message), keys.node())));
        };
        let rate = value.as_number(self.reporter)?;
        if rate > 0.0 {
            return Ok(rate);
        }
        let message = format!("the frame rate must be positive, not {rate}");
        Err(Box::new(value.error("frame-rate", message).help("it is the number of frames per second")))
    }

    fn num_parts(&self, keys: &Mapping<'a, '_>) -> Result<usize> {
        let Some(value) = self.lookup(keys, &["numParts", "num_parts"]) else {
            let message = format!("{} has no `numParts`", keys.what());
            let diagnostic = at_start(Diagnostic::error("missing-key", message), keys.node());
            return Err(Box::new(diagnostic.help("it is the number of joints or links in a frame")));
        };
        match usize::try_from(value.as_integer(self.reporter)?) {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(Box::new(value.error("num-parts", "`numParts` must be 1 or more"))),
        }
    }

    fn pose_format(&self, keys: &Mapping<'a, '_>) -> Result<PoseFormat> {
        let name = if self.version == Version::Old { "format" } else { "SE3Format" };
        let Some(value) = self.lookup(keys, &[name]) else {
            let message = format!("{} has no `{name}`", keys.what());
            let diagnostic = at_start(Diagnostic::error("missing-key", message), keys.node());
            return Err(Box::new(diagnostic.help(format!("it is one of {}", PoseFormat::WORDS.join(", ")))));
        };
        let word = value.as_text()?;
        PoseFormat::from_word(word).ok_or_else(|| {
            let diagnostic = value.error("unknown-format", format!("`{word}` is no format of poses"));
            let help = match closest(word, PoseFormat::WORDS) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("it is one of {}", PoseFormat::WORDS.join(", ")),
            };
            Box::new(diagnostic.help(help))
        })
    }

    fn part_labels(&self, keys: &Mapping<'a, '_>) -> Result<Vec<String>> {
        let Some(value) = self.lookup(keys, &["partLabels", "part_labels"]) else { return Ok(Vec::new()) };
        let items = value.items().ok_or_else(|| Box::new(value.expected("a list of names")))?;
        items.map(|item| item.as_text().map(str::to_owned)).collect()
    }

    fn role(&self, keys: &Mapping<'a, '_>, kind: Kind, content: &str) -> Result<Role> {
        let role = self.version.role(kind, content);
        if role != (Role::Zmp { root_relative: None }) {
            return Ok(role);
        }
        let relative = self.lookup(keys, &["isRootRelative", "is_root_relative"]);
        let relative = relative.map(Value::as_bool).transpose()?;
        Ok(Role::Zmp { root_relative: relative })
    }

    /// The frames, and how many the file has.
    fn frames<T: Part>(&self, keys: &Mapping<'a, '_>, shape: Shape) -> std::result::Result<(Sequence<T>, usize), Stop> {
        let frames = keys.node().entries().into_iter().flatten().find(|(key, ..)| *key == "frames");
        keys.accept(&["frames"]);
        let missing = |message: String| at_start(Diagnostic::error("missing-key", message), keys.node());
        let Some((_, key_span, value)) = frames else {
            return Err(Box::new(missing(format!("{} has no `frames`", keys.what()))).into());
        };
        let what = shape.what.clone();
        let mut reader = FrameReader::new(shape);
        match self.blocks.iter().find(|block| block.key_line == key_span.start.line) {
            Some(block) => reader.read_block(self.source, block, self.reporter)?,
            None => reader.read_tree(value, self.reporter)?,
        }
        match reader.finish() {
            (Some(sequence), count) if count > 0 => Ok((sequence, count)),
            _ => {
                let diagnostic = Diagnostic::error("no-frames", format!("{what} has no frames"));
                Err(Box::new(diagnostic.at(self.source, key_span)).into())
            }
        }
    }

    /// Warns if `numFrames` is not the number of frames.
    fn check_count(&self, keys: &Mapping<'a, '_>, count: usize) {
        let Some(value) = self.lookup(keys, &["numFrames", "num_frames"]) else { return };
        if value.kind() == ValueKind::Scalar && value.text().and_then(|text| text.parse().ok()) == Some(count as f64) {
            return;
        }
        let known = self.reporter.diagnostics();
        let at = |position: Option<Position>| position == Some(value.span().start);
        if known.iter().any(|diagnostic| diagnostic.code == "num-frames" && at(diagnostic.position())) {
            return;
        }
        let claimed = value.text().unwrap_or("something else");
        let message = format!("`numFrames` is {claimed}, but {} has {count} frames", keys.what());
        self.reporter.report(value.warning("num-frames", message).help("the frames that are there count"));
    }
}

fn unknown_type(value: Value<'_>, word: &str) -> Diagnostic {
    let diagnostic = value.warning("unknown-component", format!("components of type `{word}` are not known; skipped"));
    match closest(word, ["MultiValueSeq", "MultiSE3Seq", "Vector3Seq"]) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic,
    }
}

/// A finding about a mapping as a whole, at its first character.
pub(super) fn at_start(diagnostic: Diagnostic, node: Value<'_>) -> Diagnostic {
    let start = Span { end: node.span().start, ..node.span() };
    diagnostic.at(node.source(), start)
}
