//! Files of a crate do not depend on each other in cycles: lower files can be read and changed without the higher ones.
//! The few cycles that are real recursions are listed with their reasons.

mod graph;
mod module;
mod tokens;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use graph::{Needs, circles, needs};
use tokens::{Token, tokens};

/// Allowed cycles, as files relative to the root of the project, and their reasons.
const ALLOWED: &[(&[&str], &str)] = &[
    (
        &[
            "plugins/body/src/reader/elements.rs",
            "plugins/body/src/reader/resource_geometry.rs",
            "plugins/body/src/reader/shapes.rs",
        ],
        "an element may name a file, and a `.body` or YAML scene in it is made of elements",
    ),
    (
        &[
            "plugins/body/src/reader/links.rs",
            "plugins/body/src/reader/model.rs",
            "plugins/body/src/reader/sub_bodies.rs",
            "plugins/body/src/reader/wrapper.rs",
        ],
        "a model may have models inside it, as links or as the whole",
    ),
    (
        &["plugins/mesh/src/vrml/node_type.rs", "plugins/mesh/src/vrml/tree.rs", "plugins/mesh/src/vrml/value.rs"],
        "the value of a field may be a node, and a prototype is a type of nodes made of nodes",
    ),
];

/// The directories of Rust sources, one per crate.
fn crates(root: &Path) -> Vec<PathBuf> {
    let plugins = fs::read_dir(root.join("plugins")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let mut crates: Vec<_> =
        plugins.chain([root.join("src"), root.join("python/src"), root.join("tests/support/src")]).collect();
    crates.retain(|directory| directory.is_dir());
    crates.sort();
    crates
}

fn sources(directory: &Path, below: &str, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            sources(&path, &format!("{name}/"), files);
        } else if name.ends_with(".rs") {
            files.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

/// All words of the sources, without comments and strings.
pub fn words_of_sources(root: &Path) -> HashSet<String> {
    let mut files = BTreeMap::new();
    for directory in crates(root) {
        sources(&directory, &format!("{}/", directory.display()), &mut files);
    }
    let words = files.values().flat_map(|text| tokens(text)).filter_map(|token| match token {
        Token::Word(word) => Some(word.to_owned()),
        _ => None,
    });
    words.collect()
}

/// All cycles of the project, with the items that each of their files uses of the others.
fn all_circles(root: &Path) -> BTreeMap<Vec<String>, String> {
    let mut all = BTreeMap::new();
    for directory in crates(root) {
        let mut files = BTreeMap::new();
        sources(&directory, "", &mut files);
        let needs = needs(&files);
        let below = directory.strip_prefix(root).unwrap().to_str().unwrap();
        for circle in circles(&needs) {
            let described = describe(&circle, &needs);
            all.insert(circle.iter().map(|file| format!("{below}/{file}")).collect(), described);
        }
    }
    all
}

fn describe(circle: &[String], needs: &Needs) -> String {
    let mut text = String::new();
    for file in circle {
        let others: Vec<_> = needs[file].iter().filter(|other| circle.contains(other)).map(String::as_str).collect();
        writeln!(text, "    {file} needs {}", others.join(", ")).unwrap();
    }
    text
}

#[test]
fn files_depend_on_each_other_in_a_cycle_only_where_that_is_allowed() {
    let found = all_circles(Path::new(env!("CARGO_MANIFEST_DIR")));
    let allowed: BTreeSet<Vec<String>> =
        ALLOWED.iter().map(|(files, _)| files.iter().map(|file| (*file).to_owned()).collect()).collect();
    let mut message = String::new();
    for (files, described) in found.iter().filter(|(files, _)| !allowed.contains(*files)) {
        writeln!(message, "these files need each other: {}\n{described}", files.join(" ")).unwrap();
    }
    for files in allowed.iter().filter(|files| !found.contains_key(*files)) {
        writeln!(message, "this cycle is allowed, but does not exist: {}", files.join(" ")).unwrap();
    }
    assert!(message.is_empty(), "{message}");
}
