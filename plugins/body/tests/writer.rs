//! What is written as a `.body` file reads back to an equal body.
// A test that cannot go on should say so loudly.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../../../tests/common/real_data.rs"]
mod real_data;

mod common;

#[path = "writer/equality.rs"]
mod equality;
#[path = "writer/openhrp.rs"]
mod openhrp;
#[path = "writer/random.rs"]
mod random;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use bunraku_body::{Body, CollisionRule, Geometry, LoadOptions, WriteOptions, WrittenModel, write};
use bunraku_document::{Diagnostic, Reporter, SearchRoots, Severity, SourceFile};
use common::{clean_links, list, read_clean, with_links};
use equality::assert_same;
use real_data::real_data;

/// Writes a body as if to a path.
fn written_to(body: &Body, path: &Path, options: &LoadOptions) -> (WrittenModel, Vec<Diagnostic>) {
    let reporter = Reporter::new();
    let written = write(body, &WriteOptions { path, roots: &options.roots }, &reporter);
    let again = write(body, &WriteOptions { path, roots: &options.roots }, &Reporter::new());
    assert_eq!(written, again, "writing is not deterministic");
    (written, reporter.into_diagnostics())
}

/// Writes a body that nothing is lost of.
#[track_caller]
fn text(body: &Body) -> String {
    let (written, findings) = written_to(body, Path::new("x.body"), &LoadOptions::default());
    assert!(findings.is_empty(), "{}", list(&findings));
    assert!(written.files.is_empty());
    written.text
}

/// Reads a text, writes it and reads that; the text in between.
#[track_caller]
fn round_trip(source: &str) -> String {
    let body = read_clean(source);
    let text = text(&body);
    let again = read_clean(&text);
    assert_same(&again, &body, &text);
    text
}

#[track_caller]
fn round_trip_elements(elements: &str) -> String {
    round_trip(&with_links(&format!("  - name: BASE\n    elements:\n{elements}")))
}

#[test]
fn a_small_model_reads_as_a_person_would_write_it() {
    let source = "\
format: ChoreonoidBody
format_version: 1.0
angleUnit: radian
name: Arm
author: someone
links:
  - name: BASE
    jointType: free
    translation: [ 0, 0, 0.5 ]
    elements:
      Shape: &RED
        geometry: { type: Box, size: [ 1, 2, 0.1 ] }
        appearance: { material: { diffuseColor: [ 1, 0, 0 ] } }
  - name: ARM
    parent: BASE
    jointType: revolute
    jointAxis: [ 0, 1, 0 ]
    jointId: 0
    rotation: [ 0, 0, -2, 1.5707963267948966 ]
    jointRange: [ -3.141592653589793, unlimited ]
    maxJointVelocity: 1
    mass: 2.5
    centerOfMass: [ 0, 0, 0.1 ]
    inertia: [ 0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.3 ]
    elements:
      - *RED_SHAPE
      - { type: IMU, name: IMU, id: 0, translation: [ 0.1, 0, 0 ] }
      - { type: Visual, elements: { type: Shape, rotation: [ 1, 0, 0, 1.5707963267948966 ], geometry: { type: Cylinder, radius: 0.1, height: 1, top: false } } }
";
    let source = source.replace("      - *RED_SHAPE\n", "      - { type: Shape, <<: *RED }\n");
    let expected = "\
format: ChoreonoidBody
format_version: 2.0
angle_unit: degree
name: Arm
root_link: BASE
links:
  - name: BASE
    translation: [ 0, 0, 0.5 ]
    joint_type: free
    mass: 1
    inertia: [ 1, 0, 0, 0, 1, 0, 0, 0, 1 ]
    elements:
      - type: Shape
        geometry:
          type: Box
          size: [ 1, 2, 0.1 ]
        appearance: &appearance1
          material:
            diffuse: [ 1, 0, 0 ]

  - name: ARM
    parent: BASE
    rotation: [ 0, 0, 1, -90 ]
    joint_type: revolute
    joint_id: 0
    joint_axis: Y
    joint_range: [ -180, unlimited ]
    joint_velocity_range: [ -57.29577951308232, 57.29577951308232 ]
    mass: 2.5
    center_of_mass: [ 0, 0, 0.1 ]
    inertia: [ 0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.3 ]
    elements:
      - type: Shape
        geometry:
          type: Box
          size: [ 1, 2, 0.1 ]
        appearance: *appearance1
      - type: Visual
        elements:
          - type: Shape
            rotation: [ 1, 0, 0, 90 ]
            geometry:
              type: Cylinder
              radius: 0.1
              height: 1
              top: false
      - type: IMU
        name: IMU
        translation: [ 0.1, 0, 0 ]
        id: 0
author: someone
";
    assert_eq!(round_trip(&source), expected);
}

