//! Versions of the format beside that of the manual, and both spellings of every key.

mod common;

use common::{error, read, read_clean};

/// A motion with every main component, in the words of a version.
fn motion(top: &str, links: &str, joints: &str, zmp: &str, format: &str) -> String {
    format!(
        "{top}components:\n\
         \x20 -\n    type: MultiSE3Seq\n    content: {links}\n    num_parts: 1\n    frame_rate: 20\n    {format}: XYZRPY\n    \
         frames:\n      - [ [ 0, 0, 1, 0, 0, 0 ] ]\n\
         \x20 -\n    type: MultiValueSeq\n    content: {joints}\n    num_parts: 2\n    frame_rate: 20\n    frames:\n      \
         - [ 1, 2 ]\n\
         \x20 -\n    type: Vector3Seq\n    content: {zmp}\n    frame_rate: 20\n    frames:\n      - [ 1, 2, 3 ]\n"
    )
}

#[test]
fn each_version_in_its_own_words() {
    let composite = |version: &str| format!("type: CompositeSeq\ncontent: BodyMotion\nformat_version: {version}\n");
    for (text, relative) in [
        (motion("type: BodyMotion\n", "LinkPosition", "JointPosition", "ZMP", "format"), false),
        (
            motion("type: BodyMotion\nformatVersion: 1\n", "LinkPosition", "JointPosition", "RelativeZMP", "format"),
            true,
        ),
        (
            motion("type: BodyMotion\nformatVersion: 1.0\n", "LinkPosition", "JointPosition", "RelativeZmp", "format"),
            true,
        ),
        (motion(&composite("2"), "LinkPosition", "JointDisplacement", "ZMP", "SE3Format"), false),
        (motion(&composite("3"), "MultiLinkPositionSeq", "MultiJointDisplacementSeq", "ZMPSeq", "SE3Format"), false),
        (motion(&composite("4"), "LinkPosition", "JointDisplacement", "ZMPSeq", "SE3Format"), false),
        (motion(&composite("4"), "LinkPosition", "JointDisplacement", "ZMP", "SE3Format"), false),
    ] {
        let motion = read_clean(&text);
        assert_eq!((motion.frame_rate, motion.num_links(), motion.num_joints()), (20.0, 1, 2));
        assert_eq!(motion.zmp.unwrap().root_relative, relative);
        assert!(motion.others.is_empty());
    }
}

#[test]
fn the_oldest_words() {
    for kind in ["MultiSe3Seq", "MultiAffine3Seq"] {
        let text = motion("type: BodyMotion\n", "LinkPosition", "JointPosition", "ZMP", "format")
            .replace("MultiSE3Seq", kind)
            .replace("content:", "purpose:");
        assert_eq!(read_clean(&text).num_links(), 1);
    }
    let timed = motion("type: BodyMotion\nhasFrameTime: false\n", "LinkPosition", "JointPosition", "ZMP", "format");
    assert!(error(&timed).starts_with("m.seq:2:15: error[frame-time-version]"), "{}", error(&timed));
}

#[test]
fn words_of_another_version_are_other_sequences() {
    let top = "type: CompositeSeq\ncontent: BodyMotion\nformat_version: 3\n";
    let motion = read_clean(&motion(top, "MultiLinkPositionSeq", "JointDisplacement", "ZMP", "SE3Format"));
    assert!(motion.joint_displacements.is_none() && motion.zmp.is_none());
    assert_eq!(motion.others.len(), 2);
}

#[test]
fn versions_to_come_are_refused() {
    let text = "type: CompositeSeq\nformatVersion: 5\ncomponents: []\n";
    assert!(error(text).starts_with("m.seq:2:16: error[unknown-version]"), "{}", error(text));
}

#[test]
fn a_key_of_the_component_comes_before_an_inherited_one() {
    let text = "type: CompositeSeq\nformatVersion: 2\nframe_rate: 10\nnumParts: 2\ncomponents:\n  -\n    type: MultiValueSeq\n    \
                content: JointDisplacement\n    frameRate: 40\n    frames:\n      - [ 1, 2 ]\n";
    // The original looks for `frame_rate` first, at the component or above it; the manual knows no such order.
    let (motion, findings) = read(text);
    let motion = motion.unwrap();
    assert_eq!((motion.frame_rate, motion.num_joints()), (40.0, 2));
    assert!(findings.len() == 1 && findings[0].starts_with("m.seq:9:16: note[manual-wins]"), "{findings:?}");
    for same in
        [text.replace("frame_rate", "frameRate"), text.replace("frameRate", "frame_rate"), text.replace("10", "40")]
    {
        assert_eq!(read_clean(&same).frame_rate, 40.0);
    }
    let turned =
        text.replace("frameRate", "frame-rate").replace("frame_rate", "frameRate").replace("frame-rate", "frame_rate");
    assert_eq!(read_clean(&turned).frame_rate, 40.0);
}

#[test]
fn snake_case_is_read_everywhere() {
    let text = "type: CompositeSeq\nformat_version: 2\nframe_rate: 10\nnum_frames: 1\nhas_frame_time: true\ncomponents:\n  -\n    \
                type: MultiValueSeq\n    content: JointDisplacement\n    num_parts: 1\n    part_labels: [ A ]\n    frames:\n      \
                - [ 0, 2 ]\n  -\n    type: Vector3Seq\n    content: ZMP\n    is_root_relative: true\n    frames:\n      \
                - [ 0, 1, 2, 3 ]\n";
    let motion = read_clean(text);
    assert!(motion.zmp.unwrap().root_relative);
    let both = text.replace("num_parts: 1", "num_parts: 1\n    numParts: 1");
    assert!(read(&both).1[0].contains("warning[same-key-twice]"));
}
