//! Results on stdout.

use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use bunraku::document::render::{is_invisible, visible};
use serde::Serialize;

use super::common::Failure;

/// Prints a line. Control characters in names are escaped, so that the terminal does not execute them.
///
/// # Errors
/// If the output cannot be written, for example because the disk is full.
pub fn line(text: impl AsRef<str>) -> Result<(), Failure> {
    raw_line(&visible(text.as_ref()))
}

/// Prints one of the program's own texts unchanged.
///
/// # Errors
/// If the output cannot be written.
pub fn text(text: &str) -> Result<(), Failure> {
    raw_line(text.strip_suffix('\n').unwrap_or(text))
}

/// Whether this run of the program has printed its JSON document.
static HAS_DOCUMENT: AtomicBool = AtomicBool::new(false);

/// Prints the one JSON document of `--json`. A failure after that prints no second one.
///
/// # Errors
/// If the output cannot be written.
pub fn document(value: &impl Serialize) -> Result<(), Failure> {
    if HAS_DOCUMENT.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::Message(error.to_string()))?;
    raw_line(&escaped(&text))
}

/// JSON with the characters escaped that are valid in its strings and that a terminal would execute. They occur in
/// strings only.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        // Line breaks belong to the document: within strings they are already escaped. All other such characters are in
        // the Basic Multilingual Plane.
        match letter != '\n' && is_invisible(letter) {
            true => text.push_str(&format!("\\u{:04x}", u32::from(letter))),
            false => text.push(letter),
        }
    }
    text
}

/// Writes to stdout. A reader that has closed the pipe (`bunraku info … | head`) is not a failure.
fn raw_line(text: &str) -> Result<(), Failure> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Message(format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn json_stays_what_it_says() {
        let value = serde_json::json!({ "a\u{9b}": ["\u{7f}\n\u{1b}", "\u{202e}手"] });
        let text = escaped(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!text.replace('\n', "").contains(bunraku::document::render::is_invisible), "{text:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
