//! `bunraku task`: tasks are written, checked, run and recorded.

use std::path::{Path, PathBuf};
use std::process::Output;

use bunraku::task::designer::Pattern;
use bunraku::task::model::Frame;
use bunraku_test_support::{TestFolder, corpus};

use crate::common::{bunraku, load_motion, stderr, stdout};

const ARM_SCENE: &str = "assets/scenes/arm.scene.yaml";
const PICK_PLACE: &str = "assets/tasks/pick_place.yaml";

fn asset(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(path)
}

/// `bunraku task …`, in the root of the project.
fn task(arguments: &[&dyn AsRef<std::ffi::OsStr>]) -> Output {
    bunraku().arg("task").args(arguments.iter().map(|argument| argument.as_ref())).output().unwrap()
}

/// The summary of a run, which must succeed.
#[track_caller]
fn summary(output: &Output) -> serde_json::Value {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The final pose of a model.
#[track_caller]
fn pose(summary: &serde_json::Value, name: &str) -> Frame {
    let models = summary["task"]["models"].as_array().unwrap();
    let model = models.iter().find(|model| model["name"] == name).unwrap();
    let numbers: Vec<f64> = model["pose"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
    Frame(numbers.try_into().unwrap())
}

/// The distance of a model from a frame, m and degrees.
fn off(found: Frame, expected: Frame) -> (f64, f64) {
    let (found, expected) = (found.to_isometry(), expected.to_isometry());
    let distance = (found.translation.vector - expected.translation.vector).norm();
    (distance, found.rotation.angle_to(&expected.rotation).to_degrees())
}

/// Plays the recordings of the arm and of an object in a scene of their own, and compares the resulting recording.
#[track_caller]
fn replays_alike(folder: &TestFolder, recorded: &Path, object: &str, model: &str) {
    let scene = format!(
        "format: BunrakuScene\nformat_version: 1\nsimulation: {{ time_step: 0.002, duration: {} }}\nbodies:\n  \
         - {{ name: Arm, file: {}, drive: motion, motion: {} }}\n  - {{ name: {object}, {model}, drive: motion, motion: {} }}\n\
         record: {{ frame_rate: 100 }}\n",
        load_motion(&recorded.join("Arm.seq")).duration(),
        asset("models/arm.body").display(),
        recorded.join("Arm.seq").display(),
        recorded.join(format!("{object}.seq")).display(),
    );
    let scene = folder.write("replay.scene.yaml", scene);
    let again = folder.path().join("again");
    let output = bunraku().args(["run", "--allow-outside", "--out"]).args([&again, &scene]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for name in ["Arm", object] {
        let [first, second] = [recorded, &again].map(|directory| load_motion(&directory.join(format!("{name}.seq"))));
        let [first_links, second_links] = [&first, &second].map(|motion| motion.link_positions.as_ref().unwrap());
        assert_eq!(first.num_frames(), second.num_frames());
        for frame in 0..first.num_frames() {
            let [a, b] = [first_links, second_links].map(|links| links.frame(frame)[0]);
            assert!((a.to_homogeneous() - b.to_homogeneous()).norm() < 1e-9, "{name}, frame {frame}");
            if let (Some(a), Some(b)) = (&first.joint_displacements, &second.joint_displacements) {
                let worst = a.frame(frame).iter().zip(b.frame(frame)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-9, "{name}, frame {frame}: {worst}");
            }
        }
    }
}

#[test]
fn our_arm_picks_a_block_up_and_puts_it_down() {
    let place = Frame([0.4, -0.2, 0.84, 0.0, 0.0, 0.0]);
    for physics in [false, true] {
        let folder = TestFolder::new();
        let out = folder.path().join("out");
        let mut command = bunraku();
        command.args(["task", "run", PICK_PLACE, "--scene", ARM_SCENE, "--json", "--out"]).arg(&out);
        if physics {
            command.arg("--physics");
        }
        let output = command.output().unwrap();
        let summary = summary(&output);
        assert_eq!(stderr(&output), "", "nothing to warn of");
        let (distance, angle) = off(pose(&summary, "picked_obj"), place);
        println!("physics {physics}: {:.3} mm, {angle:.4}° from the place", distance * 1e3);
        let (nearest, straightest) = if physics { (0.01, 2.0) } else { (1e-3, 0.1) };
        assert!(distance < nearest && angle < straightest, "physics {physics}: {distance} m, {angle}°");
        assert_eq!((&summary["task"]["commands"], &summary["task"]["physics"]), (&10.into(), &physics.into()));
        let events = summary["task"]["events"].as_array().unwrap();
        let count = |what: &str| events.iter().filter(|event| event["what"] == what).count();
        assert_eq!(["started", "ended", "attach", "detach", "finished"].map(count), [10, 10, 1, 1, 1]);
        let block = format!("file: {}", asset("models/block.body").display());
        replays_alike(&folder, &out, "picked_obj", &block);
        let written: serde_json::Value =
            serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap();
        assert_eq!(written["task"]["file"], "pick_place.yaml");
    }
}

/// A controller by effort works, too. It computes its efforts at the start of a step, so it is less stiff and needs
/// shorter steps.
#[test]
fn a_pd_controller_follows_the_task() {
    let folder = TestFolder::new();
    let controller = "bodies.Arm.controller={ type: pd, kp: [ 30000, 30000, 20000, 1000, 1000, 200, 2000, 2000 ], \
                      kd: [ 300, 300, 100, 5, 5, 0.5, 10, 10 ] }";
    let settings: [&dyn AsRef<std::ffi::OsStr>; 4] = [&"--set", &controller, &"--set", &"simulation.time_step=0.0005"];
    let run: [&dyn AsRef<std::ffi::OsStr>; 7] =
        [&"run", &PICK_PLACE, &"--scene", &ARM_SCENE, &"--physics", &"--json", &"--out"];
    let output = task(&[&run[..], &[&folder.path()], &settings].concat());
    let (distance, angle) = off(pose(&summary(&output), "picked_obj"), Frame([0.4, -0.2, 0.84, 0.0, 0.0, 0.0]));
    println!("{:.3} mm, {angle:.4}° from the place", distance * 1e3);
    assert!(distance < 0.01 && angle < 2.0, "{distance} m, {angle}°");
}

/// Robots of which nothing but the model is written: the block ends nearer to its place than these distances, m. Three
/// fingers turn it a little.
#[test]
fn drafted_robots_pick_a_block_up() {
    let mut robots = vec![(asset("models/arm.body"), 1e-3), (asset("models/picker.urdf"), 1e-3)];
    if let Some(corpus) = corpus() {
        let models = corpus.join("share/model");
        robots.push((models.join("UniversalRobots/UR5-2F85.body"), 1e-3));
        robots.push((models.join("PA10/PA10.body"), 1e-3));
        robots.push((models.join("JACO2/JACO2.body"), 5e-3));
    }
    for (model, nearest) in robots {
        let folder = TestFolder::new();
        let [mapping, scene, fetch] = ["my.robot.yaml", "my.scene.yaml", "fetch.yaml"].map(|name| folder.join(name));
        let output = task(&[&"robot", &model, &mapping, &"--allow-outside"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(!stdout(&output).contains("no pose was found"), "{}: {}", model.display(), stdout(&output));
        assert_eq!(task(&[&"new", &"pick-place", &fetch]).status.code(), Some(0));
        let run: [&dyn AsRef<std::ffi::OsStr>; 7] =
            [&"run", &fetch, &"--scene", &scene, &"--physics", &"--json", &"--allow-outside"];
        let summary = summary(&task(&[&run[..], &[&"--out", &folder.join("out")]].concat()));
        let (distance, angle) = off(pose(&summary, "picked_obj"), Frame([0.4, -0.2, 0.84, 0.0, 0.0, 0.0]));
        println!("{}: {:.3} mm, {angle:.3}° from the place", model.display(), distance * 1e3);
        assert!(distance < nearest, "{}: {distance} m", model.display());
    }
}

#[test]
fn a_draft_replaces_no_file_and_says_what_is_missing() {
    let folder = TestFolder::new();
    let mapping = folder.write("my.robot.yaml", "mine");
    let output = task(&[&"robot", &asset("models/arm.body"), &mapping]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("my.robot.yaml is there already"), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(&mapping).unwrap(), "mine");
    assert!(!folder.join("my.scene.yaml").exists());
    let output = task(&[&"robot", &asset("models/rover.body"), &folder.join("rover.robot.yaml")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no link of `Rover` is a hand"), "{}", stderr(&output));
}

#[test]
fn a_run_prints_its_events_state_by_state() {
    let folder = TestFolder::new();
    let output = task(&[&"run", &PICK_PLACE, &"--scene", &ARM_SCENE, &"--out", &folder.path()]);
    let printed = stdout(&output);
    for part in [
        "   0.00 s  state 2: moveGripper (Gripper)\n",
        "   0.50 s  state 2: done\n",
        "state 5: attach picked_obj (tool 0)\n",
        "state 9: detach picked_obj (tool 0)\n",
        "state 12: the task is done\n",
        "task       pick and place: done, 10 commands\n",
        "model      picked_obj at (0.4, -0.2, 0.84) m, (0, 0, 0)°\n",
        "picked_obj.seq\n",
        "summary.json\n",
    ] {
        assert!(printed.contains(part), "no {part:?} in:\n{printed}");
    }
}

#[test]
fn a_new_task_has_no_findings_and_runs_without_editing() {
    for pattern in Pattern::ALL.map(Pattern::name) {
        let folder = TestFolder::new();
        let file = folder.path().join("mine.yaml");
        let output = task(&[&"new", &pattern, &file]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains("mine.yaml\n") && stdout(&output).contains("block.body\n"));
        let output = task(&[&"check", &"--strict", &file]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(stdout(&output), "1 file: 0 errors, 0 warnings, 0 notes\n");
        let out = folder.path().join("out");
        for physics in [None, Some("--physics")] {
            let mut command = bunraku();
            command
                .args(["task", "run", "--scene", ARM_SCENE, "--json"])
                .args(physics)
                .arg("--out")
                .args([&out, &file]);
            let summary = summary(&command.output().unwrap());
            assert_eq!(summary["task"]["name"], "mine", "{pattern}");
            assert!(out.join("picked_obj.seq").is_file());
        }
        let output = task(&[&"new", &pattern, &file]);
        assert_eq!(output.status.code(), Some(1), "nothing is overwritten");
        assert!(stderr(&output).contains("is there already"), "{}", stderr(&output));
        assert_eq!(task(&[&"new", &pattern, &file, &"--force"]).status.code(), Some(0));
    }
}

/// The object of the corpus task: its origin 72 mm above the table, and a stem of the width that the task grips.
const STEMMED: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Stemmed
links:
  - name: OBJECT
    joint_type: free
    mass: 0.2
    center_of_mass: [ 0, 0, -0.05 ]
    inertia: [ 0.0002, 0, 0, 0, 0.0002, 0, 0, 0, 0.0001 ]
    elements:
      - { type: Shape, translation: [ 0, 0, -0.062 ], geometry: { type: Box, size: [ 0.08, 0.08, 0.02 ] } }
      - { type: Shape, translation: [ 0, 0, -0.011 ], geometry: { type: Box, size: [ 0.03, 0.013, 0.082 ] } }
";

/// The arm with that object on its table.
fn stemmed(folder: &TestFolder) -> PathBuf {
    folder.write("object.body", STEMMED);
    let scene = std::fs::read_to_string(asset("scenes/arm.scene.yaml")).unwrap();
    let scene = scene.replace("../", &format!("{}/", asset("").display()));
    let scene = scene.replace("bodies:\n", "bodies:\n  - { name: picked_obj, file: object.body }\n");
    folder.write("stemmed.scene.yaml", scene)
}

#[test]
fn the_pick_and_place_of_the_corpus_runs_by_motion_and_by_forces() {
    let Some(corpus) = corpus() else { return };
    let file = corpus.join("tasks/teachingplugin-2019/pick_place.yaml");
    let place = Frame([0.4, -0.2, 0.872, 0.0, 0.0, 0.0]);
    for physics in [false, true] {
        let folder = TestFolder::new();
        let scene = stemmed(&folder);
        let out = folder.path().join("out");
        let mut command = bunraku();
        command.args(["task", "run", "--allow-outside", "--json", "--scene"]).args([&scene, &file]);
        command.arg("--out").arg(&out).args(physics.then_some("--physics"));
        let summary = summary(&command.output().unwrap());
        let (distance, angle) = off(pose(&summary, "picked_obj"), place);
        println!("physics {physics}: {:.3} mm, {angle:.4}° from the place", distance * 1e3);
        let (nearest, straightest) = if physics { (0.01, 2.0) } else { (1e-3, 0.1) };
        assert!(distance < nearest && angle < straightest, "physics {physics}: {distance} m, {angle}°");
        let model = format!("file: {}", folder.path().join("object.body").display());
        replays_alike(&folder, &out, "picked_obj", &model);
    }
}

#[test]
fn every_task_of_the_corpus_is_checked_and_run() {
    let Some(corpus) = corpus() else { return };
    let folder = TestFolder::new();
    for (name, commands) in [("hold", 4), ("pick_place", 9), ("pick_screw", 14)] {
        let file = corpus.join(format!("tasks/teachingplugin-2019/{name}.yaml"));
        let output = task(&[&"check", &file]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        // Their models are not public: the missing files are reported.
        assert!(stderr(&output).contains("warning[missing-file]"), "{}", stderr(&output));
        let out = folder.path().join(name);
        let output = task(&[&"run", &file, &"--scene", &ARM_SCENE, &"--out", &out, &"--json"]);
        assert!(stderr(&output).contains("warning[missing-file]"), "{}", stderr(&output));
        assert_eq!(summary(&output)["task"]["commands"], commands, "{name}");
    }
}

#[test]
fn tasks_that_cannot_be_run_are_reported_before_anything_moves() {
    let folder = TestFolder::new();
    let out = folder.path().join("out");
    let run = |more: &[&str]| {
        let mut command = bunraku();
        command.args(["task", "run", "--out"]).arg(&out).args(more);
        command.output().unwrap()
    };
    for (arguments, message) in [
        (
            &[PICK_PLACE, "--scene", "assets/scenes/rover.scene.yaml"][..],
            "error[no-robot]: no body of the scene is a robot",
        ),
        (&[PICK_PLACE, "--scene", "nowhere.scene.yaml"], "file not found: nowhere.scene.yaml"),
        (&["nowhere.yaml", "--scene", ARM_SCENE], "file not found: nowhere.yaml"),
        (&[PICK_PLACE, "--scene", ARM_SCENE, "--name", "other"], "has no task `other`"),
        (&[PICK_PLACE, "--scene", ARM_SCENE, "--set", "placeG=1"], "did you mean `placeF`?"),
        (&[PICK_PLACE, "--scene", ARM_SCENE, "--set", "handID=3"], "the robot has no tool 3"),
        (
            &[PICK_PLACE, "--scene", ARM_SCENE, "--set", "bodies.Arm.controller.type=none", "--physics"],
            "error[no-controller]",
        ),
        (&[PICK_PLACE, "--scene", ARM_SCENE, "--set", "bodies.Arm.drive=static", "--physics"], "error[robot-drive]"),
        (&[PICK_PLACE, "--scene", ARM_SCENE, "--set", "bodies.Arm.robot=arm.yaml"], "file not found: arm.yaml"),
        (&[PICK_PLACE, "--scene", ARM_SCENE, "--set", "bodies.Arm.robot=../tasks/pick_place.yaml"], "expected"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
        assert!(!out.exists(), "{arguments:?}");
    }
    let output = run(&[PICK_PLACE, "--scene", "assets/scenes/rover.scene.yaml", "--json"]);
    let failure: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(failure["failure"].as_str().unwrap().contains("no body of the scene is a robot"), "{failure}");
}

#[test]
fn wrong_usage_of_tasks_is_exit_code_2() {
    for arguments in [
        &["task"][..],
        &["task", "new"],
        &["task", "new", "somersault"],
        &["task", "run", PICK_PLACE],
        &["task", "run", PICK_PLACE, "--scene", ARM_SCENE, "--set", "placeF"],
        &["task", "run", PICK_PLACE, "--scene", ARM_SCENE, "--max-time", "-1"],
        &["task", "check"],
    ] {
        assert_eq!(bunraku().args(arguments).output().unwrap().status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_task_that_fails_reports_its_location_and_keeps_the_recording() {
    for physics in [None, Some("--physics")] {
        let folder = TestFolder::new();
        let mut command = bunraku();
        command.args([
            "task",
            "run",
            PICK_PLACE,
            "--scene",
            ARM_SCENE,
            "--set",
            "placeF=[1.5, 0, 0.84, 0, 0, 0]",
            "--out",
        ]);
        let output = command.arg(folder.path()).args(physics).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let message = stderr(&output);
        for part in [
            "error[command-failed]: task `pick and place`, state 7 (`moveArm`): tool 0 does not reach (",
            "assets/tasks/pick_place.yaml:",
            "cmd_name: \"moveArm\"",
            "= help: change the pose",
        ] {
            assert!(message.contains(part), "no {part:?} in:\n{message}");
        }
        assert!(stdout(&output).contains("task       pick and place: not done, 6 commands"), "{}", stdout(&output));
        let text = std::fs::read(folder.path().join("summary.json")).unwrap();
        let written: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert!(written["failure"].as_str().unwrap().contains("does not reach"), "{written}");
        assert!(load_motion(&folder.path().join("picked_obj.seq")).num_frames() > 300);
    }
}

/// Returns to the same command forever.
const ENDLESS: &str = r#"- taskName: "endless"
  states:
  - { id: 1, type: 1, pos: [0, 0] }
  - { id: 2, type: 6, pos: [0, 0] }
  - id: 3
    type: 5
    pos: [0, 0]
    cmd_name: "moveGripper"
    disp_name: "Gripper"
    arguments: [ { name: "width", value: "0.02" }, { name: "tm", value: "0.1" } ]
  transitions:
  - { source_id: 1, target_id: 2 }
  - { source_id: 2, target_id: 3 }
  - { source_id: 3, target_id: 2 }
"#;

#[test]
fn an_endless_loop_is_stopped_by_a_limit() {
    let folder = TestFolder::with(&[("endless.yaml", ENDLESS)]);
    let (file, out) = (folder.path().join("endless.yaml"), folder.path().join("out"));
    for (option, value, message) in
        [("--max-states", "20", "error[endless-loop]"), ("--max-time", "0.5", "error[out-of-time]")]
    {
        let output = task(&[&"run", &file, &"--scene", &ARM_SCENE, &"--out", &out, &option, &value]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

#[test]
fn tasks_and_robots_are_described_and_checked_like_other_files() {
    let info = |file: &str, more: &[&str]| stdout(&bunraku().args(["info", file]).args(more).output().unwrap());
    let printed = info(PICK_PLACE, &[]);
    for part in
        ["task       pick and place\n", "picked_obj           Work  at (0.4, 0.2, 0.84) m", "moveArm              4\n"]
    {
        assert!(printed.contains(part), "no {part:?} in:\n{printed}");
    }
    let described: serde_json::Value = serde_json::from_str(&info(PICK_PLACE, &["--json"])).unwrap();
    assert_eq!(described["tasks"][0]["states"].as_array().unwrap().len(), 12);
    assert_eq!(described["tasks"][0]["models"][0]["pose"][2], 0.84);
    let printed = info("assets/tasks/arm.robot.yaml", &[]);
    assert!(
        printed.contains("tool 0     TOOL on BASE, 6 joints\ngripper 0  FINGER_L, FINGER_R, 0 to 0.1 m\n"),
        "{printed}"
    );
    let folder =
        TestFolder::with(&[("endless.yaml", &*ENDLESS.replace("moveGripper", "moveGriper")), ("notes.yaml", "a: 1")]);
    let output = bunraku().arg("check").arg(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("did you mean `moveGripper`?"), "{}", stderr(&output));
    assert!(stdout(&output).contains("1 file, 1 not usable: 1 error"), "{}", stdout(&output));
}

/// The pick-and-place task of the assets in a folder of its own, with a part of its text and the model that it names
/// replaced.
fn altered(folder: &TestFolder, good: &str, bad: &str, model: &str) -> PathBuf {
    let text = std::fs::read_to_string(asset("tasks/pick_place.yaml")).unwrap();
    assert!(text.contains(good), "{good}");
    folder.write("block.body", model);
    let file = text.lines().find(|line| line.contains("file_name:")).unwrap();
    folder.write("task.yaml", text.replace(file, "    file_name: \"block.body\"").replace(good, bad))
}

fn block() -> String {
    std::fs::read_to_string(asset("models/block.body")).unwrap()
}

/// The arm on its table, without a pose of the root in the scene, and with a mapping beside it.
fn arm_scene(folder: &TestFolder, more: &str) -> PathBuf {
    let [scene, mapping] = ["scenes/arm.scene.yaml", "tasks/arm.robot.yaml"]
        .map(|path| std::fs::read_to_string(asset(path)).unwrap().replace("../models/", "models/"));
    for name in ["arm", "table", "floor"] {
        let model = std::fs::read(asset(&format!("models/{name}.body"))).unwrap();
        folder.write(format!("models/{name}.body"), model);
    }
    folder.write("arm.robot.yaml", mapping);
    let translation = "    translation: [ 0, 0, 0.8 ]      # on the table\n";
    assert!(scene.contains(translation));
    let scene =
        scene.replace(translation, "").replace("../tasks/", "").replace("bodies:\n", &format!("bodies:\n{more}"));
    folder.write("arm.scene.yaml", scene)
}

const PLACE: Frame = Frame([0.4, -0.2, 0.84, 0.0, 0.0, 0.0]);

/// Runs a task that ends with the block at its target; returns its stderr.
#[track_caller]
fn places_the_block(task: &Path, scene: &dyn AsRef<std::ffi::OsStr>, physics: bool) -> String {
    let out = TestFolder::new();
    let mut command = bunraku();
    command.args(["task", "run", "--json", "--out"]).arg(out.path()).arg("--scene").arg(scene).arg(task);
    let output = command.args(physics.then_some("--physics")).output().unwrap();
    let (distance, angle) = off(pose(&summary(&output), "picked_obj"), PLACE);
    let (nearest, straightest) = if physics { (0.01, 2.0) } else { (1e-3, 0.1) };
    assert!(distance < nearest && angle < straightest, "physics {physics}: {distance} m, {angle}°");
    stderr(&output)
}

/// The original attaches models of every type; tasks of 2017 have the type `Env` for all.
#[test]
fn a_model_of_any_type_is_attached_and_carried() {
    for kind in ["Env", "E.E."] {
        let folder = TestFolder::new();
        let file = altered(&folder, "type: \"Work\"", &format!("type: \"{kind}\""), &block());
        for physics in [false, true] {
            assert_eq!(places_the_block(&file, &ARM_SCENE, physics), "", "{kind}, physics {physics}");
        }
    }
}

#[test]
fn a_static_body_of_the_scene_that_a_task_attaches_is_refused_before_the_run() {
    let folder = TestFolder::new();
    let file = altered(&folder, "type: \"Work\"", "type: \"Work\"", &block());
    let scene = arm_scene(&folder, "  - { name: picked_obj, file: block.body, drive: static }\n");
    let output = task(&[&"run", &file, &"--scene", &scene, &"--out", &folder.path().join("out")]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(message.contains("error[static-model]") && message.contains("task.yaml:8:"), "{message}");
    assert!(message.contains("= help: leave `drive: static` of the body out of the scene"), "{message}");
}

/// No model of the original has a mass.
#[test]
fn a_model_without_mass_is_carried_by_a_robot_moved_by_forces_with_a_warning() {
    let folder = TestFolder::new();
    let model = block()
        .replace("mass: 0.1\n", "mass: 0\n")
        .replace("    inertia: [ 6.66667e-05, 0, 0, 0, 6.66667e-05, 0, 0, 0, 2.66667e-05 ]\n", "");
    let file = altered(&folder, "type: \"Work\"", "type: \"Work\"", &model);
    let printed = places_the_block(&file, &ARM_SCENE, true);
    assert!(printed.contains("warning[no-mass]: link `BLOCK` of `picked_obj` has no mass"), "{printed}");
    assert!(printed.contains("task.yaml:"), "{printed}");
    assert!(!places_the_block(&file, &ARM_SCENE, false).contains("no-mass"), "nothing needs one");
}

#[test]
fn the_mapping_sets_the_pose_of_the_root_if_the_scene_does_not() {
    let folder = TestFolder::new();
    let file = altered(&folder, "type: \"Work\"", "type: \"Work\"", &block());
    let scene = arm_scene(&folder, "");
    assert_eq!(places_the_block(&file, &scene, false), "");
}

#[test]
fn a_body_of_a_mapping_that_is_not_that_of_the_scene_is_reported() {
    let folder = TestFolder::new();
    let file = altered(&folder, "type: \"Work\"", "type: \"Work\"", &block());
    let scene = arm_scene(&folder, "");
    let mapping = folder.read("arm.robot.yaml");
    folder.write("arm.robot.yaml", mapping.replace("models/arm.body", "modles/arm.body"));
    let output = task(&[&"run", &file, &"--scene", &scene, &"--out", &folder.path().join("out")]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    for part in [
        "error[file-not-found]: file not found: modles/arm.body",
        "arm.robot.yaml:4:7",
        "did you mean `models/arm.body`?",
    ] {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
    folder.write("arm.robot.yaml", mapping.replace("models/arm.body", "models/table.body"));
    let message = places_the_block(&file, &scene, false);
    assert!(message.contains("warning[mapping-of-another-model]") && message.contains("arm.scene.yaml:"), "{message}");
}

#[test]
fn share_in_the_body_of_a_mapping_is_replaced_by_every_command() {
    let folder = TestFolder::new();
    arm_scene(&folder, "");
    let mapping = folder.read("arm.robot.yaml").replace("models/arm.body", "${SHARE}/models/arm.body");
    let file = folder.write("shared.robot.yaml", mapping);
    for verb in ["check", "info"] {
        let output = bunraku().arg(verb).arg(&file).arg("--share").arg(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{verb}: {}", stderr(&output));
        let output = bunraku().arg(verb).arg(&file).env_remove("BUNRAKU_SHARE").output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{verb}");
        assert!(stderr(&output).contains("shared.robot.yaml:4:7"), "{}", stderr(&output));
    }
}

#[test]
fn problems_during_a_task_are_warnings_of_the_run() {
    let run = |more: &[&str]| {
        let folder = TestFolder::new();
        let mut command = bunraku();
        command.args(["task", "run", PICK_PLACE, "--scene", ARM_SCENE, "--set", "finger_interval=2", "--out"]);
        command.arg(folder.path()).args(more).output().unwrap()
    };
    let clamped = "task `pick and place`, state 2: the width 2.04 m is out of the gripper's range; it goes to 0.1 m";
    let quiet = run(&["--quiet"]);
    assert_eq!((quiet.status.code(), stdout(&quiet).as_str()), (Some(0), ""));
    assert!(stderr(&quiet).contains(&format!("warning: {clamped}")), "{}", stderr(&quiet));
    assert!(stderr(&quiet).contains("state 5: the width 2 m"), "each of them: {}", stderr(&quiet));
    let summary = summary(&run(&["--json"]));
    let warnings: Vec<&str> = summary["warnings"].as_array().unwrap().iter().filter_map(|text| text.as_str()).collect();
    assert!(warnings.contains(&clamped), "{warnings:?}");
    let strict = run(&["--strict"]);
    assert_eq!(strict.status.code(), Some(1), "{}", stderr(&strict));
    assert!(stderr(&strict).contains("which `--strict` makes an error"), "{}", stderr(&strict));
}

#[test]
fn the_results_of_a_task_are_drawn_with_its_models() {
    let folder = TestFolder::new();
    let out = folder.path().join("out");
    let run = task(&[&"run", &PICK_PLACE, &"--scene", &ARM_SCENE, &"--out", &out]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let middle = |more: &[&str]| {
        let file = folder.path().join("p.png");
        let mut command = bunraku();
        command
            .arg("picture")
            .arg(&out)
            .args(["--size", "64x64", "--camera", "0.6", "-0.4", "1", "0.4", "-0.2", "0.86"]);
        let output = command.args(more).arg("--out").arg(&file).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        image::open(&file).unwrap().into_rgb8().get_pixel(32, 32).0.map(i32::from)
    };
    // Only the block is green.
    let is_green = |[red, green, blue]: [i32; 3]| green > red + 20 && green > blue + 10;
    assert!(is_green(middle(&[])), "{:?}", middle(&[]));
    assert!(!is_green(middle(&["--at", "0"])), "{:?}", middle(&["--at", "0"]));
}