#[test]
fn joints_of_each_kind_with_all_their_keys() {
    round_trip(&with_links(
        "  - { name: ROOT, joint_type: fixed }
  - { name: A, parent: ROOT, joint_id: 1, joint_name: 'yes', joint_type: revolute, joint_axis: [ 0.6, 0, 0.8 ], joint_angle: \
         12.3, joint_range: [ -10, 33.3 ], joint_velocity_range: [ -20, 21 ], max_joint_effort: 7.5, actuation_mode: \
         joint_effort, gear_ratio: 100, rotor_inertia: 1.0e-5, gear_efficiency: 0.7, rotor_resistor: 1.5, torque_const: 0.02, encoder_pulse: 500,
         max_current: 4 }
  - { name: B, parent: A, joint_id: 0, joint_type: prismatic, joint_axis: -Z, joint_displacement: 0.1, joint_range: 2, \
         max_joint_velocity: 3, actuation_mode: joint_velocity, translation: [ 1, 2.5, -1.0e-7 ], rotation: [ [ 1, 0, 0, 20 ], [ \
         0, 1, 0, 230 ] ] }
  - { name: C, parent: A, joint_type: pseudo_continuous_track, joint_axis: Y, actuation_mode: joint_displacement, material: \
         Rubber }
  - { name: D, parent: ROOT, joint_type: fixed, mass: 0, actuation_mode: link_position }
  - { name: E, parent: D, joint_type: revolute, joint_axis: X, joint_range: [ unlimited, 0 ] }
",
    ));
}

#[test]
fn free_joints_inside_and_unused_ids_are_said_again() {
    let source = with_links(
        "  - { name: ROOT, joint_type: free }
  - { name: A, parent: ROOT, joint_id: 3, joint_type: revolute }
  - { name: B, parent: A, joint_type: free }
",
    );
    let (body, findings) = common::read_text(&source);
    let body = body.unwrap();
    let (again, found) = common::read_text(&text(&body));
    assert_same(&again.unwrap(), &body, "");
    let codes = |findings: &[Diagnostic]| findings.iter().map(|finding| finding.code).collect::<Vec<_>>();
    assert_eq!(codes(&found), codes(&findings));
}

#[test]
fn mass_properties() {
    let text = round_trip(&with_links(
        "  - name: ROOT
    elements:
      - { type: RigidBody, mass: 2, center_of_mass: [ 0.1, 0.2, 0.3 ], inertia: [ 1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 3 ], \
         rotation: [ 1, 1, 0, 30 ] }
      - { type: RigidBody, mass: 1, translation: [ 1, 0, 0 ] }
  - { name: A, parent: ROOT, mass: 0 }
  - { name: B, parent: ROOT, mass: 3, inertia: [ 1, 2, 3, 4, 5, 6, 7, 8, 9 ] }
",
    ));
    assert!(text.contains("inertia: [ 1, 2, 3, 4, 5, 6, 7, 8, 9 ]"), "{text}");
}

