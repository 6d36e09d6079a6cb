use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use bunraku_document::NodeIdentity;
use bunraku_document::yaml::Document;
use bunraku_mesh::TriangleMesh;

use super::allowance::Allowance;

/// Meshes by the node they were read from, so that an alias is the same mesh.
pub(super) type MeshCache = HashMap<NodeIdentity, Option<Arc<TriangleMesh>>>;

/// YAML resources by where they are and the document that refers to them, whose anchors they see.
pub(super) type DocumentCache = HashMap<(PathBuf, usize), Option<Rc<Document>>>;

/// What the elements of all links together may still cost, and what was read already. Counted over the whole model,
/// because a link may be an alias too.
pub(super) struct Budget {
    pub(super) left: Allowance,
    /// Meshes that were read already.
    pub(super) meshes: MeshCache,
    /// YAML resources that were read already.
    pub(super) documents: DocumentCache,
    /// The parts of YAML resources that are being read, the innermost last.
    pub(super) open: Vec<(PathBuf, String)>,
}

impl Budget {
    pub(super) fn new(left: Allowance) -> Self {
        Self { left, meshes: MeshCache::new(), documents: DocumentCache::new(), open: Vec::new() }
    }

    /// Whether a limit was hit: nothing more is worth reading.
    pub(super) fn is_full(&self) -> bool {
        self.left.is_full()
    }
}
