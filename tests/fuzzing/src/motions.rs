//! Readers of motions.

use std::path::Path;

use bunraku_document::{Reporter, SourceFile};
use bunraku_motion::{
    BodyMotion, CsvNames, MotionReader, ReadCsvOptions, load_csv, write_csv_to, write_json_to, write_seq_to,
};

use crate::findings;
use crate::scratch::with_file;

/// `.seq` of all versions, as a whole and frame by frame.
pub fn seq(bytes: &[u8]) {
    with_file("fuzz.seq", bytes, |path| {
        let motion = load(path);
        let reporter = Reporter::new();
        let streamed = MotionReader::open(path, &reporter).and_then(|reader| {
            let mut states = reader.states(&reporter)?;
            let (mut poses, mut joints, mut frames) = (Vec::new(), Vec::new(), 0);
            while states.next_state(&mut poses, &mut joints)?.is_some() {
                frames += 1;
            }
            Ok(frames)
        });
        match (&motion, &streamed) {
            (Some(motion), Ok(frames)) => assert!(*frames <= motion.num_frames(), "{frames} frames are streamed"),
            (Some(_), Err(error)) => panic!("read as a whole, but not frame by frame: {error}"),
            _ => {}
        }
        reporter.into_diagnostics().iter().for_each(findings::check_finding);
    });
}

/// A recording that was interrupted.
pub fn partial(bytes: &[u8]) {
    with_file("fuzz.seq.partial", bytes, |path| {
        load(path);
    });
}

/// A table of a motion.
pub fn csv(bytes: &[u8]) {
    with_file("fuzz.csv", bytes, |path| {
        let (reporter, options) = (Reporter::new(), ReadCsvOptions { frame_rate: None });
        let motion = reporter.keep(load_csv(path, &CsvNames::default(), &options, &reporter));
        findings::check(reporter, motion.is_some());
        motion.iter().for_each(check);
    });
}

fn load(path: &Path) -> Option<BodyMotion> {
    let reporter = Reporter::new();
    let motion = reporter.keep(BodyMotion::load(path, &reporter));
    findings::check(reporter, motion.is_some());
    motion.iter().for_each(check);
    motion
}

/// Writes a motion in each format. A `.seq` of it is read, with the same number of frames and the same unknown content.
fn check(motion: &BodyMotion) {
    let mut text = Vec::new();
    let written = write_seq_to(motion, &mut text);
    // Tables and JSON have rules of their own, and may refuse.
    let _ = write_csv_to(motion, &CsvNames::default(), std::io::sink(), &Reporter::new());
    let _ = write_json_to(motion, std::io::sink(), &Reporter::new());
    if written.is_err() {
        return;
    }
    let source = SourceFile::from_text("written.seq", String::from_utf8(text).expect("it is text"));
    let reporter = Reporter::new();
    match BodyMotion::read(&source, &reporter) {
        Ok(again) => {
            assert_eq!(again.num_frames(), motion.num_frames());
            assert_eq!(kept(&again), kept(motion), "unknown content");
        }
        Err(error) => panic!("what was written is rejected: {error}"),
    }
}

/// Texts of the unknown content, in an order of their own.
fn kept(motion: &BodyMotion) -> Vec<&str> {
    let mut texts: Vec<_> = motion.kept.iter().map(|kept| kept.text().trim_end()).collect();
    texts.sort_unstable();
    texts
}
