use bevy::prelude::*;
use bunraku_document::Diagnostic;

use super::cache::VisualCache;

/// Resources for creating the visuals of a body.
pub struct Drawing<'a> {
    pub cache: &'a mut VisualCache,
    pub meshes: &'a mut Assets<Mesh>,
    pub materials: &'a mut Assets<StandardMaterial>,
    pub images: &'a mut Assets<Image>,
    pub diagnostics: Vec<Diagnostic>,
}
