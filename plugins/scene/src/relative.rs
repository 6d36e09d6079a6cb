//! Relative paths between files.

use std::path::{Component, Path, PathBuf};

/// The path of a file relative to a directory. Neither needs to exist.
pub(super) fn relative_to(directory: &Path, file: &Path) -> PathBuf {
    let absolute = |path: &Path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
    };
    let name = file.file_name().map(Path::new);
    let file = match name {
        // A link to a file keeps its own name.
        Some(name) => absolute(file.parent().unwrap_or(Path::new(""))).join(name),
        None => absolute(file),
    };
    relative(&absolute(directory), &plain(&file))
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            _ => plain.push(part),
        }
    }
    plain
}

/// The relative path from a directory to a file.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(to.components().skip(shared)).collect()
}
