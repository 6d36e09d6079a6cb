//! Recordings: finished, interrupted and damaged.

use std::fs;
use std::path::Path;

use bunraku_document::{Diagnostic, Reporter, SourceFile};
use bunraku_motion::{
    BodyMotion, RecordError, RecordOptions, Recorder, Recording, RecordingLayout, partial_path, write_seq_to,
};

use crate::common::recorded::{LAYOUT, joints, links, motion, record};

fn read(text: &str) -> (Result<BodyMotion, Box<Diagnostic>>, Vec<String>) {
    let reporter = Reporter::new();
    let motion = BodyMotion::read(&SourceFile::from_text("a.seq.partial", text), &reporter);
    (motion, reporter.into_diagnostics().iter().map(ToString::to_string).collect())
}

#[test]
fn a_recording_equals_a_written_motion() {
    for frames in [1, 2, 1000] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.seq");
        fs::write(&path, "old").unwrap();
        let recorder = record(&path, frames);
        assert_eq!((recorder.num_frames(), recorder.path()), (frames, path.as_path()));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let finished = recorder.finish().unwrap();
        let written = fs::read(&path).unwrap();
        let mut expected = Vec::new();
        write_seq_to(&motion(0..frames), &mut expected).unwrap();
        assert!(written == expected, "{}", String::from_utf8_lossy(&written));
        assert_eq!((finished.num_frames, finished.size), (frames, written.len() as u64));
        assert_eq!(finished.path, path);
        assert!(!partial_path(&path).exists());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        let reporter = Reporter::new();
        assert_eq!(BodyMotion::load(&path, &reporter).unwrap(), motion(0..frames));
        assert!(reporter.diagnostics().is_empty());
    }
}

#[test]
fn a_body_without_joints() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ball.seq");
    let layout = RecordingLayout { frame_rate: 60.0, num_links: 1, num_joints: 0 };
    let mut recorder = Recorder::create(&path, layout).unwrap();
    for frame in 0..10 {
        recorder.record(&links(frame)[..1], &[]).unwrap();
    }
    recorder.flush().unwrap();
    let partial = BodyMotion::load(&partial_path(&path), &Reporter::new()).unwrap();
    recorder.finish().unwrap();
    let finished = BodyMotion::load(&path, &Reporter::new()).unwrap();
    assert_eq!((finished.num_frames(), finished.num_links(), finished.num_joints()), (10, 1, 0));
    assert!(finished.joint_displacements.is_none());
    assert_eq!(partial, finished);
}

#[test]
fn dropped_without_finishing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    fs::write(&path, "old").unwrap();
    drop(record(&path, 100));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    let reporter = Reporter::new();
    assert_eq!(BodyMotion::load(&partial_path(&path), &reporter).unwrap(), motion(0..100));
    let found = reporter.diagnostics();
    assert_eq!((found.len(), found[0].code), (1, "unfinished-recording"));
    assert!(found[0].message.contains("100 whole frames, up to 0.198 s"), "{}", found[0]);
}

#[test]
fn killed_in_the_middle() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let mut recorder = record(&path, 0);
    let mut frames = 0;
    let mut bytes = 0;
    while bytes < 200_000 {
        recorder.record(&links(frames), &joints(frames)).unwrap();
        frames += 1;
        bytes += 200;
    }
    // The data visible to another process are those that remain after a kill.
    let seen = BodyMotion::load(&partial_path(&path), &Reporter::new()).unwrap();
    assert!(frames - seen.num_frames() < (64 << 10) / 150, "{} of {frames}", seen.num_frames());
    drop(recorder);
}

/// Truncated after any byte: no panic, and both kinds of frames up to the same one.
#[test]
fn truncated_anywhere() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    drop(record(&path, 3));
    let text = fs::read_to_string(partial_path(&path)).unwrap();
    let frame_lines = |text: &str| text.lines().count().saturating_sub(8);
    assert_eq!(frame_lines(&text), 6);
    for length in 0..=text.len() {
        let torn = &text[..length];
        let whole = if torn.ends_with('\n') { frame_lines(torn) } else { frame_lines(torn).saturating_sub(1) } / 2;
        let (result, findings) = read(torn);
        match result {
            Ok(read) => {
                assert!(read == motion(0..whole), "{torn}");
                assert_eq!(findings.len(), 1);
                assert!(findings[0].contains(&format!("{whole} whole frames")), "{findings:?}");
            }
            Err(error) => assert!(whole == 0, "{error}: {torn}"),
        }
    }
}

#[test]
fn damaged_in_the_middle() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    drop(record(&path, 5));
    let text = fs::read_to_string(partial_path(&path)).unwrap();
    // Frame 2 begins on line 13.
    let damaged: Vec<&str> = text.lines().enumerate().map(|(i, line)| if i == 12 { "\0\0" } else { line }).collect();
    let (result, findings) = read(&damaged.join("\n"));
    assert_eq!(result.unwrap(), motion(0..2));
    assert!(findings[0].starts_with("a.seq.partial:13:1:") && findings[0].contains("damaged"), "{findings:?}");
    for (good, bad) in [
        ("frameRate: 500", "frameRate: 0"),
        ("numLinks: 2", "numLinks: 0"),
        ("numLinks: 2", "numLinks: 1e9"),
        ("numJoints: 3", "numJoints: -1"),
        ("numJoints: 3", "numJoints: 1e9"),
        ("formatVersion: 2", "formatVersion: 3"),
        ("firstFrame: 0", "firstFrame: -1"),
        ("firstFrame: 0", "firstFrame: x"),
        ("firstFrame: 0\n", ""),
        ("frameRate: 500\nfirstFrame: 0", "frameRate: 5e-324\nfirstFrame: 9223372036854775807"),
        ("numJoints: 3\n", ""),
        ("numJoints: 3", "[ : "),
    ] {
        assert!(read(&text.replace(good, bad)).0.is_err(), "{bad}");
    }
}

