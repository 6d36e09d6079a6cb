//! The examples of the format's manual, one by one, and its statements on reading, sentence by sentence.

use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, OtherFrames, Sampling, Zmp};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::common::{read, read_clean, version_2};

/// A component that completes a motion.
const JOINT: &str = "  -
    type: MultiValueSeq
    content: JointDisplacement
    numParts: 1
    frameRate: 100
    frames:
      - [ 0 ]
";

#[test]
fn basic_structure() {
    let motion = read_clean(
        "\
# Top node
type: CompositeSeq
content: BodyMotion
formatVersion: 2
frameRate: 1000
numFrames: 2
components:
  -
    # Component 1
    type: MultiSE3Seq
    content: LinkPosition
    numParts: 1
    frameRate: 1000
    numFrames: 2
    SE3Format: XYZQWQXQYQZ
    frames:
      # Component 1 frame data
      - [ [ 1, 2, 3, 1, 0, 0, 0 ] ]
      - [ [ 1, 2, 4, 0, 0, 0, 1 ] ]
  -
    # Component 2
    type: MultiValueSeq
    content: JointDisplacement
    numParts: 2
    frameRate: 1000
    numFrames: 2
    frames:
      # Component 2 frame data
      - [ 0.1, 0.2 ]
      - [ 0.3, 0.4 ]
",
    );
    assert_eq!(motion.frame_rate, 1000.0);
    assert_eq!((motion.num_frames(), motion.duration()), (2, 0.001));
    let links = motion.link_positions.unwrap();
    assert_eq!(links.frame(0), [Isometry3::translation(1.0, 2.0, 3.0)]);
    assert_eq!(links.frame(1)[0].rotation.k, 1.0);
    assert_eq!(motion.joint_displacements.unwrap().values(), [0.1, 0.2, 0.3, 0.4]);
}

#[test]
fn joint_displacement() {
    let motion = read_clean(&version_2(
        "",
        "  -
    type: MultiValueSeq
    content: JointDisplacement
    numParts: 2
    frameRate: 100
    numFrames: 5
    frames:
      - [ 0.0, 0.0 ]
      - [ 0.01, 0.01 ]
      - [ 0.01, 0.02 ]
      - [ 0.02, 0.03 ]
      - [ 0.02, 0.04 ]
",
    ));
    let joints = motion.joint_displacements.unwrap();
    assert_eq!((joints.num_parts(), joints.num_frames(), joints.frame_rate()), (2, 5, 100.0));
    assert_eq!(joints.frame(3), [0.02, 0.03]);
    assert!(motion.link_positions.is_none());
}

#[test]
fn link_position_in_all_formats() {
    let q = UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1);
    let (w, x, y, z) = (q.w, q.i, q.j, q.k);
    for (format, numbers) in [
        ("XYZQWQXQYQZ", format!("-2, -0.5, 0.1, {w}, {x}, {y}, {z}")),
        ("XYZQXQYQZQW", format!("-2, -0.5, 0.1, {x}, {y}, {z}, {w}")),
        ("XYZRPY", "-2, -0.5, 0.1, 0.3, 0.2, 0.1".to_owned()),
    ] {
        let motion = read_clean(&version_2(
            "frameRate: 100\nnumFrames: 1\n",
            &format!(
                "  -\n    type: MultiSE3Seq\n    content: LinkPosition\n    numParts: 2\n    SE3Format: {format}\n    \
                 frames:\n      - [ [ {numbers} ], [ {numbers} ] ]\n"
            ),
        ));
        let links = motion.link_positions.unwrap();
        let expected = Isometry3::from_parts(Translation3::new(-2.0, -0.5, 0.1), q);
        for pose in links.frame(0) {
            assert!((pose.inverse() * expected).translation.vector.norm() < 1e-12);
            assert!(pose.rotation.angle_to(&q) < 1e-9, "{format}");
        }
    }
}

#[test]
fn zmp() {
    let component = "  -
    type: Vector3Seq
    content: ZMP
    frameRate: 100
    numFrames: 2
    frames:
      - [ 0.0, 0.0, 0.0 ]
      - [ 0.0, 0.001, 0.0 ]
";
    let motion = read_clean(&version_2("", &format!("{component}{JOINT}")));
    let Zmp { root_relative, frames } = motion.zmp.unwrap();
    assert!(!root_relative);
    assert_eq!(frames.frame(1), [Vector3::new(0.0, 0.001, 0.0)]);

    let relative = component.replace("    frames:", "    isRootRelative: true\n    frames:");
    assert!(read_clean(&version_2("", &format!("{relative}{JOINT}"))).zmp.unwrap().root_relative);
}

