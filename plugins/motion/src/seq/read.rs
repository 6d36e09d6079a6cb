//! A `.seq` text to a motion.

use std::sync::Arc;

use bunraku_document::{Diagnostic, Mapping, Reporter, Result, Severity, SourceFile, Value, ValueKind, yaml::Document};

use super::LIMITS;
use super::component::{Component, Surroundings, at_start};
use super::frames::Stop;
use super::relocate::relocate;
use super::split::{Block, split};
use super::version::{Role, Version};
use crate::sequence::DEFAULT_RATE;
use crate::{BodyMotion, JointDisplacements, LinkPositions, OtherFrames, OtherSequence, Sequence, Zmp};

/// Reads a motion of any version.
pub(crate) fn read(source: &Arc<SourceFile>, reporter: &Reporter) -> Result<BodyMotion> {
    read_by_lines(source, reporter).unwrap_or_else(|| read_by_tree(source, reporter))
}

/// Reads the frames line by line and only the rest, a few hundred bytes, as YAML; `None` for a text that is not laid
/// out in lines like that.
pub(super) fn read_by_lines(source: &Arc<SourceFile>, reporter: &Reporter) -> Option<Result<BodyMotion>> {
    let (skeleton, blocks) = split(source.text());
    if blocks.is_empty() {
        return None;
    }
    let skeleton = SourceFile::from_text(source.path(), skeleton);
    let local = Reporter::new();
    let document = Document::parse(&skeleton, &LIMITS, &local).ok()?;
    if !all_are_frames(&document, &blocks) {
        return None;
    }
    match read_document(source, &document, &blocks, &local) {
        Err(Stop::Unusual) => None,
        result => Some(settle(source, result, local, reporter)),
    }
}

/// Reads everything as YAML.
pub(super) fn read_by_tree(source: &Arc<SourceFile>, reporter: &Reporter) -> Result<BodyMotion> {
    let local = Reporter::new();
    let document = match Document::parse(source, &LIMITS, &local) {
        Ok(document) => document,
        Err(diagnostic) => return settle(source, Err(Stop::Error(diagnostic)), local, reporter),
    };
    let result = read_document(source, &document, &[], &local);
    settle(source, result, local, reporter)
}

/// Whether each block is all there is to a key `frames` of a component.
fn all_are_frames(document: &Document, blocks: &[Block]) -> bool {
    let Some(components) = document.root().get("components").and_then(Value::items) else { return false };
    let mut lines: Vec<u32> = components
        .flat_map(|component| component.entries().into_iter().flatten())
        .filter(|(key, _, value)| *key == "frames" && value.kind() == ValueKind::Null)
        .map(|(_, span, _)| span.start.line)
        .collect();
    lines.sort_unstable();
    blocks.iter().all(|block| lines.binary_search(&block.key_line).is_ok())
}

/// Passes on what was found to the caller's reporter, in places of the file itself. An error that only went to the
/// local reporter becomes the result.
fn settle(
    source: &Arc<SourceFile>,
    result: std::result::Result<BodyMotion, Stop>,
    local: Reporter,
    reporter: &Reporter,
) -> Result<BodyMotion> {
    let mut first_error = None;
    for diagnostic in local.into_diagnostics() {
        let diagnostic = relocate(diagnostic, source, 0);
        if diagnostic.severity == Severity::Error && first_error.is_none() {
            first_error = Some(diagnostic);
        } else {
            reporter.report(diagnostic);
        }
    }
    match (result, first_error) {
        (Ok(motion), None) => Ok(motion),
        (Err(Stop::Error(error)), None) => Err(Box::new(relocate(*error, source, 0))),
        (Err(Stop::Error(later)), Some(first)) => {
            reporter.report(relocate(*later, source, 0));
            Err(Box::new(first))
        }
        (_, Some(error)) => Err(Box::new(error)),
        // Callers settle nothing unusual, and what stops as reported was reported.
        (Err(_), None) => Err(Box::new(Diagnostic::error("not-a-motion", "the motion cannot be read").in_file(source))),
    }
}

