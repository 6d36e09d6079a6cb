//! `bunraku convert`.

use std::fs;
use std::process::Output;

use crate::common::{bunraku, stderr, stdout};
use crate::desk::{ARM, Desk, SCENE, replaced};

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