#[test]
fn frames_with_times() {
    let frames = "  -
    type: MultiValueSeq
    content: JointDisplacement
    numParts: 2
    numFrames: 5
    hasFrameTime: true
    frames:
      - [ 0.0, 0.0, 0.0 ]
      - [ 0.1, 0.01, 0.01 ]
      - [ 0.3, 0.01, 0.02 ]
      - [ 0.4, 0.02, 0.03 ]
      - [ 0.7, 2, 0.04 ]
  -
    type: MultiSE3Seq
    content: LinkPosition
    numParts: 1
    numFrames: 5
    hasFrameTime: true
    SE3Format: XYZQWQXQYQZ
    frames:
      - [ 0.0, [ -2, -0.5, 0.0, 1, 0, 0, 0 ] ]
      - [ 0.1, [ -2, -0.5, 0.1, 1, 0, 0, 0 ] ]
      - [ 0.3, [ -2, -0.5, 0.3, 1, 0, 0, 0 ] ]
      - [ 0.4, [ -2, -0.5, 0.4, 1, 0, 0, 0 ] ]
      - [ 0.7, [ -2, -0.5, 0.7, 1, 0, 0, 0 ] ]
";
    let inherited = frames.replace("    hasFrameTime: true\n", "");
    for text in [
        version_2("frameRate: 10\n", frames),
        version_2("frameRate: 10\nhasFrameTime: true\n", &inherited),
        version_2("frame_rate: 10\nhas_frame_time: yes\n", &inherited),
    ] {
        let motion = read_clean(&text);
        assert_eq!(motion.joint_displacements.as_ref().unwrap().times(), Some(&[0.0, 0.1, 0.3, 0.4, 0.7][..]));
        let motion = motion.import(Sampling::Hold).unwrap();
        let joints: Vec<f64> = motion.joint_displacements.unwrap().frames().map(|frame| frame[1]).collect();
        assert_eq!(joints, [0.0, 0.01, 0.01, 0.02, 0.03, 0.03, 0.03, 0.04]);
        let heights: Vec<f64> = motion.link_positions.unwrap().frames().map(|f| f[0].translation.z).collect();
        assert_eq!(heights, [0.0, 0.1, 0.1, 0.3, 0.4, 0.4, 0.4, 0.7]);
    }
}

#[test]
fn times_that_are_the_same_and_rates_that_are_missing() {
    let timed = |rate: &str, frames: &str| {
        let header = "  -\n    type: MultiValueSeq\n    content: JointDisplacement\n    numParts: 1\n    frames:\n";
        let (motion, findings) = read(&version_2(&format!("{rate}hasFrameTime: true\n"), &format!("{header}{frames}")));
        (motion.unwrap().joint_displacements.unwrap(), findings)
    };
    let (joints, findings) = timed("frameRate: 10\n", "      - [ 0, 1 ]\n      - [ 0, 2 ]\n      - [ 0, 3 ]\n");
    assert_eq!((joints.values(), joints.times()), (&[3.0][..], Some(&[0.0][..])));
    let same = "m.seq:13:11: warning[same-time]: two frames have the same time of 0 s; the later one counts";
    assert!(findings.len() == 1 && findings[0].starts_with(same), "{findings:?}");
    // The default rate is that of the original.
    let (joints, findings) = timed("", "      - [ 0, 1 ]\n      - [ 0.02, 2 ]\n");
    assert_eq!((joints.frame_rate(), joints.num_frames()), (100.0, 2));
    assert!(findings[0].contains("note[no-frame-rate]"), "{findings:?}");
}

#[test]
fn json() {
    let motion = read_clean(
        r#"{ "type": "CompositeSeq", "content": "BodyMotion", "formatVersion": 2, "frameRate": 50, "numFrames": 2,
  "components": [
    { "type": "MultiValueSeq", "content": "JointDisplacement", "numParts": 2, "frames": [ [ 0, 1 ], [ 2, 3 ] ] },
    { "type": "MultiSE3Seq", "content": "LinkPosition", "numParts": 1, "SE3Format": "XYZQWQXQYQZ",
      "frames": [ [ [ 0, 0, 1, 1, 0, 0, 0 ] ], [ [ 0, 0, 2, 1, 0, 0, 0 ] ] ] }
  ] }"#,
    );
    assert_eq!(motion.joint_displacements.unwrap().values(), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(motion.link_positions.unwrap().frame(1)[0].translation.z, 2.0);
}