fn read_document(
    source: &Arc<SourceFile>,
    document: &Document,
    blocks: &[Block],
    reporter: &Reporter,
) -> std::result::Result<BodyMotion, Stop> {
    let root = document.root();
    let Some(top) = Mapping::new(root, "the motion", reporter) else { return Err(Stop::Reported) };
    let version = Version::read(&top)?;
    version.check_type(&top)?;
    top.accept(&["content", "frameRate", "frame_rate", "numFrames", "num_frames"]);
    top.accept(&["hasFrameTime", "has_frame_time", "partLabels", "part_labels", "offsetTime", "offset_time"]);
    let Some(list) = top.required(&["components"]) else { return Err(Stop::Reported) };
    let items = list.items().ok_or_else(|| Box::new(list.expected("a list of components")))?;

    let surroundings = Surroundings { source, top: &top, version, blocks, reporter };
    let mut assembly = Assembly::default();
    let mut contents = Vec::new();
    for (index, item) in items.enumerate() {
        if let Some(component) = surroundings.component(item, index)? {
            contents.push(format!("`{}`", component.content));
            assembly.add(component, reporter);
        }
    }
    if assembly.links.is_none() && assembly.joints.is_none() && !reporter.has_errors() {
        let expected = version.main_contents();
        if contents.is_empty() {
            let diagnostic = list.error("no-motion", "the motion has no component that can be read");
            return Err(Box::new(diagnostic.help(format!("expected {expected}"))).into());
        }
        // A trajectory of the ZMP alone is made on purpose; a content that nobody knows may be a slip.
        if assembly.zmp.is_none() {
            let message = "the motion has neither link positions nor joint displacements: it moves no body";
            let help = format!("expected {expected}; found {}", contents.join(", "));
            reporter.report(list.warning("no-motion", message).help(help));
        }
    }
    let motion = assembly.finish(list, reporter);
    top.finish();
    Ok(motion)
}

/// The components of a motion, as they come.
#[derive(Default)]
struct Assembly {
    links: Option<LinkPositions>,
    joints: Option<JointDisplacements>,
    zmp: Option<Zmp>,
    others: Vec<OtherSequence>,
}

impl Assembly {
    fn add(&mut self, component: Component<'_>, reporter: &Reporter) {
        let Component { value, content, role, frames } = component;
        let again = match (role, frames) {
            (Role::Links, OtherFrames::Poses(frames)) => self.links.replace(frames).is_some(),
            (Role::Joints, OtherFrames::Values(frames)) => self.joints.replace(frames).is_some(),
            (Role::Zmp { root_relative }, OtherFrames::Vectors(frames)) => {
                self.zmp.replace(Zmp { root_relative: root_relative.unwrap_or(false), frames }).is_some()
            }
            (_, frames) => {
                let other = OtherSequence { content: content.to_owned(), frames };
                match self.others.iter_mut().find(|known| known.content == content) {
                    Some(known) => {
                        *known = other;
                        true
                    }
                    None => {
                        self.others.push(other);
                        false
                    }
                }
            }
        };
        if again {
            let message = format!("there is more than one component `{content}`; the last one counts");
            reporter.report(at_start(Diagnostic::warning("same-component", message), value));
        }
    }

