//! Controllers that are programs.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bunraku_control::{ControllerProcess, ProcessController, ProcessLayout, ProcessOutput};
use bunraku_simulation::{SimulationSnapshot, SimulationStatus, SimulationWarnings};

use crate::common::{Stage, TIME_STEP, assert_near};

/// A program of the shell.
fn process(script: &str) -> ControllerProcess {
    ControllerProcess {
        command: ["sh", "-c", script].map(str::to_owned).into(),
        directory: Path::new(".").to_owned(),
        layout: ProcessLayout::Json,
        output: ProcessOutput::Effort,
        period: 1,
        timeout: Duration::from_secs(20),
        place: "slide.scene.yaml:7:16".to_owned(),
    }
}

fn stage(process: ControllerProcess) -> Stage {
    Stage::new(ProcessController::new(Arc::new(process)))
}

/// Replies to state k with k + 1.
const COUNT: &str = "read description; n=0; while read state; do n=$((n + 1)); echo \"{\\\"efforts\\\": [$n]}\"; done";

#[test]
fn replies_are_the_commands_of_their_step() {
    let mut stage = stage(process(COUNT));
    assert_near(&[1, 2, 3].map(|_| stage.next_effort()), &[1.0, 2.0, 3.0]);
}

#[test]
fn commands_are_constant_within_a_control_period() {
    let mut stage = stage(ControllerProcess { period: 3, ..process(COUNT) });
    assert_near(&[1, 2, 3, 4].map(|_| stage.next_effort()), &[1.0, 1.0, 1.0, 2.0]);
}

#[test]
fn the_program_reads_the_body_and_its_state() {
    let folder = tempfile::tempdir().unwrap();
    let script = "while read line; do echo \"$line\" >> lines; case $line in *'\"step\"'*) echo '{\"efforts\": [0]}';; esac; done";
    let mut stage = stage(ControllerProcess { directory: folder.path().to_owned(), period: 2, ..process(script) });
    stage.step();
    stage.place(0.25);
    stage.step();
    stage.step();
    let lines = std::fs::read_to_string(folder.path().join("lines")).unwrap();
    let lines: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [description, first, second] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((description["format"].as_str(), description["version"].as_u64()), (Some("BunrakuController"), Some(1)));
    assert_eq!((description["time_step"].as_f64(), description["period"].as_f64()), (Some(TIME_STEP), Some(0.2)));
    let joint = &description["joints"][0];
    assert_eq!((joint["name"].as_str(), joint["type"].as_str()), (Some("SLIDE"), Some("prismatic")));
    assert_eq!((joint["range"][1].as_f64(), joint["effort_range"][1].as_f64()), (Some(2.0), None));
    assert_eq!((first["step"].as_u64(), first["displacements"][0].as_f64()), (Some(0), Some(0.0)));
    assert_eq!((second["step"].as_u64(), second["displacements"][0].as_f64()), (Some(2), Some(0.25)));
    assert_eq!(second["root"]["quaternion"].as_array().map(Vec::len), Some(4));
}

#[test]
fn displacements_are_targets_of_the_servos() {
    let script =
        "read description; while read state; do echo '{\"displacements\": [0.5], \"velocities\": [0.125]}'; done";
    let mut stage = stage(ControllerProcess { output: ProcessOutput::Displacement, ..process(script) });
    assert_near(&stage.next_target(), &[0.5, 0.125]);
}

#[test]
fn numbers_of_the_binary_layout_are_replies() {
    // Reads the length and the payload of the description, then those of the states; replies with 1.0.
    let script = "skip() { n=$(head -c 4 | od -An -tu4 | tr -d ' '); [ -n \"$n\" ] && head -c $n > /dev/null; }; skip; \
                  while skip; do printf '\\010\\000\\000\\000\\000\\000\\000\\000\\000\\000\\360\\077'; done";
    let mut stage = stage(ControllerProcess { layout: ProcessLayout::Binary, ..process(script) });
    assert_near(&[stage.next_effort(), stage.next_effort()], &[1.0, 1.0]);
}

