//! Files named by an untrusted scene are read, but their content does not appear in any log.

use std::fs;
use std::path::Path;

use bunraku::document::{Reporter, SearchRoots, render};
use bunraku::scene::{Scene, SceneOptions};
use bunraku_test_support::TestFolder;

use super::desk::{ARM, SCENE, replaced};
use crate::common::{bunraku, stderr, stdout};

/// The text that must not be printed.
const SECRET: &str = "x7Kq";

/// Texts that contain it, on which each reader fails or warns at another place.
fn texts() -> Vec<String> {
    [
        "TOKEN=S\n{ [ S\n",
        "S: 1\nmaterials: [ { name: S, roughness: S } ]\n",
        "materials: [ { name: S, roughness: 1 } ]\n",
        "S,y\n1,2\n",
        "time,S\n0,1\n1,2\n",
        "time,joint\n0,S\n",
        "format: ChoreonoidBody\nformat_version: 2.0\nname: S\nlinks:\n  - { name: S, joint_type: S }\n",
        "format: BunrakuRobot\nformat_version: 1\nbody: S\nS: 1\n",
        "format: BunrakuScene\nS: 1\n",
        "type: CompositeSeq\ncontent: S\nS: S\nframeRate: S\ncomponents:\n  - { type: S, content: S, frames: [ [ S ] ] }\n",
        "#VRML V2.0 utf8\nS { S S }\n",
        "<robot name='S'><link name='S'/><joint name='S' type='S'/></robot>",
        "solid S\nfacet S\n",
        "v S\nf S S S\nmtllib S\n",
        "{ \"asset\": { \"version\": \"S\" }, \"S\": S }",
        "items:\n  name: S\n  class: S\n  children:\n    - { name: S, class: WorldItem, data: { S: S, gravity: S } }\n",
        "\u{1b}S\n\u{0}S",
    ]
    .map(|text| text.replace('S', SECRET))
    .into()
}

const ENDINGS: [&str; 13] =
    ["yaml", "body", "seq", "csv", "wrl", "urdf", "stl", "obj", "dae", "gltf", "png", "cnoid", "txt"];

/// Scenes that name a file with every key that takes one.
fn scenes(file: &str) -> Vec<String> {
    let body = |keys: &str| replaced(SCENE, "    controller: { type: pd, kp: 10, kd: 1 }\n", keys);
    let shape = format!("    shape: {{ type: heightfield, image: {file}, size: [ 1, 1, 1 ] }}\n");
    vec![
        format!("{SCENE}materials: {file}\n"),
        format!("{SCENE}materials: [ {file}, {file} ]\n"),
        format!("{SCENE}materials: [ materials.yaml, {file} ]\n"),
        replaced(SCENE, "arm.body", file),
        body(&format!("    drive: motion\n    motion: {file}\n")),
        body(&format!("    controller: {{ type: pd, kp: 1, kd: 1, motion: {file} }}\n")),
        body(&format!("    controller: {{ type: velocity, kd: 1, velocity: {file} }}\n")),
        body(&format!("    controller: {{ type: effort, effort: {file} }}\n")),
        body(&format!("    robot: {file}\n")),
        replaced(&body(""), "    file: arm.body\n", &shape),
        format!("{SCENE}external_forces: [ {{ body: Arm, link: ARM, table: {file} }} ]\n"),
    ]
}

/// Projects that name a file with every key that takes one.
fn projects(file: &str) -> Vec<String> {
    let project = |class: &str, data: &str, world: &str| {
        format!(
            "items:\n  name: Root\n  class: RootItem\n  children:\n    - name: World\n      class: WorldItem\n      data: {{ {world} }}\n      \
             children:\n        - {{ name: A, class: {class}, data: {{ {data} }} }}\n"
        )
    };
    vec![
        project("BodyItem", &format!("modelFile: \"{file}\""), ""),
        project("BodyItem", &format!("file: \"{file}\""), ""),
        project("MaterialTableItem", &format!("file: \"{file}\""), ""),
        project("SubProjectItem", &format!("file: \"{file}\""), ""),
        project("FolderItem", "x: 1", &format!("materialTableFile: \"{file}\"")),
    ]
}

