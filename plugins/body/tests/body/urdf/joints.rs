//! Links, joints and mass properties.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};

use bunraku_body::{Body, JointId, JointKind, Range};
use bunraku_document::Diagnostic;
use nalgebra::{Matrix3, Vector3};

use super::{clean, heavy, jointed, read};
use crate::common::link;
use bunraku_test_support::{assert_all_close, assert_close};

#[test]
fn each_type_of_joint_has_its_kind_and_limits() {
    let limit = "<limit lower=\"-1\" upper=\"2\" effort=\"30\" velocity=\"4\"/>";
    let cases = [
        ("revolute", JointKind::Revolute, Range { lower: -1.0, upper: 2.0 }),
        ("continuous", JointKind::Revolute, Range::UNLIMITED),
        ("prismatic", JointKind::Prismatic, Range { lower: -1.0, upper: 2.0 }),
    ];
    for (word, kind, range) in cases {
        let body = clean(&jointed(word, &format!("<axis xyz=\"0 0 2\"/>{limit}")));
        let joint = &link(&body, "B").joint;
        assert_eq!((joint.kind, joint.displacement_range, joint.id), (kind, range, Some(JointId(0))), "{word}");
        assert_eq!((joint.effort_range, joint.velocity_range), (Range::symmetric(30.0), Range::symmetric(4.0)));
        assert_eq!((joint.axis, body.joint_name(bunraku_body::JointIndex(0))), (Vector3::z(), "J"));
    }
    let fixed = clean(&jointed("fixed", ""));
    assert_eq!((link(&fixed, "B").joint.kind, fixed.num_joints()), (JointKind::Fixed, 0));
    let floating = clean(&jointed("floating", ""));
    assert_eq!(link(&floating, "B").joint.kind, JointKind::Free);
    // The default axis is X.
    let plain = clean(&jointed("continuous", ""));
    assert_eq!(link(&plain, "B").joint.axis, Vector3::x());
}

#[test]
fn a_planar_joint_slides_in_its_plane_and_turns_about_its_normal() {
    let (body, findings) = read(&jointed("planar", "<origin xyz=\"1 2 3\"/><axis xyz=\"0 0 1\"/>"));
    assert_eq!(findings.iter().filter(|finding| finding.code == "planar-joint").count(), 1);
    let body = body.unwrap();
    // The hinge has the ID of the joint; the slides follow.
    let poses = bunraku_body::kinematics::link_poses(&body, &body.root().offset, &[FRAC_PI_2, 0.5, 0.25]);
    let pose = poses[body.find_link("B").unwrap().0];
    assert_all_close(pose.translation.vector.as_slice(), [1.5, 2.25, 3.0]);
    assert_all_close((pose.rotation * Vector3::x()).as_slice(), [0.0, 1.0, 0.0]);
}

#[test]
fn roll_pitch_and_yaw_turn_about_fixed_axes() {
    let body = clean(&jointed("fixed", "<origin xyz=\"1 2 3\" rpy=\"0.1 0.2 0.3\"/>"));
    let offset = link(&body, "B").offset;
    assert_all_close(offset.translation.vector.as_slice(), [1.0, 2.0, 3.0]);
    // Rz(yaw) · Ry(pitch) · Rx(roll), written out.
    let ([sr, sp, sy], [cr, cp, cy]) = ([0.1_f64, 0.2, 0.3].map(f64::sin), [0.1_f64, 0.2, 0.3].map(f64::cos));
    let expected = Matrix3::new(
        cy * cp,
        cy * sp * sr - sy * cr,
        cy * sp * cr + sy * sr,
        sy * cp,
        sy * sp * sr + cy * cr,
        sy * sp * cr - cy * sr,
        -sp,
        cp * sr,
        cp * cr,
    );
    assert_all_close(offset.rotation.to_rotation_matrix().matrix().as_slice(), expected.iter().copied());
    let turned = clean(&jointed("fixed", &format!("<origin quat_xyzw=\"0 0 {FRAC_1_SQRT_2} {FRAC_1_SQRT_2}\"/>")));
    assert_all_close((link(&turned, "B").offset.rotation * Vector3::x()).as_slice(), [0.0, 1.0, 0.0]);
}

#[test]
fn the_inertia_is_turned_into_the_axes_of_the_link() {
    let body = clean(
        "<link name=\"A\"><inertial><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/><mass value=\"2\"/>\
         <inertia ixx=\"3\" iyy=\"4\" izz=\"5\" ixy=\"0.1\" ixz=\"0.2\" iyz=\"0.3\"/></inertial></link>",
    );
    let mass = body.root().mass;
    assert_close(mass.mass, 2.0);
    assert_all_close(mass.center_of_mass.coords.as_slice(), [1.0, 2.0, 3.0]);
    // A rotation by 90° about Z maps x to y and y to −x: Iyy is ixx, Ixy is −ixy, Iyz is ixz, Ixz is −iyz.
    let expected = Matrix3::new(4.0, -0.1, -0.3, -0.1, 3.0, 0.2, -0.3, 0.2, 5.0);
    assert_all_close(mass.inertia.as_slice(), expected.iter().copied());
    // Without <inertial> the mass is zero.
    assert_eq!(clean("<link name=\"A\"/>").mass(), 0.0);
}

