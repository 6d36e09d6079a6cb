//! Link keys of a model file: the tree, its frames, and the joints with their order and limits.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use bunraku_body::{
    ActuationMode, Body, Joint, JointId, JointIndex, JointKind, JointSlot, LinkIndex, LoadOptions, Range,
};
use bunraku_document::{Position, Reporter, Severity, SourceFile};
use bunraku_test_support::{assert_all_close, assert_close, model_text, read_links, read_model};
use nalgebra::{UnitQuaternion, Vector3};

use crate::common::{link, read_clean, read_with_one_finding};

/// Joint of a second link with these keys, in a file in degrees.
#[track_caller]
fn joint(keys: &str) -> Joint {
    link(&read_links(&format!("  - name: BASE\n  - {{ name: ARM, parent: BASE, {keys} }}\n")), "ARM").joint.clone()
}

/// As [`joint`], in a file of version 1.0 in radian.
#[track_caller]
fn joint_in_radian(keys: &str) -> Joint {
    let text = format!(
        "format: ChoreonoidBody
formatVersion: 1.0
angleUnit: radian
links:
  - name: BASE
  - {{ name: ARM, parent: BASE, {keys} }}
"
    );
    link(&read_clean(&text), "ARM").joint.clone()
}

#[track_caller]
fn assert_range(range: Range, lower: f64, upper: f64) {
    assert_all_close(&[range.lower, range.upper], [lower, upper]);
}

fn names(body: &Body) -> Vec<&str> {
    body.links().iter().map(|link| link.name.as_str()).collect()
}

fn joint_names(body: &Body) -> Vec<&str> {
    (0..body.num_joints()).map(|index| body.joint_name(JointIndex(index))).collect()
}

// --- joints

#[test]
fn every_joint_type_in_every_spelling() {
    for (word, kind) in [
        ("revolute", JointKind::Revolute),
        ("prismatic", JointKind::Prismatic),
        ("slide", JointKind::Prismatic),
        ("fixed", JointKind::Fixed),
        ("pseudo_continuous_track", JointKind::PseudoContinuousTrack),
        ("pseudoContinuousTrack", JointKind::PseudoContinuousTrack),
    ] {
        assert_eq!(joint(&format!("joint_type: {word}")).kind, kind, "{word}");
        assert_eq!(joint(&format!("jointType: {word}")).kind, kind, "{word}");
    }
    assert_eq!(read_links("  - { name: BASE, joint_type: free }\n").root().joint.kind, JointKind::Free);
}

#[test]
fn a_link_without_keys_is_fixed_and_unlimited() {
    let joint = joint("mass: 1");
    assert_eq!((joint.kind, joint.id, joint.name), (JointKind::Fixed, None, None));
    assert_eq!(joint.axis, Vector3::z());
    assert_eq!(
        (joint.displacement_range, joint.velocity_range, joint.effort_range),
        (Range::UNLIMITED, Range::UNLIMITED, Range::UNLIMITED)
    );
    assert_eq!((joint.initial_displacement, joint.equivalent_rotor_inertia), (0.0, 0.0));
    assert_eq!(joint.actuation_mode, None);
}

#[test]
fn a_root_that_is_not_free_is_fixed_to_the_world() {
    assert!(read_links("  - name: BASE\n").is_fixed());
    assert!(!read_links("  - { name: BASE, joint_type: free }\n").is_fixed());
}

#[test]
fn axis_letters_stand_for_unit_vectors() {
    for (word, axis) in [
        ("X", Vector3::x()),
        ("y", Vector3::y()),
        ("Z", Vector3::z()),
        ("-x", -Vector3::x()),
        ("-Y", -Vector3::y()),
        ("-Z", -Vector3::z()),
        ("[ 0, 0.6, -0.8 ]", Vector3::new(0.0, 0.6, -0.8)),
    ] {
        assert_eq!(joint(&format!("joint_type: revolute, joint_axis: {word}")).axis, axis, "{word}");
    }
}

