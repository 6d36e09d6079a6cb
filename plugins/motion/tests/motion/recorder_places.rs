//! Existing files at the paths of a recording.

use std::fs;
use std::path::{Path, PathBuf};

use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, RecordError, RecordOptions, Recorder, Recording, TableRecorder, partial_path};

use crate::common::recorded::{LAYOUT, joints, links, motion, record};

fn numbered(directory: &Path, number: usize) -> PathBuf {
    directory.join(format!("a.{number}.seq.partial"))
}

#[test]
fn the_partial_file_of_a_crashed_run_is_kept_and_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    drop(record(&path, 7));
    let second = record(&path, 4);
    assert_eq!(second.set_aside(), Some(numbered(directory.path(), 1).as_path()));
    drop(second);
    let third = record(&path, 2);
    assert_eq!(third.set_aside(), Some(numbered(directory.path(), 2).as_path()));
    third.finish().unwrap();
    let kept = |number| BodyMotion::load(&numbered(directory.path(), number), &Reporter::new()).unwrap();
    assert_eq!((kept(1), kept(2)), (motion(0..7), motion(0..4)));
    assert_eq!(BodyMotion::load(&path, &Reporter::new()).unwrap(), motion(0..2));
}

#[test]
fn a_partial_file_without_frames_is_no_loss() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    drop(record(&path, 0));
    let recorder = record(&path, 2);
    assert_eq!(recorder.set_aside(), None);
    recorder.finish().unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_links() {
    let links: [fn(&Path, &Path) -> std::io::Result<()>; 2] =
        [|target, link| std::os::unix::fs::symlink(target, link), |target, link| fs::hard_link(target, link)];
    for link in links {
        let directory = tempfile::tempdir().unwrap();
        let (path, other) = (directory.path().join("a.seq"), directory.path().join("dear.txt"));
        fs::write(&other, "dear\nto somebody\n").unwrap();
        link(&other, &partial_path(&path)).unwrap();
        let recorder = record(&path, 300);
        assert!(recorder.set_aside().is_some());
        recorder.finish().unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "dear\nto somebody\n");
        assert_eq!(BodyMotion::load(&path, &Reporter::new()).unwrap(), motion(0..300));
    }
}

#[test]
fn a_file_that_replaces_the_partial_one_is_not_written_to() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let mut recorder = record(&path, 3);
    recorder.flush().unwrap();
    let text = fs::read(partial_path(&path)).unwrap();
    let other = directory.path().join("other");
    fs::write(&other, &text).unwrap();
    fs::rename(&other, partial_path(&path)).unwrap();
    recorder.record(&links(3), &joints(3)).unwrap();
    if cfg!(unix) {
        assert!(matches!(recorder.flush(), Err(RecordError::Write { .. })));
        assert_eq!(fs::read(partial_path(&path)).unwrap(), text);
    }
}

/// A process may open some thousand files, on Unix 1024 by default; a scene may have more bodies.
#[test]
fn more_recordings_than_files_may_be_open() {
    let directory = tempfile::tempdir().unwrap();
    let path = |number| directory.path().join(format!("{number}.seq"));
    let mut recorders: Vec<_> = (0..1100).map(|number| Recorder::create(&path(number), LAYOUT).unwrap()).collect();
    for recorder in &mut recorders {
        recorder.record(&links(0), &joints(0)).unwrap();
        recorder.flush().unwrap();
    }
    #[cfg(target_os = "linux")]
    assert!(fs::read_dir("/proc/self/fd").unwrap().count() < 100);
    for recorder in recorders {
        recorder.finish().unwrap();
    }
    assert_eq!(BodyMotion::load(&path(1099), &Reporter::new()).unwrap(), motion(0..1));
}

#[cfg(unix)]
#[test]
fn a_recording_has_the_mode_of_any_other_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    fs::write(directory.path().join("plain"), "").unwrap();
    let mode = |name: &str| fs::metadata(directory.path().join(name)).unwrap().permissions().mode();
    let recorder = record(&path, 1);
    assert_eq!(mode("a.seq.partial"), mode("plain"));
    recorder.finish().unwrap();
    assert_eq!(mode("a.seq"), mode("plain"));
}

fn table(path: &Path, recording: Recording) -> TableRecorder {
    let columns = ["ELBOW.velocity".to_owned(), "a,b.effort".to_owned()];
    TableRecorder::create(path, &columns, 500.0, RecordOptions { recording, ..RecordOptions::default() }).unwrap()
}

#[test]
fn a_table_grows_line_by_line_and_keeps_its_tail() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.joints.csv");
    let mut recorder = table(&path, Recording::Full);
    for frame in 0..3 {
        recorder.record(&[f64::from(frame) * 0.5, -1e-9]).unwrap();
    }
    assert!(matches!(recorder.record(&[0.0]), Err(RecordError::FrameSize { expected: 2, found: 1, .. })));
    assert!(matches!(recorder.record(&[0.0, f64::NAN]), Err(RecordError::NotFinite { index: 1, .. })));
    drop(recorder);
    let text = "time [s],ELBOW.velocity,\"a,b.effort\"\n0,0,-1.0e-9\n0.002,0.5,-1.0e-9\n0.004,1,-1.0e-9\n";
    assert_eq!(fs::read_to_string(partial_path(&path)).unwrap(), text);
    // The next run keeps it, and its own table contains only the end.
    let mut recorder = table(&path, Recording::Tail { duration: 0.004 });
    let kept = directory.path().join("a.joints.1.csv.partial");
    assert_eq!(recorder.set_aside(), Some(kept.as_path()));
    for frame in 0..100 {
        recorder.record(&[f64::from(frame), 0.0]).unwrap();
    }
    assert_eq!(recorder.finish().unwrap().num_frames, 3);
    let tail = "time [s],ELBOW.velocity,\"a,b.effort\"\n0.194,97,0\n0.196,98,0\n0.198,99,0\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), tail);
    assert_eq!(fs::read_to_string(kept).unwrap(), text);
    assert!(!partial_path(&path).exists());
}
