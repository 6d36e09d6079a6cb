//! Faults of the machine while the program works: signals, vanishing and write-protected directories, missing
//! environment, small stacks. Nothing that was whole is lost, and the program ends with a reason.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{bunraku, stderr, stdout};

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
}

fn load(path: &Path) -> BodyMotion {
    BodyMotion::load(path, &Reporter::new()).unwrap()
}

/// Starts a run of so many seconds, and waits until it has recorded something.
fn started(desk: &Desk, duration: &str) -> Child {
    started_with(desk, duration, Stdio::piped())
}

fn started_with(desk: &Desk, duration: &str, stderr: Stdio) -> Child {
    let mut command = bunraku();
    command.current_dir(desk.path()).args(["run", "arm.scene.yaml", "--out", "out", "--duration", duration]);
    let mut child = command.stdout(Stdio::null()).stderr(stderr).spawn().unwrap();
    let partial = desk.path().join("out/Arm.seq.partial");
    while fs::metadata(&partial).map_or(0, |metadata| metadata.len()) < 20_000 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// Runs the program in the desk's directory, after shell commands such as `ulimit`.
fn shell(desk: &Desk, before: &str, arguments: &str) -> std::process::Output {
    let script = format!("{before}; exec {} {arguments}", env!("CARGO_BIN_EXE_bunraku"));
    Command::new("bash").args(["-c", &script]).current_dir(desk.path()).output().unwrap()
}

#[test]
fn a_run_that_is_stopped_and_continued_gives_the_same_bytes() {
    let desk = Desk::new(ARM, SCENE);
    let child = started(&desk, "20");
    for _ in 0..3 {
        signal(&child, "STOP");
        std::thread::sleep(Duration::from_millis(50));
        signal(&child, "CONT");
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let stopped = fs::read(desk.path().join("out/Arm.seq")).unwrap();
    assert_eq!(desk.run(&["--duration", "20"]).status.code(), Some(0));
    assert!(fs::read(desk.path().join("out/Arm.seq")).unwrap() == stopped);
}

#[test]
fn a_stopped_run_that_is_killed_keeps_its_frames() {
    let desk = Desk::new(ARM, SCENE);
    let mut child = started(&desk, "100000");
    signal(&child, "STOP");
    signal(&child, "KILL");
    child.wait().unwrap();
    assert!(load(&desk.path().join("out/Arm.seq.partial")).num_frames() > 10);
}

/// What runs into a directory may lose its results with it, but not the program its senses.
#[test]
fn a_run_whose_directory_vanishes_ends_with_a_reason() {
    let desk = Desk::new(ARM, SCENE);
    let child = started(&desk, "2000");
    fs::remove_dir_all(desk.path().join("out")).unwrap();
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let message = stderr(&output);
    assert!(matches!(output.status.code(), Some(1 | 130)), "{:?}: {message}", output.status);
    assert!(!message.contains("panic") && message.contains("out"), "{message}");
    assert_eq!(names(desk.path()).iter().filter(|name| name.starts_with("arm")).count(), 2, "the inputs are there");
}

#[test]
fn a_directory_that_cannot_be_written_is_reported_before_a_step() {
    let desk = Desk::new(ARM, SCENE);
    // Not even an administrator writes there.
    for out in ["/proc/none", "/dev/null/out", "arm.body/out"] {
        let output = desk.bunraku(&["run", "arm.scene.yaml", "--out", out]);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{out}: {message}");
        assert!(message.contains(out) && !message.contains("panic"), "{message}");
    }
    assert_eq!(names(desk.path()), ["arm.body", "arm.scene.yaml"]);
}

#[test]
fn without_home_and_temporary_directory_runs_and_checks_work() {
    let desk = Desk::new(ARM, SCENE);
    let plain = |arguments: &[&str]| {
        let mut command = bunraku();
        command.current_dir(desk.path()).args(arguments).env_remove("HOME").env("TMPDIR", "/none/at/all");
        command.output().unwrap()
    };
    for arguments in [&["check", "."][..], &["run", "arm.scene.yaml", "--out", "out"], &["info", "arm.body"]] {
        let output = plain(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    }
    // This one needs a place for its results; it names it.
    let output = plain(&["rerun", "out"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("/none/at/all"), "{}", stderr(&output));
    assert_eq!(plain(&["rerun", "out", "--out", "again"]).status.code(), Some(1));
    assert_eq!(names(&desk.path().join("out")), ["Arm.seq", "summary.json"]);
}

#[test]
fn a_stack_of_a_megabyte_suffices_for_the_deepest_files() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(2000), close.repeat(2000));
    let desk = Desk::new(ARM, SCENE);
    desk.write("deep.body", &format!("{ARM}note: {}\n", deep("[", "]")));
    desk.write("deep.scene.yaml", &format!("{SCENE}note: {}\n", deep("{ a: ", " }")));
    desk.write("deep.wrl", &format!("#VRML V2.0 utf8\n{}", "Group { children [ ".repeat(5000)));
    desk.write("deep.urdf", &format!("<robot name=\"a\">{}", "<link>".repeat(5000)));
    desk.write("deep.xml", &format!("<mujoco><worldbody>{}", "<body>".repeat(5000)));
    for file in ["deep.body", "deep.scene.yaml", "deep.wrl", "deep.urdf", "deep.xml"] {
        let output = shell(&desk, "ulimit -s 1024", &format!("check {file}"));
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{file}: {:?} {message}", output.status);
        assert!(message.contains("error[") && !message.contains("internal"), "{file}: {message}");
    }
    let output = shell(&desk, "ulimit -s 1024", "run arm.scene.yaml --out out");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn names_that_are_longer_than_files_may_have_are_refused_by_their_place() {
    let long = "n".repeat(300);
    let desk = Desk::new(
        &replaced(ARM, "name: Arm", &format!("name: {long}")),
        &replaced(SCENE, "name: Arm", &format!("name: {long}")),
    );
    let output = desk.run(&[]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("arm.scene.yaml:6"), "{message}");
    assert_eq!(names(desk.path()), ["arm.body", "arm.scene.yaml"]);
}

#[test]
fn output_into_a_full_device_is_an_error_and_the_results_are_whole() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let desk = Desk::new(ARM, SCENE);
    let output = shell(&desk, "exec >/dev/full", "run arm.scene.yaml --out out");
    assert!(!stderr(&output).contains("panic"), "{}", stderr(&output));
    assert_eq!(names(&desk.path().join("out")), ["Arm.seq", "summary.json"]);
    assert_eq!(load(&desk.path().join("out/Arm.seq")).num_frames(), 11);
    let output = shell(&desk, "exec >/dev/full", "info --json arm.body");
    assert_eq!(output.status.code(), Some(1), "{} {}", stdout(&output), stderr(&output));
}

#[test]
fn a_second_signal_ends_a_run_at_once_and_its_frames_are_kept() {
    let desk = Desk::new(ARM, SCENE);
    let (reader, mut writer) = std::io::pipe().unwrap();
    let mut child = started_with(&desk, "100000", writer.try_clone().unwrap().into());
    // Nobody reads the messages, so after the first signal the program cannot report the end of the run and go.
    std::thread::spawn(move || while writer.write_all(&[b' '; 4096]).is_ok() {});
    signal(&child, "INT");
    let summary = desk.path().join("out/summary.json");
    while !summary.is_file() {
        assert!(child.try_wait().unwrap().is_none(), "it ended without a summary");
        std::thread::sleep(Duration::from_millis(10));
    }
    // A second signal within a second is part of the first.
    let ended = (0..600).find_map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        child.try_wait().unwrap().or_else(|| {
            signal(&child, "INT");
            None
        })
    });
    // Without the program, the writer's thread ends with an error.
    drop(reader);
    if ended.is_none() {
        child.kill().unwrap();
    }
    assert_eq!(ended.and_then(|status| status.signal()), Some(2), "{ended:?}");
    assert!(load(&desk.path().join("out/Arm.seq")).num_frames() > 10);
}
