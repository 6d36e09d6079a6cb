//! References to other files: parts of YAML files, textures, wrappers. Mesh files are tested in `bunraku_mesh`.

use std::path::Path;

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Diagnostic, Reporter, Severity};
use bunraku_mesh::{BoundingBox, TextureImage};
use bunraku_test_support::{MODEL_HEAD, assert_all_close};
use tempfile::TempDir;

use crate::common::{link, list};

/// A directory with these files.
fn files(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    directory
}

fn load(path: &Path) -> (Option<Body>, Vec<Diagnostic>) {
    let reporter = Reporter::new();
    let body = bunraku_body::load(path, &LoadOptions::default(), &reporter);
    (body, reporter.into_diagnostics())
}

#[track_caller]
fn load_clean(path: &Path) -> Body {
    let (body, findings) = load(path);
    assert!(findings.is_empty(), "{}", list(&findings));
    body.unwrap()
}

fn model(elements: &str) -> String {
    format!("{MODEL_HEAD}  - name: BASE\n    elements:\n{elements}")
}

#[track_caller]
fn assert_box(bounds: Option<BoundingBox>, min: [f64; 3], max: [f64; 3]) {
    let bounds = bounds.unwrap();
    let found: Vec<f64> = bounds.min.iter().chain(bounds.max.iter()).map(|value| (value * 1e6).round() / 1e6).collect();
    assert_all_close(&found, min.into_iter().chain(max));
}

#[test]
fn a_part_of_a_yaml_file_is_found_by_its_anchor_and_sees_those_of_the_model() {
    let top = files(&[
        (
            "arm/arm.body",
            &format!(
                "RED: &RED {{ material: {{ diffuse: [ 1, 0, 0 ] }} }}\n{}",
                model(
                    "      - { type: Resource, uri: parts/hand.yaml, node: HAND, translation: [ 0, 0, 1 ] }\n      - { type: \
                     Resource, uri: parts/hand.yaml, fragment: HAND, scale: [ 1, 1, 2 ] }\n"
                )
            ),
        ),
        (
            "arm/parts/hand.yaml",
            "HAND: &HAND\n  RigidBody:\n    mass: 2\n    elements:\n      - { type: Shape, geometry: { type: Box }, appearance: \
             *RED }\n      - { type: ForceSensor, name: WRIST }\nOTHER: { type: Unheard }\n",
        ),
    ]);
    let body = load_clean(&top.path().join("arm/arm.body"));
    let base = body.root();
    assert_eq!(base.mass.mass, 4.0);
    assert_all_close(base.mass.center_of_mass.coords.iter(), [0.0, 0.0, 0.5]);
    assert_eq!(base.visual.len(), 2);
    assert_all_close(base.visual[0].appearance.diffuse.iter(), [1.0, 0.0, 0.0]);
    assert_box(base.visual[0].bounding_box(), [-0.5, -0.5, 0.5], [0.5, 0.5, 1.5]);
    assert_box(base.visual[1].bounding_box(), [-0.5, -0.5, -1.0], [0.5, 0.5, 1.0]);
    assert_eq!(body.devices.len(), 2);
}

#[test]
fn paths_in_a_yaml_resource_start_at_it() {
    let part = "- type: Shape\n  geometry: { type: Box }\n  appearance: { texture: { url: skin.png } }\n";
    let top = files(&[
        ("arm.body", &model("      - { type: Resource, uri: parts/a.yaml }\n")),
        ("parts/a.yaml", part),
        ("parts/skin.png", "not looked into here"),
    ]);
    let body = load_clean(&top.path().join("arm.body"));
    let texture = body.root().visual[0].appearance.texture.as_ref().unwrap();
    let TextureImage::File(path) = &texture.image else { panic!() };
    assert_eq!(path.canonicalize().unwrap(), top.path().join("parts/skin.png").canonicalize().unwrap());
}