#[test]
fn ranges_of_revolute_joints_are_converted_from_degrees() {
    let range = |range: &str| joint(&format!("joint_type: revolute, joint_range: {range}")).displacement_range;
    assert_range(range("90"), -FRAC_PI_2, FRAC_PI_2);
    assert_range(range("[ -45, 90 ]"), -FRAC_PI_4, FRAC_PI_2);
    assert_eq!(range("unlimited"), Range::UNLIMITED);
    assert_range(range("[ unlimited, 180 ]"), f64::NEG_INFINITY, PI);
    assert_range(range("[ -180, unlimited ]"), -PI, f64::INFINITY);
}

#[test]
fn ranges_in_radian_are_kept() {
    let range = |range: &str| joint_in_radian(&format!("jointType: revolute, jointRange: {range}")).displacement_range;
    assert_range(range("1.5"), -1.5, 1.5);
    assert_range(range("[ -0.5, 1.5 ]"), -0.5, 1.5);
    assert_eq!(range("[ unlimited, unlimited ]"), Range::UNLIMITED);
}

#[test]
fn ranges_of_prismatic_joints_are_metres() {
    let joint = joint("joint_type: slide, joint_range: [ -0.25, 0.5 ], joint_velocity_range: [ -1, 2 ]");
    assert_range(joint.displacement_range, -0.25, 0.5);
    assert_range(joint.velocity_range, -1.0, 2.0);
}

#[test]
fn velocity_limits_are_symmetric_or_a_range() {
    let range = |keys: &str| joint(&format!("joint_type: revolute, {keys}")).velocity_range;
    assert_range(range("max_joint_velocity: 180"), -PI, PI);
    assert_range(range("joint_velocity_range: [ -90, 180 ]"), -FRAC_PI_2, PI);
    assert_eq!(range("max_joint_velocity: unlimited"), Range::UNLIMITED);
    assert_range(joint_in_radian("jointType: revolute, maxJointVelocity: 3").velocity_range, -3.0, 3.0);
}

#[test]
fn the_velocity_range_wins_over_the_maximum_with_a_note() {
    let text = model_text(
        "  - name: BASE
  - name: ARM
    parent: BASE
    joint_type: revolute
    max_joint_velocity: 10
    joint_velocity_range: [ -90, 180 ]
",
    );
    let (body, note) = read_with_one_finding(&text);
    assert_range(link(&body, "ARM").joint.velocity_range, -FRAC_PI_2, PI);
    assert_eq!((note.severity, note.code), (Severity::Note, "manual-wins"));
    assert_eq!(note.position(), Some(Position { line: 9, column: 27 }));
}

#[test]
fn the_largest_effort_holds_both_ways_and_is_never_an_angle() {
    assert_range(joint("joint_type: revolute, max_joint_effort: 90").effort_range, -90.0, 90.0);
    assert_range(joint("joint_type: prismatic, max_joint_effort: 12.5").effort_range, -12.5, 12.5);
    assert_eq!(joint("joint_type: revolute, max_joint_effort: unlimited").effort_range, Range::UNLIMITED);
}

#[test]
fn a_force_range_has_no_effect_and_gives_a_note() {
    let text = model_text("  - name: BASE\n    joint_type: revolute\n    force_range: [ -1, 1 ]\n");
    let (body, note) = read_with_one_finding(&text);
    assert_eq!(body.root().joint.effort_range, Range::UNLIMITED);
    assert_eq!((note.severity, note.code), (Severity::Note, "force-range"));
    assert_eq!(note.position(), Some(Position { line: 6, column: 18 }));
}

#[test]
fn the_rotor_counts_with_the_square_of_the_gear_ratio() {
    assert_close(joint("rotor_inertia: 0.5, gear_ratio: 10").equivalent_rotor_inertia, 50.0);
    assert_close(joint("rotorInertia: 0.5, gearRatio: -3").equivalent_rotor_inertia, 4.5);
    assert_close(joint("rotor_inertia: 0.5").equivalent_rotor_inertia, 0.5);
    assert_close(joint("gear_ratio: 10").equivalent_rotor_inertia, 0.0);
    assert_close(joint("joint_axis_inertia: 7").equivalent_rotor_inertia, 7.0);
}

