//! Forces recorded by a run, compared with the laws of mechanics for the motion recorded at the same time; for both
//! joint solvers.

use std::fs;
use std::path::Path;

use bunraku::body::dynamics::{BodyMotionState, InverseDynamics};
use bunraku::body::{Body, LoadOptions};
use bunraku::document::{Reporter, SourceFile};
use bunraku_test_support::TestFolder;
use nalgebra::Vector3;

use crate::common::{bunraku, load_motion, stderr};

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.80665);
/// s
const TIME_STEP: f64 = 0.001;

/// Three joints about different axes, rotors, products of inertia.
const ROBOT: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Robot
links:
  - { name: BASE, joint_type: fixed }
  - { name: TURN, parent: BASE, translation: [ 0, 0, 0.3 ], joint_type: revolute, joint_axis: Z, joint_id: 0, mass: 3,
      center_of_mass: [ 0.02, 0, 0.1 ], inertia: [ 0.03, 0.001, 0, 0.03, 0, 0.02 ], rotor_inertia: 0.05 }
  - { name: LIFT, parent: TURN, translation: [ 0, 0, 0.2 ], joint_type: revolute, joint_axis: Y, joint_id: 1, mass: 2,
      center_of_mass: [ 0.2, 0, 0 ], inertia: [ 0.01, 0, 0.002, 0.04, 0, 0.04 ] }
  - { name: REACH, parent: LIFT, translation: [ 0.4, 0, 0 ], joint_type: prismatic, joint_axis: X, joint_id: 2, mass: 1,
      center_of_mass: [ 0.1, 0.01, 0 ], inertia: [ 0.004, 0, 0, 0.005, 0, 0.005 ] }
";

/// Runs a scene and returns the folder with its results in `out`.
fn run(files: &[(&str, &str)], solver: &str) -> TestFolder {
    let folder = TestFolder::with(files);
    let mut command = bunraku();
    command.current_dir(folder.path()).args(["run", "s.scene.yaml", "--quiet", "--out", "out", "--set"]);
    let output = command.arg(format!("simulation.joints={solver}")).output().unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{message}");
    // Rapier's step says that it ignores rotors.
    let rotors = if solver == "impulse" { message.matches("warning[impulse-rotor]").count() } else { 0 };
    assert_eq!(message.matches("warning").count(), rotors, "{message}");
    folder
}

/// The rows of a table below its header, as strings.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap()
}

/// A swing of all three joints that begins and ends at rest, 2 s long.
fn motion() -> String {
    let mut text = String::from(
        "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 100\ncomponents:\n  -\n    type: MultiValueSeq\n    \
         content: JointDisplacement\n    frameRate: 100\n    numParts: 3\n    frames:\n",
    );
    for frame in 0..=200 {
        let phase = f64::from(frame) / 200.0;
        // Velocity and acceleration are 0 at both ends.
        let way = phase * phase * phase * (10.0 + phase * (6.0 * phase - 15.0));
        text += &format!("      - [ {}, {}, {} ]\n", 1.2 * way, -0.7 * way, 0.2 * way);
    }
    text
}

/// Frames on each side of the current one. The mean acceleration over them, with triangular weights, is a second
/// difference of the motion; the wider it is, the smaller is the effect of single precision.
const REACH: usize = 10;