/// The message of a run that a program has failed.
fn failure(stage: &mut Stage, steps: usize) -> String {
    for _ in 0..steps {
        stage.step();
    }
    match stage.app.world().resource::<SimulationStatus>() {
        SimulationStatus::Failed(fault) => fault.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn faulty_programs_end_the_simulation() {
    for (script, message) in [
        ("exit 3", "has ended with exit status: 3 in place of a reply"),
        ("read a; read b; echo '{\"efforts\": [1]}'; read c; kill -9 $$", "has ended with signal: 9"),
        ("exec >&-; read a; read b; exec sleep 30", "has not replied within 0.3 s"),
        ("exec sleep 30", "has not replied within 0.3 s; `timeout` in the controller allows more"),
        ("while read state; do printf '{\"efforts\": ['; sleep 0.2; done; sleep 30", "has not replied within 0.3 s"),
        ("echo ready; exec cat", "has replied with `ready`, which is not a line like {\"efforts\": [0.5, 0]}"),
        ("read a; read b; echo '{\"efforts\": [1, 2]}'; exec cat", "has replied with 2 numbers for 1 joints"),
        ("read a; read b; printf '{\"efforts\": [1]}\\nmore\\n'; exec cat", "has written `more` before it was asked"),
        ("head -c 100000 /dev/zero; exec cat", "it begins with `\\u{0}"),
    ] {
        let mut stage = stage(ControllerProcess { timeout: Duration::from_millis(300), ..process(script) });
        let begun = Instant::now();
        let found = failure(&mut stage, 2);
        assert!(found.contains(message), "{script}: {found}");
        assert!(found.starts_with("the controller of ") && found.contains("slide.scene.yaml:7:16) has"), "{found}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{script}");
    }
    let missing = ControllerProcess { command: vec!["./no-such-program".to_owned()], ..process("") };
    let found = failure(&mut stage(missing), 1);
    assert!(found.contains("`./no-such-program`, slide.scene.yaml:7:16) cannot be started"), "{found}");
}

/// The processes whose command contains a word, with their state.
fn processes(word: &str) -> Vec<String> {
    let listed = Command::new("ps").args(["-eo", "stat=,args="]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    listed.lines().filter(|line| line.contains(word)).map(str::to_owned).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn no_process_is_left() {
    let children = || {
        let path = format!("/proc/{0}/task", std::process::id());
        let tasks = std::fs::read_dir(path).unwrap().filter_map(Result::ok);
        let children = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
        children.collect::<String>().split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    // Some of other tests may run beside this one: their commands tell them apart.
    for script in [
        "read a; while read b; do echo '{\"efforts\": [1]}'; done; : left-over-1",
        "trap '' TERM; read a; read b; echo '{\"efforts\": [1]}'; while :; do sleep 0.1; done; : left-over-2",
        "while :; do sleep 0.1; done; : left-over-3",
        "exit 0; : left-over-4",
    ] {
        let mut stage = stage(ControllerProcess { timeout: Duration::from_millis(300), ..process(script) });
        stage.step();
        drop(stage);
        let word = script.rsplit(' ').next().unwrap();
        assert_eq!(processes(word), Vec::<String>::new(), "{script}");
    }
    let is_zombie = |child: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        stat.contains("(sh) Z")
    };
    let zombies: Vec<_> = children().into_iter().filter(is_zombie).collect();
    // Children of tests that run at the same time end within moments.
    std::thread::sleep(Duration::from_millis(1500));
    let left: Vec<_> = zombies.into_iter().filter(|child| children().contains(child)).collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn a_program_is_started_again_at_another_moment() {
    let mut stage = stage(process(COUNT));
    let begin = SimulationSnapshot::take(stage.app.world_mut()).unwrap();
    assert_near(&[stage.next_effort(), stage.next_effort()], &[1.0, 2.0]);
    let middle = SimulationSnapshot::take(stage.app.world_mut()).unwrap();
    assert_near(&[stage.next_effort()], &[3.0]);
    let warnings = |stage: &Stage| stage.app.world().resource::<SimulationWarnings>().as_slice().len();
    begin.restore(stage.app.world_mut()).unwrap();
    assert_near(&[stage.next_effort()], &[1.0]);
    assert_eq!(warnings(&stage), 0);
    middle.restore(stage.app.world_mut()).unwrap();
    assert_near(&[stage.next_effort()], &[1.0]);
    assert_eq!(warnings(&stage), 1);
}
