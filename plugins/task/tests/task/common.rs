//! What several tests need.

use std::path::PathBuf;

use bunraku_document::{Diagnostic, Reporter, SourceFile};
use bunraku_task::model::Task;
use bunraku_task::{check, reader};

/// A file of the corpus; skipped without it.
#[track_caller]
pub fn corpus_file(path: &str) -> Option<PathBuf> {
    bunraku_test_support::corpus().map(|corpus| corpus.join(path))
}

/// The tasks of a text that has no mistake.
pub fn read(text: &str) -> Vec<Task> {
    let (tasks, findings) = try_read(text);
    tasks.unwrap_or_else(|| panic!("{findings:?}"))
}

/// The tasks of a text, and what was found.
pub fn try_read(text: &str) -> (Option<Vec<Task>>, Vec<Diagnostic>) {
    let reporter = Reporter::new();
    let tasks = reader::read(&SourceFile::from_text("broken.yaml", text), &reporter);
    (tasks, reporter.into_diagnostics())
}

/// What reading and checking a text finds.
pub fn findings(text: &str) -> Vec<Diagnostic> {
    let reporter = Reporter::new();
    if let Some(tasks) = reader::read(&SourceFile::from_text("broken.yaml", text), &reporter) {
        tasks.iter().for_each(|task| check::check(task, &reporter));
    }
    reporter.into_diagnostics()
}
