//! Diagnostics as text, with the line they are about.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::{Diagnostic, Position, Severity, SourceFile};

/// A line longer than this (a flow list of thousands of numbers) is cut around the place in question.
const MAX_LINE: usize = 160;

/// One diagnostic with its source line, message and help, without colours and without a final line feed.
pub fn plain(diagnostic: &Diagnostic) -> String {
    with(&Renderer::plain(), diagnostic)
}

/// The same with ANSI colours, for a terminal.
pub fn colored(diagnostic: &Diagnostic) -> String {
    with(&Renderer::styled(), diagnostic)
}

fn with(renderer: &Renderer, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(&diagnostic.message).id(diagnostic.code);
    let path = diagnostic.file().map(|path| path.display().to_string());
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
                    // A place without a line of text, such as the end of the file.
                    Some(span) => Origin::path(path.as_str())
                        .line(span.start.line as usize)
                        .char_column(span.start.column as usize),
                    None => Origin::path(path.as_str()),
                }),
            }
        }
        _ => Group::with_title(title),
    };
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group]).to_string()
}

/// The line a span starts on, cut to a readable width, and the marked part of it in bytes.
struct Excerpt<'a> {
    text: &'a str,
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
        if text.len() <= MAX_LINE {
            return Some(Self { text, line, start: from, end: to });
        }
        let left = floor_char(text, from.saturating_sub(MAX_LINE / 2));
        let right = floor_char(text, (left + MAX_LINE).min(text.len()));
        Some(Self { text: &text[left..right], line, start: from - left, end: to.min(right).max(from) - left })
    }
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
    fn message_place_line_and_help_are_shown() {
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
    fn a_very_long_line_is_cut_around_the_place() {
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
        // A line that the excerpt does not have.
        let before = plain(&diagnostic.at(&excerpt, Span::at(2, 7)));
        assert!(before.contains("walk.seq:2:7") && !before.contains('|'), "{before}");
    }

    #[test]
    fn a_place_past_the_end_still_renders() {
        let source = SourceFile::from_text("short.body", "a: 1");
        let rendered = plain(&Diagnostic::error("yaml", "the file ends too early").at(&source, Span::at(9, 4)));
        assert!(rendered.contains("short.body:9:4"), "{rendered}");
    }
}
