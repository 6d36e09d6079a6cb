//! Reading of the header of a component.

use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

use bunraku_document::{Diagnostic, Mapping, Position, Reporter, Result, SourceFile, Span, Value, ValueKind, closest};

use super::at_start::at_start;
use super::frames::Shape;
use super::kept::{KeptPlace, pass_over_misplaced, unread};
use super::pose_format::PoseFormat;
use super::split::{Block, block_of};
use super::stop::Step;
use super::version::Version;
use crate::sequence::{DEFAULT_RATE, check_rate};
use crate::{ComponentKind as Kind, ComponentRole as Role};

/// Time of the first frame, s. Our extension, which other programs ignore.
pub(super) const OFFSET_KEYS: [&str; 2] = ["offsetTime", "offset_time"];

/// Context of a component in its file.
pub(super) struct Surroundings<'a, 's, 'r> {
    pub(super) top: &'s Mapping<'a, 'r>,
    pub(super) version: Version,
    /// Frames that are not in the tree.
    pub(super) blocks: &'s [Block],
    pub(super) reporter: &'r Reporter,
}

/// A component whose header was read.
pub(super) struct Component<'a> {
    /// Index in the file.
    pub(super) index: usize,
    pub(super) value: Value<'a>,
    pub(super) content: &'a str,
    pub(super) role: Role,
    pub(super) kind: Kind,
    pub(super) shape: Shape,
    /// Location of the key `frames`.
    pub(super) frames_key: (Arc<SourceFile>, Span),
    /// Value of the key, if it is not in a block.
    pub(super) frames: Value<'a>,
    pub(super) block: Option<Block>,
    /// Value of `numFrames`.
    claim: Option<Claim<'a>>,
}

/// Number of frames according to the file.
struct Claim<'a> {
    value: Value<'a>,
    /// Whether the key is in the component itself. That of the whole file is informative only, according to the manual.
    is_own: bool,
}

impl Component<'_> {
    /// What it is in the motion. Of the components with the same, the last one counts.
    pub(super) fn part(&self) -> (Discriminant<Role>, &str) {
        (discriminant(&self.role), if self.role == Role::Other { self.content } else { "" })
    }

    /// Reports if `numFrames` differs from the number of frames, once for each key.
    pub(super) fn check_count(&self, count: usize, said: &mut HashSet<Position>, reporter: &Reporter) {
        let Some(Claim { value, is_own }) = self.claim else { return };
        let number =
            value.text().filter(|_| value.kind() == ValueKind::Scalar).and_then(|text| text.parse::<f64>().ok());
        if number == Some(count as f64) {
            return;
        }
        if !said.insert(value.span().start) {
            return;
        }
        let claimed = value.text().unwrap_or("something else");
        let message = format!("`numFrames` is {claimed}, but {} has {count} frames", self.shape.what);
        let diagnostic = if is_own || number.is_none() {
            value.warning("num-frames", message)
        } else {
            value.note("num-frames", message)
        };
        reporter.report(diagnostic.help("the actual number of frames is used"));
    }
}

impl<'a> Surroundings<'a, '_, '_> {
    /// Reads a header; `None` for an unknown or invalid component, which was reported. Content that a motion cannot
    /// store goes to `kept`.
    pub(super) fn component(
        &self,
        value: Value<'a>,
        index: usize,
        kept: &mut Vec<KeptPlace<'a>>,
    ) -> Step<Option<Component<'a>>> {
        let mut what = format!("component {}", index + 1);
        let Some(mut keys) = Mapping::new(value, &what, self.reporter) else { return Ok(None) };
        let Some(type_value) = keys.required(&["type"]) else { return Ok(None) };
        let word = type_value.as_text()?;
        let Some(kind) = self.version.kind(word) else {
            self.reporter.report(unknown_type(type_value, word));
            kept.push(KeptPlace::Component(value));
            return Ok(None);
        };
        let names: &[&str] = if self.version == Version::Old { &["content", "purpose"] } else { &["content"] };
        let Some(content) = keys.required(names) else { return Ok(None) };
        let content = content.as_text()?;
        what = format!("component {} (`{content}`)", index + 1);
        keys.rename(&what);

