//! Forward kinematics compared with formulas derived by hand.

use std::f64::consts::{FRAC_PI_2, PI};

use bunraku_body::kinematics::{joint_motion, link_poses, measured_displacement, update_link_poses};
use bunraku_body::{Body, LinkIndex};
use bunraku_test_support::{assert_all_close, assert_close, read_links};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::common;
use crate::common::link;

/// Upper arm of 1 m and forearm of 0.5 m along x, rotating about z; a hand at the end.
const ARM: &str = "  - { name: BASE }
  - { name: UPPER, parent: BASE, joint_type: revolute, joint_axis: Z, joint_id: 0 }
  - { name: FORE, parent: UPPER, joint_type: revolute, joint_axis: Z, joint_id: 1, translation: [ 1, 0, 0 ] }
  - { name: HAND, parent: FORE, translation: [ 0.5, 0, 0 ] }
";

fn pose_of(body: &Body, poses: &[Isometry3<f64>], name: &str) -> Isometry3<f64> {
    poses[body.find_link(name).unwrap().0]
}

fn somewhere() -> Isometry3<f64> {
    Isometry3::new(Vector3::new(0.3, -2.0, 1.5), Vector3::new(0.4, -0.7, 1.1))
}

#[test]
fn a_two_link_arm_reaches_where_the_formula_says() {
    let body = read_links(ARM);
    for (first, second) in [(0.0_f64, 0.0_f64), (0.3, 0.9), (-1.2, 2.5), (PI, -FRAC_PI_2), (7.0, -5.0)] {
        let poses = link_poses(&body, &Isometry3::identity(), &[first, second]);
        let hand = pose_of(&body, &poses, "HAND");
        let both = first + second;
        let expected = [first.cos() + 0.5 * both.cos(), first.sin() + 0.5 * both.sin(), 0.0];
        assert_all_close(hand.translation.vector.iter(), expected);
        assert_all_close((hand * Vector3::x()).iter(), [both.cos(), both.sin(), 0.0]);
        assert_all_close(pose_of(&body, &poses, "FORE").translation.vector.iter(), [first.cos(), first.sin(), 0.0]);
    }
}

#[test]
fn the_root_pose_carries_the_whole_body() {
    let body = read_links(ARM);
    let still = link_poses(&body, &Isometry3::identity(), &[0.3, 0.9]);
    let moved = link_poses(&body, &somewhere(), &[0.3, 0.9]);
    assert_eq!(moved[0], somewhere());
    for (still, moved) in still.iter().zip(&moved) {
        assert_all_close(moved.to_homogeneous().iter(), (somewhere() * still).to_homogeneous().iter().copied());
    }
}

#[test]
fn positive_angles_turn_right_handed_about_the_axis() {
    for (axis, from, to) in [
        ("X", Vector3::y(), Vector3::z()),
        ("Y", Vector3::z(), Vector3::x()),
        ("Z", Vector3::x(), Vector3::y()),
        ("-Z", Vector3::y(), Vector3::x()),
    ] {
        let body = read_links(&format!(
            "  - name: BASE\n  - {{ name: ARM, parent: BASE, joint_type: revolute, joint_axis: {axis} }}\n"
        ));
        let poses = link_poses(&body, &Isometry3::identity(), &[FRAC_PI_2]);
        assert_all_close((poses[1] * from).iter(), to.iter().copied());
    }
}

#[test]
fn a_prismatic_joint_slides_along_its_axis_in_the_turned_link_frame() {
    let body = read_links(
        "  - { name: BASE }
  - { name: ROD, parent: BASE, joint_type: prismatic, joint_axis: X, translation: [ 0, 0, 1 ], rotation: [ 0, 0, 1, 90 ] }
",
    );
    let poses = link_poses(&body, &Isometry3::identity(), &[0.25]);
    assert_all_close(poses[1].translation.vector.iter(), [0.0, 0.25, 1.0]);
    assert_all_close((poses[1] * Vector3::x()).iter(), [0.0, 1.0, 0.0]);
}