#[test]
fn primitives() {
    round_trip_elements(
        "      - { type: Shape, geometry: { type: Box, size: [ 1, 0, 3.3333333333333335 ] } }
      - { type: Shape, geometry: { type: Sphere, radius: 0.1, division_number: 32 } }
      - { type: Shape, geometry: { type: Cylinder, radius: 0.1, height: 2, top: false, bottom: false } }
      - { type: Shape, geometry: { type: Cone, radius: 0.1, height: 2, bottom: false } }
      - { type: Shape, geometry: { type: Capsule, radius: 0.1, height: 0 } }
",
    );
}

#[test]
fn meshes_are_spelt_out_with_their_attributes() {
    let text = round_trip_elements(
        "      - { type: Shape, geometry: { type: Extrusion, spine: [ 0, 0, 0, 0, 1, 0, 0.3, 2, 0 ], crease_angle: 30 } }
      - type: Shape
        geometry: &MESH
          type: IndexedFaceSet
          vertices: [ 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.1 ]
          faces: [ 0, 1, 2, 3, -1 ]
          normals: [ 0, 0, 1, 0, 1, 0 ]
          normal_indices: [ 0, 1, 0, 1, -1 ]
          tex_coords: [ 0, 0, 1, 0, 1, 1, 0, 0.33333 ]
          solid: true
      - { type: Shape, translation: [ 1, 0, 0 ], geometry: *MESH }
",
    );
    assert!(text.contains("geometry: &mesh1") && text.contains("geometry: *mesh1"), "{text}");
    let normals = text.lines().find_map(|line| line.trim().strip_prefix("normals: ")).unwrap();
    assert_eq!(normals.split(',').count(), 6, "each value is written once:\n{text}");
}

#[test]
fn mirrored_flattened_and_sheared_frames() {
    let text = round_trip_elements(
        "      - { type: Transform, scale: [ -1, 1, 1 ], elements: [ { type: Shape, rotation: [ 1, 2, 3, 40 ], geometry: { type: Box } \
         } ] }
      - { type: Transform, rotation: [ 0, 0, 1, 30 ], scale: [ 1, 0, 2 ], elements: [ { type: Shape, geometry: { type: Box } } ] }
      - { type: Transform, rotation: [ 0, 0, 1, 30 ], translation: [ 1, 2, 3 ], scale: [ 1, -3, 2 ], elements: [ { type: Shape, \
         rotation: [ 0, 1, 1, 45 ], geometry: { type: Box } }, { type: ForceSensor, name: F, rotation: [ 0, 1, 1, 45 ] } ] }
      - { type: Shape, scale: [ 2, 2, 2 ], rotation: [ 0, 0, 1, 30 ], geometry: { type: Box } }
",
    );
    assert_eq!(text.matches("type: Transform").count(), 2, "only what is sheared needs one:\n{text}");
}

#[test]
fn visual_and_collision_shapes_share_what_is_equal_and_keep_their_order() {
    let ball = |radius: u32| format!("{{ type: Shape, geometry: {{ type: Sphere, radius: {radius} }} }}");
    let text = round_trip_elements(&format!(
        "      - {}\n      - {{ type: Visual, elements: [ {}, {} ] }}\n      - {{ type: Collision, elements: [ {} ] }}\n      - {}\n      - {{ type: \
         Visual, elements: [ {} ] }}\n",
        ball(1),
        ball(2),
        ball(3),
        ball(4),
        ball(5),
        ball(6)
    ));
    assert_eq!(text.matches("type: Shape").count(), 6, "{text}");
    let order: Vec<_> = text.match_indices("radius: ").map(|(at, _)| &text[at + 8..at + 9]).collect();
    assert_eq!(order, ["1", "2", "3", "4", "5", "6"]);

    let backwards = |kind: &str, balls: [u32; 3]| {
        format!("      - {{ type: {kind}, elements: [ {} ] }}\n", balls.map(ball).join(", "))
    };
    let text = round_trip_elements(&(backwards("Visual", [1, 2, 3]) + &backwards("Collision", [3, 2, 1])));
    assert_eq!(text.matches("type: Shape").count(), 5, "one can be shared:\n{text}");
}

