//! What reading a file costs in memory.
//!
//! For test binaries of their own, because it counts what the whole process allocates.
#![allow(dead_code)] // Each of them uses its part.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bunraku_body::LoadOptions;
use bunraku_document::Reporter;
use peak_alloc::PeakAlloc;
use tempfile::TempDir;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// Tests of one binary run side by side; these must not.
static ALONE: Mutex<()> = Mutex::new(());

/// What something allocates at most beyond what was allocated before, in bytes, and what comes of it.
pub fn of<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    measure(work)
}

fn measure<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = ALLOCATED.current_usage();
    ALLOCATED.reset_peak_usage();
    let result = work();
    (ALLOCATED.peak_usage().saturating_sub(before), result)
}

/// Loads `file` from a directory with what `write` puts there, and asserts that it is refused for the reason `code` at a
/// cost of less than `most` bytes. Gives the number of findings.
#[track_caller]
pub fn assert_refused(file: &str, most: usize, code: &str, write: impl FnOnce(&TempDir)) -> usize {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = tempfile::tempdir().unwrap();
    write(&directory);
    let path = directory.path().join(file);
    let (cost, (body, findings)) = measure(|| load(&path));
    assert!(body.is_none(), "it was not refused");
    let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
    assert!(codes.contains(&code), "{codes:?}");
    assert!(cost < most, "{} MB", cost >> 20);
    findings.len()
}

fn load(path: &Path) -> (Option<bunraku_body::Body>, Vec<bunraku_document::Diagnostic>) {
    let reporter = Reporter::new();
    let body = bunraku_body::load(path, &LoadOptions::default(), &reporter);
    (body, reporter.into_diagnostics())
}

pub fn write(directory: &TempDir, name: &str, text: impl AsRef<[u8]>) {
    fs::write(directory.path().join(name), text).unwrap();
}