/// All output about a scene, from `check` and `--json`.
fn said(path: &Path, allow_outside: bool) -> String {
    let reporter = Reporter::new();
    let mut options = SceneOptions::default();
    options.load.roots = SearchRoots::default().allow_outside(allow_outside);
    Scene::load(path, &options, &reporter);
    reporter.into_diagnostics().iter().map(|found| format!("{}\n{found}\n{found:?}\n", render::plain(found))).collect()
}

/// A folder whose `desk/scenes` may read all of `desk`, with secrets outside.
fn folder() -> TestFolder {
    let table = format!("materials: [ {{ name: {SECRET}, roughness: 0.5 }} ]\n");
    TestFolder::with(&[
        ("desk/scenes/arm.body", ARM),
        ("desk/scenes/arm.scene.yaml", SCENE),
        ("desk/scenes/materials.yaml", table.as_str()),
    ])
}

#[test]
fn no_scene_and_no_project_quotes_a_file_outside_its_roots() {
    let folder = folder();
    let mut quoted = 0;
    for ending in ENDINGS {
        let file = format!("../../secret.{ending}");
        for text in texts() {
            folder.write(format!("secret.{ending}"), &text);
            let all = [("a.scene.yaml", scenes(&file)), ("a.cnoid", projects(&file))];
            for (name, scene) in all.iter().flat_map(|(name, scenes)| scenes.iter().map(move |scene| (name, scene))) {
                folder.write(format!("desk/scenes/{name}"), scene);
                let path = folder.join("desk/scenes").join(name);
                let message = said(&path, false);
                assert!(!message.contains(SECRET), "{scene}\n{text}\n{message}");
                quoted += usize::from(said(&path, true).contains(SECRET));
            }
        }
    }
    // The texts are chosen so that a reader that quotes them is detected.
    assert!(quoted > 300, "{quoted}");
}