#[test]
fn visual_and_collision_may_hold_a_resource() {
    let top = files(&[
        ("arm.body", &model("      - { type: Visual, resource: { uri: a.yaml }, translation: [ 1, 0, 0 ] }\n")),
        ("a.yaml", "type: Shape\ngeometry: { type: Box }\n"),
    ]);
    let body = load_clean(&top.path().join("arm.body"));
    assert_box(body.root().visual[0].bounding_box(), [0.5, -0.5, -0.5], [1.5, 0.5, 0.5]);
    assert!(body.root().collision.is_empty());
}

#[test]
fn a_scene_file_is_read_with_its_own_unit() {
    let scene = "format: ChoreonoidScene\nformat_version: 2.0\nscene:\n  Transform:\n    rotation: [ 0, 0, 1, 90 ]\n    elements:\n      \
                 - { type: Shape, geometry: { type: Box, size: [ 2, 4, 6 ] } }\n";
    let text = model("      - { type: Resource, uri: a.scen, rotation: [ 1, 0, 0, 1.5707963267948966 ] }\n");
    let text = text.replace("format_version: 2.0", "format_version: 1.0\nangle_unit: radian");
    let top = files(&[("arm.body", &text), ("a.scen", scene)]);
    let body = load_clean(&top.path().join("arm.body"));
    assert_box(body.root().visual[0].bounding_box(), [-2.0, -3.0, -1.0], [2.0, 3.0, 1.0]);

    let body = load_clean(&top.path().join("a.scen"));
    assert_eq!((body.name.as_str(), body.root().name.as_str(), body.is_fixed()), ("a", "Root", true));
    assert_box(body.root().visual[0].bounding_box(), [-2.0, -1.0, -3.0], [2.0, 1.0, 3.0]);
}

#[test]
fn units_and_axes_of_a_resource() {
    let part = "type: Shape\ngeometry: { type: Box, size: [ 1000, 2000, 3000 ] }\n";
    for metadata in ["{ length_unit: millimeter, upper_axis: Y }", "millimeter y_upper"] {
        let text = model(&format!("      - {{ type: Resource, uri: a.yaml, metadata: {metadata} }}\n"));
        let top = files(&[("arm.body", &text), ("a.yaml", part)]);
        let body = load_clean(&top.path().join("arm.body"));
        assert_box(body.root().visual[0].bounding_box(), [-1.5, -0.5, -1.0], [1.5, 0.5, 1.0]);
    }
    let text = model("      - { type: Resource, uri: a.yaml, metadata: { length_unit: inch } }\n");
    let top = files(&[("arm.body", &text), ("a.yaml", part)]);
    let bounds = load_clean(&top.path().join("arm.body")).root().visual[0].bounding_box();
    assert_box(bounds, [-12.7, -25.4, -38.1], [12.7, 25.4, 38.1]);
}

#[test]
fn a_part_of_a_mesh_file_that_is_named_anywhere_is_missing_from_the_rest() {
    let mesh = "g HAND\nv 1 0 0\nv 2 0 0\nv 1 1 0\nf 1 2 3\ng ARM\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 4 5 6\n";
    let text = format!(
        "{MODEL_HEAD}  - {{ name: BASE, elements: [ {{ type: Resource, uri: a.obj }} ] }}\n  - {{ name: HAND, parent: BASE, elements: [ {{ type: \
         Resource, uri: a.obj, node: HAND, translation: [ 0, 0, 7 ] }} ] }}\n"
    );
    let top = files(&[("arm.body", &text), ("a.obj", mesh), ("typo.body", &text.replace("node: HAND", "node: HADN"))]);
    let body = load_clean(&top.path().join("arm.body"));
    assert_eq!((body.root().visual.len(), link(&body, "HAND").visual.len()), (1, 1));
    assert_box(body.root().visual[0].bounding_box(), [5.0, 0.0, 0.0], [6.0, 1.0, 0.0]);
    let shape = &link(&body, "HAND").visual[0];
    assert_box(shape.bounding_box(), [1.0, 0.0, 7.0], [2.0, 1.0, 7.0]);
    let origin = shape.origin.as_ref().unwrap();
    assert_eq!((origin.part.as_deref(), origin.as_geometry), (Some("HAND"), false));
    assert_all_close(&[origin.transform.matrix()[(2, 3)]], [7.0]);
    let (body, findings) = load(&top.path().join("typo.body"));
    assert_eq!(body.unwrap().root().visual.len(), 2);
    assert_eq!((findings.len(), findings[0].code), (1, "unknown-fragment"));
    assert_eq!((findings[0].severity, findings[0].help.as_deref()), (Severity::Warning, Some("did you mean `HAND`?")));
}

