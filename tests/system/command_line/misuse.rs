//! Implausible scenes give messages with a location or an object, the effect, and a solution. Each message is a
//! snapshot.

use std::sync::Arc;

use bevy::prelude::*;
use bunraku::body::{LoadOptions, spawn_body};
use bunraku::document::{Reporter, SourceFile};
use bunraku::physics::JointSolver;
use bunraku::prelude::*;
use bunraku::simulation::{SimulationStatus, run_steps};

use super::transcript::Transcript;

const CUBE: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Cube
links:
  - name: CUBE
    joint_type: free
    mass: 0.5
    elements: [ { type: Shape, geometry: { type: Box, size: [ 0.1, 0.1, 0.1 ] } } ]
";

fn scene(bodies: &str) -> String {
    format!("format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: 0.2 }}\nbodies:\n{bodies}")
}

const FLOOR: &str = "  - { name: Floor, shape: { type: plane } }\n";

/// Compares the output of a scene beside a cube with a snapshot.
fn runs(bodies: &str, snapshot: &str) {
    let mut transcript = Transcript::new(&[("cube.body", CUBE), ("s.scene.yaml", &scene(bodies))]);
    transcript.run("run s.scene.yaml");
    transcript.compare(snapshot);
}

#[test]
fn mass_without_inertia() {
    let mut transcript = Transcript::new(&[
        ("cube.body", CUBE),
        (
            "s.scene.yaml",
            &scene(&format!("  - {{ name: Die, file: cube.body, translation: [ 0, 0, 0.05 ] }}\n{FLOOR}")),
        ),
    ]);
    transcript.run("check cube.body");
    transcript.run("run s.scene.yaml");
    transcript.edit("cube.body", "mass: 0.5", "mass: 0.5\n    inertia: from_shapes");
    transcript.run("run s.scene.yaml");
    transcript.compare("mass_without_inertia");
}

#[test]
fn static_links_need_no_inertia() {
    let mut transcript = Transcript::new(&[
        ("cube.body", CUBE),
        (
            "s.scene.yaml",
            &scene(
                "  - { name: Block, file: cube.body, fixed: true }\n  - { name: Other, file: cube.body, drive: static }\n",
            ),
        ),
    ]);
    assert!(transcript.run("run s.scene.yaml").stderr.is_empty());
}

#[test]
fn box_deep_in_the_floor() {
    let bodies = "  - { name: Crate, shape: { type: box, size: [ 0.2, 0.2, 0.2 ] }, translation: [ 0, 0, 0.06 ] }\n";
    runs(&format!("{bodies}{FLOOR}"), "box_deep_in_the_floor");
}

#[test]
fn what_is_deep_in_something_is_found_without_a_run() {
    let bodies = "  - { name: Crate, shape: { type: box, size: [ 0.2, 0.2, 0.2 ] }, translation: [ 0, 0, 0.06 ] }\n";
    let mut transcript = Transcript::new(&[("s.scene.yaml", &scene(&format!("{bodies}{FLOOR}")))]);
    let checked = transcript.run("check s.scene.yaml");
    // The messages of a run, word by word.
    let ran = transcript.run("run s.scene.yaml --quiet");
    let printed = String::from_utf8(ran.stderr).unwrap();
    let printed = printed.trim().strip_prefix("warning: ").unwrap().to_owned();
    assert!(String::from_utf8_lossy(&checked.stderr).contains(&printed), "{printed}");
    assert_eq!(transcript.run("check s.scene.yaml --strict").status.code(), Some(1));
    transcript.edit("s.scene.yaml", "0.06", "0.1");
    transcript.run("check s.scene.yaml");
    transcript.compare("what_is_deep_in_something_is_found_without_a_run");
}

#[test]
fn boxes_in_a_row_that_is_too_narrow() {
    let bodies = "  - name: Crate\n    shape: { type: box, size: [ 0.2, 0.2, 0.2 ] }\n    translation: [ 0, 0, 0.1 ]\n    count: 14\n    spacing: [ 0.15, 0, 0 ]\n";
    runs(&format!("{bodies}{FLOOR}"), "boxes_in_a_row_that_is_too_narrow");
}

#[test]
fn robot_whose_links_are_in_each_other() {
    let robot = "format: ChoreonoidBody\nformat_version: 2.0\nname: Bot\nlinks:\n  - { name: BASE, joint_type: fixed, elements: [ { type: Shape, geometry: { type: Box, size: [ 0.4, 0.4, 0.4 ] } } ] }\n  - { name: MIDDLE, parent: BASE, joint_type: revolute, joint_axis: Z, joint_id: 0, mass: 1, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ] }\n  - { name: ARM, parent: MIDDLE, translation: [ 0.1, 0, 0 ], joint_type: revolute, joint_axis: Y, joint_id: 1, mass: 1, inertia: from_shapes, elements: [ { type: Shape, geometry: { type: Box, size: [ 0.3, 0.1, 0.1 ] } } ] }\n";
    let bodies = "  - { name: Robot, file: bot.body, self_collision: true }\n";
    let mut transcript = Transcript::new(&[("bot.body", robot), ("s.scene.yaml", &scene(bodies))]);
    transcript.run("run s.scene.yaml --set simulation.duration=0.01");
    transcript.compare("robot_whose_links_are_in_each_other");
}

