use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::{Document, Location};
use crate::SceneNode;

/// Cache of inlined files.
#[derive(Debug, Default)]
pub(super) struct Inlines {
    pub scenes: HashMap<PathBuf, Vec<SceneNode>>,
    /// VRML files whose trees were visited.
    pub documents: HashMap<PathBuf, Arc<Document>>,
    /// Files left out: path, location and reason. Each is reported once, however often its node is visited.
    pub left_out: HashSet<(PathBuf, Location, String)>,
    /// Files being read, each inlined by the one before it.
    pub chain: Vec<PathBuf>,
}
