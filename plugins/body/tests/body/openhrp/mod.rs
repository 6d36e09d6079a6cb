//! OpenHRP models: every field of the manual is read, and errors are located.

mod extra_joints;
mod hostile;
mod humanoid;
mod inlined;
mod joints;
mod manual;
mod mistakes;
mod segments;
mod sensors;

use std::path::Path;

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Diagnostic, Reporter};
use tempfile::TempDir;

use crate::common::list;

/// Declarations of the manual, field by field, and that of `Surface`; every model here begins with them.
const PROTOS: &str = concat!(
    include_str!("manual/declarations.wrl"),
    "PROTO Surface [ field MFNode visual [ ] field MFNode collision [ ] ] { Group { children IS visual } }\n"
);

/// Lines of [`PROTOS`].
fn head_lines() -> u32 {
    u32::try_from(PROTOS.lines().count()).unwrap()
}

/// Files of a test, among them a model.
struct Files {
    directory: TempDir,
}

impl Files {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    fn write(&self, name: &str, text: &str) -> &Self {
        std::fs::write(self.directory.path().join(name), text).unwrap();
        self
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn load_with(&self, name: &str, options: &LoadOptions) -> (Option<Body>, Vec<Diagnostic>) {
        let reporter = Reporter::new();
        let body = bunraku_body::load(&self.path().join(name), options, &reporter);
        (body, reporter.into_diagnostics())
    }

    fn load(&self, name: &str) -> (Option<Body>, Vec<Diagnostic>) {
        self.load_with(name, &LoadOptions::default())
    }
}

/// Loads a model: the declarations followed by `text`.
fn load(text: &str) -> (Option<Body>, Vec<Diagnostic>) {
    load_whole(&format!("{PROTOS}{text}"))
}

/// Loads a file with its own declarations.
fn load_whole(text: &str) -> (Option<Body>, Vec<Diagnostic>) {
    Files::new().write("model.wrl", text).load("model.wrl")
}

/// A model without findings.
#[track_caller]
fn clean(text: &str) -> Body {
    let (body, findings) = load(text);
    assert!(findings.is_empty(), "{}", list(&findings));
    body.unwrap()
}

/// A `Humanoid` named `ROBOT` around its root joint.
fn robot(root: &str) -> String {
    format!("DEF ROBOT Humanoid {{ humanoidBody [\n{root}\n] }}\n")
}

/// A robot without findings, with a fixed root `BASE` that has these fields.
#[track_caller]
fn clean_base(fields: &str) -> Body {
    clean(&base(fields))
}

/// A robot with a fixed root `BASE` that has these fields; they begin on line 2.
fn base(fields: &str) -> String {
    robot(&format!("DEF BASE Joint {{ jointType \"fixed\" {fields} }}"))
}

/// Asserts a finding: severity and code in the short form, the line (counted from the end of the declarations) and
/// column, and the message.
#[track_caller]
fn assert_finding(finding: &Diagnostic, start: &str, (line, column): (u32, u32)) {
    let found = format!("{}[{}]: {}", finding.severity, finding.code, finding.message);
    assert!(found.starts_with(start), "found {found}\nwanted {start}");
    let position = finding.position().unwrap();
    assert_eq!((position.line.wrapping_sub(head_lines()), position.column), (line, column), "{finding}");
}

/// The only finding about a model, and the model.
#[track_caller]
fn one_finding(text: &str) -> (Option<Body>, Diagnostic) {
    let (body, mut findings) = load(text);
    assert_eq!(findings.len(), 1, "{}", list(&findings));
    (body, findings.remove(0))
}

/// Fewer or different declarations.
fn without(declaration_line: &str) -> String {
    assert!(PROTOS.contains(declaration_line));
    PROTOS.replace(declaration_line, "")
}
