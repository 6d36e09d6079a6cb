//! Rendering of diagnostics as text, with the source line.

use std::borrow::Cow;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::{Diagnostic, Position, Severity, SourceFile};

pub use crate::visible::{is_invisible, visible};

/// Longest excerpt, characters. A longer line (a flow list of thousands of numbers) is cut around the span.
const MAX_LINE: usize = 160;

/// One diagnostic with its source line, message and help, without colours and without a final line feed.
pub fn plain(diagnostic: &Diagnostic) -> String {
    with(&Renderer::plain(), diagnostic)
}

/// The text of [`plain`] with ANSI colours, for a terminal.
pub fn colored(diagnostic: &Diagnostic) -> String {
    with(&Renderer::styled(), diagnostic)
}

fn with(renderer: &Renderer, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let message = visible(&diagnostic.message);
    let title = level.primary_title(&*message).id(diagnostic.code);
    let path = diagnostic.file().map(|path| visible(&path.display().to_string()).into_owned());
    let help = diagnostic.help.as_deref().map(visible);
    let mut group = match (&diagnostic.place, &path) {
        (Some(place), Some(path)) => {
            match place.span.and_then(|span| Excerpt::new(&place.source, span.start, span.end)) {
                Some(excerpt) => title.element(
                    Snippet::source(excerpt.text)
                        .line_start(excerpt.line)
                        .path(path.as_str())
                        .annotation(AnnotationKind::Primary.span(excerpt.start..excerpt.end)),
                ),
                None => title.element(match place.span {
                    // The position has no line of text; it may be the end of the file.
                    Some(span) => Origin::path(path.as_str())
                        .line(span.start.line as usize)
                        .char_column(span.start.column as usize),
                    None => Origin::path(path.as_str()),
                }),
            }
        }
        _ => Group::with_title(title),
    };
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(&**help));
    }
    renderer.render(&[group]).to_string()
}

/// First line of a span, cut to [`MAX_LINE`], and the byte range of the marked part.
struct Excerpt<'a> {
    text: Cow<'a, str>,
    line: usize,
    start: usize,
    end: usize,
}

impl<'a> Excerpt<'a> {
    fn new(source: &'a SourceFile, start: Position, end: Position) -> Option<Self> {
        let line = start.line as usize;
        let text = source.line(start.line)?;
        let byte_of = |column: u32| {
            let before = column.saturating_sub(1) as usize;
            text.char_indices().nth(before).map_or(text.len(), |(index, _)| index)
        };
        let from = byte_of(start.column);
        let to = if end.line == start.line { byte_of(end.column) } else { text.trim_end().len() };
        let (from, to) = (from, to.max(from));
        let (left, right) = if text.len() <= MAX_LINE {
            (0, text.len())
        } else {
            let left = floor_char(text, from.saturating_sub(MAX_LINE / 2));
            (left, floor_char(text, (left + MAX_LINE).min(text.len())))
        };
        let parts = [left..from, from..to.min(right).max(from), to.min(right).max(from)..right.max(from)];
        let [before, marked, behind] = parts.map(|part| text.get(part).map_or(Cow::Borrowed(""), shown));
        let (start, end) = (before.len(), before.len() + marked.len());
        Some(Self { text: before + marked + behind, line, start, end })
    }
}

/// Part of a source line with the same number of characters, safe for a terminal: control characters become their
/// Unicode control pictures.
fn shown(text: &str) -> Cow<'_, str> {
    let is_hidden = |letter| letter != '\t' && is_invisible(letter);
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let picture = |letter| match u32::from(letter) {
        _ if !is_hidden(letter) => letter,
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or(char::REPLACEMENT_CHARACTER),
        0x7f => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    };
    Cow::Owned(text.chars().map(picture).collect())
}

fn floor_char(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    #[test]
    fn message_location_line_and_help_are_shown() {
        let source = SourceFile::from_text("arm.body", "links:\n  - joitAxis: X\n");
        let span = Span { start: Position { line: 2, column: 5 }, end: Position { line: 2, column: 13 } };
        let text = plain(
            &Diagnostic::warning("unknown-key", "unknown key `joitAxis` in Link")
                .at(&source, span)
                .help("did you mean `joint_axis`?"),
        );
        assert_eq!(
            text,
            "\
warning[unknown-key]: unknown key `joitAxis` in Link
 --> arm.body:2:5
  |
2 |   - joitAxis: X
  |     ^^^^^^^^
  |
  = help: did you mean `joint_axis`?"
        );
    }

    #[test]
    fn a_very_long_line_is_cut_around_the_span() {
        let text = format!("[{}bad, {}]", "0, ".repeat(4000), "0, ".repeat(4000));
        let source = SourceFile::from_text("long.body", text);
        let rendered =
            plain(&Diagnostic::error("not-a-number", "`bad` is not a number").at(&source, Span::at(1, 12_002)));
        assert!(rendered.contains("bad") && rendered.len() < 600, "{rendered}");
    }

    #[test]
    fn an_excerpt_shows_its_lines_under_their_numbers_in_the_file() {
        let whole = SourceFile::from_text("walk.seq", "frames:\n  - [ 0 ]\n  - [ x ]\n");
        let excerpt = SourceFile::excerpt("walk.seq", 3, "  - [ x ]");
        let diagnostic = Diagnostic::error("not-a-number", "`x` is not a number");
        let shown = plain(&diagnostic.clone().at(&excerpt, Span::at(3, 7)));
        assert!(shown.contains("3 |   - [ x ]"), "{shown}");
        assert_eq!(shown, plain(&diagnostic.clone().at(&whole, Span::at(3, 7))));
        let excerpts = SourceFile::excerpts("walk.seq", [(1, "frames:\n"), (3, "  - [ x ]\n"), (9, "")]);
        assert_eq!(shown, plain(&diagnostic.clone().at(&excerpts, Span::at(3, 7))));
        assert_eq!([0, 1, 2].map(|index| excerpts.line_number(index)), [1, 3, 9]);
        assert_eq!([0, 1, 2, 3, 4].map(|number| excerpts.line(number).is_some()), [false, true, false, true, false]);
        // The excerpt does not contain this line.
        let before = plain(&diagnostic.at(&excerpt, Span::at(2, 7)));
        assert!(before.contains("walk.seq:2:7") && !before.contains('|'), "{before}");
    }

    #[test]
    fn no_control_character_of_a_file_or_a_name_reaches_the_terminal() {
        let text = "name: \u{1b}[2J\u{9b}1m\u{202e}x\r\u{7}\n";
        let source = SourceFile::from_text("a\u{1b}[31m\n.body", text);
        let diagnostic =
            Diagnostic::warning("unknown-key", "unknown key `\u{1b}]0;x\u{7}\n`").at(&source, Span::at(1, 7));
        let diagnostic = diagnostic.help("did you mean `\u{9b}`?");
        for shown in [plain(&diagnostic), diagnostic.to_string()] {
            assert!(!shown.replace('\n', "").contains(is_invisible), "{shown:?}");
            assert!(shown.contains(r"`\u{1b}]0;x\u{7}\n`") && shown.contains(r"a\u{1b}[31m\n.body"), "{shown}");
        }
    }

    #[test]
    fn a_span_past_the_end_still_renders() {
        let source = SourceFile::from_text("short.body", "a: 1");
        let rendered = plain(&Diagnostic::error("yaml", "the file ends too early").at(&source, Span::at(9, 4)));
        assert!(rendered.contains("short.body:9:4"), "{rendered}");
    }
}
