use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// List of the files that other files refer to and that were found: meshes, images, included models. Clones share one
/// list.
#[derive(Clone, Debug, Default)]
pub struct FoundFiles(Arc<Mutex<BTreeSet<PathBuf>>>);

impl FoundFiles {
    /// Canonical paths of all files, sorted, without duplicates.
    pub fn files(&self) -> Vec<PathBuf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    pub(crate) fn add(&self, path: &Path) {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
    }
}
