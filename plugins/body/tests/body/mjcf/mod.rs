//! MJCF models: elements are read as MuJoCo reads them, and findings are located.

mod equality;
mod grammar;
mod hostile;
mod mass;
mod mistakes;
mod spring_dampers;
mod tendons;
mod tree;
mod writer;

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Diagnostic, Reporter, Severity};

use crate::common::list;

/// Reads a model of these elements.
fn read(elements: &str) -> (Option<Body>, Vec<Diagnostic>) {
    read_text(&format!("<mujoco model=\"M\">\n{elements}\n</mujoco>"), &LoadOptions::default())
}

/// Reads the text of a file.
fn read_text(text: &str, options: &LoadOptions) -> (Option<Body>, Vec<Diagnostic>) {
    read_files(&[("model.xml", text)], options)
}

/// Reads the first of some files in one directory.
fn read_files(files: &[(&str, &str)], options: &LoadOptions) -> (Option<Body>, Vec<Diagnostic>) {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    let reporter = Reporter::new();
    let body = bunraku_body::load(&directory.path().join(files[0].0), options, &reporter);
    (body, reporter.into_diagnostics())
}

/// Reads a model without warnings.
#[track_caller]
fn clean(elements: &str) -> Body {
    let (body, findings) = read(elements);
    assert!(findings.iter().all(|finding| finding.severity == Severity::Note), "{}", list(&findings));
    body.unwrap()
}

/// A mass of 1 kg that is a little ball.
const MASS: &str = "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.01 0.01 0.01\"/>";

/// Codes of findings.
fn codes(findings: &[Diagnostic]) -> Vec<&str> {
    findings.iter().map(|finding| finding.code).collect()
}
