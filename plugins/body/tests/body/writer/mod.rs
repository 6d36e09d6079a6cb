//! A body written as a `.body` file reads back to an equal body.

mod corpus;
mod files;
mod texts;

use std::path::Path;
use std::sync::Arc;

use bunraku_body::{Body, CollisionRule, Geometry, LoadOptions, WriteOptions, WrittenModel, write};
use bunraku_document::{Diagnostic, Reporter, Severity, SourceFile};
use bunraku_test_support::{assert_same_body, model_text, random_model, read_links, read_model};

use crate::common;
use crate::common::{list, read_clean};

/// Writes a body for a path.
fn written_to(body: &Body, path: &Path, options: &LoadOptions) -> (WrittenModel, Vec<Diagnostic>) {
    let reporter = Reporter::new();
    let written = write(body, &WriteOptions { path, roots: &options.roots }, &reporter);
    let again = write(body, &WriteOptions { path, roots: &options.roots }, &Reporter::new());
    assert_eq!(written, again, "writing is not deterministic");
    (written, reporter.into_diagnostics())
}

/// Writes a body that is written without loss.
#[track_caller]
fn text(body: &Body) -> String {
    let (written, findings) = written_to(body, Path::new("x.body"), &LoadOptions::default());
    assert!(findings.is_empty(), "{}", list(&findings));
    assert!(written.files.is_empty());
    written.text
}

/// Reads a text, writes it and reads that; returns the written text.
#[track_caller]
fn round_trip(source: &str) -> String {
    let body = read_clean(source);
    let text = text(&body);
    let again = read_clean(&text);
    assert_same_body(&again, &body, &text);
    text
}

#[track_caller]
fn round_trip_elements(elements: &str) -> String {
    round_trip(&model_text(&format!("  - name: BASE\n    elements:\n{elements}")))
}

#[test]
fn couplings_of_joints_are_written() {
    let joint = |name: &str, id: u32, kind: &str| {
        format!(
            "  - {{ name: {name}_LINK, parent: A, joint_name: {name}, joint_id: {id}, joint_type: {kind}, joint_axis: Z }}\n"
        )
    };
    let links = [joint("J", 0, "revolute"), joint("K", 1, "prismatic"), joint("L", 2, "revolute")].concat();
    let couplings = "joint_couplings:\n  - { joint: J, leader: K, multiplier: -3, offset: 33 }\n  - { joint: L, leader: J, polynomial: [ 1, 2, 3 ] }\n";
    let text =
        round_trip(&format!("{}{couplings}", model_text(&format!("  - {{ name: A, joint_type: fixed }}\n{links}"))));
    assert!(text.contains("joint: J\n    leader: K\n    multiplier: -3\n    offset: 33\n"), "{text}");
}

/// A model in the words of format 1.0.
const OLD_WORDS: &str = "\
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

#[test]
fn a_small_model_reads_as_a_person_would_write_it() {
    let source = OLD_WORDS.replace("      - *RED_SHAPE\n", "      - { type: Shape, <<: *RED }\n");
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
    round_trip(&model_text(
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
fn inner_free_joints_and_unused_ids_are_reported_again() {
    let source = model_text(
        "  - { name: ROOT, joint_type: free }
  - { name: A, parent: ROOT, joint_id: 3, joint_type: revolute }
  - { name: B, parent: A, joint_type: free }
",
    );
    let (body, findings) = read_model(&source);
    let body = body.unwrap();
    let (again, found) = read_model(&text(&body));
    assert_same_body(&again.unwrap(), &body, "");
    let codes = |findings: &[Diagnostic]| findings.iter().map(|finding| finding.code).collect::<Vec<_>>();
    assert_eq!(codes(&found), codes(&findings));
}

#[test]
fn mass_properties() {
    let text = round_trip(&model_text(
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
    let source = model_text("  - name: BASE\n    elements: [ { type: Thruster, power: 3, curve: [ 1, { a: b } ] } ]\n");
    let (body, _) = common::read_with_one_finding(&source);
    let text = text(&body);
    let (again, finding) = common::read_with_one_finding(&text);
    assert_same_body(&again, &body, &text);
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
  - {{ link1_name: ROOT, link2_name: B, joint_type: point_on_line, axis: [ 1, 2, 2 ], translation_in_link1: [ 1, 0, 0 ] }}
  - {{ link1_name: ROOT, link2_name: A, joint_type: point_on_plane, axis: [ 0, 1, 0 ] }}
collision_detection_rules:
  - disabled_link_chain_level: 3
  - disabled_links: [ ROOT, A ]
  - enabled_links: all
  - disabled_link_group: []
  - enabled_link_group: [ A, B ]
standard_pose: [ 10, -20.5 ]
",
        model_text(links)
    ));
    assert!(text.contains("standard_pose: [ 10, -20.5 ]") && text.contains("enabled_links: [ ROOT, A, B ]"), "{text}");
    let none = read_clean(&format!("{}collision_detection_rules: []\nstandard_pose: []\n", model_text(links)));
    let again = read_clean(&crate::writer::text(&none));
    assert_eq!((again.collision_rules.as_deref(), again.standard_pose), (Some::<&[CollisionRule]>(&[]), Some(vec![])));
}

#[test]
fn non_finite_numbers_are_reported() {
    let mut body = read_links("  - { name: BASE }\n");
    body.standard_pose = Some(vec![f64::NAN, f64::INFINITY]);
    let (written, findings) = written_to(&body, Path::new("x.body"), &LoadOptions::default());
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["not-finite"]);
    assert_eq!(read_clean(&written.text).standard_pose, Some(vec![0.0, 0.0]));
}

#[test]
fn random_bodies() {
    for seed in 0..200 {
        let original = random_model(seed);
        let (body, findings) = read_model(&original);
        let body = body.unwrap_or_else(|| panic!("seed {seed}: {}\n{original}", list(&findings)));
        let text = text(&body);
        let source = SourceFile::from_text("x.body", text.as_str());
        let reporter = Reporter::new();
        let again = bunraku_body::read(&source, &LoadOptions::default(), &reporter);
        let findings: Vec<_> =
            reporter.diagnostics().into_iter().filter(|finding| finding.severity > Severity::Note).collect();
        assert!(findings.is_empty(), "seed {seed}: {}\n{text}", list(&findings));
        assert_same_body(&again.unwrap(), &body, &text);
    }
}

#[test]
fn geometry_that_is_the_same_mesh_stays_one() {
    let body = read_links(
        "  - name: BASE\n    elements:\n      - { type: Shape, geometry: &M { type: Extrusion } }\n      - { type: Shape, geometry: *M }\n",
    );
    let again = read_clean(&text(&body));
    let mesh = |shape: usize| match &again.root().visual[shape].geometry {
        Geometry::Mesh(mesh) => Arc::as_ptr(mesh),
        Geometry::Primitive { .. } => panic!("no mesh"),
    };
    assert_eq!(mesh(0), mesh(1));
}
