//! `Joint` nodes.

use std::f64::consts::FRAC_PI_2;

use bunraku_body::{ActuationMode, Body, Joint, JointIndex, JointKind, JointSlot, LinkIndex, Motor, Range};

use super::{PROTOS, assert_finding, base, clean, clean_base, load, load_whole, one_finding, robot};
use crate::common::{link, list};
use bunraku_test_support::{assert_all_close, assert_close};

/// The joint `J` of a robot, with these fields besides its type.
#[track_caller]
fn joint(joint_type: &str, fields: &str) -> Joint {
    let body = clean_base(&format!("children DEF J Joint {{ jointType \"{joint_type}\" {fields} }}"));
    link(&body, "J").joint.clone()
}

/// A joint with exactly one finding, in the line of its fields.
#[track_caller]
fn joint_with_finding(fields: &str, start: &str, column: u32) -> Option<Joint> {
    let (body, finding) = one_finding(&base(&format!("children DEF J Joint {{ jointType \"rotate\"\n{fields} }}")));
    assert_finding(&finding, start, (3, column));
    body.map(|body| link(&body, "J").joint.clone())
}

#[test]
fn free_slide_rotate_and_fixed_are_the_kinds_of_joints() {
    for (word, kind) in [
        ("free", JointKind::Free),
        ("slide", JointKind::Prismatic),
        ("rotate", JointKind::Revolute),
        ("fixed", JointKind::Fixed),
    ] {
        // A free joint that is not the root gives a note, see below.
        if kind != JointKind::Free {
            assert_eq!(joint(word, "").kind, kind, "{word}");
        }
        let body = clean(&robot(&format!("DEF ROOT Joint {{ jointType \"{word}\" }}")));
        assert_eq!(body.root().joint.kind, kind, "{word}");
    }
}

#[test]
fn a_crawler_is_a_track_whose_surface_moves_about_the_axis() {
    for word in ["crawler", "pseudoContinuousTrack", "agx_crawler"] {
        let text = base(&format!("children DEF J Joint {{\njointType \"{word}\" jointAxis 0 1 0 }}"));
        let (body, finding) = one_finding(&text);
        assert_finding(&finding, "note[manual-wins]: ROBOT > BASE > J: ", (3, 1));
        let joint = link(&body.unwrap(), "J").joint.clone();
        assert_eq!((joint.kind, joint.axis.as_slice()), (JointKind::PseudoContinuousTrack, &[0.0, 1.0, 0.0][..]));
        assert_eq!(joint.actuation_mode, Some(ActuationMode::JointVelocity));
    }
}

#[test]
fn other_and_missing_types_are_errors_that_name_the_joint() {
    for (word, code, help) in [
        ("", "no-joint-type", "the joint types are"),
        ("Rotate", "unknown-joint-type", "did you mean `rotate`?"),
        ("revolute", "unknown-joint-type", "did you mean `rotate`?"),
        ("prismatic", "unknown-joint-type", "did you mean `slide`?"),
        ("ball", "unknown-joint-type", "the joint types are"),
    ] {
        let (body, finding) = one_finding(&base(&format!("children DEF J Joint {{\njointType \"{word}\" }}")));
        assert!(body.is_none());
        assert_finding(&finding, &format!("error[{code}]: ROBOT > BASE > J: "), (3, 1));
        assert!(finding.help.as_deref().unwrap().starts_with(help), "{finding}");
    }
    let (_, finding) = one_finding(&base("children DEF J\nJoint { }"));
    assert_finding(&finding, "error[no-joint-type]: ROBOT > BASE > J: ", (3, 1));
}

