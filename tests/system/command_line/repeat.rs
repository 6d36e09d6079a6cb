//! The summary of a run, and repeated runs.

use std::fs;
use std::process::Output;

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{bunraku, stderr, stdout};

fn summary(desk: &Desk) -> Value {
    serde_json::from_slice(&fs::read(desk.path().join("out/summary.json")).unwrap()).unwrap()
}

fn hash(desk: &Desk, name: &str) -> String {
    let bytes = fs::read(desk.path().join(name)).unwrap();
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_summary_records_the_inputs_of_the_results() {
    let desk = Desk::new(ARM, SCENE);
    desk.run(&["--set", "bodies.Arm.controller.kp=20", "--set", "simulation.joints=multibody", "--duration", "0.02"]);
    let summary = summary(&desk);
    assert_eq!(summary["program"], concat!("bunraku ", env!("CARGO_PKG_VERSION")));
    assert_eq!(summary["time_step"], 0.001);
    assert_eq!(summary["solver"], json!({ "joints": "multibody", "iterations": 4, "contacts": "rigid" }));
    // The scene with all overrides.
    let controller = json!({ "type": "pd", "kp": 20, "kd": 1 });
    let scene = &summary["resolved_scene"];
    assert_eq!(scene["simulation"], json!({ "duration": 0.02, "joints": "multibody" }));
    assert_eq!(scene["bodies"][0], json!({ "name": "Arm", "file": "arm.body", "controller": controller }));
    // Hashes as in other programs.
    assert_eq!(summary["sha256"]["inputs"]["arm.body"], hash(&desk, "arm.body"));
    assert_eq!(summary["sha256"]["inputs"]["arm.scene.yaml"], hash(&desk, "arm.scene.yaml"));
    assert_eq!(summary["sha256"]["files"]["Arm.seq"], hash(&desk, "out/Arm.seq"));
    // The end state is the last frame.
    let motion = BodyMotion::load(&desk.path().join("out/Arm.seq"), &Reporter::new()).unwrap();
    let joints = motion.joint_displacements.unwrap();
    let end = &summary["end"]["Arm"];
    assert_eq!(end["joint_displacements"][0].as_f64().unwrap(), joints.frame(joints.num_frames() - 1)[0]);
    assert_eq!(end["joints"]["ARM"], end["joint_displacements"][0]);
    assert_eq!((&end["translation"], &end["rotation"]), (&json!([0.0, 0.0, 0.0]), &json!([1.0, 0.0, 0.0, 0.0])));
    // The JSON is a valid scene, because JSON is YAML.
    desk.write("again.scene.yaml", &scene.to_string());
    assert_eq!(desk.bunraku(&["run", "again.scene.yaml", "--out", "again", "--quiet"]).status.code(), Some(0));
    assert_eq!(hash(&desk, "again/Arm.seq"), hash(&desk, "out/Arm.seq"));
}

/// A model inside the model, a mesh with its own material file, and a texture on a face.
#[test]
fn files_named_by_models_are_among_the_inputs() {
    let desk = Desk::new(
        "\
format: ChoreonoidBody
format_version: 2.0
name: Arm
links:
  - name: BASE
    joint_type: fixed
    elements:
      - { type: Resource, uri: parts/base.obj }
      - type: Shape
        geometry: { type: Box, size: [ 1, 1, 1 ] }
        appearance: { texture: { url: parts/label.png } }
  - { name: ARM, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 1, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ] }
",
        SCENE,
    );
    fs::create_dir(desk.path().join("parts")).unwrap();
    desk.write("parts/base.obj", "mtllib base.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n");
    desk.write("parts/base.mtl", "newmtl red\nKd 1 0 0\n");
    image::RgbImage::new(2, 2).save(desk.path().join("parts/label.png")).unwrap();
    desk.write("parts/not_named.obj", "");
    let output = desk.run(&["--duration", "0.01"]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let expected = ["arm.body", "arm.scene.yaml", "parts/base.mtl", "parts/base.obj", "parts/label.png"];
    let expected: serde_json::Map<_, _> =
        expected.iter().map(|name| ((*name).to_owned(), json!(hash(&desk, name)))).collect();
    assert_eq!(summary(&desk)["sha256"]["inputs"], Value::Object(expected));
    // A changed mesh is reported, even if the motion is the same.
    desk.write("parts/base.mtl", "newmtl red\nKd 0 1 0\n");
    let output = desk.bunraku(&["rerun", "out"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), "same       Arm.seq\n"));
    assert!(stderr(&output).contains("warning: parts/base.mtl is not what it was"), "{}", stderr(&output));
}

#[test]
fn warnings_of_the_files_are_in_the_summary() {
    let desk = Desk::new(&ARM.replace("joint_axis", "joitAxis"), SCENE);
    desk.run(&[]);
    let summary = summary(&desk);
    assert!(summary["warnings"][0].as_str().unwrap().starts_with("unknown-key: unknown key `joitAxis`"), "{summary}");
}

#[test]
fn summaries_do_not_depend_on_the_directory_of_the_results() {
    let desk = Desk::new(ARM, SCENE);
    let at = |out: &str| {
        assert_eq!(desk.bunraku(&["run", "arm.scene.yaml", "--out", out]).status.code(), Some(0));
        fs::read(desk.path().join(out).join("summary.json")).unwrap()
    };
    assert!(at("one") == at("deep/in/another"));
}

