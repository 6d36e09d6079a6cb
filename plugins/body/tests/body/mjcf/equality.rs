//! Joints that follow others, loops, actuators and sensors.

use bunraku_body::{ActuationMode, CollisionRule, DeviceKind, ExtraJointKind, LinkIndex, Range};

use super::{MASS, clean, codes, read};
use crate::common::link;

fn gripper(more: &str) -> String {
    format!(
        "<compiler angle=\"radian\"/><worldbody><body name=\"palm\">{MASS}<site name=\"s\" pos=\"0 0 1\"/>\
         <body name=\"L\" pos=\"0 0.1 0\"><joint name=\"l\" ref=\"0.5\"/>{MASS}<geom size=\"0.1\"/></body>\
         <body name=\"R\" pos=\"0 -0.1 0\"><joint name=\"r\"/>{MASS}<geom size=\"0.1\"/></body></body></worldbody>{more}"
    )
}

#[test]
fn a_joint_follows_another_from_the_pose_of_the_file() {
    let body = clean(&gripper("<equality><joint joint1=\"r\" joint2=\"l\" polycoef=\"0.1 -2 3\"/></equality>"));
    let [coupling] = body.joint_couplings() else { panic!("{:?}", body.joint_couplings()) };
    assert_eq!([coupling.follower, coupling.leader].map(|link| body.link(link).name.as_str()), ["R", "L"]);
    // 0.1 − 2·(q − 0.5) + 3·(q − 0.5)² = 1.85 − 5·q + 3·q².
    for (found, expected) in coupling.polynomial.iter().zip([1.85, -5.0, 3.0, 0.0, 0.0]) {
        assert!((found - expected).abs() < 1e-12, "{:?}", coupling.polynomial);
    }
    assert!((body.initial_displacements()[1] - 0.1).abs() < 1e-12);
}

#[test]
fn loops_are_closed_in_the_pose_of_the_file() {
    let body = clean(&gripper(
        "<equality><connect body1=\"L\" body2=\"R\" anchor=\"0.2 -0.1 0\"/><weld body1=\"L\" body2=\"palm\"/></equality>",
    ));
    let [ball, weld] = body.extra_joints.as_slice() else { panic!() };
    assert_eq!((ball.kind, ball.links), (ExtraJointKind::Ball, [LinkIndex(1), LinkIndex(2)]));
    assert_eq!(weld.kind, ExtraJointKind::Fixed);
    let poses = bunraku_body::kinematics::link_poses(&body, &body.root().offset, &body.initial_displacements());
    for joint in [ball, weld] {
        let [one, other] = [0, 1].map(|side| poses[joint.links[side].0] * joint.frames[side]);
        assert!(joint.kind.gap(&one, &other) < 1e-12 && one.rotation.angle_to(&other.rotation) < 1e-6);
    }
}

#[test]
fn actuators_give_their_kind_and_effort_range_and_notes_of_their_gains() {
    let (body, findings) = read(&gripper(
        "<actuator><position name=\"p\" joint=\"l\" kp=\"20\" kv=\"3\" gear=\"2\" forcerange=\"-5 7\"/>\
         <motor name=\"m\" joint=\"r\" ctrlrange=\"-1 1\" gear=\"10\"/></actuator>",
    ));
    let body = body.unwrap();
    let [left, right] = ["L", "R"].map(|name| &link(&body, name).joint);
    assert_eq!(left.actuation_mode, Some(ActuationMode::JointDisplacement));
    assert_eq!(left.effort_range, Range { lower: -10.0, upper: 14.0 });
    assert_eq!((right.actuation_mode, right.effort_range), (Some(ActuationMode::JointEffort), Range::symmetric(10.0)));
    assert_eq!(codes(&findings), ["mjcf-gains"]);
    assert!(findings[0].to_string().contains("kp: { l: 80 }, kd: { l: 12 }"), "{}", findings[0]);
}

#[test]
fn sensors_at_sites_are_devices_and_exclusions_are_rules() {
    let body = clean(&gripper(
        "<sensor><accelerometer name=\"a\" site=\"s\"/><gyro name=\"g\" site=\"s\"/><force name=\"f\" site=\"s\"/>\
         <jointpos joint=\"l\"/></sensor><contact><exclude body1=\"L\" body2=\"R\"/></contact>",
    ));
    let [imu, force] = body.devices.as_slice() else { panic!("{:?}", body.devices) };
    assert!(matches!(imu.kind, DeviceKind::Imu(_)) && matches!(force.kind, DeviceKind::ForceSensor(_)));
    assert_eq!(imu.transform.matrix()[(2, 3)], 1.0);
    let rules = body.collision_rules.as_deref().unwrap();
    assert!(rules.contains(&CollisionRule::DisabledGroup(vec![LinkIndex(1), LinkIndex(2)])), "{rules:?}");
}

#[test]
fn what_is_not_simulated_is_a_warning_once_a_kind() {
    let (body, findings) = read(&gripper(
        "<tendon><spatial name=\"t\"><site site=\"s\"/></spatial><spatial name=\"u\"><site site=\"s\"/></spatial></tendon>\
         <actuator><motor tendon=\"t\"/><muscle joint=\"l\"/></actuator>\
         <equality><tendon tendon1=\"t\" tendon2=\"u\"/></equality>",
    ));
    assert!(body.is_some());
    assert_eq!(codes(&findings), ["mjcf-unsupported"; 3]);
    let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(texts.iter().any(|text| text.contains("spatial tendons are not simulated; so does one more")), "{texts:?}");
}
