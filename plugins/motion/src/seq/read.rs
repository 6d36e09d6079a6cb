//! Reading of a `.seq` text.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, Result, SourceFile, Value, ValueKind, yaml::Document};

use super::assembly::Assembly;
use super::collect::collect;
use super::headers::Headers;
use super::kept::{is_kept_whole, keep};
use super::limits::LIMITS;
use super::lines::{Line, Origin};
use super::shape::{Style, is_cut};
use super::split::{Block, Layout, cut_off, split};
use super::stop::{Step, Stop};
use crate::BodyMotion;

/// Reads a file of any version and size.
pub(crate) fn load(path: &Path, reporter: &Reporter) -> Result<BodyMotion> {
    // Only a regular file can be read twice; other paths give an error below.
    if path.is_file() {
        let origin = Origin::File(path.to_owned());
        match by_lines(&origin, reporter) {
            Ok(result) => return result,
            Err(OnlyWhole::Foreign) => {}
            Err(OnlyWhole::Unusual) => return by_tree(&whole(path, reporter)?, reporter),
        }
    }
    read(&whole(path, reporter)?, reporter)
}

/// Reads the whole file into memory.
pub(super) fn whole(path: &Path, reporter: &Reporter) -> Result<Arc<SourceFile>> {
    SourceFile::read(path, &LIMITS, reporter).map_err(|error| Box::new(error.to_diagnostic()))
}

/// Reads a motion of any version.
pub(crate) fn read(source: &Arc<SourceFile>, reporter: &Reporter) -> Result<BodyMotion> {
    by_lines(&Origin::Text(Arc::clone(source)), reporter).unwrap_or_else(|_| by_tree(source, reporter))
}

/// Reason why a file must be parsed as a whole.
#[derive(Debug)]
pub(super) enum OnlyWhole {
    /// The file does not have one frame on each line.
    Unusual,
    /// The file is not UTF-8.
    Foreign,
}

/// A text whose structure was parsed, without its blocks of frames.
pub(super) struct Opened {
    pub(super) blocks: Vec<Block>,
    pub(super) document: Document,
    /// Findings so far.
    pub(super) reporter: Reporter,
}

/// Skips the frames and parses the rest, a few hundred bytes, as YAML.
pub(super) fn open_lines(origin: &Origin) -> Step<Opened> {
    let Layout { skeleton, blocks, cut } = split(&mut origin.lines()?, origin.path())?;
    if blocks.is_empty() {
        return Err(Stop::Unusual);
    }
    let reporter = Reporter::new();
    let document = outline(&skeleton, &reporter).map_err(|_| Stop::Unusual)?;
    if !all_are_frames(&document, &blocks) {
        return Err(Stop::Unusual);
    }
    if let Some(diagnostic) = cut {
        reporter.report(diagnostic);
    }
    Ok(Opened { blocks, document, reporter })
}

/// The tree without content that is only kept as text.
fn outline(source: &Arc<SourceFile>, reporter: &Reporter) -> Result<Document> {
    Document::parse_outline(source, &LIMITS, reporter, is_kept_whole)
}

/// Parses the whole text as YAML.
pub(super) fn open_tree(source: &Arc<SourceFile>) -> (Reporter, Result<Document>) {
    let reporter = Reporter::new();
    let text = source.text();
    let start = text.rfind('\n').map_or(0, |end| end + 1);
    let last = text.get(start..).unwrap_or_default();
    if !is_cut(last.as_bytes()) {
        let document = outline(source, &reporter);
        return (reporter, document);
    }
    let before = text.get(..start).unwrap_or_default();
    let document = outline(&SourceFile::from_text(source.path(), before), &reporter);
    let number = before.bytes().filter(|&byte| byte == b'\n').count();
    let number = u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1);
    reporter.report(cut_off(source.path(), Line { bytes: last.as_bytes(), number, start: start as u64 }));
    (reporter, document)
}

