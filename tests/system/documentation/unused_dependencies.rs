//! Each crate uses what its `Cargo.toml` depends on. The tests inside `src` count as the library.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::pages::root;

/// Crates and dependencies of which no source speaks, because only their features are wanted.
const FOR_FEATURES: [(&str, &str); 3] = [
    // `serde-serialize` for snapshots of rapier's own step.
    ("bunraku_physics", "rapier3d"),
    // What the tests of other crates turn on, see its `Cargo.toml`.
    ("bunraku_test_support", "insta"),
    ("bunraku_test_support", "mcap"),
];

/// Sources of Rust in a directory and its directories, but for those of other packages.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    for path in paths.filter(|path| !path.is_symlink()) {
        if !path.is_dir() {
            found.extend(path.extension().is_some_and(|end| end == "rs").then_some(path));
        } else if !path.ends_with("target") && !path.join("Cargo.toml").is_file() {
            found.extend(sources(&path));
        }
    }
    found
}

/// Words of code, without comments.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')))
}

/// The dependencies of a package, as `cargo metadata` has it, that no source of it names.
fn unused(package: &Value) -> Vec<(&str, &str)> {
    let directory = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
    let [mut of_all, mut of_library] = [BTreeSet::new(), BTreeSet::new()];
    for path in sources(directory) {
        let text = fs::read_to_string(&path).unwrap();
        let words = words(&text).map(str::to_owned);
        if path.starts_with(directory.join("src")) { of_library.extend(words) } else { of_all.extend(words) }
    }
    of_all.extend(of_library.iter().cloned());
    let dependencies = package["dependencies"].as_array().unwrap().iter();
    let is_unused = |dependency: &&Value| {
        let name = dependency["rename"].as_str().unwrap_or_else(|| dependency["name"].as_str().unwrap());
        // What only tests and examples use belongs to `dev-dependencies`.
        let used = if dependency["kind"].is_null() { &of_library } else { &of_all };
        !used.contains(&name.replace('-', "_"))
    };
    dependencies
        .filter(is_unused)
        .map(|dependency| (package["name"].as_str().unwrap(), dependency["name"].as_str().unwrap()))
        .collect()
}

#[test]
fn each_crate_uses_its_dependencies() {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--no-deps", "--format-version", "1"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    let metadata: Value = serde_json::from_slice(&cargo.stdout).unwrap();
    let unused: BTreeSet<(&str, &str)> = metadata["packages"].as_array().unwrap().iter().flat_map(unused).collect();
    assert_eq!(unused, BTreeSet::from(FOR_FEATURES));
}
