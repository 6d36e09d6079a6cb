//! Messages about invalid motions: the printed message of each error, stored in `snapshots/`.
//!
//! After a change, `INSTA_UPDATE=always cargo test` rewrites the files. Review the changes as a user who reads the
//! message for the first time.

mod components;
mod files;
mod frames;

use bunraku_document::{Reporter, Severity, SourceFile, render};
use bunraku_motion::{BodyMotion, MotionReader};

use crate::common::{JOINTS, LINKS, version_2 as file};

/// A component with one text replaced, in a file of 10 Hz.
fn with(component: &str, good: &str, bad: &str) -> String {
    assert!(component.contains(good), "{good}");
    file("frameRate: 10\n", &component.replacen(good, bad, 1))
}

/// All messages about a text. Each finding has a line, a column and help.
fn printed(text: &str) -> String {
    let reporter = Reporter::new();
    let result = BodyMotion::read(&SourceFile::from_text("walk.seq", text), &reporter);
    let is_error = result.is_err();
    let mut findings = reporter.into_diagnostics();
    findings.extend(result.err().map(|error| *error));
    for finding in &findings {
        assert!(finding.position().is_some(), "no place: {finding}");
        assert!(finding.help.is_some(), "no help: {finding}");
    }
    assert_eq!(is_error, findings.iter().any(|finding| finding.severity == Severity::Error));
    findings.iter().map(render::plain).collect::<Vec<_>>().join("\n\n")
}

/// Findings of a stream. They are the same except for findings about several components together.
fn streamed(text: &str) -> Vec<String> {
    let reporter = Reporter::new();
    let read = || {
        let motion = MotionReader::read(&SourceFile::from_text("walk.seq", text), &reporter)?;
        for index in 0..motion.components().len() {
            if let Some(mut stream) = motion.frames::<f64>(index, &reporter)? {
                while stream.next_frame(&mut Vec::new())?.is_some() {}
            } else if let Some(mut stream) = motion.frames::<nalgebra::Isometry3<f64>>(index, &reporter)? {
                while stream.next_frame(&mut Vec::new())?.is_some() {}
            } else if let Some(mut stream) = motion.frames::<nalgebra::Vector3<f64>>(index, &reporter)? {
                while stream.next_frame(&mut Vec::new())?.is_some() {}
            }
        }
        Ok(())
    };
    let error = read().err().map(|error: Box<bunraku_document::Diagnostic>| *error);
    reporter.into_diagnostics().iter().chain(&error).map(render::plain).collect()
}

/// A comment after the key, so that the frames are read as YAML and not line by line.
const NOT_BY_LINES: &str = "frames: # as YAML\n";

/// Compares the messages with the snapshot of this name; reading by lines, as YAML and as a stream give the same
/// messages.
#[track_caller]
fn shows(text: &str, snapshot: &str) {
    let by_lines = printed(text);
    let as_yaml = printed(&text.replace("frames:\n", NOT_BY_LINES));
    assert_eq!(by_lines, as_yaml.replace(NOT_BY_LINES, "frames:\n"));
    for message in streamed(text) {
        assert!(by_lines.contains(&message), "{message}\n\n{by_lines}");
    }
    insta::with_settings!({ prepend_module_to_snapshot => false }, { insta::assert_snapshot!(snapshot, by_lines) });
}

/// Asserts that there are no findings.
#[track_caller]
fn says_nothing(text: &str) {
    assert_eq!(printed(text), "");
    assert_eq!(streamed(text), Vec::<String>::new());
}
