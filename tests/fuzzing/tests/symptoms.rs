//! What the fuzz targets have found, each named by its symptom.
// Tests panic and print on purpose when they cannot continue.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::path::Path;

use bunraku_body::{Body, ContactMaterials, LoadOptions};
use bunraku_document::{Diagnostic, Limits, Reporter, SearchRoots, Severity};
use bunraku_mesh::{LoadContext, load_scene};
use bunraku_test_support::TestFolder;

fn load(path: &Path) -> (Option<Body>, Vec<Diagnostic>) {
    let reporter = Reporter::new();
    let body = bunraku_body::load(path, &LoadOptions::default(), &reporter);
    (body, reporter.into_diagnostics())
}

/// Codes of the errors, which all have a place.
fn errors(findings: &[Diagnostic]) -> Vec<&'static str> {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.inspect(|error| assert!(error.place.is_some(), "{error}")).map(|error| error.code).collect()
}

#[test]
fn the_axis_of_a_joint_was_zero_if_one_of_its_numbers_was_huge() {
    let folder = TestFolder::new();
    let mjcf = "<mujoco><worldbody><body name=\"b\"><joint type=\"slide\" axis=\"0 0 1e308\"/><geom size=\"1\"/></body></worldbody></mujoco>";
    let urdf = "<robot name=\"a\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 0 1e308\"/></joint></robot>";
    for (name, text) in [("a.xml", mjcf), ("a.urdf", urdf)] {
        let (body, findings) = load(&folder.write(name, text));
        let body = body.unwrap_or_else(|| panic!("{name}: {findings:?}"));
        assert_eq!(body.links().last().unwrap().joint.axis, nalgebra::Vector3::z(), "{name}");
    }
}

#[test]
fn the_vertices_of_a_box_of_1e308_m_were_infinite() {
    let folder = TestFolder::new();
    let body = "format: ChoreonoidBody\nformat_version: 2.0\nname: A\nlinks:\n  - { name: L, elements: [ { type: Shape, geometry: { type: Box, size: [ 1, 1e308, 1 ] } } ] }\n";
    let urdf = "<robot name=\"a\"><link name=\"l\"><visual><geometry><box size=\"1 1e308 1\"/></geometry></visual></link></robot>";
    let mjcf = "<mujoco><worldbody><geom type=\"box\" size=\"1 1e308 1\"/></worldbody></mujoco>";
    for (name, text) in [("a.body", body), ("a.urdf", urdf), ("a.xml", mjcf)] {
        let (body, findings) = load(&folder.write(name, text));
        assert!(body.is_none() && errors(&findings).contains(&"too-large"), "{name}: {findings:?}");
    }
}

#[test]
fn the_vertices_of_a_mesh_of_mujoco_were_infinite() {
    let folder = TestFolder::new();
    let text = "<mujoco><asset><mesh name=\"m\" vertex=\"1e308 0 0 1 0 0 0 1 0 0 0 1\" face=\"0 2 1 0 1 3 0 3 2 1 2 3\"/></asset>\
                <worldbody><geom type=\"mesh\" mesh=\"m\"/></worldbody></mujoco>";
    let (body, findings) = load(&folder.write("a.xml", text));
    assert!(body.is_none() && errors(&findings).contains(&"not-finite"), "{findings:?}");
}

#[test]
fn a_unit_of_1e308_m_made_the_shapes_of_collada_infinite() {
    let folder = TestFolder::new();
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/dae/all.dae");
    let text = std::fs::read_to_string(seed).unwrap().replace("meter=\"0.01\"", "meter=\"1e308\"");
    let path = folder.write("a.dae", text);
    let (limits, reporter) = (Limits::default(), Reporter::new());
    let roots = SearchRoots::default().around(&path);
    let error = load_scene(&path, &LoadContext { roots: &roots, limits: &limits, reporter: &reporter }).unwrap_err();
    assert!(error.code == "not-finite" && error.place.is_some(), "{error}");
}

#[test]
fn ten_thousand_ball_joints_hit_an_assertion() {
    let folder = TestFolder::new();
    let text = "<mujoco><worldbody><replicate count=\"9999\"><body><joint type=\"ball\"/><geom size=\"0.1\"/></body></replicate></worldbody></mujoco>";
    let (body, findings) = load(&folder.write("a.xml", text));
    assert!(body.is_none() && errors(&findings).contains(&"limit-links"), "{findings:?}");
}

#[test]
fn the_friction_of_two_materials_of_1e308_was_infinite() {
    let folder = TestFolder::new();
    let path = folder.write("m.yaml", "materials:\n  - { name: Default, roughness: 1e308, viscosity: -3 }\n");
    let reporter = Reporter::new();
    let table = ContactMaterials::load(&path, &LoadOptions::default(), &reporter).unwrap();
    let properties = table.between(None, None);
    assert!(properties.static_friction <= 1e6 && properties.restitution == 1.0, "{properties:?}");
    let findings = reporter.into_diagnostics();
    assert!(findings.len() == 2 && findings.iter().all(|finding| finding.code == "coefficient-range"), "{findings:?}");
}

#[cfg(feature = "scene")]
#[test]
fn a_project_without_a_world_was_refused_without_a_place() {
    use bunraku_scene::{Scene, SceneOptions};
    let folder = TestFolder::new();
    let path = folder.write("a.cnoid", "items: { name: RootItem, class: RootItem, children: [] }\n");
    let reporter = Reporter::new();
    assert!(Scene::load(&path, &SceneOptions::default(), &reporter).is_none());
    assert_eq!(errors(&reporter.into_diagnostics()), ["no-world"]);
}

#[test]
fn messages_about_missing_files_were_longer_than_others() {
    let folder = TestFolder::new();
    let name = "x".repeat(3000);
    folder.write("a.mtl", format!("newmtl a\nmap_Kd {name}\n"));
    for text in [format!("mtllib {name}\nv 0 0 0\n"), "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_owned()] {
        let path = folder.write("a.obj", text);
        let (limits, reporter) = (Limits::default(), Reporter::new());
        let roots = SearchRoots::default().around(&path);
        let _ = load_scene(&path, &LoadContext { roots: &roots, limits: &limits, reporter: &reporter });
        let findings = reporter.into_diagnostics();
        let longest = findings.iter().map(|finding| finding.message.chars().count()).max();
        assert!(longest.is_some_and(|longest| longest > 1000 && longest <= 2000), "{longest:?}");
    }
}
