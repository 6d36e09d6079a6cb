//! What a user sees: exit codes, messages with a place, and files that are whole.

// A test that cannot go on should say so loudly.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;
use common::{bunraku, stderr, stdout};
use tempfile::TempDir;

/// A two-link arm that is right in every respect.
const ARM: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Arm
links:
  - name: BASE
  - name: ARM
    parent: BASE
    joint_type: revolute
    joint_axis: Y
    joint_id: 0
    mass: 1
";

/// A scene around it.
const SCENE: &str = "\
format: BunrakuScene
format_version: 1
simulation:
  duration: 0.01
bodies:
  - name: Arm
    file: arm.body
    controller: { type: pd, kp: 10, kd: 1 }
";

/// A directory with a model, a scene that uses it, and room for results.
struct Desk {
    directory: TempDir,
}

impl Desk {
    fn new(model: &str, scene: &str) -> Self {
        let desk = Self { directory: tempfile::tempdir().unwrap() };
        desk.write("arm.body", model);
        desk.write("arm.scene.yaml", scene);
        desk
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        bunraku()
            .current_dir(self.path())
            .args(["run", "arm.scene.yaml", "--out", "out"])
            .args(arguments)
            .output()
            .unwrap()
    }

    /// Runs the scene, which must fail with a message that contains all of `expected`, and leave nothing behind.
    #[track_caller]
    fn fails(&self, arguments: &[&str], expected: &[&str]) {
        let output = self.run(arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{message}");
        for part in expected {
            assert!(message.contains(part), "no {part:?} in:\n{message}");
        }
        assert!(!self.path().join("out").exists(), "something was written");
    }
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from));
    text.replacen(from, to, 1)
}

#[test]
fn a_sound_scene_runs_and_says_what_it_did() {
    let output = Desk::new(ARM, SCENE).run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    for part in
        ["steps      10", "simulated  0.0100 s", "µs per step", "× real time", "out/Arm.seq", "out/summary.json"]
    {
        assert!(stdout(&output).contains(part), "no {part:?} in:\n{}", stdout(&output));
    }
}

#[test]
fn json_is_one_document_and_nothing_else() {
    let desk = Desk::new(ARM, SCENE);
    let summary: serde_json::Value = serde_json::from_slice(&desk.run(&["--json"]).stdout).unwrap();
    assert_eq!((summary["steps"].as_u64(), summary["files"][0].as_str()), (Some(10), Some("out/Arm.seq")));
    let output = bunraku().current_dir(desk.path()).args(["info", "out/Arm.seq", "--json"]).output().unwrap();
    let motion: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((motion["num_frames"].as_u64(), motion["num_joints"].as_u64()), (Some(11), Some(1)));
}

#[test]
fn a_misspelt_key_of_a_model_is_a_warning_with_its_place() {
    let desk = Desk::new(&replaced(ARM, "joint_axis", "joitAxis"), SCENE);
    let output = desk.run(&[]);
    assert_eq!(output.status.code(), Some(0));
    let message = stderr(&output);
    assert!(message.contains("warning[unknown-key]: unknown key `joitAxis` in link `ARM`"), "{message}");
    assert!(message.contains("arm.body:9:5") && message.contains("did you mean `joint_axis`?"), "{message}");
}

#[test]
fn a_misspelt_key_of_a_scene_is_a_warning_with_its_place() {
    let output = Desk::new(ARM, &replaced(SCENE, "simulation:\n", "simulation:\n  tme_step: 0.002\n")).run(&[]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(0));
    assert!(message.contains("arm.scene.yaml:4:3") && message.contains("did you mean `time_step`?"), "{message}");
}

#[test]
fn strict_makes_warnings_errors() {
    Desk::new(&replaced(ARM, "joint_axis", "joitAxis"), SCENE)
        .fails(&["--strict"], &["error[unknown-key]", "arm.body:9:5"]);
    let scene = replaced(SCENE, "duration", "duratoin");
    Desk::new(ARM, &scene).fails(&["--strict", "--duration", "1"], &["error[unknown-key]", "arm.scene.yaml:4:3"]);
}

#[test]
fn an_unknown_joint_type() {
    let model = replaced(ARM, "joint_type: revolute", "joint_type: revolut");
    Desk::new(&model, SCENE)
        .fails(&[], &["`revolut` is not a joint type", "arm.body:8:17", "did you mean `revolute`?"]);
}