#[test]
fn a_geometry_may_be_a_mesh_file() {
    let mesh = "g A\nv 1 0 0\nv 2 0 0\nv 1 1 0\nf 1 2 3\ng B\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 4 5 6\n";
    let shape = |keys: &str| {
        format!(
            "      - {{ type: Shape, translation: [ 0, 0, 1 ], geometry: {{ type: Resource, uri: a.obj{keys} }} }}\n"
        )
    };
    let top = files(&[("arm.body", &model(&(shape("") + &shape(", node: A, creaseAngle: 90")))), ("a.obj", mesh)]);
    let body = load_clean(&top.path().join("arm.body"));
    let [whole, part] = body.root().visual.as_slice() else { panic!() };
    assert_box(whole.bounding_box(), [5.0, 0.0, 1.0], [6.0, 1.0, 1.0]);
    assert_box(part.bounding_box(), [1.0, 0.0, 1.0], [2.0, 1.0, 1.0]);
    assert_eq!(part.geometry.triangles().normals, bunraku_mesh::Normals::Crease(std::f64::consts::FRAC_PI_2));
    assert!(part.origin.as_ref().unwrap().as_geometry);
}

#[test]
fn a_mesh_file_alone_is_a_body_of_one_fixed_link() {
    let top = files(&[("plate.OBJ", "v 1 0 0\nv 2 0 0\nv 1 1 0\nf 1 2 3\n"), ("bad.stl", "solid"), ("x.exe", "")]);
    let body = load_clean(&top.path().join("plate.OBJ"));
    assert_eq!((body.links().len(), body.mass(), body.is_fixed(), body.num_joints()), (1, 1.0, true, 0));
    assert_box(body.root().collision[0].bounding_box(), [1.0, 0.0, 0.0], [2.0, 1.0, 0.0]);
    assert!(load(&top.path().join("bad.stl")).0.is_none());
    assert_eq!(load(&top.path().join("x.exe")).1[0].code, "unknown-file-type");
}

#[test]
fn errors_in_a_resource_are_located() {
    let top = files(&[
        ("a/arm.body", &model("      - { type: Resource, uri: a.yaml, node: HADN }\n")),
        ("a/missing.body", &model("      - { type: Resource, uri: none.yaml }\n")),
        ("a/mesh.body", &model("      - { type: Resource, uri: none.stl }\n")),
        ("a/outside.body", &model("      - { type: Resource, uri: ../../secret.stl }\n")),
        ("a/loop.body", &model("      - { type: Resource, uri: loop.yaml }\n")),
        ("a/loop.yaml", "- { type: Resource, uri: loop.yaml }\n"),
        ("a/scheme.body", &model("      - { type: Resource, uri: 'http://x/a.stl' }\n")),
        ("a/a.yaml", "HAND: &HAND { type: Group }\n"),
    ]);
    let one = |file: &str| {
        let (body, mut findings) = load(&top.path().join(file));
        assert_eq!(findings.len(), 1, "{}", list(&findings));
        let finding = findings.remove(0);
        assert!(finding.position().is_some(), "{finding}");
        (body.is_some(), finding.severity, finding.code, finding.help.unwrap_or_default())
    };
    let (_, severity, code, help) = one("a/arm.body");
    assert_eq!((severity, code, help.as_str()), (Severity::Error, "unknown-fragment", "did you mean `HAND`?"));
    assert_eq!(one("a/missing.body").1, Severity::Error, "a part may carry mass");
    let (loads, severity, code, help) = one("a/mesh.body");
    assert_eq!((loads, severity, code), (true, Severity::Warning, "file-not-found"));
    assert!(help.contains(top.path().join("a").to_str().unwrap()), "{help}");
    let (loads, _, code, help) = one("a/outside.body");
    assert_eq!((loads, code), (true, "outside-roots"));
    assert!(help.contains("--allow-outside"), "{help}");
    assert_eq!(one("a/loop.body").2, "resource-cycle");
    assert_eq!(one("a/scheme.body").2, "bad-path");
}

