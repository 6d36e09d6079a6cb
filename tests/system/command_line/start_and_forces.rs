//! Initial velocities, forces, losses and ranges in a scene.

use std::fs;

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;
use bunraku_test_support::{TestFolder, share};

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{bunraku, stderr, stdout};

/// A stone that flies, and an arm that rotates without gravity torque.
const STONE: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Stone
links:
  - { name: STONE, joint_type: free, mass: 2, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ] }
";

fn scene(keys: &str, top: &str) -> String {
    format!(
        "format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: 1, gravity: [ 0, 0, 0 ] }}\nbodies:\n  - {{ name: Stone, file: \
         stone.body }}\n  - {{ name: Arm, file: arm.body, {keys} }}\n{top}"
    )
}

fn desk(keys: &str, top: &str) -> Desk {
    let desk = Desk::new(ARM, &scene(keys, top));
    desk.write("stone.body", STONE);
    desk
}

/// The position of the stone and the displacement of the arm's joint after the second.
fn ends(desk: &Desk) -> (nalgebra::Vector3<f64>, f64) {
    let output = desk.run(&[]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let load = |name: &str| BodyMotion::load(&desk.path().join("out").join(name), &Reporter::strict()).unwrap();
    let (stone, arm) = (load("Stone.seq").link_positions.unwrap(), load("Arm.seq").joint_displacements.unwrap());
    (stone.frame(stone.num_frames() - 1)[0].translation.vector, arm.frame(arm.num_frames() - 1)[0])
}

fn warned(desk: &Desk, parts: &[&str]) {
    let output = desk.run(&["--duration", "0.01"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{message}");
    for part in parts {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
}

#[test]
fn bodies_start_with_the_velocities_of_the_scene() {
    let text = scene("joint_velocities: { ARM: 90 }", "");
    let text =
        replaced(&text, "stone.body", "stone.body, linear_velocity: [ 1, -2, 0.5 ], angular_velocity: [ 0, 0, 90 ]");
    let desk = desk("", "");
    desk.write("arm.scene.yaml", &text);
    let (stone, arm) = ends(&desk);
    assert!((stone - nalgebra::Vector3::new(1.0, -2.0, 0.5)).norm() < 1e-3, "{stone}");
    assert!((arm - std::f64::consts::FRAC_PI_2).abs() < 1e-3, "{arm} rad");
}

#[test]
fn velocities_without_effect_or_of_unknown_joints_are_reported() {
    warned(
        &desk("linear_velocity: [ 1, 0, 0 ]", ""),
        &["`linear_velocity` does nothing: the root is fixed", "idle-velocity"],
    );
    warned(&desk("drive: static, joint_velocities: [ 1 ]", ""), &["`joint_velocities` does nothing"]);
    desk("joint_velocities: { ARN: 1 }", "").fails(&[], &["no joint `ARN`", "did you mean `ARM`?"]);
    desk("joint_velocity: { ARM: 1 }, linear_velocity: [ 1 ]", "")
        .fails(&[], &["did you mean `joint_velocities`?", "3"]);
}

#[test]
fn forces_move_their_links() {
    let forces = "external_forces:\n  - { link: Stone, force: [ 4, 0, 0 ] }\n  - { link: Stone, table: push.csv }\n  - { link: Arm/ARM, torque: \
                  [ 0, 1, 0 ], start: 0.25, end: 0.5 }\n";
    let desk = desk("fixed: true", forces);
    desk.write("push.csv", "time,force.x,force.y,force.z\n0,0,2,0\n2,0,2,0\n");
    let (stone, arm) = ends(&desk);
    assert!((stone - nalgebra::Vector3::new(1.0, 0.5, 0.0)).norm() < 2e-3, "{stone}");
    // 1 kg·m² by default: 0.25 rad/s, reached at a mean of 0.375 s.
    assert!((arm - 0.25 * 0.625).abs() < 2e-3, "{arm} rad");
}

#[test]
fn errors_in_a_force_are_reported_with_their_location() {
    for (force, parts) in [
        ("{ link: Ston, force: [ 1, 0, 0 ] }", ["no body `Ston`", "did you mean `Stone`?"]),
        ("{ link: Arm/ARN, force: [ 1, 0, 0 ] }", ["no link `ARN`", "did you mean `Arm/ARM`?"]),
        ("{ link: Stone }", ["neither `force` nor `torque`", "arm.scene.yaml:8"]),
        ("{ link: Stone, force: [ 1, 0 ] }", ["3", "arm.scene.yaml:8"]),
        ("{ link: Stone, force: [ [ 0, 1, 0, 0 ], [ 0, 1, 0, 0 ] ] }", ["is not later", "table-times"]),
        ("{ link: Stone, force: [ 1, 0, 0 ], frame: wold }", ["`world` or `link`", "did you mean `world`?"]),
        (
            "{ link: Stone, force: [ 1, 0, 0 ], start: 2, end: 1 }",
            ["ends at 1 s, before it begins at 2 s", "bad-interval"],
        ),
        ("{ link: world, force: [ 1, 0, 0 ] }", ["moves nothing", "bad-link"]),
        ("{ link: Stone, table: empty.csv }", ["neither a force nor a torque", "`force.x`"]),
    ] {
        let desk = desk("fixed: true", &format!("external_forces:\n  - {force}\n"));
        desk.write("empty.csv", "time,a\n0,1\n1,1\n");
        desk.fails(&[], &parts);
    }
    let idle = desk("drive: static", "external_forces:\n  - { link: Arm/ARM, force: [ 1, 0, 0 ] }\n");
    warned(&idle, &["the force does nothing: `Arm` is not moved by forces", "idle-force"]);
}

#[test]
fn efforts_are_added_and_losses_brake() {
    let (_, arm) = ends(&desk("controller: { type: effort, effort: { ARM: 0.5 } }", ""));
    assert!((arm - 0.25).abs() < 1e-3, "{arm} rad");
    let from_file = desk("controller: { type: effort, effort: efforts.csv }", "");
    from_file.write("efforts.csv", "time,ARM\n0,0\n1,1\n");
    let (_, arm) = ends(&from_file);
    assert!((arm - 1.0 / 6.0).abs() < 2e-3, "{arm} rad");
    let from_motion = desk("controller: { type: effort, effort: efforts.seq }", "");
    from_motion.write(
        "efforts.seq",
        "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 1\ncomponents:\n  - { type: MultiValueSeq, content: \
         JointEffort, numParts: 1, frames: [ [ 0.5 ], [ 0.5 ] ] }\n",
    );
    let (_, arm) = ends(&from_motion);
    assert!((arm - 0.25).abs() < 1e-3, "{arm} rad");
    // ω·(1 − exp(−D·t/I))·I/D, and ω²·I/(2·F).
    let (_, arm) = ends(&desk("joint_velocities: [ 57.29577951308232 ], joint_damping: { ARM: 1 }", ""));
    assert!((arm - (1.0 - (-1.0_f64).exp())).abs() < 2e-3, "{arm} rad");
    let (_, arm) = ends(&desk("joint_velocities: [ 57.29577951308232 ], joint_friction: 2", ""));
    assert!((arm - 0.25).abs() < 2e-3, "{arm} rad");
}

#[test]
fn springs_pull_beside_the_controller() {
    // 1 − cos(t·√(K/I)) from a spring that is slack at 1 rad.
    let spring = "joint_stiffness: { ARM: 1 }, joint_rest: [ 57.29577951308232 ]";
    let (_, arm) = ends(&desk(spring, ""));
    assert!((arm - (1.0 - 1.0_f64.cos())).abs() < 2e-3, "{arm} rad");
    // A constant effort moves the point about which it swings.
    let (_, arm) = ends(&desk("joint_stiffness: 1, controller: { type: effort, effort: { ARM: 0.5 } }", ""));
    assert!((arm - 0.5 * (1.0 - 1.0_f64.cos())).abs() < 2e-3, "{arm} rad");
    desk("joint_stiffness: -1", "").fails(&[], &["must not be negative", "negative-loss"]);
    warned(&desk("joint_rest: [ 10 ]", ""), &["`joint_rest` does nothing without `joint_stiffness`", "idle-springs"]);
}

#[test]
fn errors_in_commands_and_losses_are_reported() {
    for (keys, parts) in [
        ("controller: { type: efort }", ["`efort` is not a controller", "did you mean `effort`?"]),
        ("controller: { type: effort, effort: { ARN: 1 } }", ["no joint `ARN`", "did you mean `ARM`?"]),
        ("controller: { type: effort, effort: none.csv }", ["none.csv", "error"]),
        ("controller: { type: velocity, kd: 1, velocity: [ 1, 2 ] }", ["expected 1 numbers", "wrong-length"]),
        ("controller: { type: velocity, kd: 1, velocity: { ARM: [] } }", ["no rows", "empty-table"]),
        ("joint_friction: -1", ["must not be negative", "negative-loss"]),
        ("velocity_limits: harrd", ["`commands` or `hard`", "did you mean `hard`?"]),
    ] {
        desk(keys, "").fails(&[], &parts);
    }
    warned(
        &desk("controller: { type: effort, velocity: 1 }", ""),
        &["`velocity` does nothing at joint `ARM`", "idle-velocity"],
    );
}

#[test]
fn contact_laws_are_those_that_the_joint_solver_supports() {
    let solver = |settings: &[&str]| {
        let desk = Desk::new(ARM, SCENE);
        let settings: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
        let output = desk.run(&[&settings[..], &["--duration", "0.01"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let summary: serde_json::Value =
            serde_json::from_slice(&fs::read(desk.path().join("out/summary.json")).unwrap()).unwrap();
        let words = ["joints", "contacts"].map(|key| summary["solver"][key].as_str().unwrap().to_owned());
        (words, stderr(&output))
    };
    let (words, printed) = solver(&[]);
    assert_eq!((words, printed.as_str()), (["multibody", "rigid"].map(str::to_owned), ""));
    let (words, printed) = solver(&["simulation.joints=impulse"]);
    assert_eq!((words, printed.as_str()), (["impulse", "rapier"].map(str::to_owned), ""));
    let (words, printed) = solver(&["simulation.contacts=choreonoid"]);
    assert_eq!((words, printed.as_str()), (["multibody", "choreonoid"].map(str::to_owned), ""));
    let (words, printed) = solver(&["simulation.contacts={ correction_depth: 0.0001 }"]);
    assert_eq!((words, printed.as_str()), (["multibody", "choreonoid"].map(str::to_owned), ""));
    let (words, printed) = solver(&["simulation.contacts=choreonoid", "simulation.joints=impulse"]);
    assert_eq!(words, ["impulse", "rapier"]);
    assert!(printed.contains("write `joints: multibody`") && printed.contains("no-effect"), "{printed}");
    for (contacts, parts) in [
        ("soft", ["`rigid`, `choreonoid` or a mapping", "--set simulation.contacts=soft:1:1"]),
        ("{ correction_depth: 0 }", ["a depth of 0 m is not positive", "not-positive"]),
        ("{ correction_deep: 1 }", ["correction_deep", "did you mean `correction_depth`?"]),
    ] {
        Desk::new(ARM, SCENE).fails(&["--set", &format!("simulation.contacts={contacts}")], &parts);
    }
}

#[test]
fn a_start_outside_the_range_of_a_joint_is_reported() {
    let desk = Desk::new(
        &replaced(ARM, "    joint_id: 0\n", "    joint_id: 0\n    joint_range: [ -5, 5 ]\n"),
        &format!("{SCENE}    joint_displacements: [ 90 ]\n"),
    );
    let parts =
        ["joint `ARM` of `Arm` starts at 90°, outside its range from -5° to 5°", "outside-limits", "scene.yaml:9"];
    warned(&desk, &parts);
    let output = desk.bunraku(&["check", "arm.scene.yaml"]);
    for part in parts {
        assert!(stderr(&output).contains(part), "no {part:?} in:\n{}", stderr(&output));
    }
}

#[test]
fn several_tables_of_materials_are_one() {
    let desk = desk("fixed: true", "materials: [ first.yaml, second.yaml ]\n");
    desk.write("first.yaml", "contact_materials: [ { materials: [ A, B ], friction: 0.1 } ]\n");
    desk.write("second.yaml", "contact_materials: [ { materials: [ A, B ], friction: 0.2 } ]\n");
    warned(&desk, &[]);
    let output = desk.bunraku(&["check", "arm.scene.yaml"]);
    let message = stderr(&output);
    assert!(message.contains("says otherwise of `A` and `B`") && message.contains("material-conflict"), "{message}");
}

/// Choreonoid's pendulum: 1 kg, its centre of mass 0.5 m from the hinge, and a motor whose speed is limited to 42°/s.
#[test]
fn the_sample_pendulum_is_not_held_back_by_its_velocity_range() {
    let Some(share) = share() else { return };
    // Moment of inertia about the hinge with the rotor, kg·m².
    let inertia = 0.083_541_7 + 0.25 + 0.2;
    for (start, effort) in [(90.0_f64, 0.0), (180.0, 2.5)] {
        let acceleration = |angle: f64| (9.80665 * 0.5 * angle.sin() + effort) / inertia;
        // Runge-Kutta in steps of 0.1 ms.
        let (mut angle, mut speed, step) = (start.to_radians(), 0.0, 1e-4);
        for _ in 0..20_000 {
            let k1 = (speed, acceleration(angle));
            let k2 = (speed + 0.5 * step * k1.1, acceleration(angle + 0.5 * step * k1.0));
            let k3 = (speed + 0.5 * step * k2.1, acceleration(angle + 0.5 * step * k2.0));
            let k4 = (speed + step * k3.1, acceleration(angle + step * k3.0));
            angle += step / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
            speed += step / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
        }
        let place = TestFolder::new();
        let text = format!(
            "format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: 2 }}\nbodies:\n  - {{ name: Pendulum, \
             file: '${{SHARE}}/model/misc/pendulum.body', joint_displacements: [ {start} ], controller: {{ type: effort, effort: \
             {effort} }} }}\n"
        );
        let scene = place.write("pendulum.scene.yaml", text);
        let out = place.join("out");
        let run =
            bunraku().arg("run").arg(&scene).arg("--out").arg(&out).env("BUNRAKU_SHARE", &share).output().unwrap();
        assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
        let motion = BodyMotion::load(&out.join("Pendulum.seq"), &Reporter::strict()).unwrap();
        let joints = motion.joint_displacements.unwrap();
        let found = joints.frame(joints.num_frames() - 1)[0];
        println!("from {start}° with {effort} N·m: {found:.4} rad after 2 s of {angle:.4}");
        assert!((found - angle).abs() < 0.02, "{found} rad instead of {angle} rad");
    }
}

/// A falling arm of 1 kg with a displacement range in its model.
fn falling_arm(range: &str, limits: &str) -> Desk {
    let extra = format!("    joint_id: 0\n    joint_range: {range}\n    center_of_mass: [ 0.5, 0, 0 ]\n");
    let scene = format!(
        "format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: 0.5{} }}\nbodies:\n  - {{ name: Arm, file: arm.body{} }}\n",
        limits.strip_prefix("scene").map_or(String::new(), |word| format!(", limits: {word}")),
        limits.strip_prefix("body").map_or(String::new(), |word| format!(", limits: {word}")),
    );
    Desk::new(&replaced(ARM, "    joint_id: 0\n", &extra), &scene)
}

/// OpenHRP's manual: limits are data for controllers; Choreonoid's simulator does not keep joints within them.
#[test]
fn joints_of_robots_whose_ranges_are_empty_move_unless_a_scene_enforces_them() {
    for (range, end) in [("[ 0, 0 ]", 0.0), ("[ -5, 5 ]", 5.0_f64.to_radians())] {
        for (limits, is_kept) in [("", false), ("scenereport", false), ("sceneenforce", true), ("bodyenforce", true)] {
            let desk = falling_arm(range, limits);
            let output = desk.bunraku(&["run", "arm.scene.yaml", "--out", "out"]);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            let summary: serde_json::Value =
                serde_json::from_str(&fs::read_to_string(desk.path().join("out/summary.json")).unwrap()).unwrap();
            let angle = summary["end"]["Arm"]["joint_displacements"][0].as_f64().unwrap();
            let beyond = &summary["joints_beyond_range"];
            if is_kept {
                assert!((angle - end).abs() < 5e-3, "{range} {limits}: {angle}");
                assert!(beyond.is_null(), "{beyond}");
            } else {
                // 4.9 N·m on 1.25 kg·m²: 28° after 0.5 s.
                assert!(angle > 0.4, "{range} {limits}: {angle}");
                assert_eq!((&beyond[0]["body"], &beyond[0]["joint"]), (&"Arm".into(), &"ARM".into()), "{beyond}");
                assert!(beyond[0]["time"].as_f64().is_some_and(|time| time < 0.3), "{beyond}");
                assert!(stdout(&output).contains("joint `ARM` of `Arm` left its range"), "{}", stdout(&output));
            }
        }
    }
    let output = falling_arm("[ 0, 0 ]", "").bunraku(&["check", "arm.body"]);
    let message = stderr(&output);
    assert!(message.contains("single-value-range") && message.contains("arm.body:11:18"), "{message}");
    Desk::new(ARM, SCENE).fails(&["--set", "simulation.limits=enforced"], &["did you mean `enforce`?"]);
}