/// Version 1 of the layout, in which all frames were kept.
#[test]
fn an_old_partial_file_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    drop(record(&path, 5));
    let text = fs::read_to_string(partial_path(&path)).unwrap();
    let old = text.replace("formatVersion: 2", "formatVersion: 1").replace("firstFrame: 0\n", "");
    let (result, findings) = read(&old);
    assert_eq!(result.unwrap(), motion(0..5));
    assert_eq!(findings.len(), 1, "{findings:?}");
}

/// The partial file is YAML for any reader.
#[test]
fn a_partial_file_is_yaml() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    drop(record(&path, 2));
    let source = SourceFile::from_text("a", fs::read_to_string(partial_path(&path)).unwrap());
    let reporter = Reporter::new();
    let document = bunraku_document::yaml::Document::parse(&source, &Default::default(), &reporter).unwrap();
    assert_eq!(document.root().get("frames").unwrap().items().unwrap().len(), 4);
}

#[test]
fn invalid_frames_are_refused_and_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let mut recorder = record(&path, 1);
    let error = recorder.record(&links(1), &[0.0]).unwrap_err();
    assert_eq!(error.to_string(), "frame 1 has 1 joint displacements instead of 3");
    assert!(recorder.record(&links(1)[..1], &joints(1)).is_err());
    let error = recorder.record(&links(1), &[0.0, f64::NAN, 0.0]).unwrap_err();
    assert_eq!(error.to_string(), "joint displacement 1 of frame 1 is not finite");
    let mut bad = links(1);
    bad[0].translation.x = f64::INFINITY;
    assert!(matches!(recorder.record(&bad, &joints(1)), Err(RecordError::NotFinite { index: 0, .. })));
    recorder.record(&links(1), &joints(1)).unwrap();
    recorder.finish().unwrap();
    assert_eq!(BodyMotion::load(&path, &Reporter::new()).unwrap(), motion(0..2));
}

#[test]
fn paths_that_cannot_be_recorded_to() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let create = |path: &Path| Recorder::create(path, LAYOUT);
    assert!(matches!(create(&directory.path().join("no/a.seq")), Err(RecordError::NoDirectory(_))));
    assert!(matches!(create(directory.path()), Err(RecordError::Directory(_))));
    fs::create_dir(partial_path(&path)).unwrap();
    assert!(matches!(create(&path), Err(RecordError::Create { .. })));
    for layout in [
        RecordingLayout { frame_rate: 0.0, ..LAYOUT },
        RecordingLayout { frame_rate: f64::NAN, ..LAYOUT },
        RecordingLayout { num_links: 0, ..LAYOUT },
    ] {
        assert!(Recorder::create(&path, layout).is_err());
    }
}

#[test]
fn an_empty_recording_cannot_be_finished() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    fs::write(&path, "old").unwrap();
    assert!(matches!(record(&path, 0).finish(), Err(RecordError::Empty(_))));
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn a_partial_file_changed_by_others_is_detected() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let recorder = record(&path, 200);
    fs::write(partial_path(&path), "").unwrap();
    assert!(matches!(recorder.finish(), Err(RecordError::Write { .. })));
    assert!(!path.exists());
}

#[test]
fn a_rewound_recording_shows_only_the_final_course() {
    for back_to in [1, 2, 40, 99] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.seq");
        let mut recorder = record(&path, 100);
        recorder.rewind(200).unwrap();
        assert_eq!(recorder.num_frames(), 100);
        recorder.rewind(back_to).unwrap();
        assert_eq!(recorder.num_frames(), back_to);
        // A saved recording is the motion so far.
        assert_eq!(recorder.save().unwrap().num_frames, back_to);
        assert_eq!(BodyMotion::load(&path, &Reporter::new()).unwrap(), motion(0..back_to));
        for frame in back_to..120 {
            recorder.record(&links(frame), &joints(frame)).unwrap();
        }
        recorder.finish().unwrap();
        let mut expected = Vec::new();
        write_seq_to(&motion(0..120), &mut expected).unwrap();
        assert!(fs::read(&path).unwrap() == expected, "back to {back_to}");
    }
}

#[test]
fn a_tail_can_be_rewound_within_its_frames() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    let duration = 9.0 / LAYOUT.frame_rate;
    let options = RecordOptions { recording: Recording::Tail { duration }, ..RecordOptions::default() };
    let mut recorder = Recorder::with_options(&path, LAYOUT, options).unwrap();
    for frame in 0..57 {
        recorder.record(&links(frame), &joints(frame)).unwrap();
    }
    recorder.rewind(52).unwrap();
    for frame in 52..75 {
        recorder.record(&links(frame), &joints(frame)).unwrap();
    }
    let finished = recorder.finish().unwrap();
    assert_eq!(finished.num_frames, 10);
    let mut expected = Vec::new();
    write_seq_to(&motion(65..75), &mut expected).unwrap();
    assert_eq!(String::from_utf8(fs::read(&path).unwrap()).unwrap(), String::from_utf8(expected).unwrap());
}
