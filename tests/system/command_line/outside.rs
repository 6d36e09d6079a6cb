//! Nothing outside of `--out` is written or read, whatever things are called in the data of strangers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use bevy::prelude::World;
use bunraku::body::{self, LoadOptions};
use bunraku::document::{Reporter, render};
use bunraku::scene::{RecordingError, Scene, SceneOptions};
use bunraku_test_support::TestFolder;

use super::desk::{ARM, SCENE, replaced};
use crate::common::{bunraku, stderr, stdout};

/// Every file below a directory except `out`, with its bytes.
fn files(directory: &Path, out: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()) {
            if entry == out {
                continue;
            }
            if entry.is_dir() && !entry.is_symlink() {
                waiting.push(entry);
            } else {
                found.insert(entry.clone(), fs::read(&entry).unwrap_or_default());
            }
        }
    }
    found
}

/// Names that lead elsewhere as parts of paths, or that a terminal would obey.
fn names(outside: &Path) -> Vec<String> {
    let outside = outside.join("absolute").display().to_string();
    let mut names: Vec<String> = [
        "../escape",
        "../../escape",
        "../../../../escape",
        "a/../../../escape",
        "./../escape",
        "..",
        ".",
        "...",
        "/",
        r"..\\..\\escape",
        "nul",
        "CON",
        "a\u{202e}b",
        "~",
        "~/escape",
        "$HOME/escape",
        "-rf",
        "index.csv",
        "summary.json",
        "../summary.json",
        "Arm.seq",
        r"\e[2J\e]0;x\a",
        r"a\0b",
        r"a\nb",
        r"\x9b2J",
    ]
    .map(str::to_owned)
    .into();
    names.push(outside);
    names.push("d".repeat(300));
    names
}

/// A sensor of each kind of log, a link and a joint with this name.
fn model(name: &str) -> String {
    let devices = ["AccelerationSensor", "RateGyroSensor", "ForceSensor"]
        .map(|kind| format!("      - {{ type: {kind}, id: 0, name: \"{name}\" }}\n"));
    let range = format!(
        "      - {{ type: RangeSensor, id: 0, name: \"{name}\", yaw_range: 10, yaw_step: 5, scan_rate: 100 }}\n"
    );
    let elements = format!("mass: 1\n    elements:\n{}{range}", devices.concat());
    let text = replaced(ARM, "    mass: 1", &format!("    {elements}"));
    replaced(&text, "name: ARM", &format!("name: \"{name}\""))
}

#[test]
fn links_joints_and_devices_put_no_file_outside_the_results() {
    let folder = TestFolder::new();
    fs::create_dir_all(folder.join("a/b/desk")).unwrap();
    let desk = folder.join("a/b/desk");
    let out = desk.join("out");
    let scene =
        format!("{SCENE}record: {{ frame_rate: 100, links: all, joints: true, contacts: [ Arm ], sensors: true }}\n");
    fs::write(desk.join("arm.scene.yaml"), scene).unwrap();
    let (mut logs, mut runs) = (0, 0);
    for name in names(folder.path()) {
        fs::write(desk.join("arm.body"), model(&name)).unwrap();
        let before = files(folder.path(), &out);
        for more in [&[][..], &["--mcap"]] {
            let output = bunraku()
                .current_dir(&desk)
                .args(["run", "arm.scene.yaml", "--out", "out"])
                .args(more)
                .output()
                .unwrap();
            let message = format!("{}{}", stdout(&output), stderr(&output));
            assert!(matches!(output.status.code(), Some(0 | 1)), "{name}: {message}");
            let is_plain = |letter: char| letter == '\n' || !(letter.is_control() || letter == '\u{202e}');
            assert!(message.chars().all(is_plain), "{name}: {message:?}");
            runs += usize::from(output.status.success());
            assert!(files(folder.path(), &out) == before, "{name}: something beside the results was written");
            logs += fs::read_dir(out.join("sensors/Arm")).map_or(0, Iterator::count);
            let _ = fs::remove_dir_all(&out);
        }
    }
    // The names are those of logs, and are not all refused.
    assert!(runs > 40 && logs > 100, "{runs} runs, {logs} logs");
}

