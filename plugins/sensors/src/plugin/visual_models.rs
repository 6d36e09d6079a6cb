//! Visual models of bodies, built once for all worlds that share them.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use bevy::prelude::*;
use bunraku_body::Body;
use bunraku_render::{Model, Textures};

/// Visual model of each link; `None` for a link without visual shapes.
pub(super) type LinkModels = Vec<Option<Arc<Model>>>;

/// Triangles of bodies with their trees for rays, and textures. Worlds with clones of this resource share them.
#[derive(Resource, Clone, Debug, Default)]
pub struct VisualModels(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    bodies: Vec<KnownBody>,
    textures: Textures,
}

#[derive(Debug)]
struct KnownBody {
    body: Weak<Body>,
    links: LinkModels,
    /// Messages on images and shapes that are left out.
    findings: Vec<String>,
}

impl VisualModels {
    /// The visual models of a body's links, and messages on what is left out of them.
    pub(super) fn of(&self, body: &Arc<Body>) -> (LinkModels, Vec<String>) {
        let Known { bodies, textures } = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bodies.retain(|known| known.body.strong_count() > 0);
        if let Some(known) = bodies.iter().find(|known| known.body.as_ptr() == Arc::as_ptr(body)) {
            return (known.links.clone(), known.findings.clone());
        }
        let reported = textures.diagnostics.len();
        let links = Model::of_links(body, textures);
        let findings = textures.diagnostics[reported..].iter().map(|diagnostic| diagnostic.message.clone());
        let findings: Vec<String> = findings.collect();
        bodies.push(KnownBody { body: Arc::downgrade(body), links: links.clone(), findings: findings.clone() });
        (links, findings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_body::LoadOptions;
    use bunraku_document::{Reporter, SourceFile};

    fn body() -> Arc<Body> {
        let text = "
format: ChoreonoidBody
format_version: 2.0
links:
  - { name: BOX, elements: [ { type: Shape, geometry: { type: Box, size: [ 1, 1, 1 ] } } ] }
";
        let source = SourceFile::from_text("box.body", text);
        Arc::new(bunraku_body::read(&source, &LoadOptions::default(), &Reporter::new()).unwrap())
    }

    #[test]
    fn worlds_share_models_until_their_body_is_gone() {
        let (models, first, other) = (VisualModels::default(), body(), body());
        let tree = |models: &VisualModels, body: &Arc<Body>| models.of(body).0[0].clone().unwrap();
        let shared = tree(&models, &first);
        assert!(Arc::ptr_eq(&shared, &tree(&models.clone(), &first)));
        assert!(!Arc::ptr_eq(&shared, &tree(&models, &other)));
        drop(first);
        tree(&models, &other);
        assert_eq!(Arc::strong_count(&shared), 1, "kept without its body");
    }
}
