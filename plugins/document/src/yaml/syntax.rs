//! Translation of libyaml's syntax errors into messages for the author of the file.

use std::sync::Arc;

use libyaml_safer::{Error, Mark};

use super::mark::span;
use crate::{Diagnostic, SourceFile, Span};

const TAB: &str = "lines are indented with blanks, not with tabs";
const COLUMNS: &str =
    "keys that belong together start in the same column; a text that contains `: ` or ` #` is put in quotes";

/// Location at which a syntax error is reported.
enum Place {
    /// Position at which the parser failed.
    Problem,
    /// Start of the construct that was being parsed: the open bracket rather than the line after it.
    Start,
}

/// The error with a location and a remedy.
pub(super) fn syntax_error(source: &Arc<SourceFile>, error: &Error) -> Diagnostic {
    let Some(problem) = error.problem_mark() else {
        return unreadable(source, error);
    };
    let (message, help, place) = explain(error, letter_at(source, problem));
    let mark = match place {
        Place::Start => error.context_mark().unwrap_or(problem),
        Place::Problem => problem,
    };
    let diagnostic = Diagnostic::error("yaml-syntax", message).at(source, span(source, mark, mark));
    match place {
        Place::Start if mark.line != problem.line => {
            let missed = span(source, problem, problem).start.line;
            diagnostic.help(format!("{help}; it was missed on line {missed}"))
        }
        _ => diagnostic.help(help),
    }
}

/// An error after the first value of a text, which ends where `root` ends.
pub(super) fn trailing_error(source: &Arc<SourceFile>, root: Span, error: &Error) -> Diagnostic {
    match (error.problem(), error.problem_mark()) {
        ("did not find expected <document start>", Some(mark)) => {
            let message =
                format!("unexpected content after the end of the value that began on line {}", root.start.line);
            let help =
                "a file is one mapping or one list: look above for an extra bracket, or a line that is indented less";
            Diagnostic::error("yaml-syntax", message).at(source, span(source, mark, mark)).help(help)
        }
        _ => syntax_error(source, error),
    }
}

fn explain(error: &Error, letter: Option<char>) -> (String, &'static str, Place) {
    let (problem, context) = (error.problem(), error.context().unwrap_or_default());
    let say = |message: &str, help, place| (message.to_owned(), help, place);
    match (problem, letter) {
        ("found character that cannot start any token", Some('\t'))
        | (
            "found a tab character that violates indentation"
            | "found a tab character where an indentation space is expected",
            _,
        ) => say("a tab cannot indent a line", TAB, Place::Problem),
        ("found character that cannot start any token", Some(letter)) => {
            (format!("`{letter}` cannot begin a value"), "put the text in quotes", Place::Problem)
        }
        ("could not find expected ':'", _) => say(
            "this line has neither `key: value` nor an item of a list",
            "write `key: value`, with a blank behind the colon; an item of a list begins with `- `",
            Place::Start,
        ),
        ("mapping values are not allowed in this context", _) => {
            say("there is a `:` where no key can be", COLUMNS, Place::Problem)
        }
        ("block sequence entries are not allowed in this context", _) => say(
            "there is a `-` where no list can begin",
            "the items of a list stand on lines of their own, all in the same column",
            Place::Problem,
        ),
        ("did not find expected key", _) => {
            say("this line does not belong to the keys above it", COLUMNS, Place::Problem)
        }
        ("did not find expected '-' indicator", _) => say(
            "this line does not belong to the list above it",
            "the items of a list begin with `- `, all in the same column",
            Place::Problem,
        ),
        ("did not find expected ',' or ']'" | "did not find expected ',' or '}'", Some('{')) => say(
            "a `{` stands in the middle of a text, within brackets or braces",
            "put the text in quotes, as in `file: \"${SHARE}/model/arm.body\"`; entries are separated by `,`",
            Place::Problem,
        ),
        ("did not find expected ',' or ']'", _) => say(
            "the list that begins here is not closed",
            "write `,` between its items and `]` behind the last one",
            Place::Start,
        ),
        ("did not find expected ',' or '}'", _) => say(
            "the mapping that begins here is not closed",
            "write `,` between its entries and `}` behind the last one",
            Place::Start,
        ),
        ("did not find expected node content", None) => say(
            "the file ends where a value is expected",
            "look for a bracket or a brace that is not closed",
            Place::Problem,
        ),
        ("did not find expected node content", _) => {
            say("a value is missing here", "look for an extra comma or bracket", Place::Problem)
        }
        ("found unexpected end of stream" | "found unexpected document indicator", _)
            if context.contains("quoted scalar") =>
        {
            say("the text in quotes that begins here does not end", "close it with the same quote", Place::Start)
        }
        ("found unknown escape character" | "did not find expected hexdecimal number", _) => say(
            "a backslash in double quotes begins an escape code, and this one is unknown",
            "write `\\\\` for a backslash, or use single quotes",
            Place::Problem,
        ),
        _ => {
            let message = if context.is_empty() { problem.to_owned() } else { format!("{problem} {context}") };
            (message, "look at the indentation, the brackets and the quotes around this place", Place::Problem)
        }
    }
}

/// The error for characters that the parser rejects.
fn unreadable(source: &Arc<SourceFile>, error: &Error) -> Diagnostic {
    let (mut index, mut column) = (0_u32, 1_u32);
    for letter in source.text().chars() {
        if is_control(letter) {
            let message = format!("the file contains the control character U+{:04X}", u32::from(letter));
            return Diagnostic::error("yaml-syntax", message)
                .at(source, Span::at(source.line_number(index), column))
                .help("is this a text file? Save it as UTF-8 without control characters");
        }
        (index, column) = if letter == '\n' { (index.saturating_add(1), 1) } else { (index, column.saturating_add(1)) };
    }
    Diagnostic::error("yaml-syntax", error.problem())
        .at(source, Span::line(source.line_number(0)))
        .help("is this a text file? Save it as UTF-8")
}

/// Whether a character is excluded from YAML 1.1.
fn is_control(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\t' | '\n' | '\r' | '\u{85}'))
        || matches!(letter, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn letter_at(source: &SourceFile, mark: Mark) -> Option<char> {
    let line = source.text().lines().nth(usize::try_from(mark.line).ok()?)?;
    line.chars().nth(usize::try_from(mark.column).ok()?)
}
