//! Hostile files, and files that are broken in unusual ways.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{bunraku, stderr, stdout};

fn run_at(directory: &Path, arguments: &[&str]) -> Output {
    bunraku().current_dir(directory).args(arguments).output().unwrap()
}

/// Asserts that a text contains no control characters.
#[track_caller]
fn assert_printable(text: &str) {
    let obeyed = |letter: char| letter != '\n' && bunraku::document::render::is_invisible(letter);
    assert!(!text.contains(obeyed), "{text:?}");
}

#[test]
fn files_that_made_the_yaml_scanner_panic_are_read_or_reported_and_do_not_end_check() {
    let desk = Desk::new(&format!("{ARM}note: |\n  no line end"), &format!("{SCENE}note: >\n  no line end"));
    desk.write("quote.body", "format: ChoreonoidBody\nformat_version: 2.0\nname: \"half\\");
    desk.write("tag.body", &replaced(ARM, "name: Arm", "name: Arm\nlist: [ !x, 1 ]"));
    desk.write("zz.body", ARM);
    let output = desk.bunraku(&["check", ".", "--lenient"]);
    let (out, message) = (stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(!message.contains("panicked"), "{message}");
    for name in ["arm.body", "arm.scene.yaml", "tag.body"] {
        assert!(out.contains(&format!("{name}: 0 errors, ")), "{name}: {out}");
    }
    assert!(out.contains("quote.body: 1 error") && out.contains("zz.body: 0 errors"), "{out}");
    assert!(message.contains("quote.body:3:7"), "{message}");
    let output = desk.run(&["--set", "note=|\n  x", "--set", "bodies.Arm.controller.kp=\"a\\"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("error[yaml-syntax]"), "{}", stderr(&output));
}

#[test]
fn closed_stderr_or_stdout_causes_no_panic() {
    let desk = Desk::new(&replaced(ARM, "joint_axis", "joitAxis"), SCENE);
    for (close_out, close_err) in [(true, true), (false, true), (true, false)] {
        let mut check = bunraku();
        check.current_dir(desk.path()).args(["check", "."]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut check = check.spawn().unwrap();
        if close_out {
            drop(check.stdout.take());
        }
        if close_err {
            drop(check.stderr.take());
        }
        assert_eq!(check.wait_with_output().unwrap().status.code(), Some(0));
    }
}

/// The name of the directory, with which `package://` could begin.
fn name(directory: &Path) -> String {
    directory.canonicalize().unwrap().file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn package_uris_read_no_file_outside_the_roots_and_quote_none() {
    let desk = Desk::new(ARM, SCENE);
    const SECRET: &str = "root:x7Kq:0:0";
    desk.write("secret.txt", SECRET);
    for ending in ["yaml", "body", "wrl", "stl", "obj", "dae", "gltf", "mtl", "png", "bin"] {
        desk.write(&format!("secret.{ending}"), &format!("{SECRET}\n{{ [ {SECRET}\n"));
    }
    fs::create_dir_all(desk.path().join("models/arm")).unwrap();
    let top = name(desk.path());
    let uri = |ending: &str| format!("package://{top}/secret.{ending}");
    let with = |element: String| replaced(ARM, "mass: 1", &format!("elements: [ {{ type: {element} }} ]"));
    let resource = |ending: &str| with(format!("Resource, uri: \"{}\"", uri(ending)));
    let texture = format!("appearance: {{ texture: {{ uri: \"{}\" }} }}", uri("png"));
    let geometry = "geometry: { type: Box, size: [ 1, 1, 1 ] }";
    desk.write("models/arm/part.obj", &format!("mtllib {}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", uri("mtl")));
    desk.write(
        "models/arm/part.gltf",
        &format!(
            "{{ \"asset\": {{ \"version\": \"2.0\" }}, \"buffers\": [ {{ \"uri\": \"{}\", \"byteLength\": 4 }} ] }}",
            uri("bin")
        ),
    );
    let models = [
        resource("yaml"),
        resource("wrl"),
        resource("stl"),
        resource("obj"),
        resource("dae"),
        resource("gltf"),
        with(format!("Shape, {geometry}, {texture}")),
        with("Resource, uri: part.obj".to_owned()),
        with("Resource, uri: part.gltf".to_owned()),
        format!("{ARM}  - {{ type: SubBody, uri: \"{}\", parent: ARM }}\n", uri("body")),
        format!("model_file: \"{}\"\n", uri("body")),
    ];
    for model in models {
        desk.write("models/arm/a.body", &model);
        // From any working directory.
        for (place, file) in [(".", "models/arm/a.body"), ("models/arm", "a.body"), ("/", "")] {
            let file = if file.is_empty() { desk.path().join("models/arm/a.body") } else { file.into() };
            let output = run_at(&desk.path().join(place), &["check", file.to_str().unwrap()]);
            let message = stderr(&output);
            assert!(message.contains("[outside-roots]"), "{model}{message}");
            assert!(!message.contains("x7Kq"), "{model}{message}");
        }
    }
}

#[test]
fn the_files_a_model_may_read_do_not_depend_on_the_working_directory() {
    let desk = Desk::new(ARM, SCENE);
    fs::create_dir_all(desk.path().join("model/arms/one")).unwrap();
    fs::create_dir_all(desk.path().join("sensor")).unwrap();
    desk.write("sensor/x.wrl", "#VRML V2.0 utf8\nShape { geometry Box { } }\n");
    let resource = "elements: [ { type: Resource, uri: ../../../sensor/x.wrl } ]";
    desk.write("model/arms/one/arm.body", &replaced(ARM, "mass: 1", resource));
    let found = |place: &str| {
        let file = desk.path().join("model/arms/one/arm.body");
        let output = run_at(&desk.path().join(place), &["check", file.to_str().unwrap()]);
        stderr(&output).contains("outside-roots")
    };
    assert_eq!([found("."), found("model/arms/one"), found("sensor"), found("/")], [true; 4]);
    fs::write(desk.path().join("package.xml"), "<package><name>arms</name></package>").unwrap();
    assert_eq!([found("."), found("model/arms/one"), found("sensor"), found("/")], [false; 4]);
}

#[test]
fn of_twenty_thousand_findings_with_one_code_a_hundred_are_printed_and_the_rest_counted() {
    let desk = Desk::new(&format!("{ARM}{}", "k: x\n".repeat(20_001)), SCENE);
    let output = desk.bunraku(&["check", "arm.body"]);
    let message = stderr(&output);
    assert!(message.contains("warning[duplicate-key]: … 19 900 more"), "{}", &message[..1000]);
    assert_eq!(message.matches("is given again").count(), 100);
    assert!(stdout(&output).contains("0 errors, 20001 warnings"), "{}", stdout(&output));
    let document: Value = serde_json::from_slice(&desk.bunraku(&["info", "--json", "arm.body"]).stdout).unwrap();
    assert_eq!(document["diagnostics"].as_array().unwrap().len(), 102);
}

#[test]
fn control_characters_in_names_are_escaped() {
    let model = ARM.replace("name: ARM", "name: \"A\\e[2J\\x9b1m\\u202eRM\"").replace("joint_axis", "\"joi\\etAxis\"");
    let desk = Desk::new(&model.replace("name: Arm", "name: \"Arm\\a\\nx\""), SCENE);
    fs::rename(desk.path().join("arm.body"), desk.path().join("a\u{1b}[31m.body")).unwrap();
    for arguments in [&["info", "a\u{1b}[31m.body"][..], &["info", "--json", "a\u{1b}[31m.body"], &["check", "."]] {
        let output = desk.bunraku(arguments);
        assert_printable(&stdout(&output));
        assert_printable(&stderr(&output));
    }
    let none = desk.bunraku(&["info", "none\u{1b}]0;x\u{7}.body"]);
    assert_printable(&stderr(&none));
    assert!(stderr(&none).contains(r"none\u{1b}]0;x"), "{}", stderr(&none));
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_directory_that_cannot_be_read_does_not_stop_check() {
    let desk = Desk::new(ARM, SCENE);
    let mkfifo = |name: &str| std::process::Command::new("mkfifo").arg(desk.path().join(name)).status().unwrap();
    assert!(mkfifo("pipe.body").success() && mkfifo("mesh.stl").success());
    desk.write("user.body", &replaced(ARM, "mass: 1", "elements: [ { type: Resource, uri: mesh.stl } ]"));
    // Deeper than the maximum length of a path, so that not even an administrator can read it: one half is moved below
    // the other.
    let half = |top: &str| (0..10).fold(desk.path().join(top), |path, _| path.join("d".repeat(220)));
    fs::create_dir_all(half("upper")).unwrap();
    fs::create_dir_all(half("lower")).unwrap();
    fs::rename(desk.path().join("lower"), half("upper").join("lower")).unwrap();
    let output = desk.bunraku(&["check", "."]);
    let (out, message) = (stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("error[directory-unreadable]"), "{message}");
    assert!(message.contains("warning[not-a-file]") && message.contains("pipe.body"), "{message}");
    assert!(message.contains("this is a pipe or a device"), "{message}");
    assert!(out.contains("arm.body: 0 errors") && out.contains("arm.scene.yaml: 0 errors"), "{out}");
}

#[test]
fn with_json_a_failure_is_a_document_too() {
    let desk = Desk::new(&replaced(ARM, "mass: 1", "mass: heavy"), SCENE);
    let cases: [&[&str]; 6] = [
        &["info", "--json", "arm.body"],
        &["info", "--json", "none.body"],
        &["info", "--json", "arm.odd"],
        &["run", "--json", "arm.scene.yaml"],
        &["run", "--json", "none.scene.yaml"],
        &["convert", "--json", "arm.body", "new.body"],
    ];
    for arguments in cases {
        let output = desk.bunraku(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let document: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
        assert!(document["failure"].as_str().is_some_and(|text| !text.is_empty()), "{document}");
        assert!(document["diagnostics"][0]["severity"] == "error", "{document}");
    }
    // A failure after loading.
    desk.write("arm.body", ARM);
    desk.write("file", "");
    let output = desk.bunraku(&["run", "--json", "arm.scene.yaml", "--out", "file/out"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(document["failure"].as_str().is_some_and(|text| text.contains("cannot make the directory")), "{document}");
}

#[test]
fn info_of_many_finely_divided_spheres_computes_no_triangles() {
    let sphere = "{ type: Shape, geometry: { type: Sphere, radius: 0.5, division_number: 1000 } }, ";
    let model = replaced(ARM, "mass: 1", &format!("elements: [ {} ]", sphere.repeat(1000)));
    let desk = Desk::new(&model, SCENE);
    let document: Value = serde_json::from_slice(&desk.bunraku(&["info", "--json", "arm.body"]).stdout).unwrap();
    let corner = document["links"][1]["visual_bbox"][1][0].as_f64().unwrap();
    assert!((corner - 0.5).abs() < 1e-6, "{corner}");
}

#[test]
fn motions_of_the_manual_have_no_findings_and_impossible_ones_are_reported() {
    let desk = Desk::new(ARM, SCENE);
    let head = "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\n";
    let joints = "content: JointDisplacement, numParts: 1";
    let timed =
        format!("components:\n  - {{ type: MultiValueSeq, {joints}, hasFrameTime: true, frames: [[0,1],[0.5,0]] }}\n");
    desk.write("timed.seq", &format!("{head}{timed}"));
    let plain = format!("components:\n  - {{ type: MultiValueSeq, {joints}, frames: [[1],[0]] }}\n");
    desk.write("number.seq", &format!("{head}frameRate: 100\nnumFrames: 7261\n{plain}"));
    let zmp = "components:\n  - { type: Vector3Seq, content: ZMP, frames: [ [0,0.1,0.2], [0,0,1] ] }\n";
    desk.write("zmp.seq", &format!("{head}frameRate: 100\n{zmp}"));
    let output = desk.bunraku(&["check", "--strict", "timed.seq", "number.seq", "zmp.seq"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&desk.bunraku(&["info", "--json", "zmp.seq"]).stdout).unwrap();
    assert_eq!((&document["num_frames"], &document["duration"]), (&Value::from(2), &Value::from(0.01)));
    desk.write("rate.seq", &format!("{head}frameRate: 4.9e-324\n{plain}"));
    let output = desk.bunraku(&["info", "rate.seq"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("from 1e-9 to 1e12 Hz, not 5e-324"), "{}", stderr(&output));
    desk.write("frames.seq", &format!("{head}frameRate: 100\nframes: [ [ 1 ] ]\n{plain}"));
    let output = desk.bunraku(&["info", "frames.seq"]);
    assert!(stderr(&output).contains("frames"), "{}", stderr(&output));
}
