//! Properties of findings.

use bunraku_document::{Diagnostic, Reporter, Severity, render};

/// Longest message, characters.
const LONGEST: usize = 2000;

/// Checks the findings of a file that was accepted or rejected: it is rejected exactly if there is an error.
pub fn check(reporter: Reporter, is_accepted: bool) {
    let findings = reporter.into_diagnostics();
    findings.iter().for_each(check_finding);
    let first_error = findings.iter().find(|finding| finding.severity == Severity::Error);
    match first_error {
        Some(error) => assert!(!is_accepted, "accepted with an error: {error}"),
        None => assert!(is_accepted, "rejected without an error"),
    }
}

/// Checks a finding: it has a place, is short, and nothing in it controls a terminal.
pub fn check_finding(finding: &Diagnostic) {
    assert!(finding.place.is_some(), "nothing says where: {finding}");
    assert!(finding.message.chars().count() <= LONGEST, "long: {finding}");
    let text = render::plain(finding);
    let controls = |letter: char| letter != '\n' && render::is_invisible(letter);
    assert!(!text.contains(controls), "controls a terminal: {text:?}");
}
