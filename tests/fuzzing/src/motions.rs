//! Readers of motions.

use std::path::Path;

use bunraku_document::yaml::{Document, Value};
use bunraku_document::{Limits, Reporter, SourceFile};
use bunraku_motion::{
    BodyMotion, CsvNames, KeptYaml, MotionReader, ReadCsvOptions, load_csv, write_csv_to, write_json_to, write_seq_to,
};

use crate::findings;
use crate::scratch::with_file;

/// `.seq` of all versions, as a whole and frame by frame.
pub fn seq(bytes: &[u8]) {
    with_file("fuzz.seq", bytes, |path| {
        let motion = load(path);
        motion.iter().for_each(|motion| check_kept_values(motion, bytes));
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
    let mut texts: Vec<_> = motion.kept.iter().map(KeptYaml::text).collect();
    texts.sort_unstable();
    texts
}

/// Unknown content has the values of the file.
fn check_kept_values(motion: &BodyMotion, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // A text in `|` at the end of a file without a line end gets one.
    if motion.kept.is_empty() || !text.ends_with('\n') {
        return;
    }
    let Some(file) = parse(text) else { return };
    let components = || file.root().get("components").and_then(Value::items).into_iter().flatten();
    for kept in &motion.kept {
        let document = parse(kept.text()).expect("it is YAML");
        let value = document.root();
        // Aliases of aliases can have any number of values.
        let mut left = 100_000;
        let is_kept = match kept {
            KeptYaml::TopKey { .. } => has_entries(file.root(), value, &mut left),
            KeptYaml::ComponentKey { .. } => components().any(|component| has_entries(component, value, &mut left)),
            KeptYaml::Component { .. } => components().any(|component| is_same(component, value, &mut left)),
        };
        assert!(is_kept, "the file has other values than {kept:?}");
    }
}

fn parse(text: &str) -> Option<Document> {
    Document::parse(&SourceFile::from_text("kept", text), &Limits::default(), &Reporter::new()).ok()
}

fn has_entries(mapping: Value<'_>, entries: Value<'_>, left: &mut usize) -> bool {
    let mut entries = entries.entries().into_iter().flatten();
    entries.all(|(key, _, value)| mapping.get(key).is_some_and(|known| is_same(known, value, left)))
}

/// Whether two values are the same, as far as they are compared.
fn is_same(a: Value<'_>, b: Value<'_>, left: &mut usize) -> bool {
    *left = left.saturating_sub(1);
    if *left == 0 {
        return true;
    }
    if let (Some(a), Some(b)) = (a.items(), b.items()) {
        return a.len() == b.len() && a.zip(b).all(|(a, b)| is_same(a, b, left));
    }
    if let (Some(a), Some(b)) = (a.entries(), b.entries()) {
        return a.len() == b.len() && a.zip(b).all(|((one, _, a), (two, _, b))| one == two && is_same(a, b, left));
    }
    a.kind() == b.kind() && a.text() == b.text()
}