#[test]
fn the_offset_rotation_of_a_link_turns_its_joint_axis_and_its_children() {
    let body = read_links(
        "  - { name: BASE }
  - { name: ARM, parent: BASE, joint_type: revolute, joint_axis: Z, rotation: [ 1, 0, 0, 90 ] }
  - { name: HAND, parent: ARM, translation: [ 1, 0, 0 ] }
",
    );
    // The link's z axis points along −y of the world; a rotation about it moves x towards +z.
    for angle in [0.0_f64, 0.4, FRAC_PI_2, -2.0] {
        let poses = link_poses(&body, &Isometry3::identity(), &[angle]);
        assert_all_close(poses[2].translation.vector.iter(), [angle.cos(), 0.0, angle.sin()]);
        assert_all_close((poses[2] * Vector3::z()).iter(), [0.0, -1.0, 0.0]);
    }
}

#[test]
fn displacements_go_by_joint_order_not_link_order() {
    let text = bunraku_test_support::model_text(
        "  - { name: BASE }
  - { name: A, parent: BASE, joint_type: prismatic, joint_axis: X, joint_id: 2 }
  - { name: B, parent: BASE, joint_type: prismatic, joint_axis: X, joint_id: 0 }
  - { name: C, parent: BASE, joint_type: prismatic, joint_axis: X }
",
    );
    // ID 1 is unused: its entry of the vector moves nothing.
    let (body, _) = common::read_with_one_finding(&text);
    let poses = link_poses(&body, &Isometry3::identity(), &[1.0, 2.0, 3.0, 4.0]);
    let x: Vec<f64> = poses.iter().map(|pose| pose.translation.x).collect();
    assert_eq!(x, [0.0, 3.0, 1.0, 4.0]);
}

#[test]
fn missing_displacements_count_as_zero_and_spare_ones_do_not_matter() {
    let body = read_links(ARM);
    let at = |displacements: &[f64]| link_poses(&body, &Isometry3::identity(), displacements);
    assert_eq!(at(&[0.3]), at(&[0.3, 0.0]));
    assert_eq!(at(&[]), at(&[0.0, 0.0]));
    assert_eq!(at(&[0.3, 0.9, 5.0]), at(&[0.3, 0.9]));
    assert_ne!(at(&[0.3]), at(&[0.0]));
}

#[test]
fn a_reused_buffer_is_overwritten() {
    let body = read_links(ARM);
    let mut poses = vec![somewhere(); 17];
    update_link_poses(&body, &Isometry3::identity(), &[0.3], &mut poses);
    assert_eq!(poses, link_poses(&body, &Isometry3::identity(), &[0.3]));
}

#[test]
fn fixed_links_stay_at_their_offset() {
    let body = read_links(
        "  - { name: BASE }\n  - { name: TRACK, parent: BASE, joint_type: pseudo_continuous_track, joint_id: 0, translation: [ 1, 2, 3 ] }\n",
    );
    let poses = link_poses(&body, &Isometry3::identity(), &[0.7]);
    assert_eq!(poses[1], Isometry3::translation(1.0, 2.0, 3.0));
    assert_eq!(measured_displacement(link(&body, "TRACK"), &poses[0], &(poses[1] * somewhere())), 0.0);
}

#[test]
fn the_measured_angle_is_the_one_that_was_set() {
    for axis in ["X", "-Y", "Z", "[ 0.6, 0, -0.8 ]", "[ 1, 1, 1 ]", "[ 0, 0, 3 ]"] {
        let body = read_links(&format!(
            "  - name: BASE
  - {{ name: ARM, parent: BASE, joint_type: revolute, joint_axis: {axis}, translation: [ 1, 2, 3 ], rotation: [ 1, 2, 3, 77 ] }}
"
        ));
        let arm = link(&body, "ARM");
        for step in -31..=31 {
            let angle = f64::from(step) / 10.0;
            let pose = somewhere() * arm.offset * joint_motion(&arm.joint, angle);
            assert_close(measured_displacement(arm, &somewhere(), &pose), angle);
        }
    }
}