#[test]
fn block_style_frames_and_frames_over_lines() {
    let motion = read_clean(&version_2(
        "frameRate: 1\n",
        "  - type: MultiValueSeq\n    content: JointDisplacement\n    numParts: 2\n    frames:\n    - [ 0,\n        1 ]\n    \
         -\n      - 2\n      - 3\n    - &last [ 4, 5 ]\n    - *last\n",
    ));
    assert_eq!(motion.joint_displacements.unwrap().values(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 4.0, 5.0]);
}

#[test]
fn other_contents_are_kept() {
    let motion = read_clean(&version_2(
        "frameRate: 1\n",
        &format!(
            "  -\n    type: MultiValueSeq\n    content: JointEffort\n    numParts: 1\n    frames:\n      - [ 7 ]\n  -\n    \
             type: Vector3Seq\n    content: CenterOfMass\n    frames:\n      - [ 1, 2, 3 ]\n{JOINT}"
        ),
    ));
    assert_eq!(motion.others.len(), 2);
    assert_eq!(motion.others[0].content, "JointEffort");
    let OtherFrames::Values(efforts) = &motion.others[0].frames else { panic!() };
    assert_eq!(efforts.values(), [7.0]);
    assert!(matches!(motion.others[1].frames, OtherFrames::Vectors(_)));
}

/// An example of a component as in the manuals: five frames of the hundred that it announces. The English manual lost
/// its indentation, which is restored here; the Japanese one has trailing blanks.
fn example(lines: &[&str]) -> Vec<String> {
    let text = lines.iter().map(|line| format!("  {line}\n")).collect::<String>();
    // The English manual has single blanks in its frames.
    let english = ["   ", "  "]
        .iter()
        .fold(text.clone(), |text, wide| text.replace(&format!(",{wide}"), ", ").replace(&format!("{wide}]"), " ]"));
    let japanese = text.replace("frames:\n", "frames: \n").replace("  -\n", "  - \n").replace('\n', "\r\n");
    vec![english, text, japanese.replace('\r', ""), japanese]
}

/// Reads examples of one component; the only finding is the number of omitted frames.
#[track_caller]
fn read_examples(top: &str, lines: &[&str], check: impl Fn(BodyMotion)) {
    for component in example(lines) {
        let (motion, findings) = read(&version_2(top, &component));
        assert!(findings.iter().all(|finding| finding.contains("[num-frames]")), "{findings:?}");
        check(motion.unwrap());
    }
}

const VALUES: [&str; 12] = [
    "-",
    "  type: MultiValueSeq",
    "  content: JointDisplacement",
    "  numParts: 2",
    "  frameRate: 100",
    "  numFrames: 100",
    "  frames:",
    "    - [ 0.0,  0.0  ]",
    "    - [ 0.01, 0.01 ]",
    "    - [ 0.01, 0.02 ]",
    "    - [ 0.02, 0.03 ]",
    "    - [ 0.02, 0.04 ]",
];

const TIMED_VALUES: [&str; 12] = [
    "-",
    "  type: MultiValueSeq",
    "  content: JointDisplacement",
    "  numParts: 2",
    "  numFrames: 100",
    "  hasFrameTime: true",
    "  frames:",
    "    - [ 0.0, 0.0,  0.0  ]",
    "    - [ 0.1, 0.01, 0.01 ]",
    "    - [ 0.3, 0.01, 0.02 ]",
    "    - [ 0.4, 0.02, 0.03 ]",
    "    - [ 0.7, 2,    0.04 ]",
];

#[test]
fn example_of_values() {
    read_examples("", &VALUES, |motion| {
        let joints = motion.joint_displacements.unwrap();
        assert_eq!((joints.num_parts(), joints.frame_rate(), joints.times()), (2, 100.0, None));
        assert_eq!(joints.values(), [0.0, 0.0, 0.01, 0.01, 0.01, 0.02, 0.02, 0.03, 0.02, 0.04]);
    });
}