#[test]
fn devices_of_each_kind() {
    let text = round_trip_elements(
        "      - { type: AccelerationSensor, name: A, id: 0, max_acceleration: [ 1, 2, 3 ] }
      - { type: RateGyroSensor, name: G, id: 1, on: false, translation: [ 0, 0.1, 0 ], rotation: [ 0, 1, 0, 30 ] }
      - { type: IMU, max_acceleration: [ 9, 9, 9 ] }
      - { type: ForceSensor, name: 'no', max_force: [ 1, 2, 3 ], max_torque: [ 4, 5, 6.5 ] }
      - { type: Camera, name: C, format: COLOR, width: 320, height: 240, field_of_view: 62, near_clip_distance: 0.1, \
         far_clip_distance: 50, frame_rate: 15, optical_frame: cv, optical_frame_rotation: [ 0, 0, 1, 90 ] }
      - { type: Camera, format: COLOR, lens_type: FISHEYE, width: 400, field_of_view: 180 }
      - { type: Camera, format: COLOR, lens_type: DUAL_FISHEYE, width: 400 }
      - { type: Camera, format: COLOR_DEPTH, min_distance: 0.2, max_distance: 7, detection_rate: 0.9, error_deviation: 0.01 }
      - { type: Camera, format: DEPTH }
      - { type: Camera, format: POINT_CLOUD, optical_frame: robotics }
      - { type: Camera, format: COLOR_POINT_CLOUD }
      - { type: RangeSensor, yaw_range: 100, yaw_step: 0.5, pitch_range: 30, pitch_step: 1.5, min_distance: 0.2, max_distance: \
         80, scan_rate: 5, detection_rate: 0.5, error_deviation: 0.02, optical_frame: robotics }
      - { type: RangeSensor, min_yaw_angle: -30, max_yaw_angle: 60, yaw_samples: 91 }
      - { type: PointLight, color: [ 1, 0.5, 0 ], intensity: 0.7, attenuation: [ 1, 0.1, 0.01 ], on: false }
      - { type: SpotLight, direction: [ 1, 2, -2 ], beam_width: 30, cut_off_angle: 40, cut_off_exponent: 3 }
      - { type: Holder, name: H, categories: [ tool, '1' ], hold_condition: name, hold_target_name: Box, max_hold_distance: 0.3, \
         on: true }
      - { type: Holder, hold_condition: collision }
      - { type: Attachment, category: tool }
      - { type: Conveyor, conveyor_type: rotary, axis: [ 0, 0, 2 ], speed: -0.5 }
      - { type: DigitalIO, num_signal_lines: 20, out_labels: { 0: a, 3: 'b: c' }, in_labels: { 1: 'on' }, \
         input_to_device_switch_connections: [ [ 3, H ], [ 4, '5' ] ] }
      - { type: MarkerDevice, marker_type: cross, size: 0.1, color: [ 0, 1, 0 ], emission: 0, transparency: 0.1, \
         offset_translation: [ 1, 2, 3 ], offset_rotation: [ 0, 1, 0, 33 ] }
      - { type: MarkerDevice, marker_type: axes }
      - { type: ZmpDevice, name: Z }
",
    );
    assert!(text.contains("yaw_range: 100") && text.contains("yaw_step: 0.5"), "{text}");
}

#[test]
fn unknown_devices_keep_their_keys() {
    let source = with_links("  - name: BASE\n    elements: [ { type: Thruster, power: 3, curve: [ 1, { a: b } ] } ]\n");
    let (body, _) = common::read_with_one_finding(&source);
    let text = text(&body);
    let (again, finding) = common::read_with_one_finding(&text);
    assert_same(&again, &body, &text);
    assert_eq!(finding.code, "unknown-device");
}

