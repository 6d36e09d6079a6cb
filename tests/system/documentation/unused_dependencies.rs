//! Each crate uses what its `Cargo.toml` depends on. Tests inside `src` count as the library.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use serde_json::Value;

use super::names::add_words;
use super::third_party::metadata;

/// Crates and dependencies that no source names, because only their features are wanted.
const FOR_FEATURES: [(&str, &str); 3] = [
    // `serde-serialize` for snapshots of rapier's own step.
    ("bunraku_physics", "rapier3d"),
    // Their features are on in the tests of other crates; the `Cargo.toml` of `bunraku_test_support` has the reason.
    ("bunraku_test_support", "insta"),
    ("bunraku_test_support", "mcap"),
];

/// The dependencies of a package, as `cargo metadata` has it, that no source of it names.
fn unused(package: &Value) -> Vec<(&str, &str)> {
    let directory = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
    let [mut library, mut all] = [HashSet::new(), HashSet::new()];
    for target in package["targets"].as_array().unwrap() {
        let sources = Path::new(target["src_path"].as_str().unwrap()).parent().unwrap();
        add_words(sources, if sources.starts_with(directory.join("src")) { &mut library } else { &mut all });
    }
    all.extend(library.iter().cloned());
    let is_used = |dependency: &Value| {
        let name = dependency["rename"].as_str().unwrap_or_else(|| dependency["name"].as_str().unwrap());
        // A dependency that only tests and examples use belongs in `dev-dependencies`.
        let words = if dependency["kind"].is_null() { &library } else { &all };
        words.contains(&name.replace('-', "_"))
    };
    let dependencies = package["dependencies"].as_array().unwrap().iter().filter(|dependency| !is_used(dependency));
    dependencies.map(|dependency| (package["name"].as_str().unwrap(), dependency["name"].as_str().unwrap())).collect()
}

#[test]
fn each_crate_uses_its_dependencies() {
    let metadata = metadata();
    let ours = metadata["packages"].as_array().unwrap().iter().filter(|package| package["source"].is_null());
    let unused: BTreeSet<(&str, &str)> = ours.flat_map(unused).collect();
    assert_eq!(unused, BTreeSet::from(FOR_FEATURES));
}