#[test]
fn a_joint_angle_is_in_degrees() {
    assert_close(joint("joint_type: revolute, joint_angle: 90").initial_displacement, FRAC_PI_2);
    assert_close(joint_in_radian("jointType: revolute, jointAngle: 1.25").initial_displacement, 1.25);
}

#[test]
fn a_joint_displacement_is_in_radian_as_the_manual_says_with_a_note() {
    let text = model_text("  - name: BASE\n    joint_type: revolute\n    joint_displacement: 1.5\n");
    let (body, note) = read_with_one_finding(&text);
    assert_eq!(body.root().joint.initial_displacement, 1.5);
    assert_eq!((note.severity, note.code), (Severity::Note, "manual-wins"));
    assert_eq!(note.position(), Some(Position { line: 6, column: 25 }));
    assert_eq!(note.help.as_deref(), Some("`joint_angle` is in degrees for both"));
}

#[test]
fn an_unambiguous_joint_displacement_has_no_note() {
    assert_close(joint("joint_type: revolute, joint_displacement: 0").initial_displacement, 0.0);
    assert_close(joint("joint_type: prismatic, joint_displacement: 0.25").initial_displacement, 0.25);
    assert_close(joint_in_radian("jointType: revolute, jointDisplacement: 1.5").initial_displacement, 1.5);
}

#[test]
fn actuation_modes_in_both_spellings() {
    for (word, mode) in [
        ("joint_effort", ActuationMode::JointEffort),
        ("jointTorque", ActuationMode::JointEffort),
        ("joint_displacement", ActuationMode::JointDisplacement),
        ("jointAngle", ActuationMode::JointDisplacement),
        ("joint_velocity", ActuationMode::JointVelocity),
        ("jointVelocity", ActuationMode::JointVelocity),
        ("link_position", ActuationMode::LinkPosition),
    ] {
        assert_eq!(joint(&format!("actuation_mode: {word}")).actuation_mode, Some(mode), "{word}");
    }
}

// --- joint order

#[test]
fn joints_with_an_id_come_first_then_the_others_in_link_order() {
    let body = read_links(
        "  - { name: BASE, joint_type: free }
  - { name: P, parent: BASE, joint_type: revolute }
  - { name: B, parent: P, joint_type: revolute, joint_id: 1 }
  - { name: BOLT, parent: B }
  - { name: Q, parent: BOLT, joint_type: slide, joint_id: -1 }
  - { name: A, parent: BASE, joint_type: prismatic, joint_id: 0 }
",
    );
    assert_eq!(joint_names(&body), ["A", "B", "P", "Q"]);
    assert_eq!((body.num_joints(), body.num_joint_ids()), (4, 2));
    assert_eq!(body.find_joint("Q"), Some(JointIndex(3)));
    assert_eq!(body.find_joint("BOLT"), None);
    assert_eq!(body.joint_link(JointIndex(0)), body.find_link("A"));
}

#[test]
fn an_unused_id_keeps_its_place_with_a_warning() {
    let text = model_text(
        "  - { name: BASE }
  - { name: A, parent: BASE, joint_type: revolute, joint_id: 0, joint_angle: 90 }
  - { name: B, parent: A, joint_type: revolute, joint_id: 2, joint_angle: 180 }
  - { name: C, parent: B, joint_type: prismatic, joint_displacement: 3 }
",
    );
    let (body, warning) = read_with_one_finding(&text);
    assert_eq!((warning.severity, warning.code), (Severity::Warning, "unused-joint-id"));
    assert!(warning.message.contains("joint ID 1;"), "{warning}");
    assert_eq!(warning.position(), Some(Position { line: 6, column: 59 }));
    assert_eq!(joint_names(&body), ["A", "", "B", "C"]);
    assert_eq!(body.joints()[1], JointSlot::Unused);
    assert_eq!((body.num_joint_ids(), body.joint_link(JointIndex(1))), (3, None));
    assert!(body.joint(JointIndex(1)).is_none() && body.joint(JointIndex(4)).is_none());
    assert_all_close(&body.initial_displacements(), [FRAC_PI_2, 0.0, PI, 3.0]);
}