#[test]
fn extra_joints_collision_rules_and_poses() {
    let links = "  - { name: ROOT }
  - { name: A, parent: ROOT, joint_type: revolute, joint_axis: Z, joint_id: 0 }
  - { name: B, parent: A, joint_type: revolute, joint_axis: Z, joint_id: 1 }
";
    let text = round_trip(&format!(
        "{}extra_joints:
  - {{ link1_name: ROOT, link2_name: B, joint_type: ball, translation_in_link1: [ 1, 0, 0 ] }}
  - {{ link1_name: ROOT, link2_name: B, joint_type: hinge, axis: [ 1, 2, 2 ], translation_in_link2: [ 0, 0, 1 ] }}
  - {{ link1_name: ROOT, link2_name: B, joint_type: piston, axis: [ 0, 0, -1 ], rotation_in_link1: [ 0, 0, 1, 30 ] }}
  - {{ link1_name: B, link2_name: A, joint_type: fixed, rotation_in_link2: [ 1, 0, 0, 20 ] }}
collision_detection_rules:
  - disabled_link_chain_level: 3
  - disabled_links: [ ROOT, A ]
  - enabled_links: all
  - disabled_link_group: []
  - enabled_link_group: [ A, B ]
standard_pose: [ 10, -20.5 ]
",
        with_links(links)
    ));
    assert!(text.contains("standard_pose: [ 10, -20.5 ]") && text.contains("enabled_links: [ ROOT, A, B ]"), "{text}");
    let none = read_clean(&format!("{}collision_detection_rules: []\nstandard_pose: []\n", with_links(links)));
    let again = read_clean(&crate::text(&none));
    assert_eq!((again.collision_rules.as_deref(), again.standard_pose), (Some::<&[CollisionRule]>(&[]), Some(vec![])));
}

/// Texts that mean something in YAML, or look as if they did.
const AWKWARD: &[&str] = &[
    "yes",
    "1.0",
    "a: b",
    "a:b",
    "#",
    "a #b",
    "#a",
    "'",
    "\"",
    "it's",
    "say \"a\"",
    "two\nlines",
    "\n",
    "tab\there",
    "手",
    "ü",
    "",
    " ",
    " a",
    "a ",
    "~",
    "null",
    "- a",
    "-",
    "--",
    "---",
    "...",
    "? a",
    ": a",
    "&a",
    "*a",
    "!a",
    "%a",
    "@a",
    "`a",
    "|",
    ">",
    "{a}",
    "[a]",
    "a, b",
    "\\",
    "\\n",
    "\u{7}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}",
    "\u{1f600}",
    "=",
    "a\r\nb",
    "0x1f",
    "1e5",
    "+1",
    ".5",
    "a:",
    "-a",
    "-1",
    "a\u{0301}",
    "${SHARE}/x",
];

#[test]
fn keys_nobody_knows_keep_awkward_texts() {
    let body = clean_links("  - { name: BASE }\n");
    let with_info = |value: bunraku_body::Property| {
        let mut body = body.clone();
        body.info = vec![("license".to_owned(), value)];
        body
    };
    use bunraku_body::Property::{List, Mapping, Text};
    let texts: Vec<_> = AWKWARD.iter().map(|text| Text((*text).to_owned())).collect();
    let keys = AWKWARD.iter().enumerate().map(|(number, key)| ((*key).to_owned(), Text(number.to_string()))).collect();
    let nested = List(vec![
        Mapping(vec![("a".to_owned(), List(vec![])), ("b".to_owned(), Mapping(vec![]))]),
        List(vec![List(texts.clone()), Text("x".to_owned()), List(vec![Mapping(vec![])])]),
        Mapping(vec![("k".repeat(2_000), List(vec![Mapping(vec![("c".to_owned(), texts[0].clone())])]))]),
    ]);
    let block = Mapping(texts.iter().enumerate().map(|(number, text)| (format!("k{number}"), text.clone())).collect());
    for value in [List(texts.clone()), Mapping(keys), nested, block].into_iter().chain(texts) {
        let body = with_info(value);
        let text = text(&body);
        assert_eq!(read_clean(&text).info, body.info, "{text}");
    }
}

