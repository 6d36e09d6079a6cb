//! The examples of the manual of the format, one by one.

mod common;

use bunraku_motion::{OtherFrames, Sampling, Zmp};
use common::{read, read_clean, version_2};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// A component that makes a motion of what else is tested.
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
    // Without a rate, that of the original.
    let (joints, findings) = timed("", "      - [ 0, 1 ]\n      - [ 0.02, 2 ]\n");
    assert_eq!((joints.frame_rate(), joints.num_frames()), (100.0, 2));
    assert!(findings[0].contains("warning[no-frame-rate]"), "{findings:?}");
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
