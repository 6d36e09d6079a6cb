//! Files that tests read and write.

use std::path::{Path, PathBuf};

/// A directory for one test, which is removed when dropped.
#[derive(Debug)]
pub struct TestFolder(tempfile::TempDir);

impl TestFolder {
    /// An empty folder.
    #[allow(clippy::new_without_default, reason = "it is made on the disk")]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory for a test"))
    }

    /// A folder with these files.
    pub fn with<C: AsRef<[u8]>>(files: &[(&str, C)]) -> Self {
        let folder = Self::new();
        for (name, content) in files {
            folder.write(name, content);
        }
        folder
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in it, whether it exists or not.
    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and its parent directories; returns its path.
    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        std::fs::create_dir_all(path.parent().expect("it is in the folder")).unwrap();
        std::fs::write(&path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    }

    /// The text of a file in it.
    #[track_caller]
    pub fn read(&self, name: impl AsRef<Path>) -> String {
        let path = self.join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

/// The files with one of these extensions (in any case; such as `body` or `body.json`) in a directory and its
/// subdirectories, sorted.
#[track_caller]
pub fn files_below(directory: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    fn collect(directory: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) {
        let entries = std::fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
        for path in entries.map(|entry| entry.expect("an entry of a directory").path()) {
            let name = path.to_string_lossy().to_ascii_lowercase();
            if path.is_dir() {
                collect(&path, extensions, files);
            } else if extensions.iter().any(|extension| name.ends_with(&format!(".{extension}"))) {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    collect(directory, extensions, &mut files);
    files.sort();
    files
}