#[test]
fn quiet_runs_print_only_warnings_and_errors() {
    let output = Desk::new(ARM, SCENE).run(&["--quiet"]);
    assert_eq!((output.status.code(), stdout(&output), stderr(&output)), (Some(0), String::new(), String::new()));
    let output = Desk::new(&ARM.replace("joint_axis", "joitAxis"), SCENE).run(&["--quiet"]);
    assert!(stdout(&output).is_empty() && stderr(&output).contains("joitAxis"));
    let output = Desk::new(ARM, SCENE).run(&["--quiet", "--json"]);
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &summary["warnings"], stderr(&output).as_str()),
        (Some(0), &Value::Array(vec![]), "")
    );
}

#[test]
fn a_profile_shows_the_time_of_the_parts_of_steps_and_changes_no_file() {
    let desk = Desk::new(ARM, SCENE);
    let profiled = desk.bunraku(&["run", "arm.scene.yaml", "--out", "profiled", "--profile", "--json"]);
    let plain = desk.bunraku(&["run", "arm.scene.yaml", "--out", "plain", "--json"]);
    let speed = |output: &Output| serde_json::from_slice::<Value>(&output.stdout).unwrap()["speed"].clone();
    let parts = speed(&profiled)["parts"].as_object().unwrap().clone();
    let whole = speed(&profiled)["microseconds_per_step"].as_f64().unwrap();
    let sum: f64 = parts.values().map(|time| time.as_f64().unwrap()).sum();
    assert!(parts["solver"].as_f64().unwrap() > 0.0 && sum <= whole, "{parts:?} of {whole}");
    assert!(speed(&plain).get("parts").is_none());
    let summary = |out: &str| fs::read(desk.path().join(out).join("summary.json")).unwrap();
    assert!(summary("profiled") == summary("plain"));
}

#[test]
fn the_same_run_gives_the_same_bytes_and_another_one_does_not() {
    let desk = Desk::new(ARM, &format!("{SCENE}record: {{ joints: true }}\n"));
    desk.run(&["--set", "bodies.Arm.controller.kp=20", "--duration", "0.03", "--mcap"]);
    let output = desk.bunraku(&["rerun", "out"]);
    let expected = "same       Arm.joints.csv\nsame       Arm.seq\nsame       run.mcap\n";
    assert_eq!((output.status.code(), stdout(&output).as_str(), stderr(&output).as_str()), (Some(0), expected, ""));
    // From another directory, too.
    let mut elsewhere = bunraku();
    let output = elsewhere.arg("rerun").arg(desk.path().join("out")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));

    desk.write("arm.body", &ARM.replace("mass: 1", "mass: 2\n    center_of_mass: [ 0.1, 0, 0 ]"));
    let output = desk.bunraku(&["rerun", "out", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!((&document["is_same"], &document["changed_inputs"]), (&json!(false), &json!(["arm.body"])));
    assert!(document["different"].as_array().unwrap().contains(&json!("Arm.seq")), "{document}");
    assert!(stderr(&output).contains("warning: arm.body is not what it was"), "{}", stderr(&output));

    desk.write("arm.body", ARM);
    fs::remove_file(desk.path().join("out/Arm.joints.csv")).unwrap();
    desk.write("out/stray.csv", "time\n");
    let output = desk.bunraku(&["rerun", "out", "--out", "kept"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("new        Arm.joints.csv") && stdout(&output).contains("missing    stray.csv"));
    assert!(desk.path().join("kept/Arm.seq").exists());
    assert_eq!(desk.bunraku(&["rerun", "out", "--out", "out"]).status.code(), Some(2));
}

#[test]
fn a_run_that_fails_fails_again_in_the_same_way() {
    let desk = Desk::new(&replaced(ARM, "mass: 1", "mass: 1\n    center_of_mass: [ 0.1, 0, 0 ]"), SCENE);
    let wild = ["--set", "bodies.Arm.controller.kp=1e14", "--set", "bodies.Arm.joint_displacements=[1]"];
    assert_eq!(desk.run(&wild).status.code(), Some(1));
    let output = desk.bunraku(&["rerun", "out"]);
    assert_eq!(
        (output.status.code(), stdout(&output).as_str()),
        (Some(0), "same       Arm.seq\n"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn runs_that_cannot_be_repeated_are_reported() {
    let desk = Desk::new(ARM, SCENE);
    let fails = |arguments: &[&str], part: &str| {
        let output = desk.bunraku(&[&["rerun"], arguments].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    };
    fails(&["nowhere"], "cannot read the summary");
    // A name that no other directory nearby contains.
    fs::rename(desk.path().join("arm.scene.yaml"), desk.path().join("what_cannot_be_repeated.scene.yaml")).unwrap();
    let output = desk.bunraku(&["run", "what_cannot_be_repeated.scene.yaml", "--out", "out"]);
    assert!(output.status.success(), "{}", stderr(&output));
    fs::rename(desk.path().join("what_cannot_be_repeated.scene.yaml"), desk.path().join("moved.scene.yaml")).unwrap();
    fails(&["out"], "name the scene with `--scene`");
    // The scene was renamed, but has the same content.
    let output = desk.bunraku(&["rerun", "out", "--scene", "moved.scene.yaml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    desk.write("out/summary.json", "{ \"scene\": \"arm.scene.yaml\" }");
    fails(&["out"], "an older version wrote it");
}
