//! Models that users have already.

use super::{CRANE, PROJECT, YARD};
use crate::command_line::transcript::Transcript;

#[test]
fn own_robot_with_six_mistakes() {
    let mistakes = [
        ("joint_axis: Z", "joint_axs: Z"),
        ("joint_type: revolute\n    joint_axis: Y", "joint_type: hinge\n    joint_axis: Y"),
        ("parent: MAST", "parent: MATS"),
        ("joint_id: 1\n    joint_range", "joint_id: 0\n    joint_range"),
        ("inertia: [ 0.22, 0, 0, 0.22, 0, 0.01 ]", "inertia: [ 0.22, 0, 0, 0.22, 0 ]"),
        ("mass: 2\n    inertia: from_shapes", "mass: 2"),
    ];
    let wrong = mistakes.iter().fold(CRANE.to_owned(), |text, (right, wrong)| {
        assert!(text.contains(right));
        text.replacen(right, wrong, 1)
    });
    let mut day = Transcript::new(&[("crane.body", &wrong), ("yard.scene.yaml", YARD)]);
    day.run("run yard.scene.yaml");
    for (right, wrong) in [2, 1, 4].map(|index| mistakes[index]) {
        day.edit("crane.body", wrong, right);
    }
    day.run("check crane.body");
    for (right, wrong) in [0, 3].map(|index| mistakes[index]) {
        day.edit("crane.body", wrong, right);
    }
    day.run("run yard.scene.yaml --set simulation.duration=0.1");
    day.edit("crane.body", mistakes[5].1, mistakes[5].0);
    day.run("check crane.body yard.scene.yaml");
    day.run("run yard.scene.yaml --set simulation.duration=0.1");
    day.run("info crane.body");
    day.compare("own_robot_with_six_mistakes");
}

const URDF: &str = r#"<?xml version="1.0"?>
<robot name="lift">
  <link name="world"/>
  <joint name="stand" type="fixed"><parent link="world"/><child link="post"/></joint>
  <link name="post">
    <visual><origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 1"/></geometry><material name="grey"><color rgba="0.5 0.5 0.5 1"/></material></visual>
  </link>
  <joint name="lift" type="prismatic">
    <parent link="post"/><child link="cabin"/><origin xyz="0.2 0 0.1"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.8" effort="200" velocity="0.5"/>
    <dynamics damping="3" friction="1"/>
  </joint>
  <link name="cabin">
    <inertial><mass value="8"/><inertia ixx="0.05" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
</robot>
"#;

#[test]
fn urdf_robot_runs_and_becomes_a_body() {
    let scene = "format: BunrakuScene\nformat_version: 1\nsimulation: { duration: 0.5 }\nbodies:\n  - { name: Lift, file: lift.urdf, \
                 controller: { type: servo, kp: 4000, kd: 400 }, joint_displacements: { cabin: 0.3 } }\n";
    let mut day = Transcript::new(&[("lift.urdf", URDF), ("lift.scene.yaml", scene)]);
    day.run("run lift.urdf");
    day.run("info lift.urdf");
    day.run("check lift.urdf lift.scene.yaml");
    day.run("run lift.scene.yaml");
    day.edit("lift.scene.yaml", "cabin: 0.3", "lift: 0.3");
    day.run("run lift.scene.yaml");
    day.run("convert lift.urdf lift.body");
    day.head("lift.body", 20);
    day.run("run lift.scene.yaml --set bodies.Lift.file=lift.body --out out/converted --quiet");
    day.run("compare out/lift/Lift.seq out/converted/Lift.seq --body lift.body --joint-tolerance 0");
    day.run("picture lift.urdf --size 160x120 --view front");
    day.compare("urdf_robot_runs_and_becomes_a_body");
}

#[test]
fn choreonoid_project_becomes_a_scene_of_ones_own() {
    let mut day = Transcript::new(&[("crane.body", CRANE), ("crane.cnoid", PROJECT)]);
    day.run("info crane.cnoid");
    day.run("run crane.cnoid --duration 0.4");
    day.run("convert crane.cnoid mine.scene.yaml");
    day.head("mine.scene.yaml", 30);
    day.edit(
        "mine.scene.yaml",
        "file: \"crane.body\"",
        "file: crane.body\n    controller: { type: pd, kp: 300, kd: 30 }",
    );
    day.run("run mine.scene.yaml --duration 0.4");
    day.run("compare out/crane/Crane.seq out/mine/Crane.seq --body crane.body");
    day.compare("choreonoid_project_becomes_a_scene_of_ones_own");
}

#[test]
fn course_of_shapes_in_one_file() {
    let course = "format: BunrakuScene
format_version: 1
simulation: { duration: 1.5 }
bodies:
  - { name: Ground, shape: { type: plane } }
  - name: Ball
    shape: { type: sphere, radius: 0.15, density: 300, color: [ 0.8, 0.2, 0.1 ] }
    translation: [ -1.5, 0, 0.15 ]
    linear_velocity: [ 4, 0, 0 ]
  - name: Pin
    shape: { type: cylinder, radius: 0.05, height: 0.4, mass: 0.6 }
    translation: [ 0, -0.3, 0.2 ]
    count: [ 2, 3 ]
    spacing: [ 0.3, 0.3, 0 ]
";
    let mut day = Transcript::new(&[("bowling.scene.yaml", course)]);
    day.run("check bowling.scene.yaml");
    day.edit("bowling.scene.yaml", "count: [ 2, 3 ]", "count: [ 2, 3, 1 ]");
    day.run("info bowling.scene.yaml");
    day.run("run bowling.scene.yaml");
    day.run("picture out/bowling --view aslant --size 200x150 --out end.png");
    day.run("plot out/bowling/Ball.seq --channel root.x");
    day.run("picture bowling.scene.yaml --at 0.4 --camera 0 -3 2 0 0 0 --size 200x150");
    day.compare("course_of_shapes_in_one_file");
}

#[test]
fn two_robots_in_one_spot_are_moved_apart() {
    let rover =
        |name: &str, x: f64| format!("  - {{ name: {name}, file: rover.body, translation: [ {x}, 0, 0.08 ] }}\n");
    let scene = format!(
        "format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: 1 }}\nbodies:\n{}{}  - {{ name: Floor, shape: {{ type: plane }} }}\n",
        rover("Left", 0.0),
        rover("Right", 0.01)
    );
    let model = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/rover.body")).unwrap();
    let mut day = Transcript::new(&[("two.scene.yaml", &scene), ("rover.body", &model)]);
    day.run("run two.scene.yaml");
    day.run("run two.scene.yaml --set bodies.Right.translation=[0,0.5,0.08]");
    day.compare("two_robots_in_one_spot_are_moved_apart");
}