#[test]
fn the_first_link_keeps_a_joint_id_that_is_given_twice() {
    let text = model_text(
        "  - { name: BASE }
  - { name: A, parent: BASE, joint_type: revolute, joint_id: 0 }
  - { name: B, parent: A, joint_type: revolute, joint_id: 0 }
",
    );
    let (body, warning) = read_with_one_finding(&text);
    assert_eq!((warning.severity, warning.code), (Severity::Warning, "duplicate-joint-id"));
    assert_eq!(warning.position(), Some(Position { line: 6, column: 59 }));
    assert!(warning.message.contains("`A`") && warning.message.contains("`B`"), "{warning}");
    assert_eq!(joint_names(&body), ["A", "B"]);
    assert_eq!((link(&body, "A").joint.id, link(&body, "B").joint.id), (Some(JointId(0)), None));
    assert_eq!(body.num_joint_ids(), 1);
}

#[test]
fn joints_are_found_by_their_own_name_before_the_name_of_a_link() {
    let body = read_links(
        "  - { name: BASE }
  - { name: ELBOW, parent: BASE, joint_type: revolute, joint_id: 0 }
  - { name: FOREARM, parent: ELBOW, joint_type: revolute, joint_id: 1, joint_name: ELBOW }
",
    );
    assert_eq!(body.find_joint("ELBOW"), Some(JointIndex(1)));
    assert_eq!(body.find_joint("FOREARM"), Some(JointIndex(1)));
    assert_eq!(link(&body, "FOREARM").joint_name(), "ELBOW");
}

// --- the tree

const FAMILY: &str = "  - { name: BASE }
  - { name: LEFT, parent: BASE }
  - { name: RIGHT, parent: BASE }
  - { name: LEFT_HAND, parent: LEFT }
  - { name: RIGHT_HAND, parent: RIGHT }
  - { name: LEFT_TOE, parent: LEFT }
";

#[test]
fn links_are_depth_first_with_children_in_file_order() {
    let body = read_links(FAMILY);
    assert_eq!(names(&body), ["BASE", "LEFT", "LEFT_HAND", "LEFT_TOE", "RIGHT", "RIGHT_HAND"]);
    let parents: Vec<_> = body.links().iter().map(|link| link.parent.map(|parent| parent.0)).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(1), Some(0), Some(4)]);
}

#[test]
fn a_child_may_stand_before_its_parent() {
    let body = read_links("  - { name: BASE }\n  - { name: HAND, parent: ARM }\n  - { name: ARM, parent: BASE }\n");
    assert_eq!(names(&body), ["BASE", "ARM", "HAND"]);
    assert_eq!(link(&body, "HAND").parent, Some(LinkIndex(1)));
}

#[test]
fn the_root_is_the_first_link_or_the_one_that_the_file_names() {
    let text = |key: &str| {
        format!(
            "format: ChoreonoidBody
format_version: 2.0
{key}: BASE
links:
  - {{ name: ARM, parent: BASE }}
  - {{ name: BASE }}
"
        )
    };
    for key in ["root_link", "rootLink"] {
        let body = read_clean(&text(key));
        assert_eq!(names(&body), ["BASE", "ARM"]);
        assert_eq!((body.root().name.as_str(), body.root().parent), ("BASE", None));
    }
    assert_eq!(read_links(FAMILY).root().name, "BASE");
}

#[test]
fn a_skipped_link_is_not_there() {
    let body =
        read_links("  - { name: BASE }\n  - { type: Skip, name: ARM }\n  - { type: Link, name: LEG, parent: BASE }\n");
    assert_eq!(names(&body), ["BASE", "LEG"]);
}

