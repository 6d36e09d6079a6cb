use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The files that were found for what other files name: meshes, pictures, models inside models. Clones share one list.
#[derive(Clone, Debug, Default)]
pub struct FoundFiles(Arc<Mutex<BTreeSet<PathBuf>>>);

impl FoundFiles {
    /// All of them without links, each once, sorted.
    pub fn files(&self) -> Vec<PathBuf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    pub(crate) fn add(&self, path: &Path) {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
    }
}