/// Reads the frames line by line, in constant memory besides the values.
fn by_lines(origin: &Origin, reporter: &Reporter) -> std::result::Result<Result<BodyMotion>, OnlyWhole> {
    let read = || {
        let opened = open_lines(origin)?;
        let result = motion(origin, &opened.document, &opened.blocks, &opened.reporter);
        Ok((opened.reporter, result))
    };
    let (local, result) = match read() {
        Ok(read) => read,
        Err(stop) => (Reporter::new(), Err(stop)),
    };
    match result {
        Err(Stop::Unusual) => Err(OnlyWhole::Unusual),
        Err(Stop::Foreign) => Err(OnlyWhole::Foreign),
        result => Ok(settle(origin.path(), result, local, reporter)),
    }
}

/// Reads the whole text as YAML.
pub(super) fn by_tree(source: &Arc<SourceFile>, reporter: &Reporter) -> Result<BodyMotion> {
    let (local, document) = open_tree(source);
    let origin = Origin::Text(Arc::clone(source));
    let result = match document {
        Ok(document) => motion(&origin, &document, &[], &local),
        Err(diagnostic) => Err(Stop::Error(diagnostic)),
    };
    settle(source.path(), result, local, reporter)
}

/// Whether each block is the whole value of a key `frames` of a component.
fn all_are_frames(document: &Document, blocks: &[Block]) -> bool {
    let Some(components) = document.root().get("components").and_then(Value::items) else { return false };
    // Within braces there are no items with dashes.
    let source = document.source();
    let text: Vec<_> =
        (0..).zip(source.text().lines()).map(|(index, line)| (source.line_number(index), line)).collect();
    let is_flow = |component: Value<'_>| {
        let start = component.span().start;
        // Frames in the usual layout never begin that far to the right, and checking it repeatedly takes long.
        if start.column > 1000 {
            return true;
        }
        let found = text.binary_search_by_key(&start.line, |(number, _)| *number).ok();
        let line = found.and_then(|found| text.get(found)).map_or("", |(_, line)| line);
        line.chars().nth(start.column.saturating_sub(1) as usize) == Some('{')
    };
    let mut lines: Vec<(u32, Style)> = components
        .flat_map(|component| component.entries().into_iter().flatten().map(move |entry| (component, entry)))
        .filter(|(_, (key, ..))| *key == "frames")
        .filter_map(|(component, (_, key, value))| {
            let span = value.span();
            let is_open = span.start.line == key.start.line && span.end.line > span.start.line;
            match value.kind() {
                ValueKind::Null if is_flow(component) => None,
                ValueKind::Null => Some((key.start.line, Style::Block)),
                ValueKind::Sequence if is_open && value.items()?.len() == 0 => Some((key.start.line, Style::Flow)),
                _ => None,
            }
        })
        .collect();
    lines.sort_unstable_by_key(|(line, _)| *line);
    blocks.iter().all(|block| {
        let found = lines.binary_search_by_key(&block.key_line, |(line, _)| *line);
        found.ok().and_then(|found| lines.get(found)).is_some_and(|(_, style)| *style == block.style)
    })
}

/// Passes the findings to the caller's reporter. An error that only went to the local reporter becomes the result.
pub(super) fn settle<T>(path: &Path, result: Step<T>, local: Reporter, reporter: &Reporter) -> Result<T> {
    let first_error = local.pass_on(reporter);
    match (result, first_error) {
        (Ok(motion), None) => Ok(motion),
        (Err(Stop::Error(error)), None) => Err(error),
        (Err(Stop::Error(later)), Some(first)) => {
            reporter.report(*later);
            Err(first)
        }
        (_, Some(error)) => Err(error),
        // Callers handle `Unusual` and `Foreign` themselves, and an error that was reported is in the reporter.
        (Err(_), None) => {
            let file = SourceFile::from_text(path, "");
            Err(Box::new(Diagnostic::error("not-a-motion", "the motion cannot be read").in_file(&file)))
        }
    }
}