#[test]
fn example_of_poses() {
    let mut lines = vec!["-", "  type: MultiSE3Seq", "  content: LinkPosition", "  numParts: 1", "  frameRate: 100"];
    lines.extend(["  numFrames: 100", "  SE3Format: XYZQWQXQYQZ", "  frames:"]);
    lines.extend(["    - [ [ -2, -0.5, 0.1, 1, 0, 0, 0 ] ]"; 5]);
    read_examples("", &lines, |motion| {
        let links = motion.link_positions.unwrap();
        assert_eq!((links.num_parts(), links.frame_rate()), (1, 100.0));
        assert_eq!(links.values(), [Isometry3::translation(-2.0, -0.5, 0.1); 5]);
    });
}

#[test]
fn example_of_vectors() {
    let mut lines = vec!["-", "  type: Vector3Seq", "  content: ZMP", "  frameRate: 100", "  numFrames: 100"];
    lines.extend(["  frames:", "    - [ 0.0, 0.0,   0.0 ]", "    - [ 0.0, 0.001, 0.0 ]", "    - [ 0.0, 0.002, 0.0 ]"]);
    lines.extend(["    - [ 0.0, 0.003, 0.0 ]", "    - [ 0.0, 0.004, 0.0 ]"]);
    read_examples("", &lines, |motion| {
        let expected = [0.0, 0.001, 0.002, 0.003, 0.004].map(|y| Vector3::new(0.0, y, 0.0));
        assert_eq!(motion.zmp.unwrap().frames.values(), expected);
    });
}

#[test]
fn example_of_timed_values() {
    let at_top: Vec<_> = TIMED_VALUES.into_iter().filter(|line| !line.contains("hasFrameTime")).collect();
    for (top, lines) in [("", TIMED_VALUES.to_vec()), ("hasFrameTime: true\n", at_top)] {
        read_examples(&format!("frameRate: 10\n{top}"), &lines, |motion| {
            let joints = motion.joint_displacements.unwrap();
            assert_eq!(joints.times(), Some(&[0.0, 0.1, 0.3, 0.4, 0.7][..]));
            // A frame has three numbers, but two parts.
            assert_eq!(joints.num_parts(), 2);
            assert_eq!(joints.values(), [0.0, 0.0, 0.01, 0.01, 0.01, 0.02, 0.02, 0.03, 2.0, 0.04]);
        });
    }
}

#[test]
fn example_of_timed_poses() {
    let mut lines = vec!["-", "  type: MultiSE3Seq", "  content: LinkPosition", "  numParts: 1", "  numFrames: 100"];
    lines.extend(["  hasFrameTime: true", "  SE3Format: XYZQWQXQYQZ", "  frames:"]);
    let frames =
        ["0.0", "0.1", "0.3", "0.4", "0.7"].map(|time| format!("    - [ {time}, [ -2, -0.5, 0.1, 1, 0, 0, 0 ] ]"));
    lines.extend(frames.iter().map(String::as_str));
    read_examples("frameRate: 100\n", &lines, |motion| {
        let links = motion.link_positions.unwrap();
        assert_eq!(links.times(), Some(&[0.0, 0.1, 0.3, 0.4, 0.7][..]));
        assert_eq!(links.values(), [Isometry3::translation(-2.0, -0.5, 0.1); 5]);
    });
}

#[test]
fn example_of_one_pose() {
    let motion = read_clean(&version_2(
        "frameRate: 1\n",
        "  - type: MultiSE3Seq\n    content: LinkPosition\n    numParts: 3\n    SE3Format: XYZQWQXQYQZ\n    frames:\n    \
         - [ [ 1, 2, 3, 1, 0, 0, 0 ], [ 1, 2, 3, 1, 0, 0, 0 ], [ 1, 2, 3, 1, 0, 0, 0 ] ]\n",
    ));
    assert_eq!(motion.link_positions.unwrap().values(), [Isometry3::translation(1.0, 2.0, 3.0); 3]);
}

#[test]
fn the_extension_may_be_that_of_yaml() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["m.seq", "m.yaml", "m.yml"] {
        let path = folder.path().join(name);
        std::fs::write(&path, version_2("", JOINT)).unwrap();
        assert_eq!(BodyMotion::load(&path, &Reporter::new()).unwrap().num_joints(), 1);
    }
}