#[test]
fn a_mapping_quotes_no_model_outside_its_roots() {
    let folder = folder();
    for (ending, text) in ["body", "yaml", "urdf", "wrl", "obj"]
        .iter()
        .flat_map(|ending| texts().into_iter().map(move |text| (ending, text)))
    {
        folder.write(format!("secret.{ending}"), &text);
        let mapping = format!("format: BunrakuRobot\nformat_version: 1\nbody: ../../secret.{ending}\n");
        folder.write("desk/scenes/a.robot.yaml", &mapping);
        let check = |more: &[&str]| {
            let file = folder.join("desk/scenes/a.robot.yaml");
            let output = bunraku().arg("check").args(more).arg(file).output().unwrap();
            format!("{}{}", stdout(&output), stderr(&output))
        };
        let message = check(&[]);
        assert!(!message.contains(SECRET), "{ending} {text}: {message}");
        // It was read: each of them has an error.
        assert!(message.contains("what it contains is not quoted"), "{ending} {text}: {message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_scene_that_names_the_environment_does_not_print_it() {
    let folder = folder();
    for file in ["/proc/self/environ", "file:///proc/self/environ", "/proc/self/root/proc/self/environ", "link.yaml"] {
        folder.write("desk/scenes/a.scene.yaml", format!("{SCENE}materials: {file}\n"));
        let _ = std::os::unix::fs::symlink("/proc/self/environ", folder.join("desk/scenes/link.yaml"));
        for arguments in [&["check", "a.scene.yaml"][..], &["run", "--json", "a.scene.yaml"], &["info", "a.scene.yaml"]]
        {
            let mut program = bunraku();
            let output =
                program.current_dir(folder.join("desk/scenes")).env("TOKEN", SECRET).args(arguments).output().unwrap();
            let message = format!("{}{}", stdout(&output), stderr(&output));
            assert_eq!(output.status.code(), Some(1), "{message}");
            assert!(!message.contains(SECRET), "{file} {arguments:?}: {message}");
            assert!(message.contains("environ") || message.contains("link.yaml"), "{message}");
        }
    }
}

#[cfg(unix)]
#[test]
fn check_of_a_directory_quotes_no_link_out_of_it() {
    let folder = folder();
    folder.write("secret.txt", format!("{SECRET}: [ {SECRET}\n"));
    for name in ["a.scene.yaml", "a.body", "a.seq", "a.cnoid", "a.robot.yaml", "a.urdf"] {
        std::os::unix::fs::symlink("../../secret.txt", folder.join("desk/scenes").join(name)).unwrap();
    }
    let output = bunraku().current_dir(folder.path()).args(["check", "desk/scenes"]).output().unwrap();
    let message = format!("{}{}", stdout(&output), stderr(&output));
    assert!(message.contains("6 not usable") && !message.contains(SECRET), "{message}");
    // A link named by the user is followed.
    let output = bunraku().current_dir(folder.path()).args(["check", "desk/scenes/a.body"]).output().unwrap();
    assert!(stderr(&output).contains(SECRET), "{}", stderr(&output));
}

#[test]
fn a_summary_names_no_file_outside_for_rerun() {
    let folder = folder();
    folder.write("secret.yaml", format!("{SECRET}: [ {SECRET}\n"));
    fs::create_dir_all(folder.join("desk/results")).unwrap();
    let secret = folder.join("secret.yaml").display().to_string();
    let rerun = |summary: serde_json::Value| {
        folder.write("desk/results/summary.json", summary.to_string());
        let output = bunraku().current_dir(folder.join("desk")).args(["rerun", "results"]).output().unwrap();
        let message = format!("{}{}", stdout(&output), stderr(&output));
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(!message.contains(SECRET), "{message}");
        message
    };
    let program = concat!("bunraku ", env!("CARGO_PKG_VERSION"));
    for scene in [secret.as_str(), "../secret.yaml", "scenes/../../secret.yaml"] {
        let message = rerun(serde_json::json!({ "program": program, "repeat": { "scene": scene } }));
        assert!(message.contains("names the scene by a path"), "{message}");
    }
    let set = [format!("materials={secret}")];
    rerun(serde_json::json!({ "program": program, "repeat": { "scene": "arm.scene.yaml", "set": set } }));
    let task = serde_json::json!({ "file": "secret.yaml", "physics": false, "max_time": 1.0, "max_states": 9 });
    for known in [secret.as_str(), "../../secret.yaml"] {
        let message = rerun(serde_json::json!({
            "program": program,
            "repeat": { "scene": "arm.scene.yaml", "task": task },
            "sha256": { "inputs": { known: "00" } },
        }));
        assert!(message.contains("secret.yaml is not where it was"), "{message}");
    }
    let message = rerun(serde_json::json!({ "program": [SECRET] }));
    assert!(message.contains("line 1"), "{message}");
}

#[cfg(unix)]
#[test]
fn rerun_follows_no_link_to_another_scene() {
    let folder = folder();
    folder.write("secret.yaml", format!("{SECRET}: [ {SECRET}\n"));
    fs::create_dir_all(folder.join("desk/results")).unwrap();
    std::os::unix::fs::symlink("../../secret.yaml", folder.join("desk/results/b.scene.yaml")).unwrap();
    let summary = serde_json::json!({ "program": "bunraku", "repeat": { "scene": "b.scene.yaml" } });
    folder.write("desk/results/summary.json", summary.to_string());
    let output = bunraku().current_dir(folder.join("desk")).args(["rerun", "results"]).output().unwrap();
    assert!(!stderr(&output).contains(SECRET), "{}", stderr(&output));
    assert!(stderr(&output).contains("neither here nor around the results"), "{}", stderr(&output));
}