    fn finish(self, components: Value<'_>, reporter: &Reporter) -> BodyMotion {
        let Self { links, joints, zmp, others } = self;
        if let (Some(links), Some(joints)) = (&links, &joints)
            && (links.num_frames() != joints.num_frames() || links.frame_rate() != joints.frame_rate())
        {
            let message = format!(
                "link positions have {} frames at {} Hz, joint displacements {} frames at {} Hz",
                links.num_frames(),
                links.frame_rate(),
                joints.num_frames(),
                joints.frame_rate()
            );
            let diagnostic = components.warning("unequal-length", message);
            reporter.report(diagnostic.help("each is played at its own rate; the shorter one holds its last frame"));
        }
        let rate_of_other = |other: &OtherSequence| match &other.frames {
            OtherFrames::Values(frames) => frames.frame_rate(),
            OtherFrames::Poses(frames) => frames.frame_rate(),
            OtherFrames::Vectors(frames) => frames.frame_rate(),
        };
        let rate = links
            .as_ref()
            .map(Sequence::frame_rate)
            .or_else(|| joints.as_ref().map(Sequence::frame_rate))
            .or_else(|| zmp.as_ref().map(|zmp| zmp.frames.frame_rate()))
            .or_else(|| others.first().map(rate_of_other));
        BodyMotion {
            frame_rate: rate.unwrap_or(DEFAULT_RATE),
            link_positions: links,
            joint_displacements: joints,
            zmp,
            others,
            kept: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    /// What both ways of reading make of a text, findings included.
    fn both(source: &Arc<SourceFile>) -> [(std::result::Result<BodyMotion, String>, Vec<String>); 2] {
        let text = |result: Result<BodyMotion>| result.map_err(|error| error.to_string());
        let [lines, tree] = [Reporter::new(), Reporter::new()];
        let by_lines = text(read(source, &lines));
        let by_tree = text(read_by_tree(source, &tree));
        let findings = |reporter: Reporter| reporter.into_diagnostics().iter().map(ToString::to_string).collect();
        [(by_lines, findings(lines)), (by_tree, findings(tree))]
    }

    fn seq_files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                seq_files(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "seq") {
                found.push(path);
            }
        }
    }

    #[test]
    fn lines_and_tree_agree_on_the_corpus() {
        let Some(corpus) = std::env::var_os("BUNRAKU_CORPUS") else {
            println!("skipped: BUNRAKU_CORPUS is not set");
            return;
        };
        let mut files = Vec::new();
        // A relative path starts at the root of the project.
        seq_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(corpus), &mut files);
        assert!(!files.is_empty());
        for path in files {
            let source = SourceFile::read(&path, &LIMITS, &Reporter::new()).unwrap();
            assert!(read_by_lines(&source, &Reporter::new()).is_some(), "{} is not read by lines", path.display());
            let [lines, tree] = both(&source);
            assert_eq!(lines, tree, "{}", path.display());
        }
    }

    const SMALL: &str = "\
type: CompositeSeq
content: BodyMotion
formatVersion: 2
frameRate: 10
numFrames: 2
components:
  -
    type: MultiSE3Seq
    content: LinkPosition
    numParts: 1
    SE3Format: XYZQWQXQYQZ
    frames:
      - [ [ 0, 0, 0.5, 1, 0, 0, 0 ] ]
      # note
      - [ [ 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5 ] ]
  -
    type: MultiValueSeq
    content: JointDisplacement
    numParts: 2
    hasFrameTime: true
    frames:
      - [ 0.0, 1, 2 ]
      - [ 0.1, 3, -4e-3 ] # last
";

    /// Every text one edit away from a good one: no panic, and both ways of reading give the same.
    #[test]
    fn lines_and_tree_agree_on_damaged_texts() {
        let whole = SourceFile::from_text("small.seq", SMALL);
        assert!(read_by_lines(&whole, &Reporter::new()).is_some());
        let edits = [
            "", "#", ":", "-", "[", "]", ",", "\n", "\r", " ", "x", "0", "9", ".", "\"", "&a ", "*a", "\t", "é",
            "\u{85}",
        ];
        for at in 0..SMALL.len() {
            for edit in edits {
                for removed in [0, 1] {
                    let text = format!("{}{edit}{}", &SMALL[..at], &SMALL[at + removed..]);
                    let source = SourceFile::from_text("small.seq", text.clone());
                    let [lines, tree] = both(&source);
                    assert_eq!(lines.0, tree.0, "{text}");
                    assert_eq!(lines.1, tree.1, "{text}");
                }
            }
        }
    }
}
