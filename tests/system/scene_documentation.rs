//! `docs/reference/scene-format.md` matches the reader: its examples load without findings, and its tables have exactly the keys
//! of the examples.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bunraku::document::Value;
use bunraku::document::yaml::Document;
use bunraku::document::{Limits, Reporter, SourceFile};
use bunraku::prelude::*;
use bunraku::scene::SceneOptions;
use bunraku_test_support::TestFolder;

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/scene-format.md")).unwrap()
}

/// The examples, in order.
fn examples(page: &str) -> Vec<&str> {
    let parts = page.split("```yaml\n").skip(1);
    parts.map(|part| part.split("```").next().unwrap()).collect()
}

/// The keys in the first column of the tables, by section.
fn documented(page: &str) -> BTreeSet<String> {
    let mut section = String::new();
    let mut keys = BTreeSet::new();
    let mut has_keys = false;
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.trim_matches('`').to_owned();
        }
        // Other tables describe values.
        has_keys = line.starts_with("| key |") || (has_keys && line.starts_with('|'));
        let first = line.strip_prefix("| `").and_then(|rest| rest.split(" |").next());
        let names = first.filter(|_| has_keys).into_iter().flat_map(|first| first.split('`').step_by(2));
        for key in names.filter(|name| !name.is_empty()) {
            keys.insert(if section == "The top" { key.to_owned() } else { format!("{section}.{key}") });
        }
    }
    keys
}

/// Whether a key is that of a table, or one of those that a pattern stands for.
fn stands_for(documented: &str, key: &str) -> bool {
    let (before, after) = match documented.split_once("<quantity>") {
        Some(parts) => parts,
        None => match documented.split_once('…') {
            Some(parts) => parts,
            None => return documented == key,
        },
    };
    key.strip_prefix(before).is_some_and(|rest| rest.ends_with(after))
}

/// The keys that an example uses.
fn used(value: Value<'_>, section: &str, keys: &mut BTreeSet<String>) {
    // Keys inside these are data, not keys of scenes.
    const DATA: &[&str] = &[
        "effort",
        "joint_damping",
        "joint_displacements",
        "joint_friction",
        "joint_rest",
        "joint_stiffness",
        "joint_velocities",
        "kd",
        "kp",
        "lens",
        "sky",
        "sun",
        "velocity",
    ];
    for (key, _, inner) in value.entries().into_iter().flatten() {
        keys.insert(if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") });
        if !DATA.contains(&key) {
            used(inner, key, keys);
            for item in inner.items().into_iter().flatten() {
                used(item, key, keys);
            }
        }
    }
}

#[test]
fn every_example_is_a_scene_that_loads_without_findings() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let place = TestFolder::new();
    for folder in ["models", "motions", "sensors", "tasks"] {
        for file in fs::read_dir(assets.join(folder)).unwrap().map(|file| file.unwrap().path()) {
            if file.is_file() {
                place.write(Path::new(folder).join(file.file_name().unwrap()), fs::read(&file).unwrap());
            }
        }
    }
    let page = page();
    for (number, example) in examples(&page).into_iter().enumerate() {
        let file = place.write(format!("scenes/{number}.scene.yaml"), example);
        let reporter = Reporter::new();
        let scene = Scene::load(&file, &SceneOptions::default(), &reporter);
        let findings = reporter.into_diagnostics();
        assert!(findings.is_empty() && scene.is_some(), "example {number}: {findings:?}");
    }
}

#[test]
fn the_tables_have_the_keys_of_the_examples() {
    let page = page();
    let mut keys = BTreeSet::new();
    for example in examples(&page) {
        let source = SourceFile::from_text("example", example);
        let document = Document::parse(&source, &Limits::default(), &Reporter::new()).unwrap();
        used(document.root(), "", &mut keys);
    }
    let documented = documented(&page);
    let missing: Vec<_> = keys.iter().filter(|key| !documented.iter().any(|name| stands_for(name, key))).collect();
    let unused: Vec<_> = documented.iter().filter(|name| !keys.iter().any(|key| stands_for(name, key))).collect();
    assert!(missing.is_empty() && unused.is_empty(), "not in the tables: {missing:?}; not in an example: {unused:?}");
}
