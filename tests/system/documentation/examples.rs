//! The examples run, and their first lines describe what to look at.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bunraku_test_support::{Needed, TestFolder, skip};

use super::pages::root;

/// The names of the examples in a directory.
fn names(directory: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    files.filter_map(|file| file.strip_suffix(".rs").map(str::to_owned)).collect()
}

/// The built program of an example. Cargo puts it beside the directory of this test.
pub fn program(name: &str) -> PathBuf {
    let here = std::env::current_exe().unwrap();
    let built = here
        .parent()
        .and_then(Path::parent)
        .unwrap()
        .join("examples")
        .join(name)
        .with_extension(std::env::consts::EXE_EXTENSION);
    assert!(built.is_file(), "the example {name} is not built: `cargo build --examples`, or `cargo test`");
    built
}

/// Whether the features are on that a command of cargo names for an example.
pub fn is_built(words: &[String]) -> bool {
    let features = [("assets", cfg!(feature = "assets")), ("viewer", cfg!(feature = "viewer"))];
    features.iter().all(|(name, is_on)| *is_on || !words.iter().any(|word| word == name))
}

/// Whether a program failed because there is no renderer; this is reported as skipped.
#[track_caller]
pub fn cannot_draw(output: &Output) -> bool {
    let message = String::from_utf8_lossy(&output.stderr);
    let cannot = message.contains("nothing to draw with") || message.contains("NoAdapter");
    if cannot {
        skip(Needed::Graphics, "there is nothing to draw with");
    }
    cannot
}

#[track_caller]
fn run(name: &str, arguments: &[&Path]) -> Option<String> {
    let output = Command::new(program(name)).args(arguments).output().unwrap();
    if cannot_draw(&output) {
        return None;
    }
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn every_example_succeeds_and_prints_something() {
    let names = names(&root().join("examples"));
    assert!(names.len() > 10, "{names:?}");
    let is_built = |name: &str| name != "model_as_asset" || cfg!(feature = "assets");
    let has_own_test = |name: &str| name == "picture" || WINDOWS.contains(&name);
    for name in names.iter().filter(|name| !has_own_test(name) && is_built(name)) {
        let printed = run(name, &[]).unwrap();
        assert!(!printed.is_empty(), "{name} shows nothing");
    }
}

/// Examples with a window; each writes a picture of it to its argument.
const WINDOWS: [&str; 2] = ["drive_with_keys", "joint_sliders"];

#[cfg(feature = "viewer")]
#[test]
fn examples_with_a_window_show_their_robots() {
    let folder = TestFolder::new();
    for name in WINDOWS {
        let picture = folder.join(format!("{name}.png"));
        let output = Command::new(program(name)).arg(&picture).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        if text.contains("WinitEventLoop") || text.contains("neither WAYLAND_DISPLAY") {
            return skip(Needed::Display, "no window can be opened");
        }
        if cannot_draw(&output) {
            return;
        }
        assert!(output.status.success(), "{name}: {text}");
        let picture = image::open(&picture).unwrap().to_rgb8();
        let mut colors = BTreeSet::new();
        colors.extend(picture.pixels().map(|pixel| pixel.0));
        assert!(colors.len() > 200, "{name} shows {} colours", colors.len());
        assert!(!colors.contains(&[255, 0, 255]), "{name}: a shader lacks a table that another feature of Bevy has");
    }
}

#[test]
fn examples_with_arguments_write_their_files() {
    let folder = TestFolder::new();
    let model = root().join("assets/models/rover.body");
    let picture = folder.join("rover.png");
    if cfg!(feature = "viewer") && run("picture", &[&model, &picture, Path::new("64x48")]).is_some() {
        assert!(fs::metadata(picture).unwrap().len() > 100);
    }
    let printed = run("describe_dynamics", &[&model]).unwrap();
    assert!(printed.contains("\"mass_matrix\""), "{printed}");
    run("write_logs", &[&folder.join("logs")]);
    assert!(fs::read_dir(folder.join("logs")).unwrap().count() > 0);
    let others: BTreeSet<String> = ["body", "sensors"]
        .iter()
        .flat_map(|room| names(&root().join("plugins").join(room).join("examples")))
        .collect();
    assert_eq!(others, BTreeSet::from(["describe_dynamics", "write_logs"].map(str::to_owned)));
}

#[test]
fn examples_describe_what_to_look_at_and_how_to_run_them() {
    for name in names(&root().join("examples")).into_iter().filter(|name| name != "picture") {
        let text = fs::read_to_string(root().join("examples").join(format!("{name}.rs"))).unwrap();
        let head: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(head.contains("Look at:"), "{name}");
        let command = match &*name {
            "model_as_asset" => format!("`cargo run --example {name} --features assets`"),
            window if WINDOWS.contains(&window) => format!("`cargo run --features viewer --example {name}`"),
            _ => format!("`cargo run --example {name}`"),
        };
        assert!(head.contains(&command), "{name}");
    }
}
