//! Sensors on a root or on joints that follow a motion with fewer frames than steps, compared with the closed form of the
//! motion.

use bunraku_test_support::TestFolder;
use nalgebra::{UnitQuaternion, Vector3};

use super::Results;

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.80665);
/// s
const TIME_STEP: f64 = 0.001;
/// Hz
const FRAME_RATE: f64 = 50.0;
/// Distance of the IMU and the centre of mass below the joint, m.
const LENGTH: f64 = 0.3;

/// A base and an arm of 1 kg below it, with an IMU at its lower end and a force sensor in its joint.
fn model(base: &str, arm: &str) -> String {
    format!(
        "format: ChoreonoidBody
format_version: 2.0
name: Robot
links:
  - {{ name: BASE, joint_type: {base}, mass: 5, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ] }}
  - name: ARM
    parent: BASE
    joint_type: {arm}
    joint_axis: Y
    joint_id: 0
    mass: 1
    center_of_mass: [ 0, 0, -{LENGTH} ]
    inertia: [ 0.001, 0, 0, 0.001, 0, 0.001 ]
    elements:
      - {{ type: Imu, name: IMU, id: 0, translation: [ 0, 0, -{LENGTH} ] }}
      - {{ type: ForceSensor, name: FORCE, id: 0 }}
"
    )
}

/// A motion that is already under way at its first frame: X of the base, m, and angle of the arm about Y, rad.
fn sway(time: f64) -> [f64; 2] {
    [0.1 * (6.0 * time).sin(), 0.5 * (4.0 * time + 0.4).sin()]
}

/// The motion with these parts as a file of three seconds.
fn motion(root: impl Fn(f64) -> ([f64; 3], f64), joint: Option<&dyn Fn(f64) -> f64>) -> String {
    let mut text = format!(
        "type: CompositeSeq\ncontent: BodyMotion\nformat_version: 2.0\nframe_rate: {FRAME_RATE}\ncomponents:\n"
    );
    let head = |kind: &str, content: &str| {
        format!("  - type: {kind}\n    content: {content}\n    frame_rate: {FRAME_RATE}\n    num_parts: 1\n")
    };
    let times = (0..=150).map(|frame| f64::from(frame) / FRAME_RATE);
    text += &head("MultiSE3Seq", "LinkPosition");
    text += "    SE3Format: XYZQWQXQYQZ\n    frames:\n";
    for time in times.clone() {
        let ([x, y, z], turn) = root(time);
        text += &format!("      - [ [ {x}, {y}, {z}, {}, 0, {}, 0 ] ]\n", (turn / 2.0).cos(), (turn / 2.0).sin());
    }
    if let Some(joint) = joint {
        text += &head("MultiValueSeq", "JointDisplacement");
        text += "    frames:\n";
        for time in times {
            text += &format!("      - [ {} ]\n", joint(time));
        }
    }
    text
}

/// Specific force at the IMU and force in the joint, both along the axes of the arm, for a closed form of the motion.
fn expected(at: impl Fn(f64) -> [f64; 2], time: f64) -> [Vector3<f64>; 2] {
    const SPAN: f64 = 1e-4;
    let place = |time: f64| {
        let [x, turn] = at(time);
        Vector3::new(x - LENGTH * turn.sin(), 0.0, -LENGTH * turn.cos())
    };
    let acceleration = (place(time - SPAN) - 2.0 * place(time) + place(time + SPAN)) / (SPAN * SPAN);
    let into_arm = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -at(time)[1]);
    let specific = into_arm * (acceleration - GRAVITY);
    // The sensor measures what the arm of 1 kg exerts on its parent.
    [specific, -specific]
}

/// Largest errors of acceleration, m/s², and force, N, over the motion.
fn errors(drive: &str, model: &str, motion: &str, at: impl Fn(f64) -> [f64; 2] + Copy) -> [f64; 2] {
    let scene = format!(
        "format: BunrakuScene\nformat_version: 1\nsimulation: {{ time_step: {TIME_STEP}, duration: 2.9 }}\nbodies:\n  - name: Robot\n    \
         file: robot.body\n    drive: {drive}\n    motion: sway.seq\nrecord: {{ sensors: true }}\n"
    );
    let folder = TestFolder::with(&[("robot.body", model), ("sway.seq", motion), ("s.scene.yaml", &scene)]);
    let results = Results::of(&folder.join("s.scene.yaml"), &[]);
    let worst = |file: &str, which: usize| {
        let rows = results.table(&format!("sensors/Robot/{file}.csv")).rows;
        assert_eq!(rows.len(), 2900);
        let error = |row: &Vec<f64>| {
            // Readings are means over the step that ends at their time.
            let expected = expected(at, row[0] - TIME_STEP / 2.0)[which];
            (Vector3::new(row[1], row[2], row[3]) - expected).norm()
        };
        rows.iter().map(error).fold(0.0, f64::max)
    };
    [worst("IMU", 0), worst("FORCE", 1)]
}

#[test]
fn a_motion_slower_than_the_steps_does_not_shake_the_sensors() {
    let both = |time: f64| sway(time);
    let turn_only = |time: f64| [0.0, sway(time)[1]];
    let joint = |time: f64| sway(time)[1];
    let cases = [
        ("motion", model("free", "revolute"), motion(|time| ([sway(time)[0], 0.0, 0.0], 0.0), Some(&joint))),
        (
            "{ root: motion, joints: physics }",
            model("free", "fixed"),
            motion(|time| ([sway(time)[0], 0.0, 0.0], sway(time)[1]), None),
        ),
        ("{ root: physics, joints: motion }", model("fixed", "revolute"), motion(|_| ([0.0; 3], 0.0), Some(&joint))),
    ];
    for (drive, model, motion) in &cases {
        let [acceleration, force] = match *drive {
            "{ root: physics, joints: motion }" => errors(drive, model, motion, turn_only),
            _ => errors(drive, model, motion, both),
        };
        println!("{drive}: acceleration off by {acceleration:.4} m/s², force by {force:.4} N");
        // The largest acceleration is 12 m/s². A lag of half a step, 0.5 ms, is 0.01 m/s².
        assert!(acceleration < 0.03 && force < 0.03, "{drive}: {acceleration} m/s², {force} N");
    }
}
