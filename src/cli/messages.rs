//! Findings and errors on stderr.

use std::io::{IsTerminal, Write};

use bunraku::document::{Diagnostic, Severity, render};

/// Prints findings of severity `least` and above, with their source lines.
pub fn diagnostics(diagnostics: &[Diagnostic], least: Severity) {
    let render = if std::io::stderr().is_terminal() { render::colored } else { render::plain };
    for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.severity >= least) {
        print(&format!("{}\n\n", render(diagnostic)));
    }
}

/// Prints an error without a location in a file.
pub fn error(message: &str) {
    print(&format!("error: {}\n", render::visible(message)));
}

/// Prints to stderr. Write errors are ignored: a reader that has closed the pipe (`2>&1 | head`) needs no more, and
/// there is no other place to report them.
fn print(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Prints a table with a title.
pub fn table(title: &str, rows: &[String]) {
    let rows = rows.iter().map(|row| format!("{}\n", render::visible(row)));
    print(&format!("{title}\n{}\n", rows.collect::<String>()));
}

/// Prints a warning without a location in a file.
pub fn warning(message: &str) {
    print(&format!("warning: {}\n", render::visible(message)));
}

/// Prints a note without a location in a file.
pub fn note(message: &str) {
    print(&format!("note: {}\n", render::visible(message)));
}

/// A number with its noun: `1 error`, `2 errors`.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
