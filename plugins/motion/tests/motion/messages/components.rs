//! Errors in the header of a component.

use crate::messages::{JOINTS, LINKS, file, says_nothing, shows, with};

#[test]
fn missing_keys() {
    shows(&with(JOINTS, "    numParts: 2\n", ""), "missing_num_parts");
    shows(&with(JOINTS, "    type: MultiValueSeq\n", ""), "missing_type");
    shows(&with(JOINTS, "    content: JointDisplacement\n", ""), "missing_content");
    shows(&with(LINKS, "    SE3Format: XYZQWQXQYQZ\n", ""), "missing_format");
    shows(&file("", JOINTS), "no_rate");
    shows(&file("hasFrameTime: true\n", &JOINTS.replace("numParts: 2", "numParts: 1")), "no_rate_to_import_at");
    shows(&with(JOINTS, "    frames:\n      - [ 0, 1 ]\n      - [ 2, 3 ]\n", ""), "missing_frames");
}

#[test]
fn invalid_values() {
    shows(&with(LINKS, "XYZQWQXQYQZ", "XYZQWQXQYZ"), "unknown_format");
    shows(&with(LINKS, "XYZQWQXQYQZ", "Matrix"), "format_like_no_other");
    shows(&with(JOINTS, "numParts: 2", "numParts: 0"), "no_parts");
    let timed = JOINTS.replace("numParts: 2", "numParts: 1");
    shows(&file("frameRate: 1\nhasFrameTime: true\noffsetTime: 1\n", &timed), "offset_of_times");
    shows(&file("offsetTime: later\nframeRate: 1\n", JOINTS), "offset_word");
    shows(&file("frameRate: 0\n", JOINTS), "rate_zero");
    shows(&file("frameRate: fast\n", JOINTS), "rate_word");
    shows(&with(JOINTS, "numParts: 2", "numParts: 1000000000"), "a_billion_parts");
}

#[test]
fn empty_frames() {
    shows(&with(JOINTS, "    frames:\n      - [ 0, 1 ]\n      - [ 2, 3 ]\n", "    frames: []\n"), "empty_frames");
    shows(&with(JOINTS, "      - [ 0, 1 ]\n      - [ 2, 3 ]\n", ""), "frames_without_value");
}

#[test]
fn claimed_frames() {
    shows(&file("frameRate: 10\nnumFrames: 1000000000\n", JOINTS), "a_billion_frames_claimed");
    shows(&with(JOINTS, "numParts: 2", "numParts: 2\n    numFrames: 3"), "one_frame_too_many_claimed");
}

#[test]
fn unknown_content_is_kept() {
    shows(&file("frameRate: 10\nauthor: A\n", JOINTS), "unknown_top_key");
    shows(&with(JOINTS, "numParts: 2", "numParts: 2\n    frameRte: 5"), "misspelt_key");
    let forces = "  -\n    type: MultiVector3Seq\n    content: Forces\n    frames:\n      - [ [ 1, 2, 3 ] ]\n";
    shows(&file("frameRate: 10\n", &format!("{JOINTS}{forces}")), "unknown_component");
    let misspelt = format!("{JOINTS}{}", forces.replace("Vector3", "SE4"));
    shows(&file("frameRate: 10\n", &misspelt), "misspelt_component");
    shows(&file("frameRate: &r 10\nrate: *r\n", JOINTS), "key_that_cannot_be_kept");
}

#[test]
fn components_together() {
    shows(&file("frameRate: 10\n", &format!("{JOINTS}{JOINTS}")), "same_component_twice");
    let short = LINKS.replacen("      - [ [ 0, 0, 0, 1, 0, 0, 0 ] ]\n", "", 1);
    shows(&file("frameRate: 10\n", &format!("{JOINTS}{short}")), "unequal_length");
    shows(&with(JOINTS, "JointDisplacement", "JointPosition"), "content_of_another_version");
    let zmp = "  -\n    type: Vector3Seq\n    content: ZMP\n    frames:\n      - [ 0, 0, 0 ]\n";
    says_nothing(&file("frameRate: 10\n", zmp));
}

#[test]
fn the_word_of_the_manual() {
    shows(
        &with(JOINTS, "numParts: 2", "numParts: 2\n    frameRate: 20").replace("\nframeRate: 10", "\nframe_rate: 10"),
        "rate_of_the_component_counts",
    );
}
