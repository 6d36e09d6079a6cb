//! Choreonoid projects.

use std::fs;
use std::path::{Path, PathBuf};

use bunraku_test_support::{TestFolder, corpus, files_below, golden};

use super::desk::{ARM, Desk, SCENE};
use crate::common::{bunraku, load_motion, stderr, stdout};

/// A project with the arm twice, a motion, and items without a counterpart.
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
  contacts: { correction_depth: 0.00025, correction_velocity_ratio: 5 }

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
    // Items without a counterpart are named; those that change the run give a warning.
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
    // The scene gives the same run as the project.
    let recorded = |scene: &str| {
        let output = desk.bunraku(&["run", scene, "--duration", "0.03", "--out", "out"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        fs::read(desk.path().join("out/Arm.seq")).unwrap()
    };
    assert!(recorded("arm.cnoid") == recorded("scenes/arm.scene.yaml"));
}

#[test]
fn a_vision_simulator_that_records_makes_a_scene_that_records_sensors() {
    let desk = desk();
    let lamp = "- name: \"Lamp\"\n          class: LightingItem";
    let record = |data: &str| {
        let vision =
            format!("- name: \"Vision\"\n          class: GLVisionSimulatorItem\n          data: {{ {data} }}");
        desk.write("seeing.cnoid", &PROJECT.replace(lamp, &vision));
        let output = desk.bunraku(&["convert", "seeing.cnoid", "seeing.scene.yaml", "--force"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let written = fs::read_to_string(desk.path().join("seeing.scene.yaml")).unwrap();
        let line = written.lines().find(|line| line.starts_with("record:")).map(str::to_owned);
        assert_eq!(line.is_none(), stderr(&output).contains("`Vision` (GLVisionSimulatorItem) records no"));
        line
    };
    assert_eq!(record("enabled: true, record_vision_data: true").as_deref(), Some("record: { sensors: true }"));
    let targets = "record_vision_data: true, target_bodies: [ Arm, Other ]";
    assert_eq!(record(targets).as_deref(), Some("record: { sensors: [ \"Arm\" ] }"));
    assert_eq!(record("recordVisionData: false"), None);
    assert_eq!(record("enabled: false, record_vision_data: true"), None);
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
    assert!(messages.contains("file not found: ") && messages.contains("hand.body"), "{messages}");
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
    // A project that includes itself terminates, with a warning.
    desk.write("inner/inner.cnoid", &outer.replace("inner/inner.cnoid", "inner.cnoid"));
    let output = desk.bunraku(&["run", "outer.cnoid", "--duration", "0.01", "--out", "out"]);
    assert!(stderr(&output).contains("inside itself"), "{}", stderr(&output));
}

#[test]
fn files_of_another_kind_are_named_with_a_solution() {
    let desk = desk();
    let output = desk.bunraku(&["run", "swing.seq", "--out", "out"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("motion: swing.seq"), "{}", stderr(&output));
    let output = desk.bunraku(&["convert", "arm.cnoid", "arm2.body"]);
    assert!(stderr(&output).contains("OUT.scene.yaml"), "{}", stderr(&output));
}

/// Older projects have `staticModel`, which in Choreonoid frees a model only if its root is its only link.
#[test]
fn static_model_of_an_older_project_does_not_free_the_base_of_a_robot() {
    let scene = |model: &str, setting: &str| {
        let desk = Desk::new(model, SCENE);
        let body = format!("{{ name: Arm, class: BodyItem, data: {{ file: arm.body, {setting} }} }}");
        let project = format!(
            "items: {{ class: RootItem, children: [ {{ name: W, class: WorldItem, children: [ {body}, {{ name: S, class: \
             AISTSimulatorItem }} ] }} ] }}"
        );
        desk.write("arm.cnoid", &project);
        let output = desk.bunraku(&["convert", "arm.cnoid", "arm2.scene.yaml"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        fs::read_to_string(desk.path().join("arm2.scene.yaml")).unwrap()
    };
    let single = &ARM[..ARM.find("  - name: ARM").unwrap()];
    let welded = &ARM.replace("joint_type: revolute", "joint_type: fixed");
    for (model, setting, has, has_not) in [
        (ARM, "staticModel: false", "", "fixed:"),
        (ARM, "static_model: false", "", "fixed:"),
        (ARM, "fix_root: false", "fixed: false", "drive: static"),
        (ARM, "staticModel: true", "drive: static", "fixed: false"),
        (ARM, "fix_root: true", "fixed: true", "drive: static"),
        (welded, "staticModel: false", "drive: static", "fixed:"),
        (single, "staticModel: false", "fixed: false", "drive: static"),
        (single, "staticModel: true", "drive: static", "fixed: false"),
    ] {
        let text = scene(model, setting);
        assert!(text.contains(has) && !text.contains(has_not), "{setting}:\n{text}");
    }
}

#[test]
fn the_project_of_a_pendulum_hangs_where_its_model_is_fixed() {
    let Some((out, _)) = run_with("SimpleController/PendulumSample.cnoid", &["--duration", "2"], true) else { return };
    let base =
        |frame: usize| load_motion(&out.join("Pendulum.seq")).link_positions.unwrap().frame(frame)[0].translation;
    assert!((base(2000).vector - base(0).vector).norm() < 1e-9, "it fell 19.6 m");
}

/// Runs a project of the corpus with only its own files.
fn run(project: &str, arguments: &[&str]) -> Option<(TestFolder, PathBuf)> {
    run_with(project, arguments, false)
}

fn run_with(project: &str, arguments: &[&str], may_warn: bool) -> Option<(TestFolder, PathBuf)> {
    let (corpus, golden) = (corpus()?, golden()?);
    let out = TestFolder::new();
    let mut command = bunraku();
    command.arg("run").arg(corpus.join("sample").join(project)).arg("--out").arg(out.path()).args(arguments);
    let output = command.env("BUNRAKU_SHARE", corpus.join("share")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(may_warn || stderr(&output).is_empty(), "{project} runs without a warning: {}", stderr(&output));
    Some((out, golden.join("runs")))
}

/// Distance, m, of a root from Choreonoid's at each frame of its recording, which has every fifth step.
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

// The limits are those of the scenes with the same bodies, and of docs/explanation/accuracy.md.

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
        // All four boxes have the same name there, and the recording of the last one was kept.
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

/// Projects with models that are not in the corpus.
const WITHOUT_MODELS: [&str; 3] = ["MultiUR10Pickup.cnoid", "UR10Pickup.cnoid", "UR3Pickup.cnoid"];

/// Its dome is a shell that contains the robot and a laboratory. In Bunraku spheres are solid, and bodies inside one
/// are reported.
const IN_A_SPHERE: &str = "VisionSimulator/Mid360.cnoid";

/// s
const LENGTH: &str = "1";

/// The contents of a project, found in its text alone: the names of its bodies, in order, and those of its simulators
/// with their classes.
fn items(project: &Path) -> (Vec<String>, Vec<(String, String)>) {
    let text = fs::read_to_string(project).unwrap();
    let (mut bodies, mut simulators) = (Vec::new(), Vec::new());
    let mut name = String::new();
    for line in text.lines() {
        match line.trim().trim_start_matches("- ").split_once(": ") {
            // The name precedes the class of its item.
            Some(("name", value)) => value.trim_matches('"').clone_into(&mut name),
            Some(("class", "BodyItem")) => bodies.push(name.clone()),
            Some(("class", class)) if class.ends_with("SimulatorItem") && !class.contains("VisionSimulator") => {
                simulators.push((name.clone(), class.to_owned()));
            }
            Some(("class", "SubProjectItem")) => panic!("{}: count what is in it, too", project.display()),
            _ => {}
        }
    }
    (bodies, simulators)
}

/// A row of the table in docs/reference/choreonoid-projects.md.
#[derive(Debug, PartialEq)]
struct Row {
    project: String,
    simulator: String,
    bodies: usize,
    is_opened: bool,
    has_run: bool,
    notes: usize,
}

impl Row {
    /// The row for a project, from the output of the program.
    fn of(project: &Path, corpus: &Path) -> Self {
        let tell = |verb: &str, arguments: &[&str]| {
            let mut command = bunraku();
            command.arg(verb).arg(project).args(arguments).env("BUNRAKU_SHARE", corpus.join("share"));
            command.output().unwrap()
        };
        let name = project.strip_prefix(corpus.join("sample")).unwrap().to_string_lossy().replace('\\', "/");
        let (bodies, simulators) = items(project);
        let ours = simulators.iter().find(|(_, class)| class == "AISTSimulatorItem").or(simulators.first());
        let info = tell("info", &["--json"]);
        let is_opened = info.status.success();
        if is_opened {
            let info: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap();
            assert_eq!(info["simulator"].as_str(), ours.map(|(name, _)| name.as_str()), "{name}");
            let opened: Vec<&serde_json::Value> = info["bodies"].as_array().unwrap().iter().collect();
            let missing: Vec<&str> =
                info["missing"].as_array().unwrap().iter().filter_map(|part| part["name"].as_str()).collect();
            assert_eq!(missing.is_empty(), !WITHOUT_MODELS.iter().any(|known| name.ends_with(known)), "{name}");
            assert_eq!(opened.len() + missing.len(), bodies.len(), "{name}: {bodies:?}");
            let there = bodies.iter().filter(|body| !missing.contains(&body.as_str()));
            for (opened, body) in opened.iter().zip(there) {
                // Further bodies of the same name are numbered.
                assert!(opened["name"].as_str().unwrap().starts_with(body.as_str()), "{name}: {opened} is not {body}");
                assert!(opened["num_links"].as_u64() > Some(0), "{name}: {opened}");
            }
        }
        let out = TestFolder::new();
        let run = tell("run", &["--duration", LENGTH, "--json", "--out", out.path().to_str().unwrap()]);
        let ran: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        let has_run = run.status.success();
        assert!(name != IN_A_SPHERE || stderr(&run).contains("deep in `dome`"), "{name}: {}", stderr(&run));
        if has_run {
            let seconds = ran["simulated_time"].as_f64().unwrap();
            assert!((seconds - LENGTH.parse::<f64>().unwrap()).abs() < 0.003, "{name}: {seconds} s");
            assert_eq!(ran["resolved_scene"]["bodies"].as_array().unwrap().len(), bodies.len(), "{name}");
        } else if !WITHOUT_MODELS.iter().any(|known| name.ends_with(known)) {
            panic!("{name}: {}", stderr(&run));
        }
        let notes = stderr(&tell("check", &[])).lines().filter(|line| line.starts_with("note[")).count();
        let simulator = ours.map_or("none", |(name, _)| name.as_str()).to_owned();
        Self { project: name, simulator, bodies: bodies.len(), is_opened, has_run, notes }
    }

    /// The row in a line of the page.
    fn documented(line: &str) -> Self {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        Self {
            project: cells[1].to_owned(),
            simulator: cells[2].to_owned(),
            bodies: cells[3].parse().unwrap(),
            is_opened: cells[4].starts_with("yes"),
            has_run: cells[5] == "yes",
            notes: cells[7].parse().unwrap(),
        }
    }
}

/// Opens and runs every project of the corpus, compares the contents with those in its text, and the results with the
/// page.
#[test]
fn every_project_of_the_corpus_opens_and_runs_as_the_page_says() {
    let Some(corpus) = corpus() else { return };
    let projects = files_below(&corpus.join("sample"), &["cnoid"]);
    assert!(projects.len() >= 54, "{}", projects.len());
    let page =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/choreonoid-projects.md")).unwrap();
    let mut documented: Vec<Row> =
        page.lines().filter(|line| line.contains(".cnoid | ")).map(Row::documented).collect();
    // Each project takes a few processes of its own: as many run at a time as there are processors.
    let next = std::sync::atomic::AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let mut rows: Vec<Row> = std::thread::scope(|scope| {
        let work = || {
            let take = || projects.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
            std::iter::from_fn(take).map(|project| Row::of(project, &corpus)).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    for rows in [&mut rows, &mut documented] {
        rows.sort_by(|one, other| one.project.cmp(&other.project));
    }
    for Row { project, simulator, bodies, is_opened, has_run, notes } in &rows {
        println!(
            "{project:<55} {simulator:<25} {bodies:>3} bodies, opened: {is_opened}, ran: {has_run}, {notes} notes"
        );
    }
    assert_eq!(rows.len(), documented.len());
    for (row, documented) in rows.iter().zip(&documented) {
        assert_eq!(row, documented, "the project and its row on the page");
        let is_there = !WITHOUT_MODELS.iter().any(|name| row.project.ends_with(&format!("/{name}")));
        assert_eq!((row.is_opened, row.has_run), (true, is_there), "{}", row.project);
    }
}
