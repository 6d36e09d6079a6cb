use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::{Document, Location};
use crate::SceneNode;

/// Files that were inlined before.
#[derive(Debug, Default)]
pub(super) struct Inlines {
    pub scenes: HashMap<PathBuf, Vec<SceneNode>>,
    /// The VRML files whose trees somebody wanted to see.
    pub documents: HashMap<PathBuf, Arc<Document>>,
    /// Where a file was left out and why, which is said once however often its node is met.
    pub left_out: HashSet<(PathBuf, Location, String)>,
    /// The files that are being read, each inlined by the one before it.
    pub chain: Vec<PathBuf>,
}