        let timed = self.timed(&keys)?;
        let frame_rate = self.frame_rate(&keys, timed)?;
        let num_parts = if kind == Kind::Vectors { self.one_part(&keys) } else { self.num_parts(&keys)? };
        let format = if kind == Kind::Poses { self.pose_format(&keys)? } else { PoseFormat::QuaternionWxyz };
        let role = self.role(&keys, kind, content)?;
        keys.accept(&["formatVersion", "format_version", "frames"]);
        let names = ["numFrames", "num_frames"];
        let claim = self.lookup(&keys, &names).map(|value| Claim { value, is_own: keys.get(&names).is_some() });
        let offset = self.offset(&keys, timed)?;
        let part_labels = self.part_labels(&keys)?;
        let shape = Shape { what, num_parts, format, frame_rate, offset, timed, part_labels };
        let frames = value.entries().into_iter().flatten().find(|(key, ..)| *key == "frames");
        let Some((_, key_span, frames)) = frames else {
            let missing = Diagnostic::error("missing-key", format!("{} has no `frames`", shape.what));
            let help = "it is the list of frames, each on a line like `- [ 0, 0 ]`";
            return Err(Box::new(at_start(missing, value).help(help)).into());
        };
        let block = block_of(self.blocks, key_span.start.line).cloned();
        let frames_key = (Arc::clone(frames.source()), key_span);
        pass_over_misplaced(&keys);
        let place = |(key, value)| KeptPlace::ComponentKey { component: index, content, key, value };
        kept.extend(unread(&keys).map(place));
        keys.finish_keeping();
        Ok(Some(Component { index, value, content, role, kind, shape, frames_key, frames, block, claim }))
    }

    /// A key of the component, or of the top level, from which every key is inherited.
    fn lookup(&self, keys: &Mapping<'a, '_>, names: &[&'static str]) -> Option<Value<'a>> {
        let inherited = self.top.get(names);
        let own = keys.get(names);
        if let (&[camel, snake], Some(own)) = (names, own)
            && let (Some(used), Some(other)) = (keys.node().get(camel), self.top.node().get(snake))
            && keys.node().get(snake).is_none()
            && camel != OFFSET_KEYS[0]
            && used.text() != other.text()
        {
            let message = format!(
                "{} has its own `{camel}`, which is used, as the manual says; Choreonoid uses the `{snake}` of the top level",
                keys.what()
            );
            let help = format!("write the key of the component as `{snake}`, too, and both read the same");
            self.reporter.report(own.note("manual-wins", message).help(help));
        }
        own.or(inherited)
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
                    "{} has frame times but no `frameRate` to import them at; {DEFAULT_RATE} Hz is used",
                    keys.what()
                );
                let diagnostic = at_start(Diagnostic::note("no-frame-rate", message), keys.node());
                self.reporter.report(diagnostic.help("write the one you want, such as `frameRate: 500`"));
                return Ok(DEFAULT_RATE);
            }
            let message = format!("{} has no `frameRate`, and neither has the file as a whole", keys.what());
            let diagnostic = at_start(Diagnostic::error("missing-key", message), keys.node());
            return Err(Box::new(diagnostic.help("it is the number of frames per second, such as `frameRate: 500`")));
        };
        let rate = value.as_number(self.reporter)?;
        match check_rate(rate) {
            Ok(()) => Ok(rate),
            Err(error) => {
                let diagnostic = value.error("frame-rate", error.to_string());
                Err(Box::new(diagnostic.help("it is the number of frames per second")))
            }
        }
    }

    fn offset(&self, keys: &Mapping<'a, '_>, timed: bool) -> Result<f64> {
        let Some(value) = self.lookup(keys, &OFFSET_KEYS) else { return Ok(0.0) };
        let offset = value.as_number(self.reporter)?;
        if timed && offset != 0.0 {
            let message = format!("`{}` has no effect on {}, whose frames have times", OFFSET_KEYS[0], keys.what());
            self.reporter.report(value.warning("offset-of-times", message).help("add it to the times instead"));
        }
        Ok(offset)
    }

    fn num_parts(&self, keys: &Mapping<'a, '_>) -> Result<usize> {
        let Some(value) = self.lookup(keys, &["numParts", "num_parts"]) else {
            let message = format!("{} has no `numParts`", keys.what());
            let diagnostic = at_start(Diagnostic::error("missing-key", message), keys.node());
            return Err(Box::new(diagnostic.help("it is the number of joints or links in a frame")));
        };
        match usize::try_from(value.as_integer(self.reporter)?) {
            Ok(count) if count > 0 => Ok(count),
            _ => {
                let diagnostic = value.error("num-parts", "`numParts` must be 1 or more");
                Err(Box::new(diagnostic.help("it is the number of joints or links in a frame")))
            }
        }
    }

    /// Number of parts of a component of vectors: one, whatever the key.
    fn one_part(&self, keys: &Mapping<'a, '_>) -> usize {
        if let Some(value) = keys.get(&["numParts", "num_parts"])
            && value.text() != Some("1")
        {
            let message = format!("`numParts` has no effect on {}, whose frames are one vector each", keys.what());
            self.reporter
                .report(value.warning("num-parts", message).help("remove it, or write frames of another type"));
        }
        1
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
        if self.version == Version::Old || !matches!(role, Role::Zmp { .. }) {
            return Ok(role);
        }
        let relative = self.lookup(keys, &["isRootRelative", "is_root_relative"]);
        let relative = relative.map(Value::as_bool).transpose()?;
        Ok(Role::Zmp { root_relative: relative.unwrap_or(false) })
    }
}

fn unknown_type(value: Value<'_>, word: &str) -> Diagnostic {
    let diagnostic = value.warning("unknown-component", format!("unknown component type `{word}`"));
    match closest(word, ["MultiValueSeq", "MultiSE3Seq", "Vector3Seq"]) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`? It is kept unchanged and has no effect")),
        None => diagnostic.help("it is kept unchanged and has no effect"),
    }
}
