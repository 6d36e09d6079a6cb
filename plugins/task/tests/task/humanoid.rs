//! Commands of robots with two arms, a chest and a neck.

use std::sync::Arc;

use bunraku_body::LoadOptions;
use bunraku_document::{Reporter, SourceFile};
use bunraku_task::model::{Frame, Task, ToolId};
use bunraku_task::robot::{CommandFailure, KinematicRobot, Progress, Robot, RobotCommand, RobotSetup, read_mapping};

/// A chest on a fixed hip, a neck, and two arms of six joints like that of `assets`.
fn model() -> String {
    let mut text = "\
format: ChoreonoidBody
format_version: 2.0
angle_unit: degree
name: Puppet
links:
  - { name: HIP, joint_type: fixed, mass: 1 }
  - { name: CHEST, parent: HIP, joint_id: 0, joint_type: revolute, joint_axis: [0, 0, 1], joint_range: [-90, 90], translation: [0, 0, 1], mass: 1 }
  - { name: NECK_YAW, parent: CHEST, joint_id: 1, joint_type: revolute, joint_axis: [0, 0, 1], joint_range: [-60, 60], translation: [0, 0, 0.5], mass: 1 }
  - { name: NECK_PITCH, parent: NECK_YAW, joint_id: 2, joint_type: revolute, joint_axis: [0, 1, 0], joint_range: [-40, 40], mass: 1 }
"
    .to_owned();
    let joints = [
        ("YAW", "0, 0, 1", "0, 0, 0"),
        ("UPPER", "0, 1, 0", "0, 0, 0.1"),
        ("FORE", "0, 1, 0", "0, 0, 0.35"),
        ("ROLL", "1, 0, 0", "0.15, 0, 0"),
        ("PITCH", "0, 1, 0", "0.2, 0, 0"),
        ("HAND", "1, 0, 0", "0.08, 0, 0"),
    ];
    for (side, y, first) in [("L", 0.2, 3), ("R", -0.2, 9)] {
        let mut parent = "CHEST".to_owned();
        for (index, (name, axis, offset)) in joints.iter().enumerate() {
            let offset = if index == 0 { format!("0, {y}, 0.2") } else { (*offset).to_owned() };
            text += &format!(
                "  - {{ name: {side}_{name}, parent: {parent}, joint_id: {}, joint_type: revolute, joint_axis: [{axis}], joint_range: [-170, 170], translation: [{offset}], mass: 1 }}\n",
                first + index
            );
            parent = format!("{side}_{name}");
        }
    }
    text
}

const MAPPING: &str = "
format: BunrakuRobot
format_version: 1
body: puppet.body
tools: [ { id: 0, link: L_HAND, base: CHEST }, { id: 1, link: R_HAND, base: CHEST } ]
torso: CHEST
head: [ NECK_YAW, NECK_PITCH ]
initial: { L_UPPER: 10, L_FORE: 30, L_PITCH: 40, R_UPPER: 10, R_FORE: 30, R_PITCH: 40 }
";

fn puppet(mapping: &str) -> KinematicRobot {
    let reporter = Reporter::new();
    let body = bunraku_body::read(&SourceFile::from_text("puppet.body", model()), &LoadOptions::default(), &reporter);
    let body = body.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()));
    let mapping = read_mapping(&SourceFile::from_text("robot.yaml", mapping), &reporter).unwrap();
    let setup = RobotSetup::new(Arc::new(body), &mapping, &reporter).unwrap();
    KinematicRobot::new(Arc::new(setup), &Task::default())
}

fn finish(robot: &mut KinematicRobot) {
    while robot.advance() != Progress::Done {}
}

