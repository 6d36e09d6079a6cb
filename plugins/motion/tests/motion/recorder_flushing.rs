//! Frames of an unfinished recording on the disk.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, RecordOptions, Recorder, Recording, partial_path};

use crate::common::recorded::{LAYOUT, motion, record_to};

const OFTEN: RecordOptions = RecordOptions { recording: Recording::Full, flush_interval: Duration::ZERO };
const NEVER: RecordOptions = RecordOptions { recording: Recording::Full, flush_interval: Duration::MAX };

fn on_disk(path: &Path) -> Option<BodyMotion> {
    BodyMotion::load(&partial_path(path), &Reporter::new()).ok()
}

#[test]
fn a_frame_is_on_the_disk_when_the_interval_is_over() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let mut recorder = Recorder::with_options(&path, LAYOUT, OFTEN).unwrap();
    for frames in 1..5 {
        record_to(&mut recorder, frames);
        assert_eq!(on_disk(&path), Some(motion(0..frames)));
    }
    // A killed process runs no destructor either.
    std::mem::forget(recorder);
    assert_eq!(on_disk(&path), Some(motion(0..4)));
}

#[test]
fn a_frame_waits_until_the_interval_is_over() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let mut recorder = Recorder::with_options(&path, LAYOUT, NEVER).unwrap();
    record_to(&mut recorder, 4);
    recorder.flush_if_due().unwrap();
    assert_eq!(on_disk(&path), None);
    recorder.flush().unwrap();
    assert_eq!(on_disk(&path), Some(motion(0..4)));
}

#[test]
fn a_recorder_without_new_frames_is_flushed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let interval = Duration::from_millis(50);
    let options = RecordOptions { recording: Recording::Full, flush_interval: interval };
    let mut recorder = Recorder::with_options(&path, LAYOUT, options).unwrap();
    record_to(&mut recorder, 3);
    std::thread::sleep(interval);
    recorder.flush_if_due().unwrap();
    assert_eq!(on_disk(&path), Some(motion(0..3)));
}

#[test]
fn the_clock_makes_no_difference_to_the_file() {
    // The tail has 26 frames. Waiting frames must be included when the file is rewritten after twice that many.
    for (recording, frames) in [Recording::Full, Recording::Tail { duration: 0.05 }]
        .into_iter()
        .flat_map(|recording| [25, 30, 52, 53, 60, 500].map(|frames| (recording, frames)))
    {
        let files = [Duration::ZERO, Duration::from_micros(50), Duration::MAX].map(|flush_interval| {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("a.seq");
            let options = RecordOptions { recording, flush_interval };
            let mut recorder = Recorder::with_options(&path, LAYOUT, options).unwrap();
            record_to(&mut recorder, frames);
            let mut finished = recorder.finish().unwrap();
            finished.path = "a.seq".into();
            (finished, fs::read(&path).unwrap())
        });
        assert!(files[0] == files[1] && files[1] == files[2], "{recording:?} {frames}");
    }
}

/// Path of the recording, set for the process that will be killed.
const RECORD_TO: &str = "BUNRAKU_TEST_RECORD_TO";

/// Does nothing by itself: the next test runs it in a separate process.
#[test]
fn to_be_killed() {
    let Some(path) = std::env::var_os(RECORD_TO) else { return };
    let options = RecordOptions { recording: Recording::Tail { duration: 0.1 }, flush_interval: Duration::ZERO };
    let mut recorder = Recorder::with_options(Path::new(&path), LAYOUT, options).unwrap();
    for frames in 1..100_000 {
        record_to(&mut recorder, frames);
        println!("\nrecorded {frames}");
    }
}

#[test]
fn a_process_killed_while_it_records_leaves_the_last_frames() {
    for wanted in [1, 40, 51, 52, 102, 103, 104, 777, 2000] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.seq");
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", concat!(module_path!(), "::to_be_killed").trim_start_matches("motion::"), "--nocapture"])
            .env(RECORD_TO, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut said = output.by_ref().map(|line| line.unwrap());
        assert!(said.any(|line| line == format!("recorded {wanted}")));
        process.kill().unwrap();
        process.wait().unwrap();
        let left = on_disk(&path).unwrap();
        let links = left.link_positions.as_ref().unwrap();
        let first = (links.start() * LAYOUT.frame_rate).round() as usize;
        let end = first + links.num_frames();
        assert!(left == motion(first..end), "{first}..{end} of {wanted}");
        assert!(end >= wanted && (first == 0 || links.num_frames() >= 51) && links.num_frames() <= 102);
        assert!(!path.exists());
    }
}