#[test]
fn rates_and_counts_of_the_top_are_those_of_the_components() {
    let without = JOINT.replace("    frameRate: 100\n", "");
    assert_eq!(read_clean(&version_2("frameRate: 50\nnumFrames: 1\n", &without)).frame_rate, 50.0);
    // A component may have a different value, though it should not.
    assert_eq!(read_clean(&version_2("frameRate: 50\nnumFrames: 1\n", JOINT)).frame_rate, 100.0);
    let counted = JOINT.replace("    frames:", "    numFrames: 1\n    frames:");
    assert_eq!(read_clean(&version_2("numFrames: 7\n", &counted)).num_frames(), 1);
    // The actual number of frames is used.
    for claimed in
        [counted.replace("numFrames: 1", "numFrames: 7"), JOINT.replace("frames:", "numFrames: 0\n    frames:")]
    {
        let (motion, findings) = read(&version_2("", &claimed));
        assert_eq!(motion.unwrap().num_frames(), 1);
        assert!(findings.len() == 1 && findings[0].contains("warning[num-frames]"), "{findings:?}");
    }
}

#[test]
fn without_a_version_or_with_version_1_it_is_the_old_format() {
    for version in ["", "formatVersion: 1\n"] {
        let text = format!("type: BodyMotion\n{version}components:\n{}", JOINT.replace("Displacement", "Position"));
        assert_eq!(read_clean(&text).num_joints(), 1);
        assert!(read(&text.replace("BodyMotion", "CompositeSeq")).0.is_err());
    }
}

#[test]
fn vectors_have_no_number_of_parts() {
    let zmp = "  - type: Vector3Seq\n    content: ZMP\n    numParts: 4\n    frames:\n    - [ 1, 2, 3 ]\n";
    let (motion, findings) = read(&version_2("frameRate: 1\n", zmp));
    let motion = motion.unwrap();
    assert_eq!((motion.zmp.unwrap().frames.values(), motion.kept.len()), (&[Vector3::new(1.0, 2.0, 3.0)][..], 0));
    assert!(findings.len() == 1 && findings[0].starts_with("m.seq:8:15: warning[num-parts]"), "{findings:?}");
}

#[test]
fn the_zmp_is_in_the_world_frame_by_default() {
    let zmp = |key: &str| {
        let text = format!("  - type: Vector3Seq\n    content: ZMP\n{key}    frames:\n    - [ 1, 2, 3 ]\n");
        read_clean(&version_2("frameRate: 1\n", &text)).zmp.unwrap().root_relative
    };
    assert!(!zmp("") && !zmp("    isRootRelative: false\n") && zmp("    isRootRelative: true\n"));
}

#[test]
fn links_and_joints_come_in_three_combinations() {
    let links = |parts: usize| {
        let frame = ["[ 0, 0, 1, 1, 0, 0, 0 ]"; 3][..parts].join(", ");
        format!(
            "  - type: MultiSE3Seq\n    content: LinkPosition\n    numParts: {parts}\n    frameRate: 100\n    \
             SE3Format: XYZQWQXQYQZ\n    frames:\n    - [ {frame} ]\n"
        )
    };
    for (components, counts) in [
        (links(3), (3, 0)),
        (links(1) + JOINT, (1, 1)),
        (links(3) + JOINT, (3, 1)),
        (JOINT.to_owned() + &links(1), (1, 1)),
    ] {
        let motion = read_clean(&version_2("", &components));
        assert_eq!((motion.num_links(), motion.num_joints()), counts);
    }
}

#[test]
fn time_does_not_stand_still_or_go_backward() {
    let timed = |second: &str| {
        read(&version_2(
            "frameRate: 10\n",
            &TIMED_VALUES.map(|line| format!("  {line}\n")).concat().replace("0.3, 0.01", second),
        ))
    };
    assert!(timed("0.3, 0.01").0.is_ok());
    assert!(timed("0.05, 0.01").0.unwrap_err().to_string().starts_with("m.seq:15:11: error[time-backward]"));
    let (motion, findings) = timed("0.1, 5");
    assert_eq!(motion.unwrap().joint_displacements.unwrap().values()[2], 5.0);
    assert!(findings.iter().any(|finding| finding.contains("warning[same-time]")), "{findings:?}");
}

#[test]
fn components_are_indented_alike() {
    let text = version_2("", &format!("{JOINT}{}", JOINT.replace("\n    ", "\n   ").replace("  -", " -")));
    assert!(read(&text).0.unwrap_err().code == "yaml-syntax");
}
