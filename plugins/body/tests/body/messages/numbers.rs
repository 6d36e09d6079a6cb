//! Misspelt keys and values of the wrong kind.

use crate::messages::Mistake;

#[test]
fn misspelt_key() {
    Mistake::links("  - name: BASE\n    joitAxis: X\n    mas: 2\n").shows("misspelt_key");
}

#[test]
fn key_like_no_other() {
    Mistake::links("  - name: BASE\n    smell_of_oil: 3\n").shows("key_like_no_other");
}

#[test]
fn word_for_a_number() {
    Mistake::links("  - name: BASE\n    mass: heavy\n").shows("word_for_a_number");
}

#[test]
fn list_for_a_number() {
    Mistake::links("  - name: BASE\n    mass: [ 1, 2 ]\n").shows("list_for_a_number");
}

#[test]
fn number_for_a_vector() {
    Mistake::links("  - name: BASE\n    translation: 1\n").shows("number_for_a_vector");
}

#[test]
fn wrong_vector_length() {
    Mistake::links("  - name: BASE\n    translation: [ 0, 1 ]\n    center_of_mass: [ 0, 0, 0, 1 ]\n")
        .shows("wrong_vector_length");
}

#[test]
fn word_in_a_vector() {
    Mistake::links("  - name: BASE\n    translation: [ 0, up, 0 ]\n").shows("word_in_a_vector");
}

#[test]
fn decimal_comma() {
    Mistake::links("  - name: BASE\n    mass: 1,5\n").shows("decimal_comma");
}

#[test]
fn number_with_a_unit() {
    Mistake::links("  - name: BASE\n    mass: 1.5 kg\n").shows("number_with_a_unit");
}

#[test]
fn infinite_number() {
    Mistake::links("  - name: BASE\n    mass: 1e999\n").shows("infinite_number");
}

#[test]
fn negative_mass() {
    Mistake::links("  - name: BASE\n    mass: -1\n").shows("negative_mass");
}

#[test]
fn wrong_inertia_length() {
    Mistake::links("  - name: BASE\n    inertia: [ 1, 0, 0, 1 ]\n").shows("wrong_inertia_length");
}

#[test]
fn impossible_inertia() {
    Mistake::links("  - name: BASE\n    inertia: [ 1, 0, 0, 1, 0, 5 ]\n").shows("impossible_inertia");
}

#[test]
fn rotation_without_an_angle() {
    Mistake::links("  - name: BASE\n    rotation: [ 0, 0, 1 ]\n").shows("rotation_without_an_angle");
}

#[test]
fn zero_rotation_axis() {
    Mistake::links("  - name: BASE\n    rotation: [ 0, 0, 0, 90 ]\n").shows("zero_rotation_axis");
}

#[test]
fn mapping_for_a_name() {
    Mistake::links("  - name: { first: BASE }\n").shows("mapping_for_a_name");
}

#[test]
fn link_that_is_a_word() {
    Mistake::links("  - BASE\n").shows("link_that_is_a_word");
}

#[test]
fn key_without_a_value() {
    Mistake::links("  - name: BASE\n    elements:\n      - type:\n").shows("key_without_a_value");
}
