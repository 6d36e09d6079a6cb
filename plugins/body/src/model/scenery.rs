use nalgebra::Affine3;

use super::Property;

/// Node for rendering that is not rendered here. It is kept and written back with the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenery {
    /// Kind of node.
    pub kind: SceneryKind,
    /// Name; empty if it has none.
    pub name: String,
    /// Transform from its own frame to that of the link.
    pub transform: Affine3<f64>,
    /// Other keys, as written.
    pub info: Vec<(String, Property)>,
}

/// Kind of a [`Scenery`] node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SceneryKind {
    /// Directional light.
    DirectionalLight,
    /// Fog.
    Fog,
    /// Lines between points.
    LineSet,
    /// Viewpoint without perspective.
    OrthographicCamera,
    /// Viewpoint with perspective.
    PerspectiveCamera,
    /// Text.
    Text,
}

impl SceneryKind {
    const ALL: [Self; 6] = [
        Self::DirectionalLight,
        Self::Fog,
        Self::LineSet,
        Self::OrthographicCamera,
        Self::PerspectiveCamera,
        Self::Text,
    ];

    /// The type of the node in model files.
    pub fn word(self) -> &'static str {
        match self {
            Self::DirectionalLight => "DirectionalLight",
            Self::Fog => "Fog",
            Self::LineSet => "LineSet",
            Self::OrthographicCamera => "OrthographicCamera",
            Self::PerspectiveCamera => "PerspectiveCamera",
            Self::Text => "Text",
        }
    }

    /// The kind with this word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}
