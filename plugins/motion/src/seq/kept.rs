//! Unknown content of a file, as text that can be written back.

use std::sync::Arc;

use bunraku_document::yaml::{Document, up_to_end_of_value};
use bunraku_document::{Diagnostic, Mapping, Position, Reporter, SourceFile, Span, Value, ValueKind};

use super::keys::SeqVersion;
use super::limits::LIMITS;
use super::lines::Origin;
use super::shape::{Style, begins_with_mark, is_blank};
use super::split::{Block, block_of, has_other_line_ends};
use super::stop::{Step, Stop};
use crate::KeptYaml;

/// Node to be kept.
#[derive(Debug)]
pub(super) enum KeptPlace<'a> {
    /// A key of the top level: its span, its value.
    TopKey(Span, Value<'a>),
    /// A key of a known component.
    ComponentKey {
        /// Index of the component in the file.
        component: usize,
        content: &'a str,
        key: Span,
        value: Value<'a>,
    },
    /// A whole component.
    Component(Value<'a>),
}

/// Whether a list or a mapping under this key is only kept as text. Of the format's keys, only the exceptions below
/// have such values.
pub(super) fn is_kept_whole(key: &str) -> bool {
    let of_format = || [SeqVersion::Two, SeqVersion::Four].into_iter();
    !["components", "frames"].contains(&key) && !of_format().any(|version| version.keys().part_labels == key)
}

/// Entries that were not read.
pub(super) fn unread<'a>(keys: &Mapping<'a, '_>) -> impl Iterator<Item = (Span, Value<'a>)> + use<'a> {
    keys.unread().into_iter().map(|(_, key, value)| (key, value))
}

/// Reports keys of the format without meaning at their location, such as `frames` at the top level. A motion that kept
/// them could not be written.
pub(super) fn pass_over_misplaced(keys: &Mapping<'_, '_>) {
    let of_format = || [SeqVersion::Two, SeqVersion::Four].into_iter().flat_map(|version| version.keys().all());
    for (key, span, value) in keys.unread() {
        if let Some(known) = of_format().find(|known| *known == key) {
            keys.accept(&[known]);
            let message = format!("`{key}` has no effect in {}", keys.what());
            let diagnostic = Diagnostic::warning("misplaced-key", message).at(value.source(), span);
            let help = "this key is valid in other places only; it is not written back";
            keys.reporter().report(diagnostic.help(help));
        }
    }
}

