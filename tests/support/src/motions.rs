//! Motions from strings.

use bunraku_document::{Diagnostic, Reporter, SourceFile};
use bunraku_motion::BodyMotion;

/// Reads the text of a `.seq` file: the motion or the error, and the other findings, one per line.
pub fn read_motion(text: &str) -> (Result<BodyMotion, Box<Diagnostic>>, Vec<String>) {
    let reporter = Reporter::new();
    let motion = BodyMotion::read(&SourceFile::from_text("m.seq", text), &reporter);
    (motion, reporter.into_diagnostics().iter().map(ToString::to_string).collect())
}

/// The motion of a text.
///
/// # Panics
/// If there are any findings.
#[track_caller]
pub fn read_clean_motion(text: &str) -> BodyMotion {
    let (motion, findings) = read_motion(text);
    assert!(findings.is_empty(), "{findings:?}");
    motion.unwrap_or_else(|error| panic!("{error}"))
}
