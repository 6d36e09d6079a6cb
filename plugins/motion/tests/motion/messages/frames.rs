//! Mistakes in frames.

use crate::messages::{JOINTS, LINKS, file, says_nothing, shows, with};

#[test]
fn wrong_row_length() {
    shows(&with(JOINTS, "[ 2, 3 ]", "[ 2, 3, 4 ]"), "row_too_long");
    shows(&with(JOINTS, "[ 2, 3 ]", "[ 2 ] # note"), "row_too_short");
    shows(&with(LINKS, "1, 0, 0, 0 ] ]", "1, 0, 0, 0 ], [ 0 ] ]"), "too_many_poses");
    shows(&with(LINKS, "1, 0, 0, 0 ]", "1, 0, 0 ]"), "pose_too_short");
    shows(&with(LINKS, "[ [ 0, 0, 0, 1, 0, 0, 0 ] ]", "[ 0, 0, 0, 1, 0, 0, 0 ]"), "pose_without_its_own_list");
    let vectors = "  -\n    type: Vector3Seq\n    content: ZMP\n    frames:\n      - [ 1, 2 ]\n";
    shows(&file("frameRate: 10\n", vectors), "vector_too_short");
}

#[test]
fn numbers() {
    shows(&with(JOINTS, "[ 2, 3 ]", "[ 2, nan ]"), "not_a_number");
    shows(&with(JOINTS, "[ 2, 3 ]", "[ 2, .NaN ]"), "not_a_number_in_yaml");
    shows(&with(JOINTS, "[ 2, 3 ]", "[ inf, 3 ]"), "infinite");
    shows(&with(JOINTS, "[ 2, 3 ]", "[ 2, 1e999 ]"), "too_large");
    says_nothing(&with(JOINTS, "[ 2, 3 ]", "[ 2, 0x1F ]"));
    shows(&with(JOINTS, "[ 2, 3 ]", "[ 2, three ]"), "word");
    shows(&with(JOINTS, "[ 2, 3 ]", "[ 2,5, 3 ]"), "decimal_comma");
    shows(&with(JOINTS, "[ 2, 3 ]", "[ 2,, 3 ]"), "two_commas");
}

#[test]
fn quaternions() {
    shows(&with(LINKS, "1, 0, 0, 0 ]", "0, 0, 0, 0 ]"), "zero_quaternion");
    shows(&with(LINKS, "1, 0, 0, 0 ]", "0.9, 0, 0, 0 ]"), "quaternion_off_norm");
}

fn timed(frames: &str) -> String {
    file("frameRate: 10\nhasFrameTime: true\n", &JOINTS.replace("      - [ 0, 1 ]\n      - [ 2, 3 ]\n", frames))
}

#[test]
fn times() {
    shows(&timed("      - [ 1, 0, 0 ]\n      - [ 0.5, 0, 0 ]\n"), "time_goes_backward");
    shows(&timed("      - [ 1, 0, 0 ]\n      - [ 1, 0, 0 ]\n"), "time_stands_still");
    shows(&timed("      - [ -1, 0, 0 ]\n"), "negative_time");
    shows(&timed("      - [ 1, 0 ]\n"), "time_missing");
}

#[test]
fn a_truncated_file() {
    shows(file("frameRate: 10\nnumFrames: 2\n", JOINTS).trim_end_matches("3 ]\n"), "cut_off");
    shows(file("frameRate: 10\n", LINKS).trim_end_matches("[ 0, 0, 0, 1, 0, 0, 0 ] ]\n"), "cut_off_in_pose");
}