/// Text that must not be printed.
const SECRET: &str = "x7Kq";

/// Models that name a file with each reader's keys.
fn models(file: &str) -> Vec<(&'static str, String)> {
    let element = |element: String| replaced(ARM, "mass: 1", &format!("elements: [ {{ type: {element} }} ]"));
    let urdf = |inside: &str| format!("<robot name='R'><link name='L'>{inside}</link></robot>");
    vec![
        ("a.body", element(format!("Resource, uri: \"{file}\""))),
        ("a.body", format!("{ARM}  - {{ type: SubBody, uri: \"{file}\", parent: ARM }}\n")),
        ("a.yaml", format!("model_file: \"{file}\"\n")),
        (
            "a.body",
            element(format!(
                "Shape, geometry: {{ type: Box, size: [ 1, 1, 1 ] }}, appearance: {{ texture: {{ uri: \"{file}\" }} }}"
            )),
        ),
        ("a.urdf", urdf(&format!("<visual><geometry><mesh filename='{file}'/></geometry></visual>"))),
        (
            "a.xacro",
            format!(
                "<robot name='R' xmlns:xacro='http://x'><xacro:include filename='{file}'/><link name='L'/></robot>"
            ),
        ),
        (
            "a.xml",
            format!("<mujoco><worldbody><body><geom size='1'/></body></worldbody><include file='{file}'/></mujoco>"),
        ),
        (
            "a.xml",
            format!(
                "<mujoco><asset><mesh name='m' file='{file}'/></asset><worldbody><body><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
            ),
        ),
        ("a.wrl", format!("#VRML V2.0 utf8\nInline {{ url \"{file}\" }}\n")),
        (
            "a.wrl",
            format!(
                "#VRML V2.0 utf8\nShape {{ appearance Appearance {{ texture ImageTexture {{ url \"{file}\" }} }} geometry Box {{}} }}\n"
            ),
        ),
        ("a.obj", format!("mtllib {file}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")),
        (
            "a.gltf",
            format!(
                "{{ \"asset\": {{ \"version\": \"2.0\" }}, \"buffers\": [ {{ \"uri\": \"{file}\", \"byteLength\": 4 }} ] }}"
            ),
        ),
    ]
}

/// Results are written and removed below `--out` only, also where a file or a folder in it is a link.
#[cfg(unix)]
#[test]
fn a_link_among_the_results_is_refused() {
    let scene = format!("{SCENE}record: {{ sensors: true, joints: [ velocities ], contacts: true }}\n");
    let folder = TestFolder::with(&[("arm.body", &model("scan")), ("arm.scene.yaml", &scene)]);
    let run = || bunraku().current_dir(folder.path()).args(["run", "arm.scene.yaml", "--out", "out"]).output().unwrap();
    let (out, elsewhere) = (folder.join("out"), folder.join("elsewhere"));
    assert!(run().status.success());
    // Every folder, and every file with a name of its own.
    let results: Vec<PathBuf> = files(&out, Path::new("")).into_keys().collect();
    let places: BTreeSet<&Path> = results
        .iter()
        .filter(|path| path.parent() == Some(&out) || path.extension().is_some_and(|extension| extension == "csv"))
        .flat_map(|path| path.strip_prefix(&out).unwrap().ancestors())
        .filter(|place| !["", ".bunraku.lock", "summary.json"].map(Path::new).contains(place))
        .collect();
    assert!(places.len() > 8, "{places:?}");
    for place in places {
        fs::create_dir_all(&elsewhere).unwrap();
        let others: BTreeSet<_> = results.iter().filter_map(|path| path.file_name()).collect();
        others.iter().for_each(|name| fs::write(elsewhere.join(name), "untouched").unwrap());
        let link = out.join(place);
        let is_file = results.contains(&link);
        let target = if is_file { elsewhere.join(place.file_name().unwrap()) } else { elsewhere.clone() };
        fs::remove_dir_all(&out).unwrap();
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, &link).unwrap();
        let output = run();
        let text = stderr(&output);
        let expected = format!("out/{} is a link", place.display());
        assert!(!output.status.success() && text.contains(&expected), "{}: {text}", place.display());
        // Nor does a program that records a scene by the library.
        let scene = Scene::load(&folder.join("arm.scene.yaml"), &SceneOptions::default(), &Reporter::new()).unwrap();
        let error = scene.record(&mut World::new(), &[], &out).unwrap_err();
        assert!(matches!(&error, RecordingError::Link(found) if *found == link), "{error}");
        let left = files(&elsewhere, Path::new(""));
        assert!(left.len() == others.len() && left.values().all(|text| text == b"untouched"), "{}", place.display());
    }
}

