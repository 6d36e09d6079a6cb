//! Projects with missing parts, and several projects merged.

use std::fs;
use std::path::{Path, PathBuf};

use bunraku_test_support::{TestFolder, corpus, files_below};
use serde_json::Value;

use super::desk::{ARM, Desk, SCENE};
use crate::common::{bunraku, stderr, stdout};

/// A project with these items, in YAML's flow style.
fn project(items: &[&str]) -> String {
    format!("items:\n  class: RootItem\n  children:\n    - {}\n", items.join("\n    - "))
}

/// A project with two arms in a world, of which only `models` are there.
fn two_arms(models: [&str; 2]) -> String {
    let [one, other] = models.map(|file| format!("class: BodyItem, data: {{ file: {file}, fix_root: true }}"));
    let simulator = "{ name: S, class: AISTSimulatorItem, data: { time_step: 0.01 } }";
    let bodies = format!("{{ name: One, {one} }}, {{ name: Other, {other} }}");
    project(&[&format!("{{ name: W, class: WorldItem, children: [ {bodies}, {simulator} ] }}")])
}

fn info(desk: &Desk, project: &str) -> Value {
    let output = desk.bunraku(&["info", project, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_project_without_a_model_opens_and_runs_on_request_only() {
    let desk = Desk::new(ARM, SCENE);
    desk.write("broken.body", "format: ChoreonoidBody\nformat_version: 2.0\nlinks: 3\n");
    for (model, reason) in [("gone.body", "file not found"), ("broken.body", "broken.body:3:8")] {
        desk.write("two.cnoid", &two_arms([model, "arm.body"]));
        let opened = info(&desk, "two.cnoid");
        assert_eq!((opened["bodies"].as_array().unwrap().len(), &opened["bodies"][0]["name"]), (1, &"Other".into()));
        let missing = &opened["missing"][0];
        assert_eq!((&missing["kind"], &missing["name"]), (&"model".into(), &"One".into()));
        assert_eq!((&missing["file"], &missing["line"]), (&model.into(), &4.into()));
        assert!(missing["reason"].as_str().unwrap().contains(reason), "{missing}");
        let output = desk.bunraku(&["info", "two.cnoid"]);
        let row = format!("  model  One  {model}  two.cnoid:4:");
        assert!(stdout(&output).contains(&row) && stdout(&output).contains(reason), "{}", stdout(&output));

        let output = desk.bunraku(&["check", "two.cnoid"]);
        assert_eq!(output.status.code(), Some(1));
        for part in [&row, "the model of `One`", "`--allow-missing`"] {
            assert!(stderr(&output).contains(part), "{part}:\n{}", stderr(&output));
        }

        let output = desk.bunraku(&["convert", "two.cnoid", "two.scene.yaml", "--force"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stderr(&output).contains(&row), "{}", stderr(&output));
        let scene = fs::read_to_string(desk.path().join("two.scene.yaml")).unwrap();
        assert!(scene.contains(&format!("# Left out, as its model is missing: One, {model}\n")), "{scene}");

        let run = ["run", "two.cnoid", "--duration", "0.05", "--out", "out"];
        let output = desk.bunraku(&run);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("run --allow-missing"), "{}", stderr(&output));
        let output = desk.bunraku(&[&run[..], &["--allow-missing"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stderr(&output).contains(&row) && desk.path().join("out/Other.seq").exists(), "{}", stderr(&output));
        let output = desk.bunraku(&["rerun", "out"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let output = desk.bunraku(&["info", "two.cnoid", "--strict"]);
        assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    }
}

#[test]
fn a_project_without_a_world_or_anything_else_opens() {
    let desk = Desk::new(ARM, SCENE);
    desk.write("arm.cnoid", &project(&["{ name: Arm, class: BodyItem, data: { file: arm.body } }"]));
    let opened = info(&desk, "arm.cnoid");
    assert_eq!((&opened["bodies"][0]["name"], &opened["missing"][0]["kind"]), (&"Arm".into(), &"world".into()));
    let run = ["run", "arm.cnoid", "--duration", "0.05", "--out", "out"];
    let output = desk.bunraku(&run);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("error[no-world]") && stderr(&output).contains("--allow-missing"));
    let output = desk.bunraku(&[&run[..], &["--allow-missing"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));

    let parts = [
        "{ name: Inner, class: SubProjectItem, data: { file: inner.cnoid } }",
        "{ name: Table, class: MaterialTableItem, data: { file: \"${SHARE}/table.yaml\" } }",
        "{ name: Nothing, class: BodyItem }",
    ];
    desk.write("empty.cnoid", &project(&parts));
    let opened = info(&desk, "empty.cnoid");
    let kinds: Vec<&str> =
        opened["missing"].as_array().unwrap().iter().filter_map(|part| part["kind"].as_str()).collect();
    assert_eq!((kinds, opened["bodies"].as_array().unwrap().len()), (vec!["project", "materials", "world"], 0));
}

#[test]
fn three_part_projects_are_merged_as_by_choreonoid() {
    let desk = Desk::new(ARM, SCENE);
    fs::create_dir(desk.path().join("parts")).unwrap();
    desk.write("parts/arm.body", ARM);
    let body = |name: &str| format!("{{ name: {name}, class: BodyItem, data: {{ file: arm.body, fix_root: true }} }}");
    desk.write("world.cnoid", &project(&["{ name: W, class: WorldItem }"]));
    desk.write("parts/arm.cnoid", &project(&[&body("Arm")]));
    let simulator = "{ name: S, class: AISTSimulatorItem, data: { time_range_mode: timebar } }";
    let bar = "toolbars:\n  TimeBar: { frame_rate: 100, max_time: 0.05 }\n";
    desk.write("last.cnoid", &(project(&[&body("Arm"), simulator]) + bar));
    let run = ["run", "world.cnoid", "parts/arm.cnoid", "last.cnoid", "--out", "out", "--json"];
    let output = desk.bunraku(&run);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["steps"], 5);
    let files: Vec<&Value> =
        summary["resolved_scene"]["bodies"].as_array().unwrap().iter().map(|body| &body["file"]).collect();
    assert_eq!(files, ["parts/arm.body", "arm.body"]);
    for name in ["Arm.seq", "Arm-2.seq"] {
        assert!(desk.path().join("out").join(name).exists(), "{name}");
    }
    let output = desk.bunraku(&["rerun", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));

    for (files, code, part) in [
        (["world.cnoid", "arm.scene.yaml"], 2, "arm.scene.yaml"),
        (["world.cnoid", "./world.cnoid"], 1, "named twice"),
        (["world.cnoid", "nowhere.cnoid"], 1, "nowhere.cnoid"),
    ] {
        let output = desk.bunraku(&["run", files[0], files[1], "--out", "other"]);
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    }
}

#[test]
fn a_model_is_searched_in_several_share_directories() {
    let desk = Desk::new(ARM, &SCENE.replace("arm.body", "\"${SHARE}/arm.body\""));
    for share in ["first", "second"] {
        fs::create_dir(desk.path().join(share)).unwrap();
    }
    desk.write("second/arm.body", ARM);
    let run = ["run", "arm.scene.yaml", "--out", "out"];
    let output = desk.bunraku(&[&run[..], &["--share", "first"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let output = desk.bunraku(&[&run[..], &["--share", "first", "--share", "second"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let several = std::env::join_paths(["first", "second"]).unwrap();
    let mut command = bunraku();
    let output = command.current_dir(desk.path()).args(run).env("BUNRAKU_SHARE", several).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

/// Copies a directory with its subdirectories.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// The project with another name for the model of one of its bodies; `None` if no body has a model.
fn without_one_model(text: &str, number: usize) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_body = |line: &String| line.trim() == "class: BodyItem";
    let bodies: Vec<usize> = lines.iter().enumerate().filter(|(_, line)| is_body(line)).map(|(at, _)| at).collect();
    let at = *bodies.get(number % bodies.len().max(1))?;
    let is_model = |line: &str| ["file:", "modelFile:"].iter().any(|key| line.trim_start().starts_with(key));
    let model = (at..lines.len()).find(|line| is_model(&lines[*line]))?;
    let (key, _) = lines[model].split_once(':')?;
    lines[model] = format!("{key}: \"removed.body\"");
    Some(lines.join("\n"))
}

#[test]
fn every_project_of_the_corpus_opens_with_one_model_removed() {
    let Some(corpus) = corpus() else { return };
    let folder = TestFolder::new();
    copy(&corpus.join("sample"), &folder.join("sample"));
    let projects: Vec<PathBuf> = files_below(&folder.join("sample"), &["cnoid"]);
    let open = |project: &Path| {
        let mut command = bunraku();
        command.arg("info").arg(project).arg("--json").env("BUNRAKU_SHARE", corpus.join("share"));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}: {}", project.display(), stderr(&output));
        let info: Value = serde_json::from_slice(&output.stdout).unwrap();
        let length = |key: &str| info[key].as_array().unwrap().len();
        let removed = info["missing"].as_array().unwrap().iter().filter(|part| part["file"] == "removed.body");
        (length("bodies"), length("missing"), removed.count())
    };
    let mut opened = 0;
    for (number, project) in projects.iter().enumerate() {
        let text = fs::read_to_string(project).unwrap();
        let Some(changed) = without_one_model(&text, number) else { continue };
        let (bodies, missing, _) = open(project);
        fs::write(project, changed).unwrap();
        let (left, gone, removed) = open(project);
        assert_eq!((left + gone, removed), (bodies + missing, 1), "{}", project.display());
        opened += 1;
    }
    println!("{opened} of {} projects opened without one of their models", projects.len());
    assert!(opened >= 54, "{opened}");
}
