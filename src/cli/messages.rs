//! Findings and errors on stderr.

use std::io::{IsTerminal, Write};

use bunraku::document::{Diagnostic, Severity, render};

/// Prints findings from `least` up, with their source lines.
pub fn diagnostics(diagnostics: &[Diagnostic], least: Severity) {
    let render = if std::io::stderr().is_terminal() { render::colored } else { render::plain };
    for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.severity >= least) {
        eprintln!("{}\n", render(diagnostic));
    }
}

/// Prints an error that has no place in a file.
pub fn error(message: &str) {
    eprintln!("error: {message}");
}

/// Prints a warning that has no place in a file.
pub fn warning(message: &str) {
    // A reader of stderr that has gone away does not end a run.
    let _ = writeln!(std::io::stderr().lock(), "warning: {message}");
}

/// `1 error`, `2 errors`.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
