//! Written motions read back to the same bits.

use std::fs;

use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, OtherFrames, OtherSequence, Sequence, WriteError, Zmp, write_seq, write_seq_to};
use nalgebra::Vector3;

use crate::common;
use crate::common::motions::{AWKWARD, pose};

fn full_motion() -> BodyMotion {
    let vectors = vec![Vector3::new(1e-5, -2.0, 3.25), Vector3::new(0.0, -0.0, 1e21), Vector3::zeros()];
    BodyMotion {
        frame_rate: 1000.0 / 3.0,
        link_positions: Sequence::new(1000.0 / 3.0, 2, (0..6).map(|i| pose(0.37 * f64::from(i))).collect()).ok(),
        joint_displacements: Sequence::new(1000.0 / 3.0, 8, AWKWARD.to_vec()).ok(),
        zmp: Some(Zmp { root_relative: true, frames: Sequence::new(50.0, 1, vectors.clone()).unwrap() }),
        others: vec![
            OtherSequence {
                content: "yes".to_owned(),
                frames: OtherFrames::Values(Sequence::new(1e-3, 1, AWKWARD.to_vec()).unwrap()),
            },
            OtherSequence {
                content: "# \"a\": \\ \u{1F916}\n\u{7}".to_owned(),
                frames: OtherFrames::Vectors(Sequence::new(1.0, 1, vectors).unwrap()),
            },
            OtherSequence {
                content: "Hand-Pose_2".to_owned(),
                frames: OtherFrames::Poses(Sequence::new(1.0, 1, vec![pose(0.5)]).unwrap()),
            },
        ],
        kept: Vec::new(),
    }
}

fn text(motion: &BodyMotion) -> String {
    let mut out = Vec::new();
    write_seq_to(motion, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn everything_round_trips_bit_for_bit() {
    let motion = full_motion();
    let (read, findings) = common::read(&text(&motion));
    let read = read.unwrap();
    assert!(findings.iter().all(|finding| finding.contains("unequal-length")), "{findings:?}");
    assert_eq!(read, motion);
    // Equality of numbers ignores the sign of zero; equality of texts does not.
    assert_eq!(text(&read), text(&motion));
    let joints = read.joint_displacements.unwrap();
    for (found, expected) in joints.values().iter().zip(AWKWARD) {
        assert_eq!(found.to_bits(), expected.to_bits());
    }
}

#[test]
fn a_file_is_replaced_atomically() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let mut motion = BodyMotion::new(10.0);
    motion.joint_displacements = Sequence::new(10.0, 1, vec![1.0, 2.0]).ok();
    write_seq(&motion, &path).unwrap();
    let written = fs::read(&path).unwrap();
    #[cfg(unix)]
    {
        // With the usual permissions, not private like temporary files.
        use std::os::unix::fs::PermissionsExt;
        fs::write(directory.path().join("plain"), "").unwrap();
        let mode = |name: &str| fs::metadata(directory.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("a.seq"), mode("plain"));
        fs::remove_file(directory.path().join("plain")).unwrap();
    }

    motion.joint_displacements = Sequence::new(10.0, 1, vec![1.0, f64::NAN]).ok();
    let error = motion.save(&path).unwrap_err();
    assert_eq!(error.to_string(), "frame 1 of `JointDisplacement` holds a value that is not finite");
    assert_eq!(fs::read(&path).unwrap(), written);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);

    assert!(matches!(write_seq(&BodyMotion::new(10.0), &path), Err(WriteError::Empty)));
    assert!(matches!(write_seq(&BodyMotion::new(0.0), &path), Err(WriteError::FrameRate(_))));
    motion.joint_displacements = Sequence::new(10.0, 1, vec![1.0]).ok();
    assert!(matches!(write_seq(&motion, directory.path()), Err(WriteError::Io { .. })));
    assert!(matches!(write_seq(&motion, &directory.path().join("no/a.seq")), Err(WriteError::Io { .. })));
    let again = OtherSequence {
        content: "JointDisplacement".to_owned(),
        frames: OtherFrames::Values(Sequence::new(1.0, 1, vec![0.0]).unwrap()),
    };
    motion.others.push(again);
    assert!(matches!(write_seq(&motion, &path), Err(WriteError::SameContent(_))));
    assert_eq!(fs::read(&path).unwrap(), written);
}

#[test]
fn it_is_read_from_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let motion = full_motion();
    motion.save(&path).unwrap();
    assert_eq!(BodyMotion::load(&path, &Reporter::new()).unwrap(), motion);
}
