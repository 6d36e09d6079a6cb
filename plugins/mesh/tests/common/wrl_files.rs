//! The `.wrl` files of the corpus.

#[path = "../../../../tests/common/real_data.rs"]
mod real_data;

use std::path::{Path, PathBuf};

/// The directory of the corpus and the files in it, in order; `None`, with a word about it, without a corpus.
pub fn corpus() -> Option<(PathBuf, Vec<PathBuf>)> {
    let corpus = real_data::real_data("BUNRAKU_CORPUS")?;
    let mut files = Vec::new();
    collect(&corpus, &mut files);
    assert!(files.len() >= 152, "only {} files", files.len());
    Some((corpus, files))
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wrl")) {
            files.push(path);
        }
    }
}
