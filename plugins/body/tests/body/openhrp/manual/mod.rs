//! The format field by field: every field of the manual, and every further field in `docs/reference/openhrp-format.md`, is used
//! in a small model and has the documented effect on the body.

mod declared;
mod documentation;
mod example;
mod links;
mod own_examples;
mod sensors;
mod vrml_nodes;

use std::collections::BTreeSet;

use example::Example;

use crate::openhrp::Files;

/// All examples, by the parts of the manual.
fn examples() -> Vec<Example> {
    links::examples().into_iter().chain(sensors::examples()).collect()
}

/// Pairs of node and field that [`examples`] cover.
fn exercised() -> BTreeSet<(&'static str, &'static str)> {
    examples().iter().map(|example| (example.node, example.field)).collect()
}

#[test]
fn every_field_has_its_effect() {
    let files = Files::new();
    let failures: Vec<String> = examples().iter().flat_map(|example| example.failures(&files)).collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_field_of_the_manual_is_exercised() {
    let exercised = exercised();
    let missing: Vec<_> = declared::pairs().into_iter().filter(|pair| !exercised.contains(pair)).collect();
    assert!(missing.is_empty(), "no example uses {missing:?}");
}
