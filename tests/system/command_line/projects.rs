//! Choreonoid projects.

use std::fs;
use std::path::{Path, PathBuf};

use bunraku_test_support::{TestFolder, corpus, files_below, golden};

use super::desk::{ARM, Desk, SCENE};
use crate::common::{bunraku, load_motion, stderr, stdout};

/// A project with the arm twice, a motion, and what has no counterpart.
const PROJECT: &str = r#"
items:
  name: "RootItem"
  class: RootItem
  children:
    - name: "World"
      class: WorldItem
      children:
        - name: "Arm"
          class: BodyItem
          data:
            file: "${PROJECT_DIR}/arm.body"
            initial_root_translation: [ 0, 0, 1 ]
            initial_root_rotation: [ 0, 0, 1, 90 ]
            root_translation: [ 5, 5, 5 ]
            joint_displacements: [ 30 ]
            fix_root: true
          children:
            - name: "Player"
              class: BodyMotionControllerItem
              children:
                - name: "Other"
                  class: BodyMotionItem
                  data: { file: "none.seq" }
                - name: "Swing"
                  class: BodyMotionItem
                  is_checked: true
                  data: { file: "swing.seq" }
        - name: "Arm"
          class: BodyItem
          data:
            file: "arm.body"
            fix_root: true
            collision_detection: false
          children:
            - name: "Joystick"
              class: SimpleControllerItem
              data: { controller: "JoystickController" }
        - name: "Lamp"
          class: LightingItem
        - name: "Other engine"
          class: ODESimulatorItem
        - name: "Simulators"
          class: FolderItem
          children:
            - name: "Ours"
              class: AISTSimulatorItem
              data: { time_step: 0.01, is_active_control_time_range_mode: true, gravity: [ 0, 0, -1.62 ], use_2d_mode: true }
            - name: "Long"
              class: AISTSimulatorItem
              data: { frame_rate: 200, time_range_mode: timebar, recording: full }
toolbars:
  "TimeBar": { min_time: 0, max_time: 0.05 }
views:
  - class: SceneView
    state:
      cameras:
        - { is_current: true, eye: [ 3, 0, 1 ], direction: [ -1, 0, 0 ] }
  - class: MessageView
"#;

const SWING: &str = "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 100\ncomponents:\n  -\n    \
                     type: MultiValueSeq\n    content: JointDisplacement\n    numParts: 1\n    frames:\n      - [ 0 ]\n      - [ 0.1 ]\n      - [ 0.2 ]\n";

fn desk() -> Desk {
    let desk = Desk::new(ARM, SCENE);
    desk.write("arm.cnoid", PROJECT);
    desk.write("swing.seq", SWING);
    desk
}

