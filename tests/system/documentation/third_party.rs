//! Licences and sources of other people's crates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::pages::root;

/// An expression of licences: a choice of licences that all apply.
fn choices(expression: &str) -> Vec<BTreeSet<String>> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let (found, rest) = any(&words);
    assert!(rest.is_empty(), "licence `{expression}`");
    found
}

fn any<'a>(words: &'a [&'a str]) -> (Vec<BTreeSet<String>>, &'a [&'a str]) {
    let (mut found, mut rest) = all(words);
    while let Some(("OR", after)) = rest.split_first().map(|(word, after)| (*word, after)) {
        let (others, after) = all(after);
        found.extend(others);
        rest = after;
    }
    (found, rest)
}

fn all<'a>(words: &'a [&'a str]) -> (Vec<BTreeSet<String>>, &'a [&'a str]) {
    let (mut found, mut rest) = one(words);
    while let Some(("AND", after)) = rest.split_first().map(|(word, after)| (*word, after)) {
        let (others, after) = one(after);
        found = found.iter().flat_map(|one| others.iter().map(move |other| one | other)).collect();
        rest = after;
    }
    (found, rest)
}

fn one<'a>(words: &'a [&'a str]) -> (Vec<BTreeSet<String>>, &'a [&'a str]) {
    match words {
        ["(", inside @ ..] => {
            let (found, rest) = any(inside);
            assert_eq!(rest.first(), Some(&")"), "{words:?}");
            (found, &rest[1..])
        }
        [name, "WITH", exception, rest @ ..] => (vec![BTreeSet::from([format!("{name} WITH {exception}")])], rest),
        [name, rest @ ..] => (vec![BTreeSet::from([(*name).to_owned()])], rest),
        [] => panic!("a licence is missing"),
    }
}

/// Crates of the program, the window, ROS 2 and the Python package, with those that only build or test them.
pub fn metadata() -> Value {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1", "--features", "viewer,ros2"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    serde_json::from_slice(&cargo.stdout).unwrap()
}

/// Texts of a list in `deny.toml`, and the expressions of licences of crates that have none.
fn policy() -> (BTreeSet<String>, BTreeMap<String, String>) {
    let text = fs::read_to_string(root().join("deny.toml")).unwrap();
    let list = text.split_once("allow = [").unwrap().1.split_once("\n]").unwrap().0;
    let allowed = list.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\",")).map(str::to_owned);
    let value = |text: &str, key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        line.trim_start_matches(" = ").trim_matches('"').to_owned()
    };
    let clarified =
        text.split("[[licenses.clarify]]").skip(1).map(|part| (value(part, "crate"), value(part, "expression")));
    (allowed.collect(), clarified.collect())
}

/// Packages that normal dependencies lead to from our own.
fn shipped(metadata: &Value) -> BTreeSet<&str> {
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let by_id: BTreeMap<&str, &Value> = nodes.iter().map(|node| (node["id"].as_str().unwrap(), node)).collect();
    let roots = ["bunraku", "bunraku_python"];
    let mut waiting: Vec<&str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|package| roots.contains(&package["name"].as_str().unwrap()))
        .map(|package| package["id"].as_str().unwrap())
        .collect();
    let mut found = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !found.insert(id) {
            continue;
        }
        let dependencies = by_id[id]["deps"].as_array().unwrap().iter();
        let is_normal = |kinds: &Value| kinds.as_array().unwrap().iter().any(|kind| kind["kind"].is_null());
        waiting.extend(dependencies.filter(|one| is_normal(&one["dep_kinds"])).map(|one| one["pkg"].as_str().unwrap()));
    }
    found
}

#[test]
fn licences_and_sources_of_all_crates_are_allowed_and_the_list_is_up_to_date() {
    let (allowed, clarified) = policy();
    let metadata = metadata();
    let shipped = shipped(&metadata);
    let mut page = "# Crates of other people\n\n\
        What the program, its window, its part for ROS 2 and the Python package contain, made from `Cargo.lock`. The licences that may be are in `deny.toml`; of a \
        choice one applies.\n\n| crate | version | licence | source |\n|---|---|---|---|\n"
        .to_owned();
    for package in metadata["packages"].as_array().unwrap().iter().filter(|package| !package["source"].is_null()) {
        let [name, version] = ["name", "version"].map(|key| package[key].as_str().unwrap());
        assert_eq!(package["source"], "registry+https://github.com/rust-lang/crates.io-index", "{name}");
        let licence = clarified.get(name).map(String::as_str).or(package["license"].as_str());
        let licence = licence.unwrap_or_else(|| panic!("`{name}` tells no licence"));
        assert!(choices(licence).iter().any(|all| all.is_subset(&allowed)), "`{name}` has the licence `{licence}`");
        if shipped.contains(package["id"].as_str().unwrap()) {
            let source = package["repository"].as_str().unwrap_or("crates.io");
            page += &format!("| {name} | {version} | {licence} | {source} |\n");
        }
    }
    let path = root().join("THIRD_PARTY.md");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&path, &page).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == page,
        "THIRD_PARTY.md is stale: `INSTA_UPDATE=always cargo test --test system third_party` writes it"
    );
}

#[test]
fn a_licence_that_nobody_may_choose_is_found() {
    let allowed = BTreeSet::from(["MIT", "Zlib"].map(str::to_owned));
    let is_allowed = |licence: &str| choices(licence).iter().any(|all| all.is_subset(&allowed));
    for licence in ["MIT", "GPL-2.0-only OR MIT", "Apache-2.0/MIT", "Zlib AND (MIT OR Apache-2.0)"] {
        assert!(is_allowed(licence), "{licence}");
    }
    for licence in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT OR Apache-2.0) AND OFL-1.1", "MIT WITH Something"] {
        assert!(!is_allowed(licence), "{licence}");
    }
}
