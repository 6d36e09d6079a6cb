//! `bunraku sweep` and `bunraku gather`: many runs of a scene and the table of their summaries.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{bunraku, stderr, stdout};

const VARY: [&str; 5] = [
    "sweep",
    "arm.scene.yaml",
    "--vary",
    "bodies.Arm.controller.kp=10:30:3",
    "--vary=simulation.joints=multibody,impulse",
];

/// A desk with an arm that swings.
fn desk() -> Desk {
    Desk::new(ARM, &swinging())
}

fn swinging() -> String {
    replaced(SCENE, "kd: 1 }", "kd: 1 }\n    joint_velocities: [ 60 ]")
}

/// The lines of the manifest without the one of the titles.
fn manifest(directory: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(directory.join("manifest.csv")).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The rows of the table, by the names of their columns.
fn table(directory: &Path) -> Vec<BTreeMap<String, String>> {
    let mut table = csv::Reader::from_path(directory.join("summary.csv")).unwrap();
    table.deserialize().map(Result::unwrap).collect()
}

#[track_caller]
fn ends(output: &Output, code: i32, counts: &str) {
    assert_eq!(output.status.code(), Some(code), "{}", stderr(output));
    assert!(stdout(output).starts_with(&format!("runs       {counts}\n")), "{}", stdout(output));
}

#[test]
fn all_combinations_are_run_and_not_run_again() {
    let desk = desk();
    ends(&desk.bunraku(&VARY), 0, "6: 6 ended now, 0 before; 0 failed");
    let sweep = desk.path().join("out/arm_sweep");
    let rows = manifest(&sweep);
    let values: Vec<(&str, &str)> = rows.iter().map(|row| (row[1].as_str(), row[2].as_str())).collect();
    let expected = ["10", "20", "30"].map(|kp| [(kp, "multibody"), (kp, "impulse")]).concat();
    assert_eq!(values, expected);
    let hashes: std::collections::BTreeSet<&String> = rows.iter().map(|row| &row[3]).collect();
    assert_eq!(hashes.len(), 6);
    // Each is the run of these values by `bunraku run`.
    desk.run(&["--set", "bodies.Arm.controller.kp=20", "--set", "simulation.joints=impulse"]);
    let bytes = |name: &str| fs::read(desk.path().join(name)).unwrap();
    assert_eq!(bytes("out/arm_sweep/runs/0003/Arm.seq"), bytes("out/Arm.seq"));
    assert_ne!(bytes("out/arm_sweep/runs/0002/Arm.seq"), bytes("out/Arm.seq"));
    assert_eq!(desk.bunraku(&["rerun", "out/arm_sweep/runs/0003"]).status.code(), Some(0));

    fs::remove_file(sweep.join("runs/0003/summary.json")).unwrap();
    ends(&desk.bunraku(&VARY), 0, "6: 1 ended now, 5 before; 0 failed");
    ends(&desk.bunraku(&["sweep", "out/arm_sweep"]), 0, "6: 0 ended now, 6 before; 0 failed");

    // Results of another model do not belong to this sweep.
    desk.write("arm.body", &replaced(ARM, "mass: 1", "mass: 2"));
    ends(&desk.bunraku(&VARY), 0, "6: 6 ended now, 0 before; 0 failed");
    desk.write("arm.body", ARM);
    let changed = desk.bunraku(&["sweep", "out/arm_sweep"]);
    ends(&changed, 0, "6: 0 ended now, 6 before; 0 failed");
    fs::remove_file(sweep.join("runs/0003/summary.json")).unwrap();
    let changed = desk.bunraku(&["sweep", "out/arm_sweep"]);
    ends(&changed, 1, "6: 0 ended now, 5 before; 1 failed");
    assert!(stderr(&changed).contains("has changed since the manifest was written"), "{}", stderr(&changed));
}

#[test]
fn a_failed_run_is_listed_and_stops_no_other() {
    let desk = desk();
    let vary = ["sweep", "arm.scene.yaml", "--vary", "bodies.Arm.controller.type=pd,nothing,servo", "--out", "out"];
    let output = desk.bunraku(&vary);
    ends(&output, 1, "3: 2 ended now, 0 before; 1 failed");
    let message = stderr(&output);
    assert!(message.contains("run 1 (bodies.Arm.controller.type=nothing) failed: error["), "{message}");
    assert!(message.contains("1 run of 3 failed"), "{message}");
    let gathered = desk.bunraku(&["gather", "out"]);
    ends(&gathered, 0, "3: 2 done, 1 failed, 0 missing");
    let rows = table(&desk.path().join("out"));
    let status: Vec<&str> = rows.iter().map(|row| row["status"].as_str()).collect();
    assert_eq!(status, ["done", "failed", "done"]);
    assert!(rows[1]["failure"].contains("error["), "{rows:?}");
    assert_eq!(rows[2]["steps"], "10");
    assert_ne!(rows[0]["end.Arm.joint_displacements.0"], "");

    // A scene that cannot be read at all is an error of its own.
    let none = desk.bunraku(&["sweep", "arm.scene.yaml", "--vary", "bodies.Arm.file=a.body,b.body"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(stderr(&none).contains("file not found: a.body") && !desk.path().join("out/arm_sweep").exists());
}

/// A run that diverges has ended: it is not run again, and the table has its reason.
#[test]
fn a_run_that_diverges_has_ended() {
    let desk = desk();
    let vary =
        ["sweep", "arm.scene.yaml", "--vary", "bodies.Arm.controller.kp=10,1e9", "--duration", "1", "--out", "out"];
    let first = desk.bunraku(&vary);
    let again = desk.bunraku(&vary);
    assert_eq!((first.status.code(), again.status.code()), (Some(1), Some(1)), "{}", stderr(&first));
    ends(&again, 1, "2: 0 ended now, 2 before; 1 failed");
    desk.bunraku(&["gather", "out"]);
    assert_eq!(table(&desk.path().join("out"))[1]["status"], "failed");
}

#[test]
fn a_killed_sweep_goes_on() {
    let desk = desk();
    let vary = [
        "sweep",
        "arm.scene.yaml",
        "--vary",
        "bodies.Arm.controller.kp=range(40)",
        "--duration=2",
        "--jobs=2",
        "--out=out",
    ];
    let mut sweep = bunraku().current_dir(desk.path()).args(vary).spawn().unwrap();
    let summary = |run: usize| desk.path().join(format!("out/runs/{run:04}/summary.json"));
    let ended = || (0..40).filter(|run| summary(*run).exists()).collect::<Vec<_>>();
    let begin = Instant::now();
    while ended().len() < 3 && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    sweep.kill().unwrap();
    sweep.wait().unwrap();
    let before = ended();
    let written = |run: &usize| fs::metadata(summary(*run)).unwrap().modified().unwrap();
    let times: Vec<_> = before.iter().map(written).collect();
    assert!(before.len() >= 3 && before.len() < 40, "{before:?}");
    let gathered = desk.bunraku(&["gather", "out"]);
    assert!(stderr(&gathered).contains("`bunraku sweep out` continues it"), "{}", stderr(&gathered));
    let output = desk.bunraku(&["sweep", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(ended().len(), 40);
    assert_eq!(before.iter().map(written).collect::<Vec<_>>(), times, "runs that had ended were run again");
    ends(&desk.bunraku(&["gather", "out"]), 0, "40: 40 done, 0 failed, 0 missing");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_sweep_with_its_runs() {
    let desk = desk();
    let vary =
        ["sweep", "arm.scene.yaml", "--vary", "bodies.Arm.controller.kp=range(400)", "--duration=2", "--out=out"];
    let mut sweep = bunraku().current_dir(desk.path()).args(vary).spawn().unwrap();
    while !desk.path().join("out/runs/0002/summary.json").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let signal = Command::new("kill").args(["-TERM", &sweep.id().to_string()]).status().unwrap();
    assert!(signal.success());
    assert_eq!(sweep.wait().unwrap().code(), Some(143));
    let locked = (0..400).any(|run| desk.path().join(format!("out/runs/{run:04}/.bunraku.lock")).exists());
    assert!(!locked, "a run goes on after its sweep");
}

const IMU: &str = "
  - { name: TIP, parent: ARM, joint_type: fixed, elements: [ { type: AccelerationSensor, id: 0, name: TIP_IMU } ] }
";

#[test]
fn seeds_are_those_of_noise_and_of_drawn_values() {
    let noisy = "record: { sensors: true }
sensors: { devices: [ { device: Arm, acceleration_noise: 0.1 } ] }
";
    let desk = Desk::new(&format!("{ARM}{IMU}"), &format!("{}{noisy}", swinging()));
    let vary = [
        "sweep",
        "arm.scene.yaml",
        "--seeds=3",
        "--vary=bodies.Arm.controller.kp=normal(10,1)",
        "--vary=bodies.Arm.controller.kd=1,2",
        "--out=out",
    ];
    ends(&desk.bunraku(&vary), 0, "6: 6 ended now, 0 before; 0 failed");
    let rows = manifest(&desk.path().join("out"));
    let column = |index: usize| rows.iter().map(|row| row[index].clone()).collect::<Vec<_>>();
    assert_eq!(column(1), ["0", "1", "2", "0", "1", "2"]);
    // The same seed draws the same value in every combination.
    assert_eq!(column(2)[..3], column(2)[3..]);
    assert_eq!(column(2).into_iter().collect::<std::collections::BTreeSet<_>>().len(), 3);
    let mut measured: Vec<Vec<u8>> = Vec::new();
    for row in &rows {
        let set = |name: &str, value: &str| format!("--set={name}={value}");
        let (seed, kp, kd) = (
            set("sensors.seed", &row[1]),
            set("bodies.Arm.controller.kp", &row[2]),
            set("bodies.Arm.controller.kd", &row[3]),
        );
        assert_eq!(
            desk.bunraku(&["run", "arm.scene.yaml", &seed, &kp, &kd, "--out=single", "--quiet"]).status.code(),
            Some(0)
        );
        let of = |directory: &str| fs::read(desk.path().join(directory).join("sensors/Arm/TIP_IMU.csv")).unwrap();
        assert_eq!(of("single"), of(&format!("out/runs/000{}", row[0])));
        measured.push(of("single"));
    }
    measured.sort();
    measured.dedup();
    assert_eq!(measured.len(), 6);

    // Without noise and without drawn values all of them would be the same.
    desk.write("arm.scene.yaml", &swinging());
    let output = desk.bunraku(&["sweep", "arm.scene.yaml", "--seeds=3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("would all be the same"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn the_emitted_script_of_slurm_runs_the_same_runs() {
    let desk = desk();
    let vary = [&VARY[..], &["--out", "it's here"]].concat();
    let emitted = desk.bunraku(&[&vary[..], &["--emit", "slurm"]].concat());
    ends(&emitted, 0, "6");
    assert!(!desk.path().join("it's here/runs").exists());
    let script = desk.path().join("it's here/slurm_array.sh");
    assert!(fs::read_to_string(&script).unwrap().contains("#SBATCH --array=0-5\n"));
    for task in 0..6 {
        // Slurm starts a copy of the script, in the directory where it was submitted.
        let run =
            Command::new("sh").arg(&script).env("SLURM_ARRAY_TASK_ID", task.to_string()).current_dir("/").output();
        ends(&run.unwrap(), 0, "1: 1 ended now, 0 before; 0 failed");
    }
    ends(&desk.bunraku(&vary), 0, "6: 0 ended now, 6 before; 0 failed");
    ends(&desk.bunraku(&[&VARY[..], &["--out", "here"]].concat()), 0, "6: 6 ended now, 0 before; 0 failed");
    for run in 0..6 {
        let bytes = |out: &str| fs::read(desk.path().join(out).join(format!("runs/000{run}/Arm.seq"))).unwrap();
        assert_eq!(bytes("it's here"), bytes("here"), "run {run}");
    }
}

#[test]
fn scripts_are_written_for_other_engines() {
    let desk = desk();
    let written = |engine: &str, name: &str| {
        assert_eq!(desk.bunraku(&[&VARY[..], &["--emit", engine]].concat()).status.code(), Some(0));
        fs::read_to_string(desk.path().join("out/arm_sweep").join(name)).unwrap()
    };
    assert!(written("parallel", "parallel.sh").contains("seq 0 5 | exec parallel"));
    let ray = written("ray", "ray_sweep.py");
    assert!(ray.contains("RUNS = 6\n") && ray.contains("@ray.remote"), "{ray}");
}

#[test]
fn wrong_usage_of_a_sweep_is_named() {
    let desk = desk();
    ends(&desk.bunraku(&VARY), 0, "6: 6 ended now, 0 before; 0 failed");
    let kp = "--vary=bodies.Arm.controller.kp=1,2";
    for (arguments, code, expected) in [
        (&["sweep", "arm.scene.yaml"][..], 2, "nothing varies"),
        (&["sweep", "arm.scene.yaml", kp, kp], 2, "`bodies.Arm.controller.kp` varies twice"),
        (&["sweep", "arm.scene.yaml", "--vary=a=chioce(1,2)"], 2, "did you mean `choice()`"),
        (&["sweep", "arm.scene.yaml", "--vary=sensors.seed=1,2", "--seeds=2"], 2, "`sensors.seed` varies twice"),
        (&["sweep", "arm.scene.yaml", "--set=a", kp, "--out=new"], 2, "write `--set PATH=VALUE`"),
        (&["sweep", "arm.scene.yaml", kp], 1, "has another sweep"),
        (&["sweep", "arm.scene.yaml", "--vary=bodies.Amr.name=a,b", "--out=new"], 1, "did you mean `Arm`?"),
        (&["sweep", "arm.scene.yaml", "--vary=a=range(2000000)"], 2, "from 1 to 1000000 values"),
        (&["sweep", "arm.scene.yaml", "--vary=a=0:1:100000", "--vary=b=0:1:100000"], 2, "more than 1000000 runs"),
        (&["sweep", "out/arm_sweep", kp], 2, "is continued as it was planned"),
        (&["sweep", "out/arm_sweep", "--rows=6"], 2, "there is no run 6: the sweep has 6 runs"),
        (&["sweep", "out/arm_sweep", "--rows=3-2"], 2, "the first and the last"),
        (&["sweep", "out/arm_sweep/runs"], 1, "it is not the directory of a sweep"),
        (&["gather", "out"], 1, "it is not the directory of a sweep"),
        (&["gather", "out/arm_sweep", "--out=table.txt"], 2, "must end in `.csv`"),
    ] {
        let output = desk.bunraku(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
    }
    desk.write("out/arm_sweep/manifest.csv", "run,a,sha256\n7,1,x\n");
    assert!(stderr(&desk.bunraku(&["gather", "out/arm_sweep"])).contains("row 0 is called `7`"));
    desk.write("out/arm_sweep/sweep.json", "{}");
    assert!(stderr(&desk.bunraku(&["gather", "out/arm_sweep"])).contains("cannot read the sweep"));
}

#[test]
fn json_has_what_came_of_a_sweep() {
    let desk = desk();
    let output = desk.bunraku(&[&VARY[..], &["--json"]].concat());
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&document["runs"], &document["ended_now"], &document["failed"]),
        (&6.into(), &6.into(), &serde_json::json!([]))
    );
    let gathered: serde_json::Value =
        serde_json::from_slice(&desk.bunraku(&["gather", "out/arm_sweep", "--json"]).stdout).unwrap();
    assert_eq!((&gathered["runs"], &gathered["missing"]), (&6.into(), &0.into()));
    assert!(fs::read(desk.path().join("out/arm_sweep/summary.parquet")).unwrap().starts_with(b"PAR1"));
    let map = |column: &str, out: &str| {
        let columns = ["bodies.Arm.controller.kp", "run", column];
        desk.bunraku(&[&["plot", "out/arm_sweep/summary.csv", "--out", out, "--map"], &columns[..]].concat())
    };
    for (out, begin) in [("map.svg", &b"<svg"[..]), ("map.png", b"\x89PNG")] {
        let output = map("end.Arm.joint_displacements.0", out);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(fs::read(desk.path().join(out)).unwrap().starts_with(begin));
    }
    assert!(
        stderr(&map("end.Arm.joint_displacement.0", "x.svg")).contains("did you mean `end.Arm.joint_displacements.0`")
    );
}