#[test]
fn a_parent_that_does_not_exist() {
    let model = replaced(ARM, "parent: BASE", "parent: BSAE");
    Desk::new(&model, SCENE)
        .fails(&[], &["the parent link `BSAE` does not exist", "arm.body:7:13", "did you mean `BASE`?"]);
}

#[test]
fn parents_in_a_circle() {
    let model = format!("{ARM}  - {{ name: A, parent: B }}\n  - {{ name: B, parent: A }}\n");
    Desk::new(&model, SCENE).fails(&[], &["the parents go round in a circle: A → B → A", "arm.body:12:24"]);
}

#[test]
fn two_links_of_one_name() {
    let model = format!("{ARM}  - {{ name: ARM, parent: BASE }}\n");
    Desk::new(&model, SCENE).fails(&[], &["link name `ARM` is already taken on line 6", "arm.body:12:13"]);
}

#[test]
fn several_mistakes_are_told_at_once() {
    let model = replaced(&replaced(ARM, "mass: 1", "mass: heavy"), "joint_axis: Y", "joint_axis: W");
    Desk::new(&model, SCENE).fails(&[], &["expected a number, found `heavy`", "`W` is not an axis"]);
}

#[test]
fn a_motion_with_the_wrong_number_of_joints() {
    let scene = replaced(SCENE, "type: pd,", "type: pd, motion: arm.seq,");
    let desk = Desk::new(ARM, &scene);
    desk.write(
        "arm.seq",
        "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 10\nnumFrames: 1\ncomponents:\n  -\n    \
         type: MultiValueSeq\n    content: JointDisplacement\n    numParts: 3\n    frames:\n      - [ 0, 0, 0 ]\n",
    );
    desk.fails(&[], &["the motion has 3 joints, but `Arm` has 1", "arm.scene.yaml:8:37"]);
}

