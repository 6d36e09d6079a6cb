//! The format key by key: every key of the manual, and every further key in `docs/reference/body-format.md`, is used in a small
//! model and has the documented effect on the body.

mod bodies;
mod devices;
mod differences;
mod documentation;
mod equipment;
mod example;
mod geometry;
mod links;
mod looks;
mod manual_keys;
mod own_examples;
mod structure;

use std::collections::BTreeSet;

use example::{Example, Files};

/// All examples, by the parts of the manual.
fn examples() -> Vec<Example> {
    let parts = [
        bodies::examples(),
        links::examples(),
        structure::examples(),
        geometry::examples(),
        looks::examples(),
        devices::examples(),
        equipment::examples(),
    ];
    parts.into_iter().flatten().collect()
}

/// Pairs of node and key that [`examples`] cover.
fn exercised() -> BTreeSet<(&'static str, &'static str)> {
    examples().iter().map(|example| (example.node, example.key)).collect()
}

#[test]
fn every_key_has_its_effect_under_every_spelling() {
    let files = Files::new();
    let failures: Vec<String> = examples().iter().flat_map(|example| example.failures(&files)).collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_key_of_the_manual_is_exercised() {
    let exercised = exercised();
    let missing: Vec<_> = manual_keys::pairs().filter(|pair| !exercised.contains(pair)).collect();
    assert!(missing.is_empty(), "no example uses {missing:?}");
}
