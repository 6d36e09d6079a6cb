//! Other versions of the format than that of the manual, and both spellings of every key.

use bunraku_motion::{OtherFrames, OtherSequence};

use crate::common::{error, read, read_clean};

/// A motion with every main component, in the notation of a version.
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
fn each_version_in_its_own_spelling() {
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
fn future_versions_are_refused() {
    let text = "type: CompositeSeq\nformatVersion: 5\ncomponents: []\n";
    assert!(error(text).starts_with("m.seq:2:16: error[unknown-version]"), "{}", error(text));
}

#[test]
fn a_key_of_the_component_comes_before_an_inherited_one() {
    let text = "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframe_rate: 10\nnumParts: 2\ncomponents:\n  -\n    type: MultiValueSeq\n    \
                content: JointDisplacement\n    frameRate: 40\n    frames:\n      - [ 1, 2 ]\n";
    // The original looks for `frame_rate` first, in the component or above it; the manual specifies no such order.
    let (motion, findings) = read(text);
    let motion = motion.unwrap();
    assert_eq!((motion.frame_rate, motion.num_joints()), (40.0, 2));
    assert!(findings.len() == 1 && findings[0].starts_with("m.seq:10:16: note[manual-wins]"), "{findings:?}");
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
    let text = "type: CompositeSeq\ncontent: BodyMotion\nformat_version: 2\nframe_rate: 10\nnum_frames: 1\nhas_frame_time: true\ncomponents:\n  -\n    \
                type: MultiValueSeq\n    content: JointDisplacement\n    num_parts: 1\n    part_labels: [ A ]\n    frames:\n      \
                - [ 0, 2 ]\n  -\n    type: Vector3Seq\n    content: ZMP\n    is_root_relative: true\n    frames:\n      \
                - [ 0, 1, 2, 3 ]\n";
    let motion = read_clean(text);
    assert!(motion.zmp.unwrap().root_relative);
    let both = text.replace("num_parts: 1", "num_parts: 1\n    numParts: 1");
    assert!(read(&both).1[0].contains("warning[same-key-twice]"));
}

/// A file of a version with one component.
fn one(version: &str, component: &str) -> String {
    let is_new = version.parse::<f64>().is_ok_and(|version| version >= 2.0);
    let top = if is_new { "CompositeSeq\ncontent: BodyMotion" } else { "BodyMotion" };
    let version = if version.is_empty() { String::new() } else { format!("formatVersion: {version}\n") };
    format!("type: {top}\n{version}frameRate: 10\ncomponents:\n  - {component}\n")
}

fn values(content: &str) -> String {
    format!("{{ type: MultiValueSeq, content: {content}, numParts: 1, frames: [ [ 1 ] ] }}")
}

fn poses(kind: &str, content: &str, format: &str) -> String {
    format!(
        "{{ type: {kind}, content: {content}, numParts: 1, {format}: XYZRPY, frames: [ [ [ 1, 0, 0, 0, 0, 0 ] ] ] }}"
    )
}

fn vectors(content: &str) -> String {
    format!("{{ type: Vector3Seq, content: {content}, frames: [ [ 1, 2, 3 ] ] }}")
}

/// Role that a component is read as; findings about a motion without links and joints are ignored.
fn taken_for(version: &str, component: &str) -> &'static str {
    let (motion, findings) = read(&one(version, component));
    let motion = motion.unwrap_or_else(|error| panic!("{version}: {error}"));
    assert!(findings.iter().all(|finding| finding.contains("[no-motion]")), "{findings:?}");
    match (&motion.link_positions, &motion.joint_displacements, &motion.zmp, motion.others.as_slice()) {
        (Some(_), None, None, []) => "links",
        (None, Some(_), None, []) => "joints",
        (None, None, Some(zmp), []) if zmp.root_relative => "relative zmp",
        (None, None, Some(_), []) => "zmp",
        (None, None, None, [OtherSequence { frames, .. }]) => match frames {
            OtherFrames::Values(_) => "values",
            OtherFrames::Poses(_) => "poses",
            OtherFrames::Vectors(_) => "vectors",
        },
        _ => panic!("{motion:?}"),
    }
}