#[test]
fn the_measured_angle_is_within_half_a_turn() {
    let body = read_links(ARM);
    let arm = body.link(LinkIndex(1));
    for (angle, expected) in [(4.0, 4.0 - 2.0 * PI), (-4.0, 2.0 * PI - 4.0), (20.0 * PI + 0.5, 0.5)] {
        let pose = arm.offset * joint_motion(&arm.joint, angle);
        assert_close(measured_displacement(arm, &Isometry3::identity(), &pose), expected);
    }
}

#[test]
fn the_measured_angle_does_not_depend_on_the_sign_of_the_quaternion() {
    let body = read_links(ARM);
    let arm = body.link(LinkIndex(1));
    let pose = arm.offset * joint_motion(&arm.joint, 0.8);
    let negated = UnitQuaternion::new_unchecked(-pose.rotation.into_inner());
    let same = Isometry3::from_parts(pose.translation, negated);
    assert_close(measured_displacement(arm, &Isometry3::identity(), &same), 0.8);
}

#[test]
fn the_measured_slide_is_the_one_that_was_set() {
    for axis in ["X", "-Z", "[ 0.6, 0.8, 0 ]", "[ 0, 0, 2 ]"] {
        let body = read_links(&format!(
            "  - name: BASE
  - {{ name: ROD, parent: BASE, joint_type: slide, joint_axis: {axis}, translation: [ 1, 2, 3 ], rotation: [ 1, 2, 3, 77 ] }}
"
        ));
        let rod = link(&body, "ROD");
        for displacement in [-12.5, -0.3, 0.0, 0.001, 4.0, 100.0] {
            let pose = somewhere() * rod.offset * joint_motion(&rod.joint, displacement);
            assert_close(measured_displacement(rod, &somewhere(), &pose), displacement);
        }
    }
}

#[test]
fn the_measured_slide_ignores_motion_across_the_axis() {
    let body = read_links("  - name: BASE\n  - { name: ROD, parent: BASE, joint_type: slide, joint_axis: Z }\n");
    let pose = Isometry3::from(Translation3::new(3.0, -4.0, 0.5));
    assert_close(measured_displacement(link(&body, "ROD"), &Isometry3::identity(), &pose), 0.5);
}

#[test]
fn the_centre_of_mass_weighs_the_links_where_they_are() {
    let body = read_links(
        "  - { name: BASE, mass: 1, center_of_mass: [ 0, 0, 2 ] }
  - { name: ARM, parent: BASE, joint_type: revolute, joint_axis: Z, translation: [ 1, 0, 0 ], mass: 3, center_of_mass: [ 4, 0, 0 ] }
",
    );
    assert_close(body.mass(), 4.0);
    let at = |root: &Isometry3<f64>, angle: f64| body.center_of_mass(&link_poses(&body, root, &[angle]));
    assert_all_close(at(&Isometry3::identity(), 0.0).iter(), [3.75, 0.0, 0.5]);
    assert_all_close(at(&Isometry3::identity(), FRAC_PI_2).iter(), [0.75, 3.0, 0.5]);
    let moved = somewhere() * Point3::new(0.75, 3.0, 0.5);
    assert_all_close(at(&somewhere(), FRAC_PI_2).iter(), moved.iter().copied());
}

#[test]
fn a_body_without_mass_has_its_centre_at_the_root() {
    let body =
        read_links("  - { name: BASE, mass: 0 }\n  - { name: ARM, parent: BASE, mass: 0, translation: [ 1, 0, 0 ] }\n");
    let poses = link_poses(&body, &somewhere(), &[]);
    assert_eq!(body.center_of_mass(&poses), Point3::from(somewhere().translation.vector));
}
