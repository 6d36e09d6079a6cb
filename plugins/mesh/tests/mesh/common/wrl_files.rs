//! The `.wrl` files of the corpus.

use std::path::PathBuf;

use bunraku_test_support::files_below;

/// The directory of the corpus and the files in it, in order; `None`, with a word about it, without a corpus.
pub fn corpus() -> Option<(PathBuf, Vec<PathBuf>)> {
    let corpus = bunraku_test_support::corpus()?;
    let files = files_below(&corpus, &["wrl"]);
    assert!(files.len() >= 152, "only {} files", files.len());
    Some((corpus, files))
}
