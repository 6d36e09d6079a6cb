use std::path::PathBuf;
use std::sync::Arc;

use bevy::prelude::Resource;

/// A scene that an empty window offers.
#[derive(Clone, Debug)]
pub struct GalleryScene {
    /// Title.
    pub title: String,
    /// One sentence about it.
    pub about: String,
    /// The file.
    pub file: PathBuf,
    /// A small picture (PNG); the file may be missing.
    pub picture: PathBuf,
}

/// The scenes that a window offers while it is empty.
#[derive(Resource, Clone, Debug, Default)]
pub struct Gallery(pub Arc<Vec<GalleryScene>>);
