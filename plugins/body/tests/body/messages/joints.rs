//! Mistakes in the joint keys of a link.

use crate::messages::Mistake;

/// A model with a link whose joint has these keys.
fn joint(keys: &str) -> Mistake {
    let lines: String = keys.lines().map(|line| format!("    {line}\n")).collect();
    Mistake::links(&format!("  - name: BASE\n  - name: ARM\n    parent: BASE\n{lines}"))
}

#[test]
fn unknown_joint_type() {
    joint("joint_type: revolut").shows("unknown_joint_type");
}

#[test]
fn joint_type_of_another_format() {
    joint("joint_type: continuous").shows("joint_type_of_another_format");
}

#[test]
fn joint_type_like_no_other() {
    joint("joint_type: helicoidal").shows("joint_type_like_no_other");
}

#[test]
fn bad_axis_letter() {
    joint("joint_type: revolute\njoint_axis: W").shows("bad_axis_letter");
}

#[test]
fn axis_of_two_numbers() {
    joint("joint_type: revolute\njoint_axis: [ 0, 1 ]").shows("axis_of_two_numbers");
}

#[test]
fn zero_axis() {
    joint("joint_type: revolute\njoint_axis: [ 0, 0, 0 ]").shows("zero_axis");
}

#[test]
fn range_of_three_numbers() {
    joint("joint_type: revolute\njoint_range: [ -90, 0, 90 ]").shows("range_of_three_numbers");
}

#[test]
fn range_in_words() {
    joint("joint_type: revolute\njoint_range: [ -90, endless ]").shows("range_in_words");
}

#[test]
fn crossing_limits() {
    joint("joint_type: revolute\njoint_range: [ 90, -90 ]\njoint_velocity_range: [ 1, -1 ]").shows("crossing_limits");
}

#[test]
fn start_outside_the_limits() {
    joint("joint_type: revolute\njoint_range: [ -10, 10 ]\njoint_angle: 30").shows("start_outside_the_limits");
}

#[test]
fn joint_id_beyond_reason() {
    joint("joint_type: revolute\njoint_id: 100000").shows("joint_id_beyond_reason");
}

#[test]
fn duplicate_joint_id() {
    Mistake::links(
        "  - name: BASE\n  - { name: A, parent: BASE, joint_type: revolute, joint_id: 0 }\n  - { name: B, parent: BASE, joint_type: revolute, joint_id: 0 }\n",
    )
    .shows("duplicate_joint_id");
}

#[test]
fn unused_joint_id() {
    joint("joint_type: revolute\njoint_id: 2").shows("unused_joint_id");
}

#[test]
fn unused_joint_ids_by_the_thousand() {
    joint("joint_type: revolute\njoint_id: 9999").shows("unused_joint_ids_by_the_thousand");
}

#[test]
fn unknown_actuation_mode() {
    joint("joint_type: revolute\nactuation_mode: torque").shows("unknown_actuation_mode");
}

#[test]
fn fractional_joint_id() {
    joint("joint_type: revolute\njoint_id: 0.5").shows("fractional_joint_id");
}
