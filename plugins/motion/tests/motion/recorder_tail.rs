//! Recordings of which only the last seconds are kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, RecordError, RecordOptions, Recorder, Recording, partial_path, write_seq_to};

use crate::common::recorded::{LAYOUT, joints, links, motion, record, record_to};

/// A recorder that keeps this many frames (at least 2).
fn tail(path: &Path, kept: usize) -> Recorder {
    let duration = (kept - 1) as f64 / LAYOUT.frame_rate;
    let options = RecordOptions { recording: Recording::Tail { duration }, flush_interval: Duration::ZERO };
    Recorder::with_options(path, LAYOUT, options).unwrap()
}

fn load(path: &Path) -> BodyMotion {
    BodyMotion::load(path, &Reporter::new()).unwrap()
}

fn next_path(path: &Path) -> PathBuf {
    path.with_extension("seq.partial.next")
}

#[test]
fn the_last_seconds_are_those_of_the_full_recording() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    for kept in [2, 3, 4, 7, 20, 251] {
        // Around each time the file is rewritten, and long after.
        let ends = (1..5 * kept.min(20)).chain([5 * kept - 1, 5 * kept, 5 * kept + 1, 1000]);
        for end in ends {
            let mut recorder = tail(&path, kept);
            record_to(&mut recorder, end);
            assert_eq!(recorder.num_frames(), end);
            let finished = recorder.finish().unwrap();
            let first = end.saturating_sub(kept);
            assert_eq!((finished.num_frames, finished.start), (end - first, first as f64 / 500.0));
            let reporter = Reporter::new();
            assert!(BodyMotion::load(&path, &reporter).unwrap() == motion(first..end), "{kept} of {end}");
            assert!(reporter.diagnostics().is_empty());
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
            let text = fs::read(&path).unwrap();
            let mut expected = Vec::new();
            write_seq_to(&motion(first..end), &mut expected).unwrap();
            assert!(text == expected && finished.size == text.len() as u64, "{kept} of {end}");
        }
    }
}

#[test]
fn a_recording_shorter_than_its_tail_is_all_there() {
    let directory = tempfile::tempdir().unwrap();
    let [full, short] = ["full.seq", "short.seq"].map(|name| directory.path().join(name));
    record(&full, 100).finish().unwrap();
    for duration in [99.0 / 500.0, 1.0, 1e300, f64::MAX] {
        let options = RecordOptions { recording: Recording::Tail { duration }, ..RecordOptions::default() };
        let mut recorder = Recorder::with_options(&short, LAYOUT, options).unwrap();
        record_to(&mut recorder, 100);
        assert_eq!(recorder.finish().unwrap().start, 0.0);
        assert!(fs::read(&full).unwrap() == fs::read(&short).unwrap(), "{duration} s");
    }
}

/// The data visible to another process after each frame are those that remain after a kill.
#[test]
fn interrupted_anywhere_it_leaves_at_least_the_tail_and_at_most_twice_that() {
    for kept in [2, 5, 30] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.seq");
        let mut recorder = tail(&path, kept);
        for end in 1..7 * kept {
            record_to(&mut recorder, end);
            let reporter = Reporter::new();
            let left = BodyMotion::load(&partial_path(&path), &reporter).unwrap();
            let frames = left.num_frames();
            assert!(frames >= kept.min(end) && frames <= 2 * kept, "{frames} of {end} for {kept}");
            let first = end - frames;
            assert!(left == motion(first..end), "{first}..{end}");
            let message = &reporter.diagnostics()[0].message;
            let from = format!("from {} s up to {} s", first as f64 / 500.0, left.end());
            assert_eq!(message.contains(&from), first > 0, "{message}");
        }
        std::mem::forget(recorder);
        assert_eq!(load(&partial_path(&path)).num_frames(), 2 * kept - 1);
    }
}

#[test]
fn truncated_anywhere_it_keeps_the_times_of_its_frames() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let mut recorder = tail(&path, 2);
    record_to(&mut recorder, 9);
    drop(recorder);
    let text = fs::read_to_string(partial_path(&path)).unwrap();
    let torn = directory.path().join("torn.seq.partial");
    for length in 0..=text.len() {
        fs::write(&torn, &text[..length]).unwrap();
        if let Ok(left) = BodyMotion::load(&torn, &Reporter::new()) {
            assert!(left == motion(6..6 + left.num_frames()) && left.num_frames() <= 3, "{length}");
        }
    }
    assert_eq!(load(&partial_path(&path)).num_frames(), 3);
}

#[test]
fn the_disk_holds_no_more_than_twice_the_tail() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let mut recorder = tail(&path, 10);
    let mut most = 0;
    for end in 1..5000 {
        record_to(&mut recorder, end);
        let sizes = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
        most = most.max(sizes.sum());
    }
    // A number has at most 24 characters and two separators; a frame of two lines has 17 numbers.
    let frame = 17 * 26 + 2 * 20 + 2 * 8;
    assert!(most > 1000 && most < 200 + 20 * frame, "{most}");
}

#[test]
fn a_tail_needs_a_positive_duration() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    for duration in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let options = RecordOptions { recording: Recording::Tail { duration }, ..RecordOptions::default() };
        let error = Recorder::with_options(&path, LAYOUT, options).unwrap_err();
        assert!(matches!(error, RecordError::Duration(_)), "{error}");
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn temporary_files_of_a_killed_process_are_removed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    fs::write(next_path(&path), "type: Bunr").unwrap();
    let mut recorder = tail(&path, 3);
    assert!(!next_path(&path).exists());
    record_to(&mut recorder, 20);
    recorder.finish().unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_cannot_be_rewritten_ends_the_recording_and_remains() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let mut recorder = tail(&path, 3);
    fs::create_dir(next_path(&path)).unwrap();
    record_to(&mut recorder, 6);
    assert!(matches!(recorder.record(&links(6), &joints(6)), Err(RecordError::Write { .. })));
    assert!(matches!(recorder.record(&links(6), &joints(6)), Err(RecordError::Broken(_))));
    assert!(recorder.finish().is_err());
    assert_eq!(load(&partial_path(&path)), motion(0..6));
}

#[test]
fn a_partial_file_changed_by_others_is_detected() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let mut recorder = tail(&path, 3);
    record_to(&mut recorder, 6);
    fs::write(partial_path(&path), "").unwrap();
    assert!(matches!(recorder.record(&links(6), &joints(6)), Err(RecordError::Write { .. })));
    assert!(!path.exists() && !next_path(&path).exists());
}