/// A file outside the roots is neither read nor quoted, named directly or through a link inside them.
#[cfg(unix)]
#[test]
fn no_model_reads_a_file_outside_its_roots_through_a_link() {
    let folder = TestFolder::new();
    fs::create_dir_all(folder.join("top/models/one")).unwrap();
    let directory = folder.join("top/models/one");
    std::os::unix::fs::symlink(folder.path(), directory.join("up")).unwrap();
    let texts = [
        format!("{SECRET}: [ {SECRET}\n"),
        format!("<{SECRET}>{SECRET}"),
        format!("#VRML V2.0 utf8\n{SECRET} {{ {SECRET} }}\n"),
        format!("v {SECRET}\nf {SECRET}\nnewmtl {SECRET}\nKd {SECRET}\n"),
        format!("{ARM}  - {{ name: {SECRET}, joint_type: {SECRET} }}\n"),
    ];
    let (mut refused, mut quoted) = (0, 0);
    for ending in ["body", "yaml", "urdf", "xacro", "xml", "wrl", "stl", "obj", "mtl", "dae", "gltf", "png", "bin"] {
        let link = directory.join(format!("link.{ending}"));
        std::os::unix::fs::symlink(format!("../../../secret.{ending}"), &link).unwrap();
        for text in &texts {
            folder.write(format!("secret.{ending}"), text);
            let ways = [format!("link.{ending}"), format!("up/secret.{ending}"), format!("../../../secret.{ending}")];
            for (file, (name, model)) in ways.iter().flat_map(|file| models(file).into_iter().map(move |it| (file, it)))
            {
                fs::write(directory.join(name), &model).unwrap();
                let load = |outside: bool| {
                    let reporter = Reporter::new();
                    let mut options = LoadOptions::default();
                    options.roots = options.roots.allow_outside(outside);
                    body::load(&directory.join(name), &options, &reporter);
                    let found = reporter.into_diagnostics();
                    found.iter().map(|found| format!("{}\n{found:?}\n", render::plain(found))).collect::<String>()
                };
                let message = load(false);
                assert!(!message.contains(SECRET), "{file} in {name}: {model}\n{message}");
                refused += usize::from(message.contains("outside-roots"));
                quoted += usize::from(load(true).contains(SECRET));
            }
        }
    }
    // The files are refused for where they are, and their readers would have quoted many.
    assert!(refused > 1500 && quoted > 100, "{refused} refused, {quoted} quoted");
}

/// The results of a stranger: a summary that is a link to any other file.
#[test]
fn interactions_of_a_summary_are_not_quoted() {
    let folder = TestFolder::with(&[("arm.body", ARM), ("arm.scene.yaml", SCENE)]);
    let run = |arguments: &[&str]| bunraku().current_dir(folder.path()).args(arguments).output().unwrap();
    assert!(run(&["run", "arm.scene.yaml", "--out", "out"]).status.success());
    let summary = fs::read_to_string(folder.join("out/summary.json")).unwrap();
    for hand in [
        format!("\"{SECRET}\""),
        format!("{{ \"step\": \"{SECRET}\" }}"),
        format!("{{ \"step\": 1, \"{SECRET}\": 1 }}"),
    ] {
        let other = summary.replacen('{', &format!("{{ \"hands\": [ {hand} ],"), 1);
        folder.write("out/summary.json", &other);
        for arguments in
            [&["rerun", "out"][..], &["run", "arm.scene.yaml", "--hands", "out/summary.json", "--out", "new"]]
        {
            let output = run(arguments);
            let message = format!("{}{}", stdout(&output), stderr(&output));
            assert_eq!(output.status.code(), Some(1), "{hand}: {message}");
            assert!(!message.contains(SECRET), "{hand}: {message}");
        }
    }
}
