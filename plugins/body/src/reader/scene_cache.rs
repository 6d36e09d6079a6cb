use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_mesh::MeshScene;

/// Cache of the mesh files of a load, by canonical path.
///
/// As in the original, a part of a file that is referenced anywhere is removed from the file: other references to the
/// file lack that part, even if they were read before.
#[derive(Default)]
pub(super) struct SceneCache {
    /// Content of each file; `None` if it is invalid, which is reported once.
    pub(super) scenes: RefCell<HashMap<PathBuf, Option<Arc<MeshScene>>>>,
    taken: RefCell<HashMap<PathBuf, BTreeSet<String>>>,
    /// Files that were used already.
    shown: RefCell<HashSet<PathBuf>>,
    late: Cell<bool>,
}

impl SceneCache {
    /// Whether a part was removed from a file after the file had been used. The model must then be read again.
    pub(super) fn is_late(&self) -> bool {
        self.late.get()
    }

    /// Records the use of a part of a file, or of the whole file, and returns the parts removed from it so far.
    pub(super) fn take(&self, file: &Path, part: Option<&str>) -> BTreeSet<String> {
        let mut files = self.taken.borrow_mut();
        let taken = files.entry(file.to_owned()).or_default();
        let is_new = part.is_some_and(|part| taken.insert(part.to_owned()));
        if !self.shown.borrow_mut().insert(file.to_owned()) && is_new {
            self.late.set(true);
        }
        taken.clone()
    }
}
