//! Bodies, joints, defaults and includes.

use std::f64::consts::{FRAC_PI_2, PI};

use bunraku_body::{JointKind, LoadOptions, Range, kinematics};
use nalgebra::{Isometry3, Point3, Vector3};

use super::{MASS, clean, codes, read_files};
use crate::common::link;

#[test]
fn a_single_free_body_is_the_root() {
    let body = clean(&format!(
        "<worldbody><body name=\"A\" pos=\"0 0 2\"><freejoint/>{MASS}\
         <body name=\"B\" pos=\"1 0 0\"><joint name=\"J\" axis=\"0 1 0\"/>{MASS}</body></body></worldbody>"
    ));
    assert!(!body.is_fixed());
    assert_eq!((body.root().name.as_str(), body.root().offset), ("A", Isometry3::translation(0.0, 0.0, 2.0)));
    assert_eq!(link(&body, "B").joint.kind, JointKind::Revolute);
    assert_eq!(body.num_joints(), 1);
}

#[test]
fn a_single_fixed_body_is_the_root_and_a_jointed_one_hangs_on_the_world() {
    let fixed = clean(&format!("<worldbody><body name=\"A\">{MASS}</body></worldbody>"));
    assert!(fixed.is_fixed() && fixed.links().len() == 1);
    let jointed = clean(&format!("<worldbody><body name=\"A\"><joint type=\"slide\"/>{MASS}</body></worldbody>"));
    assert_eq!(jointed.links().iter().map(|link| link.name.as_str()).collect::<Vec<_>>(), ["world", "A"]);
    assert!(jointed.is_fixed());
}

#[test]
fn several_joints_of_a_body_turn_one_after_the_other_at_their_anchors() {
    let body = clean(
        "<compiler angle=\"radian\"/><worldbody><body name=\"A\" pos=\"1 0 0\">\
         <joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/>\
         <joint name=\"z\" type=\"hinge\" axis=\"0 0 1\" pos=\"0 0.5 0\"/>\
         <joint name=\"y\" type=\"hinge\" axis=\"0 1 0\" pos=\"0.25 0 0\"/>\
         <inertial pos=\"0.1 0.2 0.3\" mass=\"1\" diaginertia=\"1 1 1\"/></body></worldbody>",
    );
    assert_eq!(body.links().iter().map(|link| link.name.as_str()).collect::<Vec<_>>(), ["world", "A_x", "A_z", "A"]);
    let displacements = [0.3, FRAC_PI_2, 0.0];
    let poses = kinematics::link_poses(&body, &Isometry3::identity(), &displacements);
    let center = poses[3] * link(&body, "A").mass.center_of_mass;
    // The slide moves it to (1.3, 0, 0); the turn about (1.3, 0.5, 0) brings (0.1, 0.2, 0.3) to (0.3, 0.1, 0.3) beside that.
    assert!((center - Point3::new(1.3 + 0.3, 0.5 + 0.1, 0.3)).norm() < 1e-12, "{center}");
    assert_eq!(body.find_joint("z").map(|joint| joint.0), Some(1));
}

#[test]
fn angles_are_degrees_unless_the_compiler_says_otherwise() {
    let joint = "<worldbody><body name=\"A\"><joint range=\"-90 180\" ref=\"90\"/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/></body></worldbody>";
    let body = clean(joint);
    let of_joint = &link(&body, "A").joint;
    assert_eq!(of_joint.displacement_range, Range { lower: -FRAC_PI_2, upper: PI });
    // The pose of the file is that at the reference.
    assert_eq!(of_joint.initial_displacement, FRAC_PI_2);
    let poses = kinematics::link_poses(&body, &Isometry3::identity(), &[FRAC_PI_2]);
    assert!(poses[1].rotation.angle() < 1e-12);
    let radian = clean(&format!("<compiler angle=\"radian\"/>{joint}"));
    assert_eq!(link(&radian, "A").joint.displacement_range, Range { lower: -90.0, upper: 180.0 });
    let unlimited = clean(&format!("<compiler autolimits=\"false\"/>{joint}"));
    assert_eq!(link(&unlimited, "A").joint.displacement_range, Range::UNLIMITED);
}

