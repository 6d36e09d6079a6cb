//! Properties that hold for any `.wrl` file, broken or not; checked by the fuzzer and by a test.

use std::path::Path;

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Diagnostic, Limits, Reporter, SearchRoots, Severity};
use bunraku_mesh::LoadContext;
use bunraku_mesh::vrml::{Converter, Document};

/// Reads the bytes as a tree, as a scene and, written to a file in `directory`, as a model. A panic says that something
/// does not hold.
pub fn check(directory: &Path, bytes: &[u8]) {
    let path = directory.join("fuzz.wrl");
    let limits = Limits::default();
    let roots = SearchRoots::default().around(&path);
    let reporter = Reporter::new();
    match Document::parse(&path, bytes, &limits, &reporter) {
        Ok(document) => {
            let context = LoadContext { roots: &roots, limits: &limits, reporter: &reporter };
            match Converter::new(&document, context).scene() {
                Ok(scene) => scene.shapes().iter().for_each(check_shape),
                Err(error) => check_finding(&error),
            }
        }
        Err(error) => check_finding(&error),
    }
    reporter.into_diagnostics().iter().for_each(check_finding);

    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    let reporter = Reporter::new();
    let options = LoadOptions { check_plausibility: true, ..LoadOptions::default() };
    let body = bunraku_body::load(&path, &options, &reporter);
    let findings = reporter.into_diagnostics();
    findings.iter().for_each(check_finding);
    let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
    assert_eq!(body.is_none(), failed, "a body comes out exactly if there is no error");
    body.iter().for_each(check_body);
}

/// It says where and what to do, and not too much.
fn check_finding(finding: &Diagnostic) {
    assert!(finding.position().is_some(), "nothing says where: {finding}");
    assert!(finding.help.as_ref().is_some_and(|help| !help.is_empty()), "nothing says what to do: {finding}");
    assert!(finding.message.chars().count() < 2000, "{finding}");
}

/// Parents come before their children, and numbers are finite.
fn check_body(body: &Body) {
    for (index, link) in body.links().iter().enumerate() {
        assert_eq!(link.parent.is_none(), index == 0, "{}", link.name);
        assert!(link.parent.is_none_or(|parent| parent.0 < index), "{}", link.name);
        let mass = &link.mass;
        let numbers = mass.center_of_mass.iter().chain(mass.inertia.iter()).chain(link.joint.axis.iter());
        let offset = link.offset.to_homogeneous();
        assert!(numbers.chain([&mass.mass]).chain(offset.iter()).all(|number| number.is_finite()), "{}", link.name);
        link.visual.iter().chain(&link.collision).for_each(check_shape);
    }
    for device in &body.devices {
        assert!(device.link.0 < body.links().len(), "{}", device.name);
        assert!(device.transform.matrix().iter().all(|number| number.is_finite()), "{}", device.name);
    }
}

/// Corners are vertices, and vertices are somewhere.
fn check_shape(shape: &bunraku_mesh::Shape) {
    let mesh = shape.geometry.triangles();
    assert!(mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < mesh.vertices.len()));
    assert!(mesh.vertices.iter().flat_map(|vertex| vertex.iter()).all(|coordinate| coordinate.is_finite()));
    assert!(shape.transform.matrix().iter().all(|number| number.is_finite()));
}