#[test]
fn a_texture_that_is_not_there_is_a_warning() {
    let part = "      - { type: Shape, geometry: { type: Box }, appearance: { texture: { url: none.png, repeat: [ true, false ] } } }\n";
    let top = files(&[("arm.body", &model(part))]);
    let (body, findings) = load(&top.path().join("arm.body"));
    assert!(body.unwrap().root().visual[0].appearance.texture.is_none());
    assert_eq!((findings.len(), findings[0].severity, findings[0].code), (1, Severity::Warning, "file-not-found"));
}

#[test]
fn textures_have_repeat_and_transform() {
    let shape =
        |texture: &str| format!("      - {{ type: Shape, geometry: {{ type: Box }}, appearance: {{ {texture} }} }}\n");
    let top = files(&[
        (
            "new.body",
            &model(&shape(
                "texture: { uri: a.png, repeat: [ true, false ] }, texture_transform: { center: [ 1, 2 ], scale: [ 3, 4 ], \
                 translation: [ 5, 6 ], rotation: 180 }",
            )),
        ),
        ("old.body", &model(&shape("texture: { url: a.png, repeatS: false }, textureTransform: { scale: [ 2, 2 ] }"))),
        ("none.body", &model(&shape("texture: { url: a.png, repeat: false }"))),
        ("a.png", ""),
    ]);
    let texture = |file: &str| load_clean(&top.path().join(file)).root().visual[0].appearance.texture.clone().unwrap();
    let new = texture("new.body");
    assert_eq!(new.repeat, [true, false]);
    assert_all_close(new.transform.center.iter(), [1.0, 2.0]);
    assert_all_close(new.transform.scale.iter(), [3.0, 4.0]);
    assert_all_close(new.transform.translation.iter(), [5.0, 6.0]);
    assert_all_close(&[new.transform.rotation], [std::f64::consts::PI]);
    let old = texture("old.body");
    assert_eq!(old.repeat, [false, true]);
    assert_all_close(old.transform.scale.iter(), [2.0, 2.0]);
    assert_eq!(texture("none.body").repeat, [false, false]);
}

#[test]
fn a_wrapper_adds_to_a_model() {
    let top = files(&[
        (
            "robot.yaml",
            "model_file: robot.body\nname: ignored\nstandardPose: [ 90 ]\ngeometry: { divisionNumber: 8 }\nlinkInfo: { ARM: { density: \
             2, deep: { a: [ 1 ] } } }\ncollisionDetection: { excludeTreeDepth: 2, excludeLinks: [ ARM ] }\nlinkGroup: [ ARM ]\n",
        ),
        (
            "robot.body",
            &format!(
                "{MODEL_HEAD}  - name: BASE\n    elements: {{ Shape: {{ geometry: {{ type: Cylinder }} }} }}\n  - {{ name: ARM, parent: BASE, \
                 joint_type: revolute, joint_id: 0 }}\n"
            ),
        ),
        ("loop.yaml", "modelFile: loop.yaml\n"),
    ]);
    let body = load_clean(&top.path().join("robot.yaml"));
    assert_eq!(body.name, "robot");
    assert_all_close(&body.standard_displacements(), [std::f64::consts::FRAC_PI_2]);
    assert_eq!(body.root().visual[0].geometry.triangles().triangles.len(), 4 * 8);
    assert_eq!(link(&body, "ARM").info.len(), 2);
    assert_eq!(body.collision_filter().disabled_links.len(), 1);
    assert!(body.info.iter().any(|(key, _)| key == "linkGroup"));
    assert_eq!(load(&top.path().join("loop.yaml")).1[0].code, "model-file-cycle");
}