fn motion(origin: &Origin, document: &Document, blocks: &[Block], reporter: &Reporter) -> Step<BodyMotion> {
    let headers = Headers::read(document, blocks, reporter)?;
    let (mut assembly, mut said) = (Assembly::default(), HashSet::new());
    for component in &headers.components {
        let (frames, count) = collect(component, origin, reporter)?;
        component.check_count(count, &mut said, reporter);
        assembly.add(component, frames, reporter);
    }
    if !assembly.has_purpose() && !reporter.has_errors() {
        headers.report_no_motion(reporter)?;
    }
    let mut motion = assembly.finish(headers.list, reporter);
    motion.kept = keep(&headers.kept, document.source(), blocks, origin, reporter)?;
    Ok(motion)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results and findings of both ways of reading a text.
    fn both(source: &Arc<SourceFile>) -> [(std::result::Result<BodyMotion, String>, Vec<String>); 2] {
        let text = |result: Result<BodyMotion>| result.map_err(|error| error.to_string());
        let [lines, tree] = [Reporter::new(), Reporter::new()];
        let by_lines = text(read(source, &lines));
        let by_tree = text(by_tree(source, &tree));
        let findings = |reporter: Reporter| reporter.into_diagnostics().iter().map(ToString::to_string).collect();
        [(by_lines, findings(lines)), (by_tree, findings(tree))]
    }

    #[test]
    fn lines_and_tree_agree_on_the_corpus() {
        let Some(corpus) = bunraku_test_support::corpus() else { return };
        let files = bunraku_test_support::files_below(&corpus, &["seq"]);
        assert!(!files.is_empty());
        for path in files {
            let source = SourceFile::read(&path, &LIMITS, &Reporter::new()).unwrap();
            assert!(
                by_lines(&Origin::Text(Arc::clone(&source)), &Reporter::new()).is_ok(),
                "{} is not read by lines",
                path.display()
            );
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

    const JSON: &str = r#"{
  "type": "CompositeSeq",
  "formatVersion": 2,
  "frameRate": 10,
  "components": [
    {
      "type": "MultiValueSeq", "content": "JointDisplacement", "numParts": 2,
      "unit": "rad",
      "frames": [
        [ 1, 2 ],
        [ 3.5, -4e-3 ],

        [ 3, 4 ]
      ]
    },
    {
      "type": "Vector3Seq", "content": "ZMP", "frames": [
        [ 1, 2, 3 ]
      ] }
  ]
}
"#;

    const KEPT: &str = "\
type: CompositeSeq
formatVersion: 2
frameRate: 10
author: { name: A, # who
  age: 3 }
components:
  - type: MultiVector3Seq
    content: Forces
    frames:
    - [ [ 1, 2, 3 ] ]
    - [ [ 1, 2, 3 ] ] # last
  -
    type: MultiValueSeq
    content: JointDisplacement
    numParts: 1
    notes:
      - a

    # frames
    frames:
      - [ 1 ]
      - [ 2";

    /// Every text one edit away from a valid one: no panic, and both ways of reading agree.
    #[test]
    fn lines_and_tree_agree_on_damaged_texts() {
        for whole in [SMALL, JSON, KEPT] {
            let source = SourceFile::from_text("small.seq", whole);
            assert!(by_lines(&Origin::Text(source), &Reporter::new()).is_ok(), "{whole}");
            agree_on_damaged(whole);
        }
    }

    #[test]
    fn dashes_within_braces_are_not_frames() {
        let text = "type: CompositeSeq\nformatVersion: 2\nframeRate: 10\ncomponents:\n  - { type: MultiValueSeq, numParts: 1,\n    \
                    content: JointDisplacement,\nframes:\n- [ 1 ]\n}\n";
        let [lines, tree] = both(&SourceFile::from_text("m.seq", text));
        assert_eq!(lines, tree);
        assert!(lines.0.unwrap_err().contains("m.seq:8:1: error[yaml-syntax]"));
    }

    fn agree_on_damaged(whole: &str) {
        let edits = [
            "", "#", ":", "-", "[", "]", ",", "\n", "\r", " ", "x", "0", "9", ".", "\"", "&a ", "*a", "\t", "é",
            "\u{85}",
        ];
        for at in 0..whole.len() {
            for edit in edits {
                for removed in [0, 1] {
                    let text = format!("{}{edit}{}", &whole[..at], &whole[at + removed..]);
                    let source = SourceFile::from_text("small.seq", text.clone());
                    let [lines, tree] = both(&source);
                    assert_eq!(lines.0, tree.0, "{text}");
                    assert_eq!(lines.1, tree.1, "{text}");
                }
            }
        }
    }
}
