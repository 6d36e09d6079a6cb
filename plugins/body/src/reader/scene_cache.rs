use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_mesh::MeshScene;

/// The mesh files of a load, by where they really are.
///
/// As in the original, a part of a file that is named anywhere is taken out of it: whatever else the model shows of the
/// file lacks that part, even if it was read before.
#[derive(Default)]
pub(super) struct SceneCache {
    /// Each file is read once; `None` if one cannot be read, which is said once.
    pub(super) scenes: RefCell<HashMap<PathBuf, Option<Arc<MeshScene>>>>,
    taken: RefCell<HashMap<PathBuf, BTreeSet<String>>>,
    /// Files of which something has been shown.
    shown: RefCell<HashSet<PathBuf>>,
    late: Cell<bool>,
}

impl SceneCache {
    /// Whether a part was taken out of a file after something of it had been shown, so that it must be read again with
    /// what is known now.
    pub(super) fn is_late(&self) -> bool {
        self.late.get()
    }

    /// Notes that a part of a file is shown, or all of it, and gives the parts taken out of the file so far.
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
