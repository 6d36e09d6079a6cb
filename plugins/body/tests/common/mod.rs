//! What the reader's tests share.
#![allow(dead_code)] // Each test file uses its part.
#![allow(clippy::unwrap_used, clippy::panic)] // Helpers of tests are tests.

use bunraku_body::{Body, Link, LoadOptions};
use bunraku_document::{Diagnostic, Reporter, SourceFile};

/// Lines before the first link in [`with_links`].
pub const HEAD: &str = "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n";

/// A whole model around the items of `links`, each indented by two.
pub fn with_links(links: &str) -> String {
    format!("{HEAD}{links}")
}

/// Reads a text; the body and all findings.
pub fn read_text(text: &str) -> (Option<Body>, Vec<Diagnostic>) {
    let reporter = Reporter::new();
    let body = bunraku_body::read(&SourceFile::from_text("x.body", text), &LoadOptions::default(), &reporter);
    (body, reporter.into_diagnostics())
}

/// Reads a text that has nothing to complain about.
#[track_caller]
pub fn read_clean(text: &str) -> Body {
    let (body, findings) = read_text(text);
    assert!(findings.is_empty(), "{}\n{text}", list(&findings));
    body.unwrap()
}

/// Reads links that have nothing to complain about.
#[track_caller]
pub fn clean_links(links: &str) -> Body {
    read_clean(&with_links(links))
}

/// Reads a usable text with exactly one finding.
#[track_caller]
pub fn read_with_one_finding(text: &str) -> (Body, Diagnostic) {
    let (body, mut findings) = read_text(text);
    assert_eq!(findings.len(), 1, "{}\n{text}", list(&findings));
    (body.unwrap(), findings.remove(0))
}

/// The link with this name.
#[track_caller]
pub fn link<'b>(body: &'b Body, name: &str) -> &'b Link {
    body.link(body.find_link(name).unwrap())
}

/// Findings, one a line.
pub fn list(findings: &[Diagnostic]) -> String {
    findings.iter().map(|finding| format!("{finding}\n")).collect()
}

/// What a dozen f64 operations on numbers of the order of 1 may round.
const ROUNDING: f64 = 1e-12;

/// Asserts that two numbers are the same but for rounding.
#[track_caller]
pub fn assert_close(found: f64, expected: f64) {
    assert_all_close(&[found], [expected]);
}

/// The same for lists of numbers, such as the components of vectors (of matrices: column by column).
#[track_caller]
pub fn assert_all_close<'n>(found: impl IntoIterator<Item = &'n f64>, expected: impl IntoIterator<Item = f64>) {
    let found: Vec<f64> = found.into_iter().copied().collect();
    let expected: Vec<f64> = expected.into_iter().collect();
    assert_eq!(found.len(), expected.len());
    for (&number, &wanted) in found.iter().zip(&expected) {
        let near = number == wanted || (number - wanted).abs() <= ROUNDING * wanted.abs().max(1.0);
        assert!(near, "found {found:?}, expected {expected:?}");
    }
}
