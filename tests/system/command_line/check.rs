//! `bunraku check`.

use std::fs;
use std::path::Path;
use std::process::Output;

use bunraku_test_support::TestFolder;

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{bunraku, stderr, stdout};

#[test]
fn check_names_everything_and_sums_up() {
    let desk = Desk::new(&replaced(ARM, "joint_axis: Y", "joitAxis: Y"), &replaced(SCENE, "pd", "dp"));
    let output = desk.bunraku(&["check", "arm.body", "arm.scene.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("2 files, 1 not usable: 1 error, 2 warnings"), "{}", stdout(&output));
    assert!(stderr(&output).contains("did you mean `pd`?"), "{}", stderr(&output));
    let output = desk.bunraku(&["check", "arm.body"]);
    assert_eq!(output.status.code(), Some(0));
}

/// `bunraku check .` in the desk's directory.
fn check_all(desk: &Desk) -> Output {
    desk.bunraku(&["check", "."])
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
    for part in ["more/bad.body:8:17", "did you mean `revolute`?", "worse.body:12:11", "worse.body:9:5", "`joint_axis`"]
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
fn check_of_a_directory_looks_at_robots_in_vrml_but_not_at_their_shapes() {
    let desk = Desk::new(ARM, SCENE);
    let head = "#VRML V2.0 utf8\n";
    desk.write("hand.wrl", &format!("{head}Shape {{ geometry Box {{ sise 1 1 1 }} }}\n"));
    desk.write(
        "robot.WRL",
        &format!("{head}DEF Robot Humanoid {{ humanoidBody [ DEF BASE Joint {{ jointType \"fixt\" }} ] }}\n"),
    );
    let out = stdout(&check_all(&desk));
    assert!(out.contains("robot.WRL: 1 error") && !out.contains("hand.wrl"), "{out}");
}

#[test]
fn check_of_a_directory_without_models_says_so() {
    let directory = TestFolder::with(&[("notes.txt", "")]);
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
    for directory in ["models", "motions", "scenes", "tasks"] {
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // Pictures are read with the scenes that use them.
            if name.ends_with(".png") {
                continue;
            }
            let needs_share = fs::read_to_string(&path).unwrap().contains("${SHARE}");
            // The contact material table is read with the scenes that use it.
            if !needs_share && name != "materials.yaml" {
                command.arg(path);
                count += 1;
            }
        }
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains(&format!("{count} files: 0 errors, 0 warnings")), "{}", stdout(&output));
}
