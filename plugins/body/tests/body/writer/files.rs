//! Models that refer to other files.

use std::path::Path;

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Reporter, SearchRoots};
use bunraku_test_support::{assert_same_body, model_text};

use crate::common::list;
use crate::writer::written_to;

/// A square of two triangles.
const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\no ONE\nf 1 2 3\no TWO\nf 1 3 4\n";

/// Writes files and loads the first.
fn load_files(directory: &Path, files: &[(&str, &str)]) -> Body {
    for (path, text) in files {
        let path = directory.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    load_clean(&directory.join(files[0].0))
}

#[track_caller]
fn load_clean(path: &Path) -> Body {
    let reporter = Reporter::new();
    let body = bunraku_body::load(path, &LoadOptions::default(), &reporter);
    assert!(reporter.diagnostics().is_empty(), "{}", list(&reporter.diagnostics()));
    body.unwrap()
}

/// Writes a body into a directory, with its pictures, and loads it from there.
#[track_caller]
fn through_disk(body: &Body, path: &Path) -> (Body, String) {
    let (written, findings) = written_to(body, path, &LoadOptions::default());
    assert!(findings.is_empty(), "{}", list(&findings));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    for file in &written.files {
        std::fs::write(&file.path, &file.bytes).unwrap();
    }
    std::fs::write(path, &written.text).unwrap();
    (load_clean(path), written.text)
}

#[test]
fn mesh_files_are_referred_to_relative_to_the_output() {
    let top = tempfile::tempdir().unwrap();
    let elements = "      - { type: Resource, uri: meshes/square.obj, translation: [ 1, 0, 0 ], metadata: { length_unit: millimeter, \
                    upper_axis: Y } }
      - { type: Visual, elements: [ { type: Resource, uri: meshes/square.obj, scale: [ 1, 2, -1 ], rotation: [ 1, 0, 0, 20 ] } ] }
      - { type: Collision, resource: { uri: meshes/square.obj, metadata: { length_unit: inch } } }
      - { type: Shape, rotation: [ 0, 0, 1, 30 ], geometry: { type: Resource, uri: meshes/square.obj, crease_angle: 30 } }
      - { type: Transform, scale: [ 1, 2, 1 ], elements: [ { type: Resource, rotation: [ 0, 0, 1, 45 ], uri: meshes/square.obj } ] }
";
    let model = model_text(&format!("  - name: BASE\n    elements:\n{elements}"));
    let body = load_files(top.path(), &[("arm/arm.body", &model), ("arm/meshes/square.obj", SQUARE)]);
    let (again, text) = through_disk(&body, &top.path().join("copy/arm.body"));
    assert_same_body(&again, &body, &text);
    assert_eq!(text.matches("uri: ../arm/meshes/square.obj").count(), 5, "{text}");
    assert!(!text.contains("vertices"), "{text}");
    let (again, text) = through_disk(&body, &top.path().join("arm/copy.body"));
    assert_same_body(&again, &body, &text);
    assert_eq!(text.matches("uri: meshes/square.obj").count(), 5, "{text}");
}

#[test]
fn parts_of_mesh_files_are_named() {
    let top = tempfile::tempdir().unwrap();
    let model = model_text("  - { name: BASE, elements: [ { type: Resource, uri: square.obj, node: TWO } ] }\n");
    let body = load_files(top.path(), &[("arm.body", &model), ("square.obj", SQUARE)]);
    let (again, text) = through_disk(&body, &top.path().join("copy.body"));
    assert_same_body(&again, &body, &text);
    assert!(text.contains("node: TWO"), "{text}");
}

#[test]
fn files_in_the_share_directory_are_named_by_it() {
    let top = tempfile::tempdir().unwrap();
    let model = model_text("  - { name: BASE, elements: [ { type: Resource, uri: square.obj } ] }\n");
    let body =
        load_files(&top.path().join("share"), &[("model/arm/arm.body", &model), ("model/arm/square.obj", SQUARE)]);
    std::fs::create_dir_all(top.path().join("home/models/mine")).unwrap();
    let options = LoadOptions { roots: SearchRoots::new(Some(top.path().join("share"))), ..LoadOptions::default() };
    let (written, findings) = written_to(&body, &top.path().join("home/models/mine/x.body"), &options);
    assert!(findings.is_empty());
    assert!(written.text.contains("uri: \"${SHARE}/model/arm/square.obj\""), "{}", written.text);
    let (written, _) = written_to(&body, &top.path().join("share/model/arm/x.body"), &options);
    assert!(written.text.contains("uri: square.obj"), "{}", written.text);
    let (written, findings) = written_to(&body, &top.path().join("home/models/mine/x.body"), &LoadOptions::default());
    assert!(written.text.contains("uri: ../../../share/model/arm/square.obj"), "{}", written.text);
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["outside"]);
}

#[test]
fn a_mesh_in_place_of_a_model_becomes_a_model_that_refers_to_it() {
    let top = tempfile::tempdir().unwrap();
    let body = load_files(top.path(), &[("square.obj", SQUARE)]);
    let (again, text) = through_disk(&body, &top.path().join("square.body"));
    assert_same_body(&again, &body, &text);
    assert!(text.contains("uri: square.obj"), "{text}");
}

#[test]
fn parts_of_yaml_files_and_models_inside_models_become_one_file() {
    let top = tempfile::tempdir().unwrap();
    let hand = "  - { name: HAND, mass: 2 }\n  - { name: FINGER, parent: HAND, joint_type: revolute, joint_id: 0, elements: [ { type: \
                Resource, uri: ../meshes/square.obj } ] }\n";
    let body = load_files(
        top.path(),
        &[
            (
                "arm/arm.body",
                &model_text(
                    "  - { name: BASE, elements: [ { type: Resource, uri: parts.yaml, node: BALL } ] }\n  - { type: SubBody, uri: \
                 hand/hand.body, prefix: L_, parent: BASE, joint_type: fixed, translation: [ 0, 1, 0 ] }\n",
                ),
            ),
            ("arm/hand/hand.body", &model_text(hand)),
            ("arm/meshes/square.obj", SQUARE),
            ("arm/parts.yaml", "A: &BALL { type: Shape, geometry: { type: Sphere } }\n"),
        ],
    );
    let (again, text) = through_disk(&body, &top.path().join("arm/one.body"));
    assert_same_body(&again, &body, &text);
    assert!(text.contains("name: L_FINGER") && !text.contains("parts.yaml"), "{text}");
}

#[test]
fn textures_are_named_or_written_beside_the_model() {
    let top = tempfile::tempdir().unwrap();
    let shape = "{ type: Shape, geometry: { type: Box }, appearance: { material: { ambient: 0.5, emissive: [ 0, 0, 1 ], specular: [ 1, 1, 1 \
                 ], specular_exponent: 80, transparency: 0.25 }, texture: { uri: wood.png, repeat: [ true, false ] }, texture_transform: { \
                 center: [ 0.5, 0.5 ], rotation: 30, scale: [ 2, 3 ], translation: [ 0.1, 0 ] } } }";
    let model = model_text(&format!("  - {{ name: BASE, elements: [ {shape} ] }}\n"));
    let body = load_files(top.path(), &[("arm.body", &model), ("wood.png", "")]);
    let (again, text) = through_disk(&body, &top.path().join("copy.body"));
    assert_same_body(&again, &body, &text);
    assert!(text.contains("uri: wood.png"), "{text}");
}