#[test]
fn the_root_floats_unless_it_is_the_world() {
    assert!(!clean(&heavy("base")).is_fixed());
    let world = format!("<link name=\"world\"/>{}", heavy("A"));
    let joint = "<joint name=\"J\" type=\"fixed\"><parent link=\"world\"/><child link=\"A\"/></joint>";
    assert!(clean(&format!("{world}{joint}")).is_fixed());
}

#[test]
fn joints_are_numbered_in_the_order_of_the_file() {
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"continuous\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>"
        )
    };
    let links: String = ["A", "B", "C", "D"].map(heavy).concat();
    let body = clean(&format!("{links}{}{}{}", joint("Z", "B", "C"), joint("Y", "A", "D"), joint("X", "A", "B")));
    let names: Vec<&str> = (0..3).map(|joint| body.joint_name(bunraku_body::JointIndex(joint))).collect();
    assert_eq!(names, ["Z", "Y", "X"]);
    // Links are in depth-first order, children in the order of their joints.
    let names: Vec<&str> = body.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["A", "D", "B", "C"]);
}

#[test]
fn a_rotor_counts_at_its_joint_by_the_square_of_its_gear() {
    let transmission = "<transmission name=\"T\"><type>transmission_interface/SimpleTransmission</type><joint name=\"J\"/>\
                        <actuator name=\"M\"><mechanicalReduction>50</mechanicalReduction><motorInertia>2e-5</motorInertia>\
                        </actuator></transmission>";
    let body = clean(&format!("{}{transmission}", jointed("continuous", "")));
    let joint = &link(&body, "B").joint;
    assert_close(joint.equivalent_rotor_inertia, 0.05);
    assert_close(joint.motor.unwrap().gear_ratio, 50.0);
}

#[test]
fn damping_and_friction_are_noted_for_the_scene() {
    let (body, findings) = read(&jointed("continuous", "<dynamics damping=\"0.5\" friction=\"0.25\"/>"));
    assert!(body.is_some());
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!(finding.code, "joint-losses");
    let help = finding.help.as_deref().unwrap();
    assert!(help.contains("`joint_damping: { J: 0.5 }` and `joint_friction: { J: 0.25 }`"), "{help}");
}

/// Joints J and K with these elements, and L, which is fixed.
fn mimics(of_j: &str, of_k: &str) -> (Option<Body>, Vec<Diagnostic>) {
    let links: String = ["A", "B", "C", "D"].map(heavy).concat();
    read(&format!(
        "{links}<joint name=\"J\" type=\"continuous\"><parent link=\"A\"/><child link=\"B\"/>{of_j}</joint>\
         <joint name=\"K\" type=\"continuous\"><parent link=\"A\"/><child link=\"C\"/>{of_k}</joint>\
         <joint name=\"L\" type=\"fixed\"><parent link=\"A\"/><child link=\"D\"/></joint>"
    ))
}

#[test]
fn a_mimicking_joint_follows_its_leader() {
    let (body, findings) = mimics("", "<mimic joint=\"J\" multiplier=\"-2\" offset=\"0.5\"/>");
    assert!(findings.is_empty(), "{findings:?}");
    let body = body.unwrap();
    assert_eq!(body.num_joints(), 2);
    let [coupling] = body.joint_couplings() else { panic!("{:?}", body.joint_couplings()) };
    assert_eq!([coupling.follower, coupling.leader].map(|link| body.link(link).name.as_str()), ["C", "B"]);
    assert_eq!(coupling.as_linear(), Some((-2.0, 0.5)));
    assert_eq!(body.initial_displacements(), [0.0, 0.5]);
}

#[test]
fn joints_that_cannot_follow_have_a_warning_with_a_place() {
    for (of_j, of_k, code) in [
        ("<mimic joint=\"J\"/>", "", "coupling-cycle"),
        ("<mimic joint=\"K\"/>", "<mimic joint=\"J\"/>", "coupling-cycle"),
        ("<mimic joint=\"L\"/>", "", "coupling-immovable"),
        ("<mimic joint=\"M\"/>", "", "unknown-joint"),
    ] {
        let (body, findings) = mimics(of_j, of_k);
        assert!(body.unwrap().joint_couplings().len() < 2);
        let [finding] = findings.as_slice() else { panic!("{findings:?}") };
        assert_eq!(finding.code, code, "{finding}");
        assert!(finding.position().is_some() && finding.help.is_some() || code == "unknown-joint", "{finding}");
    }
}

#[test]
fn an_inertia_without_mass_is_added_to_the_link_it_is_fixed_to() {
    let foot = "<link name=\"B\"><inertial><mass value=\"0\"/>\
                <inertia ixx=\"1\" iyy=\"2\" izz=\"3\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>";
    let joint = "<joint name=\"J\" type=\"fixed\"><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/>\
                 <parent link=\"A\"/><child link=\"B\"/></joint>";
    let (body, findings) = read(&format!("{}{foot}{joint}", heavy("A")));
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["massless-inertia"]);
    let body = body.unwrap();
    let expected = Matrix3::from_diagonal(&Vector3::new(3.0, 2.0, 4.0));
    assert_all_close(body.root().mass.inertia.as_slice(), expected.iter().copied());
}
