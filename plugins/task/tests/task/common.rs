//! Helpers shared by several tests.

use std::path::PathBuf;

use bunraku_document::{Diagnostic, Reporter, SourceFile};
use bunraku_task::model::Task;
use bunraku_task::{check, reader};

/// A file of the corpus; the test is skipped without it.
#[track_caller]
pub fn corpus_file(path: &str) -> Option<PathBuf> {
    bunraku_test_support::corpus().map(|corpus| corpus.join(path))
}

/// Tasks of a valid text.
pub fn read(text: &str) -> Vec<Task> {
    let (tasks, findings) = try_read(text);
    tasks.unwrap_or_else(|| panic!("{findings:?}"))
}

/// Tasks of a text, and the findings.
pub fn try_read(text: &str) -> (Option<Vec<Task>>, Vec<Diagnostic>) {
    let reporter = Reporter::new();
    let tasks = reader::read(&SourceFile::from_text("broken.yaml", text), &reporter);
    (tasks, reporter.into_diagnostics())
}

/// Findings of reading and checking a text.
pub fn findings(text: &str) -> Vec<Diagnostic> {
    let reporter = Reporter::new();
    if let Some(tasks) = reader::read(&SourceFile::from_text("broken.yaml", text), &reporter) {
        tasks.iter().for_each(|task| check::check(task, &reporter));
    }
    reporter.into_diagnostics()
}
