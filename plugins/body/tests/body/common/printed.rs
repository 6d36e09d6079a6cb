//! Requirements on every message for users.

use std::path::Path;

use bunraku_document::Diagnostic;

/// Asserts that a finding has a location, or a reason for having none, and a remedy.
#[track_caller]
pub fn assert_helpful(finding: &Diagnostic, without_place: Option<&str>) {
    assert!(finding.help.as_ref().is_some_and(|help| !help.is_empty()), "nothing says what to do:\n{finding}");
    match without_place {
        None => assert!(finding.position().is_some(), "nothing says where:\n{finding}"),
        Some(reason) => assert!(finding.position().is_none(), "there is a place after all ({reason}):\n{finding}"),
    }
    assert!(!finding.message.ends_with('.') && !finding.message.contains('\n'), "{finding}");
}

/// Text for a snapshot, without the name of the test directory, which changes from run to run.
pub fn without_directory(text: &str, directory: &Path) -> String {
    let name = |path: &Path| path.display().to_string();
    text.replace(&name(&directory.canonicalize().unwrap()), "[HOME]").replace(&name(directory), "[HOME]")
}
