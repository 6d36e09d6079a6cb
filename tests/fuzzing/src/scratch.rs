//! A directory for the file that is read, one for each thread.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
    static DIRECTORY: TempDir = tempfile::tempdir().expect("a directory for the file");
}

/// Writes the bytes to a file with this name and calls `read` with its path.
pub fn with_file<T>(name: &str, bytes: &[u8], read: impl FnOnce(&Path) -> T) -> T {
    let path = path_of(name);
    std::fs::write(&path, bytes).expect("a file in a temporary directory");
    read(&path)
}

/// The path of a file with this name.
pub fn path_of(name: &str) -> PathBuf {
    DIRECTORY.with(|directory| directory.path().join(name))
}
