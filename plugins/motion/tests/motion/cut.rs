//! Truncated files: complete frames load and the loss is reported, or there is an error.

use bunraku_motion::{BodyMotion, Sequence, Zmp, write_seq_to};
use nalgebra::{Isometry3, Vector3};

use crate::common::{read, version_2};

const FRAMES: usize = 3;

fn motion() -> BodyMotion {
    let mut motion = BodyMotion::new(100.0);
    let poses = (0..FRAMES).map(|i| Isometry3::new(Vector3::new(0.1, -2.5, 1e-7), Vector3::z() * i as f64 / 3.0));
    motion.link_positions = Sequence::new(100.0, 1, poses.collect()).ok();
    motion.joint_displacements = Sequence::new(100.0, 3, (0..FRAMES * 3).map(|i| i as f64 / 7.0 - 0.5).collect()).ok();
    let points = vec![Vector3::new(0.25, -0.125, 0.0); FRAMES];
    motion.zmp = Some(Zmp { root_relative: true, frames: Sequence::new(100.0, 1, points).unwrap() });
    motion
}

/// Number of frames of one kind that equal those of the whole motion; other frames are a failure.
fn same<T: PartialEq + std::fmt::Debug>(part: Option<&Sequence<T>>, whole: Option<&Sequence<T>>) -> usize {
    let Some(part) = part else { return 0 };
    let whole = whole.unwrap();
    assert_eq!(part.values(), &whole.values()[..part.values().len()]);
    part.num_frames()
}

#[test]
fn a_truncated_file_loads_with_a_warning_or_is_an_error() {
    let whole = motion();
    let mut text = Vec::new();
    write_seq_to(&whole, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (mut loaded, mut cut_off) = (0, 0);
    for end in 0..text.len() {
        let (motion, findings) = read(&text[..end]);
        let Ok(motion) = motion else { continue };
        loaded += 1;
        let links = same(motion.link_positions.as_ref(), whole.link_positions.as_ref());
        let joints = same(motion.joint_displacements.as_ref(), whole.joint_displacements.as_ref());
        let zmp = same(motion.zmp.as_ref().map(|zmp| &zmp.frames), whole.zmp.as_ref().map(|zmp| &zmp.frames));
        let short = |count| count > 0 && count < FRAMES;
        let said = |code: &str| findings.iter().any(|finding| finding.contains(&format!("warning[{code}]")));
        if short(links) || short(joints) || short(zmp) {
            assert!(said("num-frames"), "{findings:?}");
        }
        let line = text[..end].rsplit('\n').next().unwrap();
        let number = text[..end].matches('\n').count() + 1;
        if line.contains('[') && !line.ends_with(" ]") || line.trim() == "-" {
            cut_off += 1;
            let place = format!("m.seq:{number}:");
            assert!(findings.iter().any(|finding| finding.starts_with(&place) && finding.contains("[cut-off]")));
        }
    }
    assert!(loaded > 100 && cut_off > 100, "{loaded} {cut_off}");
}

#[test]
fn json_cut_at_any_byte_is_an_error() {
    let text = "{\n  \"type\": \"CompositeSeq\",\n  \"formatVersion\": 2,\n  \"frameRate\": 10,\n  \"components\": [\n    {\n      \
                \"type\": \"Vector3Seq\",\n      \"content\": \"ZMP\",\n      \"frames\": [\n        [ 1, 2, 3 ],\n        \
                [ 1, 2, 3 ]\n      ]\n    }\n  ]\n}";
    assert!(read(text).0.is_ok());
    for end in 0..text.len() {
        assert!(read(&text[..end]).0.is_err(), "{}", &text[..end]);
    }
}

#[test]
fn the_frames_before_the_cut_are_there() {
    let header = "  -\n    type: MultiValueSeq\n    content: JointDisplacement\n    numParts: 1\n    frames:\n";
    let (motion, findings) = read(&version_2("frameRate: 10\n", &format!("{header}      - [ 1 ]\n      - [ 2.")));
    assert_eq!(motion.unwrap().joint_displacements.unwrap().values(), [1.0]);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].starts_with("m.seq:12:7: warning[cut-off]"), "{findings:?}");
    // A complete frame needs no line feed.
    let (motion, findings) = read(&version_2("frameRate: 10\n", &format!("{header}      - [ 1 ]\n      - [ 2 ]")));
    assert_eq!((motion.unwrap().num_frames(), findings.len()), (2, 0));
}
