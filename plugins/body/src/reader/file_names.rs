use std::path::{Path, PathBuf};

/// Canonical path, for deciding whether two paths refer to the same file.
pub(super) fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// File name without extension.
pub(super) fn file_stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}
