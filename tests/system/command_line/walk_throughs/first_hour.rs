//! Nearly correct commands of the first hour.

use std::fs;

use super::{CRANE, PROJECT, YARD, swing};
use crate::command_line::transcript::Transcript;
use crate::common::stderr;

#[test]
fn options_that_are_nearly_right() {
    let mut hour = Transcript::new(&[("crane.body", CRANE), ("yard.scene.yaml", YARD)]);
    for wrong in [
        "--set bodies.Crane.controler.kp=100",
        "--set simulation.timestep=0.01",
        "--set time_step=0.01",
        "--set 'bodies.Crane.controller={ type: pd, kp: 1, kd: 1, kdd: 2 }'",
        "--set bodies.Crain.fixed=true",
        "--duration 2s",
        "--duration -1",
        "--duration 0",
    ] {
        let output = hour.run(&format!("run yard.scene.yaml {wrong}"));
        assert!(!output.status.success(), "{wrong}");
    }
    assert!(!hour.path().join("out").exists(), "a value that has no effect is not simulated");
    hour.compare("options_that_are_nearly_right");
}

#[test]
fn files_that_are_nearly_right() {
    let begin = "format: BunrakuScene\nformat_version: 1\nsimulation: { duration: 1 }\nbodies:\n";
    let share = format!("{begin}  - {{ name: Crane, file: ${{SHARE}}/model/crane.body, fixed: true }}\n");
    let mut hour = Transcript::new(&[
        ("crane.body", CRANE),
        ("quotes.scene.yaml", &share),
        ("begin.scene.yaml", "bodies:\n  - { file: crane.body }\n"),
        ("crane.yaml", CRANE),
        ("task.yaml", "- taskName: lift\n  states: []\n"),
        ("crane.cnoid", &PROJECT.replace("${PROJECT_DIR}/crane.body", "${SHARE}/model/crane.body")),
        ("endless.cnoid", &PROJECT.replace("time_range_mode: specified", "time_range_mode: unlimited")),
    ]);
    for file in
        ["quotes.scene.yaml", "begin.scene.yaml", "crane.yaml", "task.yaml", "crane.cnoid", "endless.cnoid", "."]
    {
        assert_eq!(hour.run(&format!("run {file}")).status.code(), Some(1));
    }
    hour.run("info endless.cnoid");
    hour.compare("files_that_are_nearly_right");
}

#[test]
fn results_that_are_looked_at() {
    let mut hour =
        Transcript::new(&[("lab/crane.body", CRANE), ("lab/yard.scene.yaml", YARD), ("swing.seq", &swing())]);
    hour.run("run lab/yard.scene.yaml --duration 0.5 --set record.joints=[efforts] --set record.frame_rate=20");
    for typed in [
        "info out/yard",
        "plot out/yard",
        "compare out/yard swing.seq",
        "info out/yard/summary.json",
        "info out/yard/Crane.joints.csv",
        "info out/yard/Crane.joints.csv --json",
        "plot out/yard/Crane.joints.csv --channel boom",
        "plot out/yard/Crane.joints.csv --channel *BOOM* --out boom.png --size 400x200",
        "plot out/yard/Crane.joints.csv --out boom.jpg",
        "picture out/yard --size 80x60",
        "rerun out/yard",
        "rerun lab/yard.scene.yaml",
        "rerun lab",
    ] {
        hour.run(typed);
    }
    assert_eq!(image::open(hour.path().join("boom.png")).unwrap().into_rgb8().dimensions(), (400, 200));
    hour.compare("results_that_are_looked_at");
}

/// A scene in another directory than its results is found by the note of the run; without that it is named.
#[test]
fn results_of_a_scene_in_another_directory_are_drawn_and_repeated() {
    let library = bunraku_test_support::TestFolder::with(&[("crane.body", CRANE), ("yard.scene.yaml", YARD)]);
    let mut hour = Transcript::new(&[]);
    let scene = library.join("yard.scene.yaml").display().to_string();
    let output = hour.run(&format!("run {scene} --duration 0.1 --quiet"));
    assert!(output.status.success(), "{}", stderr(&output));
    let typed = ["rerun out/yard", "picture out/yard --size 80x60"];
    for typed in typed {
        let output = hour.run(typed);
        assert!(output.status.success(), "{typed}: {}", stderr(&output));
    }
    fs::remove_file(hour.path().join("out/yard/.bunraku.scene")).unwrap();
    for typed in typed {
        let output = hour.run(typed);
        assert!(stderr(&output).contains("name the scene with `--scene`"), "{typed}: {}", stderr(&output));
        let output = hour.run(&format!("{typed} --scene {scene}"));
        assert!(output.status.success(), "{typed}: {}", stderr(&output));
    }
    assert_eq!(hour.run(&format!("picture {scene} --scene {scene}")).status.code(), Some(2));
    // A scene that was moved is found around the results.
    fs::rename(library.join("yard.scene.yaml"), hour.path().join("yard.scene.yaml")).unwrap();
    fs::rename(library.join("crane.body"), hour.path().join("crane.body")).unwrap();
    let output = hour.run("rerun out/yard");
    assert!(output.status.success(), "{}", stderr(&output));
}