#[test]
fn translation_and_rotation_are_the_offset_from_the_parent() {
    let body = clean_base(
        "translation 0 0 2 children DEF J Joint { jointType \"rotate\" translation 1 2 3 rotation 0 0 2 1.5707963267948966 }",
    );
    assert_all_close(&body.root().offset.translation.vector, [0.0, 0.0, 2.0]);
    let offset = link(&body, "J").offset;
    assert_all_close(&offset.translation.vector, [1.0, 2.0, 3.0]);
    assert_all_close(&(offset.rotation * nalgebra::Vector3::x()), [0.0, 1.0, 0.0]);
}

#[test]
fn name_and_orientations_have_no_effect() {
    let body = clean_base(
        "children DEF J Joint { jointType \"rotate\" name \"K\" scaleOrientation 1 0 0 1
        limitOrientation 1 0 0 1 stiffness [ 1 1 1 ] translation 1 0 0 }",
    );
    assert_all_close(&link(&body, "J").offset.translation.vector, [1.0, 0.0, 0.0]);
    assert_eq!(link(&body, "J").joint_name(), "J");
}

#[test]
fn several_degrees_of_freedom_are_joints_with_one_origin() {
    // The manual's elbow.
    let body = clean_base(
        "children DEF 肘0 Joint { jointType \"rotate\" children [ DEF 肘1 Joint { jointType \"rotate\" } ] translation 0 0 0 }",
    );
    assert_eq!(link(&body, "肘1").parent, body.find_link("肘0"));
}

#[test]
fn links_come_depth_first_in_the_order_of_the_file() {
    let joint =
        |name: &str, children: &str| format!("DEF {name} Joint {{ jointType \"rotate\" children [ {children} ] }}");
    let arm = joint("A", &format!("{}{}", joint("B", ""), joint("C", "")));
    let body = clean_base(&format!("children [ {arm} Group {{ children [ {} ] }} ]", joint("D", "")));
    let names: Vec<_> = body.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["BASE", "A", "B", "C", "D"]);
    let parents: Vec<_> = body.links().iter().map(|link| link.parent.map(|parent| parent.0)).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(1), Some(0)]);
}

fn with_ids(ids: &[i32]) -> String {
    let joints = ids
        .iter()
        .enumerate()
        .map(|(number, id)| format!("DEF J{number} Joint {{ jointType \"rotate\"\njointId {id} }}\n"));
    base(&format!("children [\n{}]", joints.collect::<String>()))
}

fn slots(body: &Body) -> Vec<Option<usize>> {
    body.joints()
        .iter()
        .map(|slot| match slot {
            JointSlot::Link(LinkIndex(link)) => Some(*link),
            JointSlot::Unused => None,
        })
        .collect()
}

#[test]
fn joint_ids_give_the_order_and_joints_without_come_last() {
    let body = clean(&with_ids(&[-1, 1, 0]));
    assert_eq!(slots(&body), [Some(3), Some(2), Some(1)]);
    assert_eq!((body.num_joint_ids(), body.num_joints()), (2, 3));
    assert_eq!(body.joint_name(JointIndex(0)), "J2");
}

#[test]
fn a_gap_in_the_joint_ids_is_an_unused_entry() {
    let (body, finding) = one_finding(&with_ids(&[0, 3]));
    assert_finding(&finding, "warning[unused-joint-id]: ROBOT > BASE > J1: no link has joint ID 1, 2; ", (6, 1));
    assert_eq!(slots(&body.unwrap()), [Some(1), None, None, Some(2)]);
}

#[test]
fn the_first_of_two_joints_with_one_id_keeps_it() {
    let (body, finding) = one_finding(&with_ids(&[0, 0]));
    assert_finding(
        &finding,
        "warning[duplicate-joint-id]: ROBOT > BASE > J1: joint ID 0 is already taken by link `J0`",
        (6, 1),
    );
    assert_eq!(slots(&body.unwrap()), [Some(1), Some(2)]);
}

#[test]
fn a_huge_joint_id_is_refused() {
    let (body, findings) = load(&with_ids(&[2_147_483_647]));
    assert!(body.is_none());
    assert_finding(&findings[0], "error[joint-id]: ROBOT > BASE > J0: ", (4, 1));
}

