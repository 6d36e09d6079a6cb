//! Models of MuJoCo, joints that follow others, and models for other programs.

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{stderr, stdout};

/// A palm that slides, with two fingers of different weight; a motor closes one, and the other follows.
const GRIPPER: &str = "\
<mujoco model=\"Gripper\">
  <compiler angle=\"radian\"/>
  <default>
    <joint type=\"slide\"/>
    <geom type=\"box\" size=\"0.01 0.01 0.04\"/>
  </default>
  <worldbody>
    <geom type=\"plane\" size=\"1 1 1\"/>
    <body name=\"palm\" pos=\"0 0 0.5\">
      <joint name=\"lift\" axis=\"0 0 1\"/>
      <joint name=\"turn\" type=\"hinge\" axis=\"0 0 1\"/>
      <geom size=\"0.05 0.05 0.02\"/>
      <body name=\"left\" pos=\"0 0.05 -0.05\">
        <joint name=\"left\" axis=\"0 -1 0\" range=\"0 0.04\" armature=\"0.01\"/>
        <geom/>
      </body>
      <body name=\"right\" pos=\"0 -0.05 -0.05\">
        <joint name=\"right\" axis=\"0 1 0\"/>
        <geom density=\"3000\"/>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1=\"right\" joint2=\"left\"/></equality>
  <actuator><position joint=\"left\" kp=\"400\" kv=\"20\" forcerange=\"-20 20\"/></actuator>
  <keyframe><key name=\"open\" qpos=\"0.1 0 0.01 0.01\"/></keyframe>
</mujoco>
";

const MOTION: &str = "\
format: BunrakuScene
format_version: 1
simulation: { duration: 1 }
bodies:
  - name: Gripper
    file: gripper.xml
    joint_displacements: { lift: 0, left: 0.005 }
    drive: physics
    joint_velocities: { turn: 300, left: 0.1 }
    controller: { type: servo, kp: { lift: 10000, left: 40 }, kd: { lift: 500, left: 1 } }
";

fn desk() -> Desk {
    let desk = Desk::new(ARM, SCENE);
    desk.write("gripper.xml", GRIPPER);
    desk.write("gripper.scene.yaml", MOTION);
    desk
}