#[test]
fn a_project_becomes_a_scene() {
    let desk = desk();
    fs::create_dir(desk.path().join("scenes")).unwrap();
    let output = desk.bunraku(&["convert", "arm.cnoid", "scenes/arm.scene.yaml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let expected = r#"# From arm.cnoid, simulator Ours.
format: BunrakuScene
format_version: 1

simulation:
  time_step: 0.01
  gravity: [ 0, 0, -1.62 ]
  joints: multibody

bodies:
  - name: "Arm"
    file: "../arm.body"
    translation: [ 0, 0, 1 ]
    rotation: [ 0, 0, 1, 90 ]
    fixed: true
    drive: { root: physics, joints: motion }
    motion: "../swing.seq"
  - name: "Arm-2"
    file: "../arm.body"
    fixed: true
    collision: false
view: { eye: [ 3, 0, 1 ], target: [ 0, 0, 1 ] }
"#;
    let written = fs::read_to_string(desk.path().join("scenes/arm.scene.yaml")).unwrap();
    assert_eq!(written, expected);
    // What has no counterpart is named with its item: what changes the run as a warning.
    let messages = stderr(&output);
    for part in [
        "`Lamp` (LightingItem)",
        "the simulator `Other engine` (ODESimulatorItem)",
        "the simulator `Long`",
        "MessageView",
        "`Arm-2`",
    ] {
        assert!(messages.lines().any(|line| line.starts_with("note") && line.contains(part)), "{part}:\n{messages}");
    }
    for part in ["`JoystickController`", "2D mode"] {
        assert!(messages.lines().any(|line| line.starts_with("warning") && line.contains(part)), "{part}:\n{messages}");
    }
    // The scene runs as the project does.
    let recorded = |scene: &str| {
        let output = desk.bunraku(&["run", scene, "--duration", "0.03", "--out", "out"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        fs::read(desk.path().join("out/Arm.seq")).unwrap()
    };
    assert!(recorded("arm.cnoid") == recorded("scenes/arm.scene.yaml"));
}

#[test]
fn another_simulator_has_its_own_time_step_and_end() {
    let desk = desk();
    let output = desk.bunraku(&["info", "arm.cnoid", "--simulator", "Long"]);
    assert!(stdout(&output).contains("time step  0.005 s, 0.05 s, 10 steps"), "{}{}", stdout(&output), stderr(&output));
    let output = desk.bunraku(&["run", "arm.cnoid", "--simulator", "Lang"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("did you mean `Long`?"), "{}", stderr(&output));
}

#[test]
fn findings_are_shown_at_the_item_of_the_project() {
    let desk = desk();
    desk.write("arm.cnoid", &PROJECT.replace("${PROJECT_DIR}/arm.body", "hand.body"));
    let output = desk.bunraku(&["check", "arm.cnoid"]);
    assert_eq!(output.status.code(), Some(1));
    let messages = stderr(&output);
    assert!(messages.contains("file not found: hand.body"), "{messages}");
    assert!(messages.contains("arm.cnoid:9:17"), "the name of the item:\n{messages}");
    // A run needs an end.
    desk.write("arm.cnoid", PROJECT);
    let output = desk.bunraku(&["run", "arm.cnoid"]);
    assert!(stderr(&output).contains("pass `--duration S`"), "{}", stderr(&output));
}

#[test]
fn projects_inside_projects_bring_their_bodies() {
    let desk = desk();
    fs::create_dir(desk.path().join("inner")).unwrap();
    desk.write("inner/arm.body", ARM);
    desk.write(
        "inner/inner.cnoid",
        "items: { class: RootItem, children: [ { name: Inner, class: BodyItem, data: { file: arm.body } } ] }",
    );
    let outer = "items: { class: RootItem, children: [ { name: W, class: WorldItem, children: [ { name: S, class: SubProjectItem, data: { file: inner/inner.cnoid } } ] } ] }";
    desk.write("outer.cnoid", outer);
    let output = desk.bunraku(&["run", "outer.cnoid", "--duration", "0.01", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(desk.path().join("out/Inner.seq").exists());
    // One that names itself has an end, and is told of.
    desk.write("inner/inner.cnoid", &outer.replace("inner/inner.cnoid", "inner.cnoid"));
    let output = desk.bunraku(&["run", "outer.cnoid", "--duration", "0.01", "--out", "out"]);
    assert!(stderr(&output).contains("inside itself"), "{}", stderr(&output));
}

#[test]
fn files_of_another_kind_are_named_with_the_way() {
    let desk = desk();
    for (file, what) in [("arm.body", "bodies: [ { file: arm.body } ]"), ("swing.seq", "motion: swing.seq")] {
        let output = desk.bunraku(&["run", file, "--out", "out"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(what), "{}", stderr(&output));
    }
    let output = desk.bunraku(&["convert", "arm.cnoid", "arm2.body"]);
    assert!(stderr(&output).contains("OUT.scene.yaml"), "{}", stderr(&output));
}

/// Runs a project of the corpus with no other file.
fn run(project: &str, arguments: &[&str]) -> Option<(TestFolder, PathBuf)> {
    let (corpus, golden) = (corpus()?, golden()?);
    let out = TestFolder::new();
    let mut command = bunraku();
    command.arg("run").arg(corpus.join("sample").join(project)).arg("--out").arg(out.path()).args(arguments);
    let output = command.env("BUNRAKU_SHARE", corpus.join("share")).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{project} runs without a warning");
    Some((out, golden.join("runs")))
}

/// How far a root is from Choreonoid's at each frame of its recording, which has every fifth step; m.
fn distances(ours: &Path, golden: &Path) -> Vec<f64> {
    let (ours, golden) = (load_motion(ours).link_positions.unwrap(), load_motion(golden).link_positions.unwrap());
    let frames = golden.frames().enumerate();
    frames
        .map(|(frame, poses)| (ours.frame(frame * 5)[0].translation.vector - poses[0].translation.vector).norm())
        .collect()
}

fn largest(distances: &[f64]) -> f64 {
    distances.iter().copied().fold(0.0, f64::max)
}

// The limits are those of the scenes with the same bodies, and of docs/physics.md.

#[test]
fn the_project_of_the_walk_walks_as_recorded() {
    let Some((out, golden)) = run("SimpleController/SR1Walk.cnoid", &[]) else { return };
    let distances = distances(&out.join("SR1.seq"), &golden.join("SR1Walk-SR1.seq"));
    let (most, end) = (largest(&distances), *distances.last().unwrap());
    println!("SR1Walk.cnoid: {:.2} mm off at most, {:.2} mm at the end", most * 1e3, end * 1e3);
    assert!(most < 0.015 && end < 0.005, "{most} {end}");
    assert_eq!(load_motion(&out.join("SR1.seq")).num_frames(), 6702);
}

#[test]
fn the_projects_of_a_ball_and_of_boxes_fall_as_recorded() {
    if let Some((out, golden)) = run("general/Ball.cnoid", &[]) {
        let fall = largest(&distances(&out.join("Ball.seq"), &golden.join("Ball-Ball.seq"))[..=80]);
        println!("Ball.cnoid: {:.2} mm off in free fall", fall * 1e3);
        assert!(fall < 0.002, "{fall}");
    }
    if let Some((out, golden)) = run("general/FallingBoxes.cnoid", &[]) {
        // All four boxes have one name there, and the last one stayed.
        let golden = golden.join("FallingBoxes-box1.seq");
        let fall = largest(&distances(&out.join("box1-4.seq"), &golden)[..=75]);
        println!("FallingBoxes.cnoid: {:.2} mm off in free fall", fall * 1e3);
        assert!(fall < 0.002, "{fall}");
        let height = |path: &Path| {
            let poses = load_motion(path).link_positions.unwrap();
            poses.frame(poses.num_frames() - 1)[0].translation.vector.z
        };
        let ours = ["box1", "box1-2", "box1-3", "box1-4"].map(|name| height(&out.join(format!("{name}.seq"))));
        let lowest = ours.into_iter().fold(f64::INFINITY, f64::min);
        assert!((lowest - height(&golden)).abs() < 0.002, "{lowest}");
    }
}

#[test]
fn the_project_of_a_closed_linkage_swings_as_recorded() {
    // It runs until it is stopped, as in Choreonoid.
    let Some((out, golden)) = run("general/ClosedLinkSample.cnoid", &["--duration", "3"]) else { return };
    let ours = load_motion(&out.join("ClosedLinkSample.seq")).joint_displacements.unwrap();
    let golden = load_motion(&golden.join("ClosedLinkSample-ClosedLinkSample.seq")).joint_displacements.unwrap();
    let off = golden.frames().enumerate().flat_map(|(frame, golden)| {
        ours.frame(frame * 5).iter().zip(golden).map(|(ours, golden)| (ours - golden).abs()).collect::<Vec<_>>()
    });
    let most = off.fold(0.0, f64::max);
    println!("ClosedLinkSample.cnoid: joints at most {most:.4} rad off in 3 s");
    assert!(most < 0.005, "{most}");
}

/// Projects of models that the corpus does not have.
const WITHOUT_MODELS: [&str; 3] = ["MultiUR10Pickup.cnoid", "UR10Pickup.cnoid", "UR3Pickup.cnoid"];

/// Short of a whole second for the largest, which take long in it: `--duration 1` has been tried for all.
const LENGTH: &str = "0.05";

#[test]
fn every_project_of_the_corpus_opens_and_runs() {
    let Some(corpus) = corpus() else { return };
    let projects = files_below(&corpus.join("sample"), &["cnoid"]);
    assert!(projects.len() >= 54, "{}", projects.len());
    for project in projects {
        let out = TestFolder::new();
        let mut command = bunraku();
        command.arg("run").arg(&project).args(["--duration", LENGTH, "--out"]).arg(out.path());
        let output = command.env("BUNRAKU_SHARE", corpus.join("share")).output().unwrap();
        let name = project.file_name().unwrap().to_string_lossy().into_owned();
        if WITHOUT_MODELS.contains(&name.as_str()) {
            assert_eq!(output.status.code(), Some(1));
            assert!(stderr(&output).contains("file not found"), "{name}: {}", stderr(&output));
        } else {
            assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        }
    }
}

#[test]
fn the_table_of_projects_has_each_of_them() {
    let Some(corpus) = corpus() else { return };
    let sample = corpus.join("sample");
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/choreonoid-projects.md")).unwrap();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.contains(".cnoid | "))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let name = |path: &PathBuf| path.strip_prefix(&sample).unwrap().to_string_lossy().replace('\\', "/");
    let mut projects: Vec<String> = files_below(&sample, &["cnoid"]).iter().map(name).collect();
    projects.sort();
    let mut told: Vec<&str> = rows.iter().map(|row| row[1]).collect();
    told.sort_unstable();
    assert_eq!(told, projects);
    for row in rows {
        let is_there = !WITHOUT_MODELS.iter().any(|name| row[1].ends_with(&format!("/{name}")));
        assert_eq!(row[4] == "yes", is_there, "{row:?}");
    }
}