#[test]
fn merged_keys_supply_missing_keys_of_a_link() {
    let body = read_links(
        "  - &BASE { name: BASE, mass: 3, material: Rubber }
  - { <<: *BASE, name: ARM, parent: BASE, mass: 4 }
",
    );
    let arm = link(&body, "ARM");
    assert_eq!((arm.mass.mass, arm.material.as_deref()), (4.0, Some("Rubber")));
}

#[test]
fn the_default_material_has_no_name() {
    let body = read_links(
        "  - { name: A, material: Default }\n  - { name: B, parent: A, material: default }\n  - { name: C, parent: A, material: Ice }\n",
    );
    let materials: Vec<_> = body.links().iter().map(|link| link.material.as_deref()).collect();
    assert_eq!(materials, [None, None, Some("Ice")]);
}

#[test]
fn the_model_is_named_by_its_key_or_else_by_its_file() {
    assert_eq!(read_clean(&format!("name: Puppet\n{}", model_text("  - name: BASE\n"))).name, "Puppet");
    assert_eq!(read_links("  - name: BASE\n").name, "x");
}

// --- frames

#[test]
fn translations_in_a_list_add_up() {
    let body = read_links("  - { name: BASE, translation: [ [ 1, 2, 3 ], [ 0.5, 0, -3 ], [ 0, 0, 10 ] ] }\n");
    assert_all_close(body.root().offset.translation.vector.iter(), [1.5, 2.0, 10.0]);
    assert_eq!(body.root().offset.rotation, UnitQuaternion::identity());
}

#[test]
fn rotations_in_a_list_multiply_left_to_right() {
    // First about x, then about the rotated y axis: x → −z → +y, y → z, z → x.
    let body = read_links("  - { name: BASE, rotation: [ [ 1, 0, 0, 90 ], [ 0, 1, 0, 90 ] ] }\n");
    let rotation = body.root().offset.rotation;
    assert_all_close((rotation * Vector3::x()).iter(), [0.0, 1.0, 0.0]);
    assert_all_close((rotation * Vector3::y()).iter(), [0.0, 0.0, 1.0]);
    assert_all_close((rotation * Vector3::z()).iter(), [1.0, 0.0, 0.0]);
}

#[test]
fn a_rotation_has_an_axis_of_any_length_and_an_angle_in_the_unit_of_the_file() {
    let body = read_links("  - { name: BASE, translation: [ 1, 2, 3 ], rotation: [ 0, 0, 5, 90 ] }\n");
    assert_all_close((body.root().offset.rotation * Vector3::x()).iter(), [0.0, 1.0, 0.0]);
    assert_all_close(body.root().offset.translation.vector.iter(), [1.0, 2.0, 3.0]);
    let text = "format: ChoreonoidBody\nformat_version: 1.0\nangle_unit: radian\nlinks:\n  - { name: BASE, rotation: [ 0, 0, 1, 0.5 ] }\n";
    assert_close(read_clean(text).root().offset.rotation.angle(), 0.5);
}

#[test]
fn a_track_is_a_chain_of_numbered_links() {
    let text = "format: ChoreonoidBody
format_version: 1.0
links:
  - { name: BASE, joint_type: free }
  - type: ContinuousTrack
    name: SHOE
    parent: BASE
    translation: [ 0, 1, 0 ]
    numJoints: 4
    jointAxis: Y
    jointOffset: [ 0.2, 0, 0 ]
    initialJointAngles: [ 30, 60 ]
    mass: 2
";
    let reporter = Reporter::strict();
    let body = bunraku_body::read(&SourceFile::from_text("track.body", text), &LoadOptions::default(), &reporter);
    let body = body.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()));
    let names: Vec<&str> = body.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["BASE", "SHOE0", "SHOE1", "SHOE2", "SHOE3"]);
    let kinds: Vec<JointKind> = body.links().iter().skip(1).map(|link| link.joint.kind).collect();
    assert_eq!(kinds, [JointKind::Free, JointKind::Revolute, JointKind::Revolute, JointKind::Revolute]);
    let angles: Vec<f64> =
        body.links().iter().skip(2).map(|link| link.joint.initial_displacement.to_degrees().round()).collect();
    assert_eq!(angles, [30.0, 60.0, 0.0]);
    let offsets: Vec<[f64; 3]> =
        body.links().iter().skip(1).map(|link| link.offset.translation.vector.into()).collect();
    assert_eq!(offsets[..2], [[0.0, 1.0, 0.0], [0.2, 0.0, 0.0]]);
    assert_eq!(body.mass(), 9.0);
    let marked = body.links().iter().map(|link| link.begins_continuous_track());
    assert!(marked.eq([false, true, false, false, false]));
    // The ring is closed by physics: the model has the same joints as in the original.
    assert_eq!(body.extra_joints, []);
}