#[test]
fn both_arms_move_on_straight_lines_at_once() {
    let mut robot = puppet(MAPPING);
    let (left, right) = (robot.tool_pose(ToolId(0)).unwrap(), robot.tool_pose(ToolId(1)).unwrap());
    let forwards = nalgebra::Translation3::new(0.05, 0.02, -0.1);
    let back = nalgebra::Translation3::new(-0.05, 0.0, 0.05);
    let command = RobotCommand::MoveBothArms { left: forwards * left, right: back * right, duration: 0.5 };
    robot.start(&command).unwrap();
    for _ in 0..5 {
        robot.advance();
    }
    // At half of the time, half of the path is completed.
    let way = robot.tool_pose(ToolId(0)).unwrap().translation.vector - left.translation.vector;
    assert!((way - forwards.vector / 2.0).norm() < 1e-7, "{way}");
    finish(&mut robot);
    assert!(
        (robot.tool_pose(ToolId(0)).unwrap().translation.vector - (forwards * left).translation.vector).norm() < 1e-7
    );
    assert!((robot.tool_pose(ToolId(1)).unwrap().translation.vector - (back * right).translation.vector).norm() < 1e-7);
}

#[test]
fn arms_with_a_common_joint_are_not_moved_together() {
    let mut robot = puppet(&MAPPING.replace("base: CHEST", "base: HIP"));
    let (left, right) = (robot.tool_pose(ToolId(0)).unwrap(), robot.tool_pose(ToolId(1)).unwrap());
    let failure = robot.start(&RobotCommand::MoveBothArms { left, right, duration: 1.0 }).unwrap_err();
    assert_eq!(failure, CommandFailure::SharedJoint("CHEST".to_owned()));
}

#[test]
fn chest_and_neck_rotate_and_carry_the_arms() {
    let mut robot = puppet(MAPPING);
    let before = robot.tool_pose(ToolId(0)).unwrap();
    robot.start(&RobotCommand::MoveTorso { angle: 0.5, duration: 1.0 }).unwrap();
    finish(&mut robot);
    let turned = nalgebra::UnitQuaternion::from_axis_angle(&nalgebra::Vector3::z_axis(), 0.5) * before;
    let found = robot.tool_pose(ToolId(0)).unwrap();
    assert!((found.to_homogeneous() - turned.to_homogeneous()).norm() < 1e-12);
    // With the chest rotated, poses are still in the world frame.
    let target = Frame::of_isometry(&(nalgebra::Translation3::new(0.0, 0.0, -0.05) * found));
    robot.start(&RobotCommand::MoveArm { tool: ToolId(0), pose: target.to_isometry(), duration: 0.3 }).unwrap();
    finish(&mut robot);
    let reached = robot.tool_pose(ToolId(0)).unwrap();
    assert!((reached.translation.vector - target.to_isometry().translation.vector).norm() < 1e-7);
    robot.start(&RobotCommand::MoveHead { angles: [0.3, -0.2], duration: 0.2 }).unwrap();
    finish(&mut robot);
    assert_eq!(robot.displacements()[1..3], [0.3, -0.2]);
    robot.start(&RobotCommand::GoInitial { duration: 0.2 }).unwrap();
    finish(&mut robot);
    assert_eq!(robot.displacements(), &*robot.setup().initial);
}

#[test]
fn an_infeasible_command_moves_nothing() {
    let mut robot = puppet(MAPPING);
    let before = robot.displacements().to_vec();
    let mut fails = |command: RobotCommand| robot.start(&command).unwrap_err().to_string();
    let message = fails(RobotCommand::MoveTorso { angle: 2.0, duration: 1.0 });
    assert!(message.contains("`CHEST` cannot go to 2.0000: its range is -1.5708 to 1.5708"), "{message}");
    let pose = Frame::IDENTITY.to_isometry();
    assert_eq!(fails(RobotCommand::MoveArm { tool: ToolId(7), pose, duration: 1.0 }), "the robot has no tool 7");
    let message = fails(RobotCommand::MoveGripper { gripper: ToolId(0), width: 0.1, duration: 1.0 });
    assert_eq!(message, "the robot has no gripper 0");
    assert!(fails(RobotCommand::GoInitial { duration: f64::NAN }).contains("cannot take NaN s"));
    assert!(fails(RobotCommand::GoInitial { duration: 1e9 }).contains("at most 3600 s"));
    assert_eq!(robot.displacements(), before);
}
