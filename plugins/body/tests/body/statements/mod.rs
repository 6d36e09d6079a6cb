//! Statements of the manuals and of Choreonoid's loaders, each with a small model. The test prints a table of the
//! models and the results.

mod body_files;
mod scene_parts;
mod sub_models;
mod vrml_files;

use std::fmt::Write as _;

use bunraku_body::{Body, Link, LoadOptions, WriteOptions};
use bunraku_document::{Reporter, SearchRoots, Severity};
use nalgebra::{Point3, Vector3};

/// A model, its expected findings and its expected result.
pub struct Row {
    /// Name, that of the first file.
    name: &'static str,
    statement: &'static str,
    files: Vec<(&'static str, String)>,
    /// Expected severities and codes of the findings.
    findings: &'static [&'static str],
    /// Property of the body; `None` if the model is refused.
    holds: Option<fn(&Body) -> bool>,
    /// Whether the body is the same after writing and reading it again.
    round_trip: bool,
}

impl Row {
    fn loads(
        name: &'static str,
        statement: &'static str,
        text: impl Into<String>,
        findings: &'static [&'static str],
        holds: fn(&Body) -> bool,
    ) -> Self {
        Self { name, statement, files: vec![(name, text.into())], findings, holds: Some(holds), round_trip: true }
    }

    fn is_refused(
        name: &'static str,
        statement: &'static str,
        text: impl Into<String>,
        findings: &'static [&'static str],
    ) -> Self {
        Self { name, statement, files: vec![(name, text.into())], findings, holds: None, round_trip: false }
    }

    /// Adds another file.
    fn beside(mut self, name: &'static str, text: &str) -> Self {
        self.files.push((name, text.to_owned()));
        self
    }

    /// Result in a word or two, and failures.
    fn verdict(&self) -> (String, Vec<String>) {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in &self.files {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        let path = directory.path().join(self.name);
        let options = LoadOptions { check_plausibility: true, ..LoadOptions::default() };
        let load = |path: &std::path::Path| {
            let reporter = Reporter::new();
            let body = bunraku_body::load(path, &options, &reporter);
            (body, reporter.into_diagnostics())
        };
        let (body, found) = load(&path);
        let mut wrong = Vec::new();
        let findings: Vec<String> = found.iter().map(|found| format!("{} {}", found.severity, found.code)).collect();
        if findings != self.findings {
            wrong.push(format!("reports {findings:?}, not {:?}", self.findings));
        }
        for finding in &found {
            if finding.place.is_none() || finding.help.is_none() {
                wrong.push(format!("{finding} has no place or no advice"));
            }
        }
        match (&body, self.holds) {
            (None, None) => {}
            (Some(body), Some(holds)) if holds(body) => {}
            (Some(_), Some(_)) => wrong.push("is read otherwise".to_owned()),
            (Some(_), None) => wrong.push("loads".to_owned()),
            (None, Some(_)) => wrong.push("is refused".to_owned()),
        }
        if let (Some(body), Some(holds), true) = (&body, self.holds, self.round_trip) {
            let path = directory.path().join("written.body");
            let reporter = Reporter::new();
            let written =
                bunraku_body::write(body, &WriteOptions { path: &path, roots: &SearchRoots::default() }, &reporter);
            std::fs::write(&path, &written.text).unwrap();
            let (again, found) = load(&path);
            if !again.is_some_and(|again| holds(&again)) || found.iter().any(|found| found.severity == Severity::Error)
            {
                wrong.push(format!("is another one when it is written and read again:\n{}\n{found:?}", written.text));
            }
        }
        let mut verdict = if body.is_some() { "loads".to_owned() } else { "refused".to_owned() };
        for finding in &findings {
            write!(verdict, ", {finding}").unwrap();
        }
        (verdict, wrong)
    }
}

/// A `.body` file of version 2.0 with these lines after the header.
fn body(rest: &str) -> String {
    format!("format: ChoreonoidBody\nformat_version: 2.0\n{rest}\n")
}

/// A floating link `TRUNK` with these elements, in braces.
fn trunk(elements: &str) -> String {
    body(&format!("links:\n  - {{ name: TRUNK, joint_type: free, elements: [ {elements} ] }}"))
}

/// A fixed link `STAND` with a child `ARM` that has these keys.
fn arm(keys: &str) -> String {
    body(&format!("links:\n  - {{ name: STAND }}\n  - {{ name: ARM, parent: STAND, {keys} }}"))
}

fn link<'b>(body: &'b Body, name: &str) -> &'b Link {
    body.link(body.find_link(name).unwrap())
}

fn near(found: Vector3<f64>, expected: [f64; 3]) -> bool {
    (found - Vector3::from(expected)).norm() < 1e-9
}

/// Whether the bounding box of the root's visual shapes has these corners.
fn spans(body: &Body, min: [f64; 3], max: [f64; 3]) -> bool {
    let boxes = body.root().visual.iter().filter_map(bunraku_body::Shape::bounding_box);
    let Some(bounds) = boxes.reduce(bunraku_mesh::BoundingBox::union) else { return false };
    let near = |found: Point3<f64>, expected: [f64; 3]| (found - Point3::from(expected)).norm() < 1e-6;
    near(bounds.min, min) && near(bounds.max, max)
}

fn shape(body: &Body) -> &bunraku_body::Shape {
    &body.root().visual[0]
}

#[test]
fn each_model_is_read_as_the_statement_says() {
    let rows = [body_files::rows(), scene_parts::rows(), sub_models::rows(), vrml_files::rows()];
    let mut failures = Vec::new();
    for row in rows.into_iter().flatten() {
        let (verdict, wrong) = row.verdict();
        println!("{:<34} {:<52} {}", row.name, row.statement, verdict);
        failures.extend(wrong.into_iter().map(|wrong| format!("{}: {wrong}", row.name)));
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
