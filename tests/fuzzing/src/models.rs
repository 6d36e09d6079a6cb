//! Readers of model files.

use std::path::Path;

use bunraku_body::{Body, ContactMaterials, LoadOptions, WriteOptions, WrittenModel};
use bunraku_document::{Limits, Reporter, SearchRoots};
use bunraku_mesh::LoadContext;
use bunraku_mesh::vrml::{Converter, Document};
use bunraku_test_support::assert_same_body;

use crate::exports::{ExportFormat, check_export};
use crate::findings;
use crate::scratch::with_file;

/// VRML: as a tree, as a scene, and as a model, OpenHRP's or a mesh. Its findings all have a position and help.
pub fn vrml(bytes: &[u8]) {
    with_file("fuzz.wrl", bytes, |path| {
        let limits = Limits::default();
        let roots = SearchRoots::default().around(path);
        let reporter = Reporter::new();
        match Document::parse(path, bytes, &limits, &reporter) {
            Ok(document) => {
                let context = LoadContext { roots: &roots, limits: &limits, reporter: &reporter };
                match Converter::new(&document, context).scene() {
                    Ok(scene) => scene.shapes().iter().for_each(check_shape),
                    Err(error) => findings::check_finding(&error),
                }
            }
            Err(error) => findings::check_finding(&error),
        }
        for finding in reporter.into_diagnostics() {
            findings::check_finding(&finding);
            assert!(finding.position().is_some(), "nothing says where: {finding}");
            assert!(finding.help.as_ref().is_some_and(|help| !help.is_empty()), "nothing says what to do: {finding}");
        }
        load(path);
    });
}

/// Choreonoid's `.body`.
pub fn body(bytes: &[u8]) {
    with_file("fuzz.body", bytes, load);
}

/// URDF.
pub fn urdf(bytes: &[u8]) {
    with_file("fuzz.urdf", bytes, load);
}

/// URDF with macros.
pub fn xacro(bytes: &[u8]) {
    with_file("fuzz.urdf.xacro", bytes, load);
}

/// MuJoCo's XML.
pub fn mjcf(bytes: &[u8]) {
    with_file("fuzz.xml", bytes, load);
}

/// Tables of contact materials.
pub fn materials(bytes: &[u8]) {
    with_file("materials.yaml", bytes, |path| {
        let reporter = Reporter::new();
        let table = ContactMaterials::load(path, &LoadOptions::default(), &reporter);
        findings::check(reporter, table.is_some());
        if let Some(table) = table {
            let properties = table.between(Some("a"), None);
            assert!(properties.static_friction >= 0.0 && properties.static_friction.is_finite());
        }
    });
}

/// Loads a model, checks it, and writes it in each format.
fn load(path: &Path) {
    let reporter = Reporter::new();
    let options = LoadOptions { check_plausibility: true, ..LoadOptions::default() };
    let body = bunraku_body::load(path, &options, &reporter);
    findings::check(reporter, body.is_some());
    if let Some(body) = body {
        check_body(&body);
        write(&body, path);
    }
}

/// Writes a model in each format. What is written as `.body` is read without errors, and as the same model if nothing
/// was reported as lost.
fn write(body: &Body, path: &Path) {
    let written = path.with_file_name("written.body");
    let options = WriteOptions { path: &written, roots: &SearchRoots::default() };
    let lost = Reporter::new();
    let WrittenModel { text, files } = bunraku_body::write(body, &options, &lost);
    let source = bunraku_document::SourceFile::from_text(&written, text.clone());
    let reporter = Reporter::new();
    let again = bunraku_body::read(&source, &LoadOptions::default(), &reporter);
    let Some(again) = again else { panic!("what was written is rejected: {:?}", reporter.into_diagnostics()) };
    assert_eq!(again.links().len(), body.links().len());
    assert_eq!(again.num_joints(), body.num_joints());
    if lost.diagnostics().is_empty() && files.is_empty() {
        let mut expected = body.clone();
        // In `.body` files devices are ordered by link.
        expected.devices.sort_by_key(|device| device.link);
        assert_same_body(&again, &expected, &text);
    }
    check_export(body, ExportFormat::Urdf);
    check_export(body, ExportFormat::Mjcf);
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
pub fn check_shape(shape: &bunraku_mesh::Shape) {
    let mesh = shape.geometry.triangles();
    assert!(mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < mesh.vertices.len()));
    assert!(mesh.vertices.iter().flat_map(|vertex| vertex.iter()).all(|coordinate| coordinate.is_finite()));
    assert!(shape.transform.matrix().iter().all(|number| number.is_finite()));
}
