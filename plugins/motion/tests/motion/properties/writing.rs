//! Written motions read back to the last bit.

use bunraku_document::{Reporter, SourceFile};
use bunraku_motion::{BodyMotion, SeqVersion, WriteError, WriteOptions, write_seq_to_with};

use crate::properties::bits::of_motion;
use crate::properties::random::{Features, Random};

const MOTIONS: u64 = 500;

fn check(features: Features) {
    for seed in 0..MOTIONS {
        let motion = Random::new(seed).motion(features);
        for version in [SeqVersion::One, SeqVersion::Two, SeqVersion::Four] {
            // The oldest version has no timed frames.
            if version != SeqVersion::One || !motion.is_timed() {
                check_motion(&motion, version, &format!("seed {seed}, version {version:?}"));
            }
        }
    }
}

fn check_motion(motion: &BodyMotion, version: SeqVersion, what: &str) {
    let text = written(motion, version).unwrap_or_else(|error| panic!("{what}: {error}"));
    let reporter = Reporter::new();
    let read = BodyMotion::read(&SourceFile::from_text("m.seq", text.clone()), &reporter)
        .unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
    assert_eq!(of_motion(&read), of_motion(motion), "{what}:\n{text}");
    assert_eq!(&read, motion, "{what}");
    for finding in reporter.into_diagnostics() {
        // Links and joints may differ in length: the writer is not at fault.
        assert_eq!(finding.code, "unequal-length", "{what}: {finding}\n{text}");
    }
    assert_eq!(written(&read, version).unwrap(), text, "{what}");
}

fn written(motion: &BodyMotion, version: SeqVersion) -> Result<String, WriteError> {
    let mut text = Vec::new();
    write_seq_to_with(motion, &WriteOptions { version }, &mut text)?;
    Ok(String::from_utf8(text).unwrap())
}

#[test]
fn plain_motions_round_trip() {
    check(Features::default());
}

#[test]
fn motions_with_offsets_round_trip() {
    check(Features { offsets: true, ..Features::default() });
}

#[test]
fn motions_with_timed_frames_round_trip() {
    check(Features { times: true, ..Features::default() });
}

#[test]
fn motions_with_part_labels_round_trip() {
    check(Features { labels: true, ..Features::default() });
}

#[test]
fn motions_with_all_features_round_trip() {
    check(Features { offsets: true, times: true, labels: true });
}
