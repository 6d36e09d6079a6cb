//! The `.wrl` files of the corpus.

use std::path::PathBuf;

use bunraku_test_support::files_below;

/// The directory of the corpus and its files, sorted. `None`, with a message, if there is no corpus.
pub fn corpus() -> Option<(PathBuf, Vec<PathBuf>)> {
    let corpus = bunraku_test_support::corpus()?;
    let files = files_below(&corpus, &["wrl"]);
    assert!(files.len() >= 152, "only {} files", files.len());
    Some((corpus, files))
}
