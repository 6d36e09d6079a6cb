//! Work with runs and their results.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use super::{CRANE, YARD, swing};
use crate::command_line::transcript::Transcript;
use crate::common::bunraku;

fn day() -> Transcript {
    Transcript::new(&[("crane.body", CRANE), ("yard.scene.yaml", YARD), ("swing.seq", &swing())])
}

#[test]
fn sweep_of_gains() {
    let mut day = day();
    for gain in [100, 300, 900] {
        day.run(&format!("run yard.scene.yaml --quiet --set bodies.Crane.controller.kp={gain} --out out/kp{gain}"));
    }
    day.run("compare out/kp100/Crane.seq out/kp900/Crane.seq --body crane.body");
    day.run("compare out/kp300/Crane.seq out/kp900/Crane.seq --body crane.body --joint-tolerance 1");
    day.note("what made them is in the summaries");
    let text = fs::read_to_string(day.path().join("out/kp300/summary.json")).unwrap();
    let mut summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    // The last bits of the joint displacements depend on the machine.
    summary["end"]["Crane"]["joint_displacements"] = "…".into();
    summary["end"]["Crane"]["joints"] = "…".into();
    summary["sha256"]["files"]["Crane.seq"] = "…".into();
    summary["largest_joint_gap"] = "…".into();
    summary["largest_constraint_errors"] = "…".into();
    day.write("shown.json", serde_json::to_string_pretty(&summary).unwrap());
    day.head("shown.json", 200);
    day.compare("sweep_of_gains");
}

#[cfg(unix)]
#[test]
fn run_that_is_interrupted_is_whole_and_runs_again() {
    let mut day = day();
    let arguments = "run yard.scene.yaml --duration 100000";
    let mut command = bunraku();
    command.current_dir(day.path()).args(arguments.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let partial = day.path().join("out/yard/Crane.seq.partial");
    while fs::metadata(&partial).map_or(0, |metadata| metadata.len()) < 20_000 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(
        std::process::Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap().success()
    );
    let output = child.wait_with_output().unwrap();
    day.note("Ctrl-C");
    day.add(arguments, &output);
    day.run("rerun out/yard");
    day.run("convert out/yard/Crane.seq crane.csv --body crane.body");
    day.head("crane.csv", 2);
    day.run("run yard.scene.yaml --duration 0.2");
    day.mask(|text| {
        let line = |line: &str| {
            // The time of the interruption depends on the machine.
            let masked = ["steps      ", "simulated  ", "error: interrupted at t = "];
            let start = masked
                .iter()
                .find(|start| line.starts_with(**start) && !line.ends_with(" 200") && !line.ends_with("0.2000 s"));
            start.map_or_else(|| line.to_owned(), |start| format!("{start}…"))
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    });
    day.compare("run_that_is_interrupted_is_whole_and_runs_again");
}

#[test]
fn table_of_torques() {
    let mut day = day();
    day.edit(
        "yard.scene.yaml",
        "kd: 30 }",
        "kd: 30, motion: swing.seq }\nrecord:\n  frame_rate: 20\n  joints: [ efforts ]",
    );
    day.run("run yard.scene.yaml");
    day.note("`record` stands in the middle of the bodies");
    day.edit("yard.scene.yaml", "record:\n  frame_rate: 20\n  joints: [ efforts ]\n", "");
    day.edit("yard.scene.yaml", "bodies:", "record: { frame_rate: 20, joints: [ efforts ] }\nbodies:");
    day.run("run yard.scene.yaml");
    day.head("out/yard/Crane.joints.csv", 1);
    day.run("plot out/yard/Crane.joints.csv --channel torque");
    day.run("plot out/yard/Crane.joints.csv --channel '*.effort' --out torques.svg");
    day.run("info out/yard/Crane.joints.csv");
    day.compare("table_of_torques");
}

#[test]
fn picture_of_the_worst_moment() {
    let mut day = day();
    day.edit("yard.scene.yaml", "kd: 30 }", "kd: 30, motion: swing.seq }");
    day.run("run yard.scene.yaml --quiet --out out/soft --set bodies.Crane.controller.kp=60");
    day.run("run yard.scene.yaml --quiet --out out/stiff --set bodies.Crane.controller.kp=3000");
    let output = day.run("compare out/soft/Crane.seq out/stiff/Crane.seq --body crane.body --json --most 1");
    let compared: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let time = compared["joints"][1]["difference"]["time"].as_f64().unwrap();
    day.note(&format!("they differ most at {time:.2} s"));
    for name in ["soft", "stiff"] {
        day.run(&format!("picture out/{name} --at {time:.2} --view right --size 200x200"));
    }
    day.run("picture out/soft/Crane.seq --at 0.5");
    day.run("picture out/soft/Crane.seq --at 0.5 --body crane.body --out crane.png --size 200x200");
    let picture = |name: &str| image::open(day.path().join(name)).unwrap().into_rgb8();
    assert!(picture("soft.png") != picture("stiff.png"), "the boom is elsewhere");
    day.mask(|text| {
        // The document of `compare` has all digits.
        let start = text.find("{\n").unwrap();
        let end = start + text[start..].find("\n}\n").unwrap() + 2;
        format!("{}{{ … }}{}", &text[..start], &text[end..])
    });
    day.compare("picture_of_the_worst_moment");
}

#[test]
fn results_are_repeated_until_something_changes() {
    let mut day = day();
    day.run("run yard.scene.yaml --set bodies.Crane.controller.kd=20 --out results");
    day.run("rerun results");
    day.edit("crane.body", "mass: 2", "mass: 3");
    day.run("rerun results");
    day.run("rerun results --out again");
    day.run("compare results/Crane.seq again/Crane.seq --body crane.body --most 2");
    day.compare("results_are_repeated_until_something_changes");
}

#[test]
fn task_of_ones_own() {
    let mut day = Transcript::new(&[]);
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
    for file in [
        "models/arm.body",
        "models/floor.body",
        "models/table.body",
        "models/block.body",
        "models/materials.yaml",
        "scenes/arm.scene.yaml",
        "tasks/arm.robot.yaml",
        "tasks/pick_place.yaml",
    ] {
        if let Ok(text) = fs::read(format!("{assets}/{file}")) {
            day.write(file, text);
        }
    }
    day.run("task check tasks/pick_place.yaml");
    day.run("task run tasks/pick_place.yaml --scene scenes/arm.scene.yaml --quiet");
    day.run("task run tasks/pick_place.yaml --scene scenes/arm.scene.yaml --set finger_interval=wide");
    day.run("rerun out/pick_place");
    day.compare("task_of_ones_own");
}