#[test]
fn the_table_of_contents() {
    let (old, composite) = (["", "0", "1", "1.9"], ["2", "2.5", "3", "3.9", "4", "4.9"]);
    let is = |version: &str, major: &[char]| version.starts_with(major);
    for version in old {
        assert_eq!(taken_for(version, &values("JointPosition")), "joints");
        assert_eq!(taken_for(version, &values("JointDisplacement")), "values");
        assert_eq!(taken_for(version, &vectors("ZMP")), "zmp");
        assert_eq!(taken_for(version, &vectors("RelativeZMP")), "relative zmp");
        assert_eq!(taken_for(version, &vectors("RelativeZmp")), "relative zmp");
        assert_eq!(taken_for(version, &vectors("ZMPSeq")), "vectors");
        for kind in ["MultiSE3Seq", "MultiSe3Seq", "MultiAffine3Seq"] {
            assert_eq!(taken_for(version, &poses(kind, "LinkPosition", "format")), "links");
        }
        assert_eq!(taken_for(version, &values("JointPosition").replace("content", "purpose")), "joints");
        assert!(error(&one(version, &poses("MultiSE3Seq", "LinkPosition", "SE3Format"))).contains("no `format`"));
    }
    for version in composite {
        let three = is(version, &['3']);
        let pick = |of_three: &'static str, of_others: &'static str| if three { of_three } else { of_others };
        assert_eq!(taken_for(version, &values("JointDisplacement")), pick("values", "joints"));
        assert_eq!(taken_for(version, &values("MultiJointDisplacementSeq")), pick("joints", "values"));
        assert_eq!(taken_for(version, &values("JointPosition")), "values");
        assert_eq!(taken_for(version, &poses("MultiSE3Seq", "LinkPosition", "SE3Format")), pick("poses", "links"));
        assert_eq!(
            taken_for(version, &poses("MultiSE3Seq", "MultiLinkPositionSeq", "SE3Format")),
            pick("links", "poses")
        );
        assert_eq!(taken_for(version, &vectors("ZMP")), pick("vectors", "zmp"));
        assert_eq!(taken_for(version, &vectors("ZMPSeq")), if is(version, &['2']) { "vectors" } else { "zmp" });
        assert_eq!(taken_for(version, &vectors("RelativeZMP")), "vectors");
        assert!(error(&one(version, &poses("MultiSE3Seq", "LinkPosition", "format"))).contains("no `SE3Format`"));
        assert!(error(&one(version, &values("A").replace("content", "purpose"))).contains("no `content`"));
        // The content must match the type.
        assert_eq!(taken_for(version, &values("LinkPosition")), "values");
        assert_eq!(taken_for(version, &poses("MultiSE3Seq", "JointDisplacement", "SE3Format")), "poses");
        assert_eq!(taken_for(version, &vectors("LinkPosition")), "vectors");
        for kind in ["MultiSe3Seq", "MultiAffine3Seq", "MultiVector3Seq"] {
            let findings = read(&one(version, &poses(kind, "LinkPosition", "SE3Format"))).1;
            assert!(findings[0].contains("warning[unknown-component]"), "{findings:?}");
        }
    }
}

#[test]
fn both_spellings_of_every_key_in_every_version() {
    for (version, joints) in [("1", "JointPosition"), ("2", "JointDisplacement"), ("4", "JointDisplacement")] {
        let text = one(version, "{ type: MultiValueSeq, content: C, partLabels: [ A ], frameRate: 20, numParts: 1, numFrames: 1, frames: [ [ 1 ] ] }")
            .replace("content: C", &format!("content: {joints}"));
        let snake =
            [("formatV", "format_v"), ("frameR", "frame_r"), ("numP", "num_p"), ("numF", "num_f"), ("partL", "part_l")];
        let snake = snake.iter().fold(text.clone(), |text, (camel, snake)| text.replace(camel, snake));
        for text in [text, snake] {
            let joints = read_clean(&text).joint_displacements.unwrap();
            assert_eq!(
                (joints.frame_rate(), joints.num_parts(), joints.part_labels()),
                (20.0, 1, &["A".to_owned()][..])
            );
        }
    }
    for key in ["isRootRelative", "is_root_relative"] {
        for version in ["2", "4"] {
            assert_eq!(
                taken_for(version, &vectors("ZMP").replace("frames", &format!("{key}: true, frames"))),
                "relative zmp"
            );
        }
    }
    for key in ["hasFrameTime", "has_frame_time"] {
        let timed =
            values("A").replace("numParts: 1", &format!("numParts: 1, {key}: true")).replace("[ 1 ]", "[ 0.5, 1 ]");
        assert_eq!(taken_for("3", &timed), "values");
        for version in ["", "1"] {
            assert!(error(&one(version, &timed.replace("true", "false"))).contains("error[frame-time-version]"));
        }
    }
    let other = poses("MultiSE3Seq", "LinkPosition", "se3_format");
    assert!(error(&one("4", &other)).contains("no `SE3Format`"));
}

#[test]
fn the_content_of_the_top_level_has_no_effect() {
    let text = one("2", &values("JointDisplacement"));
    for (content, severity) in [("content: Anything\n", "warning"), ("content:\n", "note"), ("", "note")] {
        let (motion, findings) = read(&text.replace("content: BodyMotion\n", content));
        assert_eq!(motion.unwrap().num_joints(), 1, "{content}");
        assert!(findings.len() == 1 && findings[0].contains(&format!("{severity}[top-content]")), "{findings:?}");
    }
    // In version 1 the type determines the content.
    assert_eq!(read_clean(&one("1", &values("JointPosition"))).num_joints(), 1);
}

#[test]
fn every_key_of_the_top_is_inherited() {
    let component = poses("MultiSE3Seq", "LinkPosition", "SE3Format").replace("numParts: 1, SE3Format: XYZRPY, ", "");
    let zmp = vectors("ZMP");
    let text = one("2", &format!("{component}\n  - {zmp}")).replace(
        "components",
        "numParts: 1\nSE3Format: XYZRPY\nisRootRelative: true\npartLabels: [ A ]\noffsetTime: 3\ncomponents",
    );
    let motion = read_clean(&text);
    let links = motion.link_positions.unwrap();
    assert_eq!((links.num_parts(), links.start(), links.part_labels()), (1, 3.0, &["A".to_owned()][..]));
    assert!(motion.zmp.unwrap().root_relative);
}

#[test]
fn the_order_of_quaternions_that_the_manual_has_is_read_in_every_version() {
    for (version, content, format) in [
        ("1", "LinkPosition", "format"),
        ("2", "LinkPosition", "SE3Format"),
        ("3", "MultiLinkPositionSeq", "SE3Format"),
        ("4", "LinkPosition", "SE3Format"),
    ] {
        let text = poses("MultiSE3Seq", content, format)
            .replace("XYZRPY", "XYZQXQYQZQW")
            .replace("1, 0, 0, 0, 0, 0", "1, 2, 3, 0, 0, 1, 0");
        let motion = read_clean(&one(version, &text));
        assert_eq!(motion.link_positions.unwrap().values()[0].rotation.k, 1.0);
    }
}