#[test]
fn the_axis_is_a_vector() {
    assert_all_close(&joint("rotate", "").axis, [0.0, 0.0, 1.0]);
    assert_all_close(&joint("slide", "jointAxis 0.6 0 -0.8").axis, [0.6, 0.0, -0.8]);
    assert_all_close(&joint("fixed", "jointAxis 1 0 0").axis, [0.0, 0.0, 0.0]);
}

#[test]
fn an_axis_of_another_length_is_made_a_unit_vector() {
    let joint = joint_with_finding("jointAxis 0 3 4", "warning[axis-length]: ROBOT > BASE > J: ", 1).unwrap();
    assert_all_close(&joint.axis, [0.0, 0.6, 0.8]);
    assert!(joint_with_finding("jointAxis 0 0 0", "error[zero-axis]: ROBOT > BASE > J: ", 1).is_none());
}

#[test]
fn openhrp_2_gives_the_axis_by_its_letter() {
    let declaration = "exposedField SFVec3f jointAxis 0 0 1";
    let protos = PROTOS.replace(declaration, "exposedField SFString jointAxis \"Z\"");
    assert_ne!(protos, PROTOS);
    let load = |axis: &str| {
        load_whole(&format!("{protos}{}", base(&format!("children DEF J Joint {{ jointType \"rotate\"\n{axis} }}"))))
    };
    for (field, axis) in [
        ("jointAxis \"X\"", [1.0, 0.0, 0.0]),
        ("jointAxis \"Y\"", [0.0, 1.0, 0.0]),
        ("jointAxis \"Z\"", [0.0, 0.0, 1.0]),
        ("", [0.0, 0.0, 1.0]),
    ] {
        let (body, findings) = load(field);
        assert!(findings.is_empty(), "{}", list(&findings));
        assert_all_close(&link(&body.unwrap(), "J").joint.axis, axis);
    }
    let (body, findings) = load("jointAxis \"W\"");
    assert!(body.is_none());
    assert_finding(&findings[0], "error[bad-axis]: ROBOT > BASE > J: `W` is not an axis", (3, 1));
}

#[test]
fn limits_are_in_radian_and_unlimited_by_default() {
    let free = joint("rotate", "");
    assert_eq!((free.displacement_range, free.velocity_range), (Range::UNLIMITED, Range::UNLIMITED));
    let limited = joint("rotate", "llimit -0.5 ulimit [ 1.5 ] lvlimit [ -2 ] uvlimit 3");
    assert_eq!(limited.displacement_range, Range { lower: -0.5, upper: 1.5 });
    assert_eq!(limited.velocity_range, Range { lower: -2.0, upper: 3.0 });
    assert_eq!(limited.effort_range, Range::UNLIMITED);
    let above = joint("rotate", "ulimit 1");
    assert_eq!(above.displacement_range, Range { lower: f64::NEG_INFINITY, upper: 1.0 });
    // OpenHRP's notation of unlimited values.
    let largest = "llimit -inf ulimit 1.7976931348623157e308";
    assert_eq!(joint("rotate", largest).displacement_range, Range::UNLIMITED);
}

#[test]
fn of_several_limits_the_first_counts() {
    let joint = joint_with_finding("ulimit [ 1 2 3 ]", "warning[wrong-length]: ROBOT > BASE > J: ", 1).unwrap();
    assert_close(joint.displacement_range.upper, 1.0);
}

#[test]
fn the_rotor_acts_through_the_gear() {
    let joint = joint("rotate", "gearRatio 100 rotorInertia 0.00002");
    assert_close(joint.equivalent_rotor_inertia, 0.2);
}