#[test]
fn standing_and_lying_bodies_are_not_reported() {
    let bodies = "  - { name: Crate, shape: { type: box, size: [ 0.2, 0.2, 0.2 ] }, translation: [ 0, 0, 0.098 ] }\n  - { name: Top, shape: { type: box, size: [ 0.2, 0.2, 0.2 ] }, translation: [ 0, 0, 0.298 ] }\n";
    let mut transcript = Transcript::new(&[("s.scene.yaml", &scene(&format!("{bodies}{FLOOR}")))]);
    let output = transcript.run("run s.scene.yaml");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn files_that_are_no_scenes() {
    let mut transcript =
        Transcript::new(&[("cube.sdf", "<sdf version=\"1.9\"><model name=\"cube\"/></sdf>\n"), ("cube.stl", "")]);
    for file in ["cube.sdf", "cube.stl"] {
        transcript.run(&format!("run {file}"));
    }
    transcript.run("info cube.sdf");
    transcript.compare("files_that_are_no_scenes");
}

/// Commands NaN after ten steps.
fn go_mad(clock: Res<SimulationClock>, mut efforts: Query<&mut JointEfforts>) {
    if clock.step() == 10 {
        for mut efforts in &mut efforts {
            efforts.0.fill(f64::NAN);
        }
    }
}

#[test]
fn effort_that_is_not_a_number() {
    let text = "{ format: ChoreonoidBody, format_version: 2.0, name: Crane, links: [ { name: FOOT }, { name: MAST, parent: FOOT, joint_type: revolute, joint_axis: Z, joint_id: 0, mass: 1 } ] }";
    let reporter = Reporter::new();
    let model = bunraku::body::read(&SourceFile::from_text("crane.body", text), &LoadOptions::default(), &reporter);
    let model = Arc::new(model.unwrap());
    let mut faults = Vec::new();
    for joints in [JointSolver::Impulse, JointSolver::Multibody] {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
        app.add_systems(SimulationStep, go_mad.in_set(SimulationSystems::Control));
        app.world_mut().resource_mut::<PhysicsParameters>().joints = joints;
        let state = BodyState::initial(&model);
        let entity = spawn_body(&mut app.world_mut().commands(), Arc::clone(&model), state, Drive::Physics);
        app.world_mut().flush();
        app.world_mut().entity_mut(entity).insert(Name::new("Yard crane"));
        run_steps(app.world_mut(), 100);
        let SimulationStatus::Failed(fault) = app.world().resource::<SimulationStatus>() else { panic!("no fault") };
        faults.push(fault.to_string());
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("effort_that_is_not_a_number", faults.join("\n"));
    });
}

#[test]
fn effort_of_a_table_that_is_not_a_number() {
    let mut transcript = Transcript::new(&[
        ("crane.body", super::desk::ARM),
        ("push.csv", "time,ARM\n0,1\n0.1,nan\n"),
        (
            "s.scene.yaml",
            &scene("  - { name: Crane, file: crane.body, controller: { type: effort, effort: push.csv } }\n"),
        ),
    ]);
    transcript.run("run s.scene.yaml");
    transcript.compare("effort_of_a_table_that_is_not_a_number");
}

#[test]
fn problems_at_the_start_are_errors_with_strict() {
    let bodies = "  - { name: Crate, shape: { type: box, size: [ 0.2, 0.2, 0.2 ] }, translation: [ 0, 0, 0.06 ] }\n";
    let mut transcript = Transcript::new(&[("s.scene.yaml", &scene(&format!("{bodies}{FLOOR}")))]);
    let output = transcript.run("run s.scene.yaml --strict");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`--strict`"));
}

#[test]
fn of_a_fixed_and_a_floating_body_the_floating_one_is_to_be_moved() {
    // The first of the two bodies is fixed, though its drive is physics.
    let bodies = "  - { name: Table, shape: { type: box, size: [ 1, 1, 1 ] }, fixed: true }\n  - { name: Crate, shape: { type: box, size: [ 0.2, 0.2, 0.2 ] }, translation: [ 0, 0, 0.55 ] }\n";
    let mut transcript = Transcript::new(&[("s.scene.yaml", &scene(bodies))]);
    let printed = String::from_utf8(transcript.run("check s.scene.yaml").stderr).unwrap();
    assert!(printed.contains("`Crate` is 50 mm deep in `Table`; moving `Crate` by 0.05"), "{printed}");
    assert!(printed.contains("m along +Z separates them") && !printed.contains("moving `Table`"), "{printed}");
}

#[test]
fn a_run_that_diverges_without_a_controller_is_reported_without_mentioning_gains() {
    let chip = "format: ChoreonoidBody\nformat_version: 2.0\nname: Chip\nlinks:\n  - { name: CHIP, joint_type: free, mass: 0.0002, inertia: [ 1e-9, 0, 0, 0, 1e-9, 0, 0, 0, 1e-9 ] }\n";
    for solver in ["multibody", "impulse"] {
        let text = format!(
            "format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: 0.2, joints: {solver} }}\nbodies:\n  - {{ name: Chip, file: chip.body, translation: [ 0, 0, 1 ] }}\nexternal_forces:\n  - {{ link: Chip, force: [ 100, 0, 0 ] }}\n"
        );
        let mut transcript = Transcript::new(&[("chip.body", chip), ("s.scene.yaml", &text)]);
        let output = transcript.run("run s.scene.yaml");
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && printed.contains("the simulation diverged"), "{printed}");
        assert!(printed.contains("an external force of 100 N acts on link `CHIP` of a body of 0.0002 kg"), "{printed}");
        assert!(!printed.contains("gains"), "{printed}");
    }
}

#[test]
#[cfg(not(feature = "viewer"))]
fn without_the_feature_the_program_names_it_in_one_line() {
    let out = tempfile::tempdir().unwrap();
    let scene = "assets/scenes/falling_box.scene.yaml";
    for arguments in [vec!["view", scene], vec!["run", scene, "--view"]] {
        let output = crate::common::bunraku().args(&arguments).arg("--share").arg(out.path()).output().unwrap();
        let text = crate::common::stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("--features viewer") && text.lines().count() == 1, "{text}");
    }
}
