//! Scenes and projects.

use std::path::{Path, PathBuf};

use bunraku_document::Reporter;
use bunraku_scene::{Scene, SceneOptions};
use bunraku_sensors::log::write_color_png;
use bunraku_test_support::TestFolder;

use super::edge;

/// Whether a scene is read. If not, its error has this code and one of its messages this text.
fn is_read(path: &Path, code: &str, text: &str) -> bool {
    let reporter = Reporter::new();
    let is_read = Scene::load(path, &SceneOptions::default(), &reporter).is_some();
    let findings: Vec<_> = reporter.into_diagnostics().into_iter().map(|it| (it.code, it.message)).collect();
    let is_told = |(known, message): &(&str, String)| *known == code && message.contains(text);
    assert!(is_read || findings.iter().any(is_told), "{:?}", findings.first());
    is_read
}

/// A model with these elements.
fn body(elements: &str) -> String {
    format!(
        "format: ChoreonoidBody
format_version: 2.0
name: A
links:
  - name: L
    joint_type: free
    mass: 1
    inertia: [ 1, 0, 0, 0, 1, 0, 0, 0, 1 ]
    elements:
{elements}"
    )
}

fn scene(folder: &TestFolder, bodies: &str) -> PathBuf {
    folder.write("a.scene.yaml", format!("format: BunrakuScene\nformat_version: 1\nbodies: [ {bodies} ]\n"))
}

/// A scene with 9999 copies of `many.body`, and one `more.body`.
fn many_and_more(folder: &TestFolder) -> PathBuf {
    let many = "{ name: A, file: many.body, count: 9999, spacing: [ 3, 0, 0 ] }";
    scene(folder, &format!("{many}, {{ name: B, file: more.body, translation: [ 0, 9, 0 ] }}"))
}

const SPHERE: &str = "      - { type: Shape, geometry: { type: Sphere, radius: 0.1 } }\n";

#[test]
fn a_body_has_up_to_ten_thousand_copies() {
    let folder = TestFolder::new();
    folder.write("a.body", body(SPHERE));
    let accepts = |count: usize| {
        let body = format!("{{ name: A, file: a.body, count: {count}, spacing: [ 1, 0, 0 ] }}");
        is_read(&scene(&folder, &body), "out-of-range", "copies")
    };
    assert!(accepts(10_000) && !accepts(10_001));
}

#[test]
fn a_scene_has_devices_up_to_its_limit() {
    let folder = TestFolder::new();
    let write = |name: &str, devices: usize| {
        let sensors = (0..devices).map(|id| format!("      - {{ type: ForceSensor, name: S{id}, id: {id} }}\n"));
        folder.write(name, body(&sensors.collect::<String>()));
    };
    write("many.body", 20);
    let accepts = |devices: usize| {
        write("more.body", devices);
        is_read(&many_and_more(&folder), "limit-scene", "devices")
    };
    assert!(accepts(20) && !accepts(21));
}

#[test]
fn a_scene_has_triangles_to_collide_with_up_to_its_limit() {
    let folder = TestFolder::new();
    let write = |name: &str, triangles: usize| {
        // A fan about a corner, whose triangles are not in one plane.
        let points = (0..=triangles).map(|index| {
            let angle = index as f64 / triangles as f64;
            format!("{} {} {}", angle.cos(), angle.sin(), angle * angle)
        });
        let points = points.collect::<Vec<_>>().join(", ");
        let faces: String = (1..=triangles).map(|index| format!("0 {index} {} -1 ", index + 1)).collect();
        let set = format!("coord Coordinate {{ point [ 0 0 0, {points} ] }} coordIndex [ {faces}]");
        folder.write(
            format!("{name}.wrl"),
            format!("#VRML V2.0 utf8\nShape {{ geometry IndexedFaceSet {{ {set} }} }}\n"),
        );
        folder.write(format!("{name}.body"), body(&format!("      - {{ type: Resource, uri: {name}.wrl }}\n")));
    };
    write("many", 2000);
    let accepts = |triangles: usize| {
        write("more", triangles);
        is_read(&many_and_more(&folder), "limit-scene", "triangles")
    };
    assert!(accepts(2000) && !accepts(2001));
}

#[test]
fn projects_are_inside_each_other_up_to_their_limit() {
    let folder = TestFolder::new();
    folder.write("a.body", body(SPHERE));
    let accepts = |count: usize| {
        for project in 1..=count {
            let next = format!("{{ name: S, class: SubProjectItem, data: {{ file: p{}.cnoid }} }}", project + 1);
            let child = if project < count { &next } else { "{ name: A, class: BodyItem, data: { file: a.body } }" };
            let world = format!("{{ name: W, class: WorldItem, children: [ {child} ] }}");
            folder.write(format!("p{project}.cnoid"), format!("items: {{ class: RootItem, children: [ {world} ] }}\n"));
        }
        is_read(&folder.join("p1.cnoid"), "limit-projects", "too many")
    };
    assert_eq!(edge(60, accepts), 32);
}

#[test]
fn heightfields_have_sides_up_to_their_limit() {
    let folder = TestFolder::new();
    let accepts = |side: u32| {
        write_color_png(&folder.join("a.png"), &vec![[9, 9, 9]; 2 * side as usize], side, 2).unwrap();
        let shape = "{ type: heightfield, image: a.png, size: [ 9, 9, 1 ] }";
        is_read(&scene(&folder, &format!("{{ name: H, shape: {shape} }}")), "bad-image", "513")
    };
    assert!(accepts(512) && !accepts(513));
}
