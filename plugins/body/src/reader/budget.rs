use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use bunraku_document::NodeIdentity;
use bunraku_document::yaml::Document;
use bunraku_mesh::TriangleMesh;

use super::allowance::Allowance;

/// Meshes by the node they were read from, so that aliases share a mesh.
pub(super) type MeshCache = HashMap<NodeIdentity, Option<Arc<TriangleMesh>>>;

/// YAML resources by path and by the document that refers to them, whose anchors they may use.
pub(super) type DocumentCache = HashMap<(PathBuf, usize), Option<Rc<Document>>>;

/// Remaining resources for the elements of all links, and caches. They are shared by the whole model, because a link
/// may be an alias, too.
pub(super) struct Budget {
    pub(super) left: Allowance,
    /// Cached meshes.
    pub(super) meshes: MeshCache,
    /// Cached YAML resources.
    pub(super) documents: DocumentCache,
    /// Parts of YAML resources that are being read, innermost last.
    pub(super) open: Vec<(PathBuf, String)>,
}

impl Budget {
    pub(super) fn new(left: Allowance) -> Self {
        Self { left, meshes: MeshCache::new(), documents: DocumentCache::new(), open: Vec::new() }
    }

    /// Whether a limit was exceeded: reading should stop.
    pub(super) fn is_full(&self) -> bool {
        self.left.is_full()
    }
}
