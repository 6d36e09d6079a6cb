//! What is written reads back to the last bit.

use bunraku_document::{Reporter, SourceFile};
use bunraku_motion::{BodyMotion, write_seq_to};

use crate::bits::of_motion;
use crate::random::{Features, Random};

const MOTIONS: u64 = 500;

fn check(features: Features) {
    for seed in 0..MOTIONS {
        let motion = Random::new(seed).motion(features);
        let mut text = Vec::new();
        write_seq_to(&motion, &mut text).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let text = String::from_utf8(text).unwrap();
        let reporter = Reporter::new();
        let read = BodyMotion::read(&SourceFile::from_text("m.seq", text.clone()), &reporter)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(of_motion(&read), of_motion(&motion), "seed {seed}:\n{text}");
        assert_eq!(read, motion, "seed {seed}");
        for finding in reporter.into_diagnostics() {
            // Links and joints may differ in length: that is no fault of the writer.
            assert_eq!(finding.code, "unequal-length", "seed {seed}: {finding}\n{text}");
        }
        let mut again = Vec::new();
        write_seq_to(&read, &mut again).unwrap();
        assert!(text.as_bytes() == again, "seed {seed}");
    }
}

#[test]
fn plain_motions_come_back() {
    check(Features::default());
}

#[test]
fn motions_that_begin_at_any_time_come_back() {
    check(Features { offsets: true, ..Features::default() });
}

#[test]
fn motions_whose_frames_have_times_come_back() {
    check(Features { times: true, ..Features::default() });
}

#[test]
fn motions_whose_parts_have_names_come_back() {
    check(Features { labels: true, ..Features::default() });
}

#[test]
fn motions_with_all_that_come_back() {
    check(Features { offsets: true, times: true, labels: true });
}
