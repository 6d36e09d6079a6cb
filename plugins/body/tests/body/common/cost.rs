//! Memory consumption of reading a file.

use bunraku_body::LoadOptions;
use bunraku_document::Reporter;
use bunraku_test_support::{TestFolder, allocations};

/// Loads `file` from a directory filled by `write`, and asserts that it is refused with the code `code` using less than
/// `most` bytes. Returns the number of findings.
#[track_caller]
pub fn assert_refused(file: &str, most: usize, code: &str, write: impl FnOnce(&TestFolder)) -> usize {
    let folder = TestFolder::new();
    write(&folder);
    let path = folder.join(file);
    let (cost, (body, findings)) = allocations(|| {
        let reporter = Reporter::new();
        (bunraku_body::load(&path, &LoadOptions::default(), &reporter), reporter.into_diagnostics())
    });
    assert!(body.is_none(), "it was not refused");
    let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
    assert!(codes.contains(&code), "{codes:?}");
    assert!(cost.peak < most, "{} MB", cost.peak >> 20);
    findings.len()
}