#[test]
fn a_track_needs_three_links_and_an_offset() {
    for (keys, code) in [
        ("numJoints: 2, jointOffset: [ 1, 0, 0 ]", "out-of-range"),
        ("numJoints: 1000000, jointOffset: [ 1, 0, 0 ]", "out-of-range"),
        ("numJoints: 5", "missing-key"),
        ("jointOffset: [ 1, 0, 0 ]", "missing-key"),
    ] {
        let text = format!(
            "format: ChoreonoidBody\nformat_version: 1.0\nlinks:\n  - name: A\n  - {{ type: ContinuousTrack, name: T, parent: A, {keys} }}\n"
        );
        let reporter = Reporter::new();
        let body = bunraku_body::read(&SourceFile::from_text("track.body", text), &LoadOptions::default(), &reporter);
        assert!(body.is_none() && reporter.diagnostics()[0].code == code, "{keys}: {:?}", reporter.diagnostics());
    }
}

// --- other forms

#[test]
fn links_may_be_a_mapping_from_type_to_link() {
    let head = "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n";
    let body = read_clean(&format!("{head}  Skip: {{ name: X }}\n  Link: {{ name: BASE, mass: 3 }}\n"));
    assert_eq!((body.links().len(), body.root().mass.mass), (1, 3.0));
    let (_, findings) = read_model(&format!("{head}  Link: {{ name: BASE, type: Skip }}\n"));
    assert_eq!(findings[0].code, "type-mismatch");
}

#[test]
fn import_supplies_missing_keys_with_a_note() {
    let text = model_text(
        "  - { name: BASE }\n  - { name: ARM, parent: BASE, mass: 2, import: *HINGE }\n  - { name: HAND, parent: ARM, import: [ *HINGE, *HEAVY ] }\n",
    );
    let templates =
        "HINGE: &HINGE { joint_type: revolute, mass: 5, joint_axis: X }\nHEAVY: &HEAVY { mass: 7, material: Lead }\n";
    let (body, findings) = read_model(&text.replace("links:\n", &format!("{templates}links:\n")));
    let body = body.unwrap();
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["manual-wins", "manual-wins"]);
    let (arm, hand) = (link(&body, "ARM"), link(&body, "HAND"));
    assert_eq!((arm.mass.mass, arm.joint.kind), (2.0, JointKind::Revolute));
    assert_eq!((hand.mass.mass, hand.material.as_deref()), (5.0, Some("Lead")));
    assert_all_close(hand.joint.axis.iter(), [1.0, 0.0, 0.0]);
}

#[test]
fn an_axis_whose_direction_cannot_be_computed_is_refused() {
    for axis in ["0, 0, 0", "0, 1e-200, 0", "0, 1e308, 0"] {
        let links = format!(
            "  - {{ name: A }}\n  - {{ name: B, parent: A, joint_type: revolute, joint_id: 0, joint_axis: [ {axis} ] }}\n"
        );
        let (body, findings) = read_model(&model_text(&links));
        assert!(body.is_none() && findings.iter().any(|finding| finding.code == "zero-axis"), "{axis}: {findings:?}");
    }
}