#[test]
fn names_may_be_awkward() {
    let mut body = clean_links("  - { name: BASE }\n  - { name: A, parent: BASE }\n");
    for name in AWKWARD {
        body.name = (*name).to_owned();
        let text = text(&body);
        assert_eq!(read_clean(&text).name, *name, "{text}");
        let source = read_clean(&with_links(
            &format!("  - name: {name:?}\n  - {{ name: A, parent: {name:?} }}\n")
                .replace("\\u{7}", "\\u0007")
                .replace("\\u{85}", "\\u0085")
                .replace("\\u{a0}", "\\u00a0")
                .replace("\\u{2028}", "\\u2028")
                .replace("\\u{feff}", "\\ufeff")
                .replace("\\u{301}", "\u{301}")
                .replace("\\'", "'"),
        ));
        assert_same(&read_clean(&crate::text(&source)), &source, name);
    }
}

#[test]
fn keys_that_would_mean_something_else_are_lost_and_named() {
    let mut body = clean_links("  - { name: BASE }\n");
    body.info = vec![("root_link".to_owned(), bunraku_body::Property::Text("NONE".to_owned()))];
    let (written, findings) = written_to(&body, Path::new("x.body"), &LoadOptions::default());
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["lost-key"]);
    body.info.clear();
    assert_same(&read_clean(&written.text), &body, &written.text);
}

#[test]
fn numbers_that_are_none_are_named() {
    let mut body = clean_links("  - { name: BASE }\n");
    body.standard_pose = Some(vec![f64::NAN, f64::INFINITY]);
    let (written, findings) = written_to(&body, Path::new("x.body"), &LoadOptions::default());
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["not-finite"]);
    assert_eq!(read_clean(&written.text).standard_pose, Some(vec![0.0, 0.0]));
}

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
    let model = with_links(&format!("  - name: BASE\n    elements:\n{elements}"));
    let body = load_files(top.path(), &[("arm/arm.body", &model), ("arm/meshes/square.obj", SQUARE)]);
    let (again, text) = through_disk(&body, &top.path().join("copy/arm.body"));
    assert_same(&again, &body, &text);
    assert_eq!(text.matches("uri: ../arm/meshes/square.obj").count(), 5, "{text}");
    assert!(!text.contains("vertices"), "{text}");
    let (again, text) = through_disk(&body, &top.path().join("arm/copy.body"));
    assert_same(&again, &body, &text);
    assert_eq!(text.matches("uri: meshes/square.obj").count(), 5, "{text}");
}

#[test]
fn parts_of_mesh_files_are_named() {
    let top = tempfile::tempdir().unwrap();
    let model = with_links("  - { name: BASE, elements: [ { type: Resource, uri: square.obj, node: TWO } ] }\n");
    let body = load_files(top.path(), &[("arm.body", &model), ("square.obj", SQUARE)]);
    let (again, text) = through_disk(&body, &top.path().join("copy.body"));
    assert_same(&again, &body, &text);
    assert!(text.contains("node: TWO"), "{text}");
}

#[test]
fn files_in_the_share_directory_are_named_by_it() {
    let top = tempfile::tempdir().unwrap();
    let model = with_links("  - { name: BASE, elements: [ { type: Resource, uri: square.obj } ] }\n");
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
    assert_same(&again, &body, &text);
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
                &with_links(
                    "  - { name: BASE, elements: [ { type: Resource, uri: parts.yaml, node: BALL } ] }\n  - { type: SubBody, uri: \
                 hand/hand.body, prefix: L_, parent: BASE, joint_type: fixed, translation: [ 0, 1, 0 ] }\n",
                ),
            ),
            ("arm/hand/hand.body", &with_links(hand)),
            ("arm/meshes/square.obj", SQUARE),
            ("arm/parts.yaml", "A: &BALL { type: Shape, geometry: { type: Sphere } }\n"),
        ],
    );
    let (again, text) = through_disk(&body, &top.path().join("arm/one.body"));
    assert_same(&again, &body, &text);
    assert!(text.contains("name: L_FINGER") && !text.contains("parts.yaml"), "{text}");
}