#[test]
fn the_motor_is_kept() {
    assert_eq!(joint("rotate", "").motor, None);
    let fields = "gearRatio 100 gearEfficiency 0.6 rotorInertia 0.00002 rotorResistor 1.5 torqueConst 0.02 encoderPulse 500 climit 4";
    let expected = Motor {
        gear_ratio: 100.0,
        gear_efficiency: 0.6,
        rotor_inertia: 0.00002,
        rotor_resistance: 1.5,
        torque_constant: 0.02,
        encoder_pulses: 500.0,
        max_current: Some(4.0),
    };
    assert_eq!(joint("rotate", fields).motor, Some(expected));
}

#[test]
fn an_equivalent_inertia_counts_instead_of_rotor_and_gear() {
    let protos = PROTOS.replace(
        "exposedField SFFloat gearRatio 1",
        "field SFFloat equivalentInertia 0 exposedField SFFloat gearRatio 1",
    );
    let text = |value: &str| {
        format!("{protos}{}", base(&format!("children DEF J Joint {{ jointType \"rotate\" rotorInertia 2\n{value} }}")))
    };
    let (body, findings) = load_whole(&text("equivalentInertia 0.7"));
    assert_finding(&findings[0], "note[older-field]: ROBOT > BASE > J: ", (3, 1));
    assert_close(link(&body.unwrap(), "J").joint.equivalent_rotor_inertia, 0.7);
    let (body, findings) = load_whole(&text(""));
    assert!(findings.is_empty(), "{}", list(&findings));
    assert_close(link(&body.unwrap(), "J").joint.equivalent_rotor_inertia, 2.0);
}

#[test]
fn defaults_are_those_of_the_declaration_in_the_file() {
    let protos = PROTOS.replace("exposedField SFString jointType \"\"", "exposedField SFString jointType \"rotate\"");
    let text = robot("DEF BASE Joint { jointType \"fixed\" children DEF J Joint { } }");
    let (body, findings) = load_whole(&format!("{protos}{text}"));
    assert!(findings.is_empty(), "{}", list(&findings));
    assert_eq!(link(&body.unwrap(), "J").joint.kind, JointKind::Revolute);
}

#[test]
fn a_joint_in_a_transform_is_moved_by_it() {
    let (body, finding) = one_finding(&base(
        "children Transform { translation 0 0 1 rotation 0 0 1 1.5707963267948966 children\nDEF J Joint { jointType \"rotate\" translation 1 0 0 } }",
    ));
    assert_finding(&finding, "note[moved-joint]: ROBOT > BASE > J: ", (3, 7));
    let offset = link(&body.unwrap(), "J").offset;
    assert_all_close(&offset.translation.vector, [0.0, 1.0, 1.0]);
    assert_close(offset.rotation.angle(), FRAC_PI_2);
    let (body, finding) =
        one_finding(&base("children Transform { scale 2 2 2 children\nDEF J Joint { jointType \"rotate\" } }"));
    assert!(body.is_none());
    assert_finding(&finding, "error[scaled-joint]: ROBOT > BASE > J: ", (3, 7));
}

#[test]
fn a_scale_of_a_joint_is_reported() {
    joint_with_finding("scale 2 2 2", "warning[no-effect]: ROBOT > BASE > J: `scale` of a `Joint`", 1);
    joint("rotate", "scale 1 1 1");
}

#[test]
fn an_inner_joint_that_is_free_is_reported() {
    let (body, finding) = one_finding(&base("children DEF J Joint {\njointType \"free\" }"));
    assert_finding(&finding, "note[inner-free-joint]: ", (3, 1));
    assert_eq!(link(&body.unwrap(), "J").joint.kind, JointKind::Free);
}

#[test]
fn limits_of_joints_that_have_no_displacement_may_have_any_length() {
    clean(&robot(
        "DEF ROOT Joint { jointType \"free\" ulimit [ 0 0 ] llimit [ 0 0 0 ] uvlimit [ 1 1 ] lvlimit [ 1 1 ] }",
    ));
    joint_with_finding("ulimit [ 1 1 ]", "warning[wrong-length]: ", 1);
}
