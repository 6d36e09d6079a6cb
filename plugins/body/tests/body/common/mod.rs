//! Helpers shared by the reader's tests.

pub mod cost;
pub mod printed;
pub mod tables;

use bunraku_body::{Body, Link};
use bunraku_document::Diagnostic;
use bunraku_test_support::read_model;

/// Reads a text without findings.
#[track_caller]
pub fn read_clean(text: &str) -> Body {
    let (body, findings) = read_model(text);
    assert!(findings.is_empty(), "{}\n{text}", list(&findings));
    body.unwrap()
}

/// Reads a text that loads with exactly one finding.
#[track_caller]
pub fn read_with_one_finding(text: &str) -> (Body, Diagnostic) {
    let (body, mut findings) = read_model(text);
    assert_eq!(findings.len(), 1, "{}\n{text}", list(&findings));
    (body.unwrap(), findings.remove(0))
}

/// The link with this name.
#[track_caller]
pub fn link<'b>(body: &'b Body, name: &str) -> &'b Link {
    body.link(body.find_link(name).unwrap())
}

/// Findings, one per line.
pub fn list(findings: &[Diagnostic]) -> String {
    findings.iter().map(|finding| format!("{finding}\n")).collect()
}
