//! Real files, where there are any.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used, reason = "helpers of tests are tests too")]

#[path = "common/motions.rs"]
mod motions;

use std::path::{Path, PathBuf};

use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, CsvNames, ReadCsvOptions, SeqVersion, WriteOptions};

fn seq_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            seq_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "seq") {
            found.push(path);
        }
    }
}

/// Every `.seq` below a folder named by the environment loads without a word.
fn all_load(variable: &str, below: &str) {
    let Some(folder) = std::env::var_os(variable) else {
        println!("skipped: {variable} is not set");
        return;
    };
    let mut files = Vec::new();
    // A relative path starts at the root of the project.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    seq_files(&root.join(folder).join(below), &mut files);
    assert!(!files.is_empty(), "no .seq below {variable}");
    for path in &files {
        let reporter = Reporter::new();
        let motion = BodyMotion::load(path, &reporter).unwrap_or_else(|error| panic!("{error}"));
        assert!(reporter.diagnostics().is_empty(), "{:?}", reporter.diagnostics());
        assert!(motion.num_frames() > 1 && motion.duration() > 0.0);

        // What was read writes and reads back the same, in every version.
        for version in [SeqVersion::One, SeqVersion::Two, SeqVersion::Four] {
            let mut text = Vec::new();
            bunraku_motion::write_seq_to_with(&motion, &WriteOptions { version }, &mut text).unwrap();
            let source = bunraku_document::SourceFile::from_text("again.seq", String::from_utf8(text).unwrap());
            let again = BodyMotion::read(&source, &reporter).unwrap();
            assert!(motions::bits(&again) == motions::bits(&motion), "{}, {version:?}", path.display());
        }

        // All sequences of a real file are at the same times, so that it makes a table.
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
    all_load("BUNRAKU_CORPUS", ".");
}

#[test]
fn golden_runs() {
    all_load("BUNRAKU_GOLDEN", "runs");
}
