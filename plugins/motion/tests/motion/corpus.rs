//! Real files, if available.

use std::path::Path;

use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, CsvNames, ReadCsvOptions, SeqVersion, WriteOptions};
use bunraku_test_support::files_below;

use crate::common::motions;

/// Every `.seq` below a directory loads without findings.
fn all_load(folder: &Path) {
    let files = files_below(folder, &["seq"]);
    assert!(!files.is_empty(), "no .seq below {}", folder.display());
    for path in &files {
        let reporter = Reporter::new();
        let motion = BodyMotion::load(path, &reporter).unwrap_or_else(|error| panic!("{error}"));
        assert!(reporter.diagnostics().is_empty(), "{:?}", reporter.diagnostics());
        assert!(motion.num_frames() > 1 && motion.duration() > 0.0);

        // The motion is unchanged after writing and reading, in every version.
        for version in [SeqVersion::One, SeqVersion::Two, SeqVersion::Four] {
            let mut text = Vec::new();
            bunraku_motion::write_seq_to_with(&motion, &WriteOptions { version }, &mut text).unwrap();
            let source = bunraku_document::SourceFile::from_text("again.seq", String::from_utf8(text).unwrap());
            let again = BodyMotion::read(&source, &reporter).unwrap();
            assert!(motions::bits(&again) == motions::bits(&motion), "{}, {version:?}", path.display());
        }

        // All sequences of a real file have the same times, so it can be written as a table.
        let (mut table, names) = (Vec::new(), CsvNames::default());
        bunraku_motion::write_csv_to(&motion, &names, &mut table, &reporter).unwrap();
        let source = bunraku_document::SourceFile::from_text("again.csv", String::from_utf8(table).unwrap());
        let again = bunraku_motion::read_csv(&source, &names, &ReadCsvOptions::default(), &reporter).unwrap();
        assert!(motions::bits(&again) == motions::bits(&motion), "{}", path.display());
        assert!(reporter.diagnostics().is_empty());
    }
    println!("{} files loaded", files.len());
}

#[test]
fn corpus() {
    let Some(corpus) = bunraku_test_support::corpus() else { return };
    all_load(&corpus);
}

#[test]
fn golden_runs() {
    let Some(golden) = bunraku_test_support::golden() else { return };
    all_load(&golden.join("runs"));
}

/// The walks of the SR1 sample: frames at 500 Hz, first frame of leg, largest joint speed (rad/s).
#[test]
#[allow(clippy::approx_constant, reason = "it is what the file says")]
fn the_walks_of_sr1_have_the_known_values() {
    let Some(share) = bunraku_test_support::share() else { return };
    let folder = share.join("motion/SR1");
    let leg_1 = [0.0, -0.036, 0.0, 0.0785, -0.0425, 0.0];
    let leg_2 = [0.0, -0.036652, 0.0, 0.07854, -0.041888, 0.0];
    let arm_1 = [0.175, -0.00349, 0.0, -1.57, 0.0, 0.0, 0.0];
    let arm_2 = [0.174533, -0.003491, 0.0, -1.570796, 0.0, 0.0, 0.0];
    for (pattern, frames, leg, arm, left, speed) in [
        (1, 6701, Some(leg_1), Some(arm_1), 1.0, 1.5),
        (2, 7146, Some(leg_2), Some(arm_2), -1.0, 1.44),
        (3, 4451, None, None, 1.0, 2.3),
    ] {
        let reporter = Reporter::new();
        let motion = BodyMotion::load(&folder.join(format!("SR1WalkPattern{pattern}.seq")), &reporter).unwrap();
        assert!(reporter.diagnostics().is_empty() && motion.link_positions.is_none() && motion.others.is_empty());
        let joints = motion.joint_displacements.unwrap();
        assert_eq!((joints.num_frames(), joints.num_parts(), joints.frame_rate()), (frames, 29, 500.0));
        assert_eq!(
            motion.zmp.map(|zmp| (zmp.root_relative, zmp.frames.num_frames())),
            (pattern == 2).then_some((true, frames))
        );
        let near = |found: &[f64], expected: &[f64]| {
            assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9), "{found:?}");
        };
        let first = joints.frame(0);
        for leg_at in [0, 13] {
            match leg {
                Some(leg) => near(&first[leg_at..leg_at + 6], &leg),
                None => assert!((first[leg_at + 3] - 0.832).abs() < 5e-4, "the knee is bent"),
            }
        }
        if let Some(arm) = arm {
            near(&first[6..13], &arm);
            // The left arm is the mirror image of the right one, except for an error in the second file.
            near(&first[19..26], &[arm[0], -left * arm[1], 0.0, arm[3], 0.0, 0.0, 0.0]);
        }
        let fastest = (1..frames)
            .flat_map(|frame| {
                joints.frame(frame).iter().zip(joints.frame(frame - 1)).map(|(a, b)| (a - b).abs() * 500.0)
            })
            .fold(0.0, f64::max);
        assert!((fastest - speed).abs() < 0.05, "{pattern}: {fastest}");
    }
}