#[test]
fn classes_nest_and_bodies_hand_them_on() {
    let body = clean(&format!(
        "<default><joint armature=\"0.5\" damping=\"0\"/><default class=\"leg\"><joint axis=\"0 1 0\" armature=\"0.25\"/>\
         <default class=\"knee\"><joint range=\"0 90\"/></default></default></default>\
         <worldbody><body name=\"A\" childclass=\"leg\"><joint name=\"a\"/>{MASS}\
         <body name=\"B\"><joint name=\"b\" class=\"knee\"/>{MASS}<frame childclass=\"main\" pos=\"1 0 0\">\
         <body name=\"C\"><joint name=\"c\" axis=\"1 0 0\"/>{MASS}</body></frame></body></body></worldbody>"
    ));
    let joint = |name: &str| &link(&body, name).joint;
    assert_eq!((joint("A").axis, joint("A").equivalent_rotor_inertia), (Vector3::y(), 0.25));
    assert_eq!((joint("B").axis, joint("B").displacement_range.upper), (Vector3::y(), FRAC_PI_2));
    assert_eq!((joint("C").axis, joint("C").equivalent_rotor_inertia), (Vector3::x(), 0.5));
    assert_eq!(link(&body, "C").offset.translation.vector, Vector3::x());
}

#[test]
fn orientations_in_all_notations() {
    let turned = |attribute: &str| {
        let body = clean(&format!(
            "<worldbody><body name=\"A\">{MASS}<body name=\"B\" {attribute}>{MASS}</body></body></worldbody>"
        ));
        link(&body, "B").offset.rotation
    };
    // A quarter turn about Z.
    for attribute in ["quat=\"1 0 0 1\"", "axisangle=\"0 0 2 90\"", "euler=\"0 0 90\"", "xyaxes=\"0 3 0 -1 5 0\""] {
        let off = turned(attribute).inverse() * Vector3::y() - Vector3::x();
        assert!(off.norm() < 1e-12, "{attribute}: {off}");
    }
    assert!((turned("zaxis=\"0 1 0\"") * Vector3::z() - Vector3::y()).norm() < 1e-12);
    // Small letters turn with the frame, capital ones do not.
    let sequence = |letters: &str| {
        let body = clean(&format!(
            "<compiler eulerseq=\"{letters}\"/><worldbody><body name=\"A\">{MASS}<body name=\"B\" euler=\"90 90 0\">{MASS}</body></body></worldbody>"
        ));
        link(&body, "B").offset.rotation * Vector3::x()
    };
    assert!((sequence("xyz") - Vector3::y()).norm() < 1e-12);
    assert!((sequence("XYZ") + Vector3::z()).norm() < 1e-12);
}

#[test]
fn included_files_stand_where_they_are_named() {
    let files = [
        (
            "model.xml",
            "<mujoco><include file=\"defaults.xml\"/><worldbody><include file=\"arm.xml\"/></worldbody></mujoco>",
        ),
        ("defaults.xml", "<mujocoinclude><default><joint axis=\"0 1 0\"/></default></mujocoinclude>"),
        (
            "arm.xml",
            "<mujoco>\n<body name=\"A\"><joint/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>\n<wheel/></body></mujoco>",
        ),
    ];
    let (body, findings) = read_files(&files, &LoadOptions::default());
    assert_eq!(link(&body.unwrap(), "A").joint.axis, Vector3::y());
    assert_eq!(codes(&findings), ["unknown-key"]);
    assert!(findings[0].to_string().contains("arm.xml:3:1"), "{}", findings[0]);
}

#[test]
fn a_keyframe_is_the_standard_pose_and_the_start_if_asked_for() {
    let text = format!(
        "<mujoco><worldbody><body name=\"A\" pos=\"0 0 1\"><freejoint/>{MASS}<body name=\"B\"><joint/>{MASS}</body></body></worldbody>\
         <keyframe><key name=\"low\" qpos=\"0 0 0.5 1 0 0 0 0.25\"/><key name=\"home\" qpos=\"0 0 2 1 0 0 0 0.5\"/></keyframe></mujoco>"
    );
    let read = |keyframe: Option<&str>| {
        let options = LoadOptions { keyframe: keyframe.map(str::to_owned), ..LoadOptions::default() };
        super::read_text(&text, &options)
    };
    let (body, findings) = read(None);
    let body = body.unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!((body.standard_pose.as_deref(), body.initial_displacements()), (Some(&[0.5][..]), vec![0.0]));
    let body = read(Some("low")).0.unwrap();
    assert_eq!((body.root().offset.translation.z, body.initial_displacements()), (0.5, vec![0.25]));
    let (body, findings) = read(Some("lowest"));
    assert!(body.is_none());
    assert!(findings[0].to_string().contains("it has low, home"), "{}", findings[0]);
}