/// The largest difference between a joint's effort and inverse dynamics, as a share of its largest effort. 0.04 % and
/// 0.6 % are measured.
#[test]
fn recorded_efforts_match_inverse_dynamics_of_the_recorded_motion() {
    let scene = "format: BunrakuScene\nformat_version: 1\nsimulation: { duration: 2 }\nbodies:\n  - { name: Robot, file: robot.body, controller: { type: pd, \
                 motion: swing.seq, kp: [ 400, 400, 4000 ], kd: [ 20, 20, 100 ] } }\nrecord: { joints: [ velocities, efforts ] }\n";
    let reporter = Reporter::strict();
    let mut failures = Vec::new();
    let without_rotor = ROBOT.replace(", rotor_inertia: 0.05", "");
    for (solver, share, model) in [("impulse", 0.01, without_rotor.as_str()), ("multibody", 1e-3, ROBOT)] {
        let source = SourceFile::from_text("robot.body", model);
        let body: Body = bunraku::body::read(&source, &LoadOptions::default(), &reporter).unwrap();
        let folder = run(&[("robot.body", model), ("swing.seq", &motion()), ("s.scene.yaml", scene)], solver);
        let joints = load_motion(&folder.join("out/Robot.seq")).joint_displacements.unwrap();
        let efforts: Vec<[f64; 3]> = rows(&folder.join("out/Robot.joints.csv"))
            .iter()
            .map(|row| [2, 4, 6].map(|column| number(&row[column])))
            .collect();
        assert_eq!(efforts.len(), joints.num_frames());
        let largest = [0, 1, 2].map(|joint| efforts.iter().map(|row| row[joint].abs()).fold(0.0, f64::max));
        let mut worst = [0.0_f64; 3];
        for frame in (300_usize..1900).step_by(7) {
            let at = |offset: isize| joints.frame(frame.checked_add_signed(offset).unwrap());
            let reach = REACH as isize;
            let span = REACH as f64 * TIME_STEP;
            let (before, now, after) = (at(-reach), at(0), at(reach));
            let per_joint = |of: &dyn Fn(usize) -> f64| [of(0), of(1), of(2)];
            let velocities = per_joint(&|joint| (after[joint] - before[joint]) / (2.0 * span));
            let accelerations = per_joint(&|joint| (after[joint] - 2.0 * now[joint] + before[joint]) / (span * span));
            let state = BodyMotionState {
                root_pose: body.root().offset,
                displacements: now,
                velocities: &velocities,
                accelerations: &accelerations,
                ..BodyMotionState::default()
            };
            // The efforts for the rotors, which rotate with their joints, are included.
            let needed = InverseDynamics::of(&body, &state, &GRAVITY, &[]).efforts;
            for joint in 0..3 {
                // The row of a frame has the mean over the step that ends there.
                let mean = (1 - reach..=reach).map(|offset| {
                    let weight = REACH as f64 - (offset as f64 - 0.5).abs();
                    weight * efforts[frame.checked_add_signed(offset).unwrap()][joint]
                });
                let mean = mean.sum::<f64>() / (REACH * REACH) as f64;
                worst[joint] = worst[joint].max((mean - needed[joint]).abs() / largest[joint]);
            }
        }
        println!("{solver}: efforts differ from inverse dynamics by {worst:.5?} of the largest, {largest:.2?}");
        failures.extend((!worst.iter().all(|worst| *worst < share)).then(|| format!("{solver}: {worst:?}")));
    }
    assert!(failures.is_empty(), "{failures:?}");
}

/// Impact and sliding of a body thrown onto a floor, and a robot at rest on it.
#[test]
fn recorded_contact_forces_sum_to_weight_and_momentum() {
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
    let rover = fs::read_to_string(format!("{assets}/models/rover.body")).unwrap();
    let scene = "format: BunrakuScene
format_version: 1
simulation: { duration: 2 }
bodies:
  - { name: Floor, shape: { type: plane } }
  - { name: Box, shape: { type: box, size: [ 0.3, 0.2, 0.1 ], mass: 3 }, translation: [ 0, 0, 0.25 ], linear_velocity: [ 1.5, 0.5, 0 ] }
  - { name: Rover, file: rover.body, translation: [ 0, 3, 0.08 ] }
record: { contacts: [ Box, Rover ] }
";
    let reporter = Reporter::new();
    let rover_mass =
        bunraku::body::read(&SourceFile::from_text("rover.body", rover.as_str()), &LoadOptions::default(), &reporter);
    let rover_mass = rover_mass.unwrap().mass();
    // Rapier's step knows the friction of its last substep only, which is not that of an impact.
    for (solver, whole, sideways) in [("impulse", 3e-3, 0.04), ("multibody", 2e-3, 5e-3)] {
        let folder = run(&[("rover.body", &rover), ("s.scene.yaml", scene)], solver);
        let forces = |name: &str| -> Vec<(f64, Vector3<f64>)> {
            let rows = rows(&folder.join(format!("out/{name}.contacts.csv")));
            rows.iter()
                .map(|row| (number(&row[0]), Vector3::new(number(&row[10]), number(&row[11]), number(&row[12]))))
                .collect()
        };
        // Each row is the mean of a step: their sum has stopped the box and carried its weight.
        let thrown = forces("Box");
        let impulse: Vector3<f64> = thrown.iter().map(|(_, force)| force * TIME_STEP).sum();
        let expected = 3.0 * (Vector3::new(-1.5, -0.5, 0.0) - GRAVITY * 2.0);
        let missed = impulse - expected;
        println!("{solver}: the impulse of all contacts is {impulse:.5?}, {expected:.5?} are expected");
        assert!(missed.norm() < whole * expected.norm(), "{solver}: {impulse} {expected}");
        assert!(missed.xy().norm() < sideways * expected.xy().norm(), "{solver}: sideways {impulse} {expected}");
        // At rest they are the weight, frame by frame.
        for (name, mass) in [("Box", 3.0), ("Rover", rover_mass)] {
            let resting: Vec<_> = forces(name).into_iter().filter(|(time, _)| *time > 1.9 + TIME_STEP / 2.0).collect();
            let mean: Vector3<f64> = resting.iter().map(|(_, force)| force * TIME_STEP).sum::<Vector3<f64>>() / 0.1;
            let weight = -GRAVITY * mass;
            println!("{solver}: {name} at rest is supported with {:.5} of its weight", mean.z / weight.z);
            assert!((mean - weight).norm() < 2e-3 * weight.norm(), "{solver} {name}: {mean} {weight}");
        }
    }
}