/// Texts of the content to be kept. Content that depends on the rest of the file is left out with a warning.
pub(super) fn keep(
    places: &[KeptPlace<'_>],
    source: &Arc<SourceFile>,
    blocks: &[Block],
    origin: &Origin,
    reporter: &Reporter,
) -> Step<Vec<KeptYaml>> {
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let in_blocks = blocks.iter().map(|block| block.bytes.end - block.bytes.start).sum::<u64>();
    let mut left = source.text().len().saturating_add(usize::try_from(in_blocks).unwrap_or(usize::MAX));
    let file = File::new(source, blocks, origin);
    let mut kept = Vec::new();
    for place in places {
        let (start, value) = match place {
            KeptPlace::TopKey(key, value) | KeptPlace::ComponentKey { key, value, .. } => (key.start, value),
            KeptPlace::Component(value) => (value.span().start, value),
        };
        // `<<` copies the same text to many places. Their total length is limited to that of the file.
        let text = file.text(start, value.span(), left)?;
        let Some(text) = text else {
            let message = "unknown content here depends on the rest of the file and cannot be kept";
            let place = Span { end: start, start };
            let diagnostic = Diagnostic::warning("not-kept", message).at(source, place);
            reporter.report(diagnostic.help("it is lost when the motion is written again"));
            continue;
        };
        left = left.saturating_sub(text.len());
        kept.push(match place {
            KeptPlace::TopKey(..) => KeptYaml::TopKey { text },
            KeptPlace::ComponentKey { content, .. } => KeptYaml::ComponentKey { content: (*content).to_owned(), text },
            KeptPlace::Component(_) => KeptYaml::Component { text },
        });
    }
    Ok(kept)
}

struct File<'a> {
    /// Lines of the skeleton with their numbers.
    lines: Vec<(u32, &'a str)>,
    blocks: &'a [Block],
    origin: &'a Origin,
}

impl<'a> File<'a> {
    fn new(source: &'a SourceFile, blocks: &'a [Block], origin: &'a Origin) -> Self {
        // If a YAML parser counts lines differently, locations cannot be found in the text.
        let text = if has_other_line_ends(source.text()) { "" } else { source.text() };
        let lines = (0..).zip(text.lines()).map(|(index, line)| (source.line_number(index), line)).collect();
        Self { lines, blocks, origin }
    }

    /// Text from `start` to the end of `value`, in column 0; `None` if it is not a self-contained mapping or longer
    /// than `most` bytes.
    fn text(&self, start: Position, value: Span, most: usize) -> Step<Option<String>> {
        // The value is an alias: its location is that of the anchor.
        if value.start < start {
            return Ok(None);
        }
        let (mut text, mut outline) = (Dedented::new(start.column), Dedented::new(start.column));
        let first = self.lines.partition_point(|(number, _)| *number < start.line);
        let lines = self.lines.get(first..).unwrap_or_default().iter();
        for &(number, line) in lines.take_while(|(number, _)| *number <= value.end.line) {
            let (is_first, is_last) = (number == start.line, number == value.end.line);
            let end = if is_last { byte_of(line, value.end.column) } else { line.len() };
            let from = if is_first { byte_of(line, start.column) } else { 0 };
            let line = line.get(from..end).unwrap_or_default();
            // The indentation of what follows.
            if is_last && !is_first && line.trim().is_empty() {
                break;
            }
            let block = block_of(self.blocks, number).filter(|_| !is_last);
            let in_block = block.map_or(0, |block| block.bytes.end - block.bytes.start);
            let length = line.len().saturating_add(usize::try_from(in_block).unwrap_or(usize::MAX));
            if length > most.saturating_sub(text.text.len()) {
                return Ok(None);
            }
            text.push(line, is_first);
            outline.push(line, is_first);
            if let Some(block) = block {
                self.push_block(block, &mut text)?;
            }
        }
        let is_contained = !outline.text.lines().any(begins_with_mark) && is(&outline.text, ValueKind::Mapping);
        let Some(length) = up_to_end_of_value(&text.text).filter(|_| is_contained).map(str::len) else {
            return Ok(None);
        };
        text.text.truncate(length);
        Ok(Some(text.text))
    }

    /// Checks the frames of an unknown component, line by line without a tree, because no reader has checked them.
    fn push_block(&self, block: &Block, text: &mut Dedented) -> Step<()> {
        let mut lines = self.origin.part(block.bytes.clone(), block.key_line)?;
        while let Some(line) = lines.next()? {
            let line = std::str::from_utf8(line.bytes).map_err(|_| Stop::Foreign)?;
            let line = line.trim_end_matches(['\n', '\r']);
            // Commas of a flow list can only be checked in the whole text.
            let is_usual = block.style == Style::Block && !has_other_line_ends(line);
            if !is_usual || !is(line, ValueKind::Sequence) && !is_blank(line.as_bytes())? {
                return Err(Stop::Unusual);
            }
            text.push(line, false);
        }
        Ok(())
    }
}

fn byte_of(line: &str, column: u32) -> usize {
    let before = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX);
    line.char_indices().nth(before).map_or(line.len(), |(index, _)| index)
}

/// Lines without their common indentation.
struct Dedented {
    text: String,
    indent: usize,
}

impl Dedented {
    fn new(column: u32) -> Self {
        let indent = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX);
        Self { text: String::new(), indent }
    }

    fn push(&mut self, line: &str, is_first: bool) {
        let blanks = line.bytes().take_while(|&byte| byte == b' ').count();
        let line = if is_first { line } else { line.get(blanks.min(self.indent)..).unwrap_or_default() };
        self.text.push_str(line.trim_end_matches('\r'));
        self.text.push('\n');
    }
}

/// Whether a text is of this kind and self-contained.
fn is(text: &str, kind: ValueKind) -> bool {
    let reporter = Reporter::new();
    Document::parse_outline(&SourceFile::from_text("kept", text), &LIMITS, &reporter, |_| true)
        .is_ok_and(|document| document.root().kind() == kind)
}