#[test]
fn textures_are_named_or_written_beside_the_model() {
    let top = tempfile::tempdir().unwrap();
    let shape = "{ type: Shape, geometry: { type: Box }, appearance: { material: { ambient: 0.5, emissive: [ 0, 0, 1 ], specular: [ 1, 1, 1 \
                 ], specular_exponent: 80, transparency: 0.25 }, texture: { uri: wood.png, repeat: [ true, false ] }, texture_transform: { \
                 center: [ 0.5, 0.5 ], rotation: 30, scale: [ 2, 3 ], translation: [ 0.1, 0 ] } } }";
    let model = with_links(&format!("  - {{ name: BASE, elements: [ {shape} ] }}\n"));
    let body = load_files(top.path(), &[("arm.body", &model), ("wood.png", "")]);
    let (again, text) = through_disk(&body, &top.path().join("copy.body"));
    assert_same(&again, &body, &text);
    assert!(text.contains("uri: wood.png"), "{text}");
}

#[test]
fn random_bodies() {
    for seed in 0..200 {
        let original = random::model(seed);
        let (body, findings) = common::read_text(&original);
        let body = body.unwrap_or_else(|| panic!("seed {seed}: {}\n{original}", list(&findings)));
        let text = text(&body);
        let source = SourceFile::from_text("x.body", text.as_str());
        let reporter = Reporter::new();
        let again = bunraku_body::read(&source, &LoadOptions::default(), &reporter);
        let findings: Vec<_> =
            reporter.diagnostics().into_iter().filter(|finding| finding.severity > Severity::Note).collect();
        assert!(findings.is_empty(), "seed {seed}: {}\n{text}", list(&findings));
        assert_same(&again.unwrap(), &body, &text);
    }
}

#[test]
fn every_model_of_the_corpus() {
    let Some(corpus) = real_data("BUNRAKU_CORPUS") else {
        return;
    };
    let share = corpus.join("share");
    let options =
        LoadOptions { roots: SearchRoots::new(Some(share.clone())).allow_outside(true), ..LoadOptions::default() };
    let mut pending = vec![share.join("model")];
    let (mut models, mut resources) = (0, 0);
    while let Some(directory) = pending.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "body") {
                continue;
            }
            let original = Reporter::new();
            let Some(body) = bunraku_body::load(&path, &options, &original) else { continue };
            // Elsewhere on the disk, so that what it names must be found from there.
            let elsewhere = tempfile::tempdir().unwrap();
            let target = elsewhere.path().join("a/b/x.body");
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            for target in [target.as_path(), path.as_path()] {
                let (written, findings) = written_to(&body, target, &options);
                assert!(findings.is_empty(), "{}: {}", path.display(), list(&findings));
                assert!(written.files.is_empty());
                let reporter = Reporter::new();
                let source = SourceFile::from_text(target, written.text.as_str());
                let again = bunraku_body::read(&source, &options, &reporter);
                let again = again.unwrap_or_else(|| panic!("{}: {}", path.display(), list(&reporter.diagnostics())));
                assert_same(&again, &body, &path.display().to_string());
                let codes = |reporter: &Reporter| {
                    reporter.diagnostics().iter().map(|finding| finding.code).collect::<BTreeSet<_>>()
                };
                let (found, known) = (codes(&reporter), codes(&original));
                assert!(found.is_subset(&known), "{}: {found:?} beyond {known:?}", path.display());
                resources += written.text.matches("uri: ").count();
            }
            models += 1;
        }
    }
    eprintln!("{models} models, {resources} references");
    assert!(models > 20, "only {models} models");
}

#[test]
fn geometry_that_is_the_same_mesh_stays_one() {
    let body = clean_links(
        "  - name: BASE\n    elements:\n      - { type: Shape, geometry: &M { type: Extrusion } }\n      - { type: Shape, geometry: *M }\n",
    );
    let again = read_clean(&text(&body));
    let mesh = |shape: usize| match &again.root().visual[shape].geometry {
        Geometry::Mesh(mesh) => Arc::as_ptr(mesh),
        Geometry::Primitive { .. } => panic!("no mesh"),
    };
    assert_eq!(mesh(0), mesh(1));
}