#[test]
fn a_gripper_of_mujoco_closes_symmetrically() {
    let desk = desk();
    let output = desk.bunraku(&["run", "gripper.scene.yaml", "--out", "out"]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let motion = BodyMotion::load(&desk.path().join("out/Gripper.seq"), &Reporter::new()).unwrap();
    let joints = motion.joint_displacements.as_ref().unwrap();
    let mut farthest = 0.0_f64;
    for frame in 0..joints.num_frames() {
        let values = joints.frame(frame);
        assert!((values[2] - values[3]).abs() < 1e-9, "frame {frame}: {values:?}");
        farthest = farthest.max((values[2] - 0.005).abs());
    }
    // A finger that follows starts where its leader is.
    assert!((joints.frame(0)[3] - 0.005).abs() < 1e-12);
    println!("moves by up to {farthest} m");
    assert!(farthest > 1e-3);
}

#[test]
fn info_check_and_convert_take_models_of_mujoco() {
    let desk = desk();
    let info = |arguments: &[&str]| {
        let output = desk.bunraku(&[&["info", "gripper.xml", "--json"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let plain = info(&[]);
    assert_eq!((&plain["format"], &plain["num_joints"]), (&"MJCF".into(), &4.into()));
    assert_eq!(plain["joint_couplings"][0]["leader"], "left");
    assert_eq!(plain["links"][1]["initial_displacement"], 0.0);
    assert_eq!(info(&["--keyframe", "open"])["links"][1]["initial_displacement"], 0.1);
    let output = desk.bunraku(&["info", "gripper.xml", "--keyframe", "shut"]);
    assert!(output.status.code() == Some(1) && stderr(&output).contains("it has open"), "{}", stderr(&output));
    let output = desk.bunraku(&["check", "gripper.xml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("mjcf-gains") || stderr(&output).contains("mjcf-gains"), "{}", stdout(&output));
    let output = desk.bunraku(&["run", "gripper.xml", "--duration", "0.2"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("a scene made around it"), "{}", stderr(&output));
    assert!(desk.path().join("out/gripper/summary.json").is_file());
    let output = desk.bunraku(&["convert", "gripper.xml", "gripper.body"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = std::fs::read_to_string(desk.path().join("gripper.body")).unwrap();
    assert!(text.contains("joint_couplings:\n  - joint: right\n    leader: left\n"), "{text}");
}

#[test]
fn a_body_of_a_scene_starts_in_a_keyframe() {
    let desk = desk();
    let scene = |keys: &str| replaced(MOTION, "    joint_displacements: { lift: 0, left: 0.005 }\n", keys);
    let start = |file: &str, text: &str| {
        desk.write(file, text);
        let output = desk.bunraku(&["run", file, "--out", "out", "--duration", "0.01"]);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
        let motion = BodyMotion::load(&desk.path().join("out/Gripper.seq"), &Reporter::new()).unwrap();
        motion.joint_displacements.unwrap().frame(0).to_vec()
    };
    assert_eq!(start("open.scene.yaml", &scene("    keyframe: open\n")), [0.1, 0.0, 0.01, 0.01]);
    assert_eq!(start("plain.scene.yaml", &scene("")), [0.0; 4]);
    // Two bodies of one model, each in its own pose; what the scene says counts for more.
    let both = scene("    keyframe: open\n    joint_displacements: { lift: 0.2 }\n");
    let second = "  - { name: Other, file: gripper.xml, translation: [ 0, 2, 0 ] }\n";
    assert_eq!(start("both.scene.yaml", &format!("{both}{second}")), [0.2, 0.0, 0.01, 0.01]);
    let other = BodyMotion::load(&desk.path().join("out/Other.seq"), &Reporter::new()).unwrap();
    assert_eq!(other.joint_displacements.unwrap().frame(0), [0.0; 4]);
    let fails = |text: &str, expected: &str| {
        desk.write("wrong.scene.yaml", text);
        let output = desk.bunraku(&["check", "--strict", "wrong.scene.yaml"]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let said = stdout(&output) + &stderr(&output);
        assert!(said.contains(expected), "no {expected:?} in:\n{said}");
    };
    fails(&scene("    keyframe: opne\n"), "the model has no keyframe `opne`");
    fails(&replaced(SCENE, "arm.body\n", "arm.body\n    keyframe: open\n"), "only MJCF models (`.xml`) have keyframes");
}

#[test]
fn a_scene_around_a_model_has_its_servos_damping_and_springs() {
    let desk = Desk::new(ARM, SCENE);
    desk.write(
        "finger.xml",
        "<mujoco><worldbody><body><joint name=\"A\" damping=\"0.5\" frictionloss=\"2\"/><geom size=\"0.1\"/>\
         <body><joint name=\"B\" stiffness=\"7\" springref=\"30\"/><geom size=\"0.1\" pos=\"1 0 0\"/>\
         <body><joint name=\"C\"/><geom size=\"0.1\"/></body></body></body></worldbody>\
         <actuator><position joint=\"A\" kp=\"20\" kv=\"3\" gear=\"2\"/><motor joint=\"C\"/></actuator></mujoco>",
    );
    let output = desk.bunraku(&["convert", "finger.xml", "finger.scene.yaml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = std::fs::read_to_string(desk.path().join("finger.scene.yaml")).unwrap();
    let list = |key: &str| {
        let (_, rest) = text.split_once(&format!("{key}: [")).unwrap_or_else(|| panic!("no {key} in {text}"));
        rest.split(']').next().unwrap().split(", ").map(|number| number.parse().unwrap()).collect::<Vec<f64>>()
    };
    // A motor holds its joint; a joint without an actuator is passive.
    let (kp, kd) = (list("kp"), list("kd"));
    assert!(kp[..2] == [80.0, 0.0] && kp[2] > 0.0 && kd[..2] == [12.0, 0.0], "{kp:?} {kd:?}");
    assert_eq!([list("joint_damping"), list("joint_friction")], [[0.5, 0.0, 0.0], [2.0, 0.0, 0.0]]);
    assert_eq!([list("joint_stiffness"), list("joint_rest")], [[0.0, 7.0, 0.0], [0.0, 30.0, 0.0]]);
    let output = desk.bunraku(&["run", "finger.scene.yaml", "--duration", "0.1", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));

    desk.write(
        "lossy.urdf",
        "<robot name=\"lossy\"><link name=\"a\"/><link name=\"b\"><inertial><mass value=\"1\"/>\
         <inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\
         <joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><dynamics damping=\"0.25\" friction=\"3\"/>\
         </joint></robot>",
    );
    let output = desk.bunraku(&["convert", "lossy.urdf", "lossy.scene.yaml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = std::fs::read_to_string(desk.path().join("lossy.scene.yaml")).unwrap();
    assert!(text.contains("    joint_damping: [0.25]\n    joint_friction: [3.0]\n"), "{text}");
}

#[test]
fn models_are_written_for_other_programs() {
    let cone = "    elements: [ { type: Shape, geometry: { type: Cone, radius: 0.1, height: 0.2 } } ]\n";
    let desk = Desk::new(&replaced(ARM, "    mass: 1\n", &format!("    mass: 1\n{cone}")), SCENE);
    // In URDF a fixed root is the child of an additional link.
    for (file, links, word) in [("arm.urdf", 3, "<robot name=\"Arm\">"), ("arm.xml", 2, "<mujoco model=\"Arm\">")] {
        let output = desk.bunraku(&["convert", "arm.body", file]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(stdout(&output), format!("written    {file}\nwritten    arm-mesh1.stl\n"));
        assert!(std::fs::read_to_string(desk.path().join(file)).unwrap().contains(word));
        let output = desk.bunraku(&["info", file, "--json"]);
        let info: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&info["num_links"], &info["mass"]), (&links.into(), &serde_json::json!(2.0)), "{file}");
    }
}