#[test]
fn missing_files() {
    Desk::new(ARM, &replaced(SCENE, "arm.body", "amr.body"))
        .fails(&[], &["file not found: amr.body", "arm.scene.yaml:7:11"]);
    let output = bunraku().args(["run", "nowhere.scene.yaml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("file not found: nowhere.scene.yaml"));
}

#[test]
fn a_headless_scene_without_an_end() {
    let desk = Desk::new(ARM, &replaced(SCENE, "simulation:\n  duration: 0.01\n", ""));
    desk.fails(&[], &["the scene has no `simulation.duration`", "arm.scene.yaml:1:1", "`--duration S`"]);
    let scene = replaced(SCENE, "duration: 0.01", "time_step: 0.001");
    Desk::new(ARM, &scene).fails(&[], &["the scene has no `simulation.duration`", "arm.scene.yaml:4:3"]);
    assert_eq!(desk.run(&["--duration", "0.02"]).status.code(), Some(0));
}

#[test]
fn the_share_directory_is_asked_for() {
    let output = bunraku().args(["run", "assets/scenes/sr1_walk.scene.yaml"]).output().unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1));
    for part in ["sr1_walk.scene.yaml:12:12", "${SHARE}", "--share DIR", "BUNRAKU_SHARE"] {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
}

#[test]
fn a_diverging_simulation_stops_and_keeps_its_recording() {
    let desk = Desk::new(ARM, SCENE);
    let output = desk.run(&["--set", "bodies.Arm.controller.kp=1e14", "--set", "bodies.Arm.joint_displacements=[1]"]);
    // Without a motion the controller holds the start: a nudge by gravity is enough for such gains.
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("the simulation diverged: joint `ARM` of `Arm`"), "{message}");
    let time: f64 = message.split("t = ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let motion = BodyMotion::load(&desk.path().join("out/Arm.seq"), &Reporter::new()).unwrap();
    // One frame for each step before the one that failed, and the initial one.
    assert_eq!(motion.num_frames(), (time / 0.001).round() as usize, "{message}");
    assert!(fs::read_to_string(desk.path().join("out/summary.json")).unwrap().contains("diverged"));
}

#[test]
fn a_killed_recording_loads_up_to_its_last_whole_frame() {
    let desk = Desk::new(ARM, SCENE);
    let mut run = bunraku();
    run.current_dir(desk.path()).args(["run", "arm.scene.yaml", "--out", "out", "--duration", "100000"]);
    let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let partial = desk.path().join("out/Arm.seq.partial");
    while fs::metadata(&partial).map_or(0, |metadata| metadata.len()) < 100_000 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::sleep(Duration::from_millis(1));
    }
    // On Unix this is kill -9.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!desk.path().join("out/Arm.seq").exists());
    let reporter = Reporter::new();
    let motion = BodyMotion::load(&partial, &reporter).unwrap();
    let size = fs::metadata(&partial).unwrap().len();
    let lines =
        fs::read_to_string(&partial).unwrap().lines().filter(|line| line.trim_start().starts_with("- ")).count();
    assert!(
        motion.num_frames() >= lines / 2 - 1 && motion.num_frames() <= lines / 2,
        "{} of {lines} in {size}",
        motion.num_frames()
    );
    assert!(!reporter.has_errors());
    let output = bunraku().arg("info").arg(&partial).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let desk = Desk::new(ARM, SCENE);
    for arguments in [["--set", "kp"], ["--duration", "-1"], ["--duration", "soon"], ["--colour", "red"]] {
        assert_eq!(desk.run(&arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(bunraku().output().unwrap().status.code(), Some(2));
}

#[test]
fn values_can_be_set_from_the_command_line() {
    let desk = Desk::new(ARM, SCENE);
    let output = desk.run(&["--json", "--set", "simulation.time_step=0.005", "--set", "bodies.Arm.controller.kp=[20]"]);
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["steps"].as_u64(), Some(2));
    let desk = Desk::new(ARM, SCENE);
    desk.fails(&["--set", "bodies.Amr.controller.kp=1"], &["--set bodies.Amr.controller.kp=1", "did you mean `Arm`?"]);
    desk.fails(&["--set", "simulation.time_step=fast"], &["expected a number, found `fast`"]);
}

#[test]
fn what_a_run_leaves_out_of_a_model_is_said() {
    let sliding = replaced(ARM, "joint_type: revolute", "joint_type: prismatic\n    rotor_inertia: 0.1");
    let message = stderr(&Desk::new(&sliding, SCENE).run(&[]));
    assert!(message.contains("the rotor inertia of the sliding joint `ARM` of `Arm` has no effect"), "{message}");
    let closed = format!("{ARM}extra_joints:\n  - {{ link1_name: BASE, link2_name: ARM, joint_type: ball }}\n");
    let message = stderr(&Desk::new(&closed, SCENE).run(&[]));
    assert!(message.contains("the extra joints of `Arm` are not simulated"), "{message}");
}

#[test]
fn links_that_a_recording_would_lose_are_named() {
    let model = format!("{ARM}  - {{ name: STONE, parent: ARM, joint_type: free }}\n");
    let output = Desk::new(&model, SCENE).run(&[]);
    let message = stderr(&output);
    assert!(message.contains("link `STONE` of `Arm` moves on its own and is not recorded"), "{message}");
    let scene = format!("{SCENE}record: {{ links: all, frame_rate: 500 }}\n");
    let desk = Desk::new(&model, &scene);
    assert_eq!(stderr(&desk.run(&[])), "");
    let motion = BodyMotion::load(&desk.path().join("out/Arm.seq"), &Reporter::strict()).unwrap();
    assert_eq!((motion.num_links(), motion.num_joints(), motion.frame_rate, motion.num_frames()), (3, 2, 500.0, 6));
}

#[test]
fn check_names_everything_and_sums_up() {
    let desk = Desk::new(&replaced(ARM, "joint_axis: Y", "joitAxis: Y"), &replaced(SCENE, "pd", "dp"));
    let output = bunraku().current_dir(desk.path()).args(["check", "arm.body", "arm.scene.yaml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("2 files, 1 not usable: 1 error, 2 warnings"), "{}", stdout(&output));
    assert!(stderr(&output).contains("did you mean `pd`?"), "{}", stderr(&output));
    let output = bunraku().current_dir(desk.path()).args(["check", "arm.body"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
}

/// `bunraku check .` in the desk's directory.
fn check_all(desk: &Desk) -> Output {
    bunraku().current_dir(desk.path()).args(["check", "."]).output().unwrap()
}

#[test]
fn check_of_a_directory_names_the_findings_of_all_files_and_sums_up() {
    let desk = Desk::new(ARM, SCENE);
    fs::create_dir_all(desk.path().join("more/deep")).unwrap();
    desk.write("more/bad.body", &replaced(ARM, "joint_type: revolute", "joint_type: revolut"));
    desk.write(
        "more/deep/worse.body",
        &replaced(&replaced(ARM, "mass: 1", "mass: heavy"), "joint_axis: Y", "joitAxis: Y"),
    );
    desk.write("more/notes.txt", "not for us");
    let output = check_all(&desk);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    for part in ["more/bad.body:8:17", "did you mean `revolute`?", "worse.body:11:11", "worse.body:9:5", "`joint_axis`"]
    {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
    let out = stdout(&output);
    for part in [
        "arm.body: 0 errors, 0 warnings, 0 notes\n",
        "arm.scene.yaml: 0 errors, 0 warnings, 0 notes\n",
        "more/bad.body: 1 error, 0 warnings, 0 notes\n",
        "more/deep/worse.body: 1 error, 1 warning, 0 notes\n",
        "4 files, 2 not usable: 2 errors, 1 warning, 0 notes\n",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
}

#[test]
fn check_of_a_directory_without_models_says_so() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("notes.txt"), "").unwrap();
    let output = bunraku().arg("check").arg(directory.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("there is nothing to check in"), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
}

#[test]
fn check_of_a_directory_skips_hidden_files() {
    let desk = Desk::new(ARM, SCENE);
    fs::create_dir(desk.path().join(".git")).unwrap();
    desk.write(".git/broken.body", "[");
    desk.write(".broken.body", "[");
    let output = check_all(&desk);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("2 files: 0 errors, 0 warnings, 0 notes"), "{}", stdout(&output));
}

#[test]
fn our_own_files_are_without_a_warning() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let mut command = bunraku();
    command.args(["check", "--strict"]);
    let mut count = 0;
    for directory in ["models", "motions", "scenes"] {
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // Needs data that is not ours; the contact material table is read through the scenes.
            if name != "sr1_walk.scene.yaml" && name != "materials.yaml" {
                command.arg(path);
                count += 1;
            }
        }
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains(&format!("{count} files: 0 errors, 0 warnings")), "{}", stdout(&output));
}

/// `bunraku convert` on the desk.
fn convert(desk: &Desk, arguments: &[&str]) -> Output {
    bunraku().current_dir(desk.path()).arg("convert").args(arguments).output().unwrap()
}

#[test]
fn convert_writes_a_model_that_says_the_same() {
    let desk = Desk::new(&replaced(ARM, "mass: 1", "mass: 1   # heavy"), SCENE);
    let output = convert(&desk, &["arm.body", "copy.body"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!((stdout(&output).as_str(), stderr(&output).as_str()), ("written    copy.body\n", ""));
    let info = |file: &str| {
        let output = bunraku().current_dir(desk.path()).args(["info", "--json", file]).output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    assert_eq!(info("copy.body"), info("arm.body"));
    let left: Vec<_> = fs::read_dir(desk.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");

    let output = convert(&desk, &["arm.body", "copy.body", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document, serde_json::json!({ "files": ["copy.body"], "diagnostics": [] }));
}

#[test]
fn convert_replaces_its_input_only_if_forced() {
    let desk = Desk::new(&replaced(ARM, "mass: 1", "mass: 1   # heavy"), SCENE);
    let output = convert(&desk, &["arm.body", "./arm.body"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("OUT is IN") && stderr(&output).contains("--force"), "{}", stderr(&output));
    let text = || fs::read_to_string(desk.path().join("arm.body")).unwrap();
    assert!(text().contains("# heavy"));
    assert_eq!(convert(&desk, &["arm.body", "./arm.body", "--force"]).status.code(), Some(0));
    assert!(!text().contains("# heavy") && text().contains("format_version: 2.0"), "{}", text());
}

#[test]
fn convert_says_what_it_cannot_do() {
    let desk = Desk::new(ARM, SCENE);
    let fails = |arguments: &[&str], code: i32, expected: &str| {
        let output = convert(&desk, arguments);
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert!(stderr(&output).contains(expected), "no {expected:?} in:\n{}", stderr(&output));
        assert!(!desk.path().join("out.body").exists());
    };
    fails(&["arm.body", "out.csv"], 2, "OUT must end in `.body`");
    fails(&["arm.scene.yaml", "out.body"], 2, "a scene cannot become a model");
    fails(&["none.body", "out.body"], 1, "file not found: none.body");
    fails(&["arm.body", "nowhere/out.body"], 1, "cannot write the file");
    desk.write("arm.body", &replaced(ARM, "joint_axis", "joitAxis"));
    fails(&["arm.body", "out.body", "--strict"], 1, "error[unknown-key]");
}
