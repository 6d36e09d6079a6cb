use nalgebra::Affine3;

use super::Property;

/// What belongs to a picture of a link alone and is not drawn: it is kept, so that it is there when the model is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenery {
    /// What it is.
    pub kind: SceneryKind,
    /// Name; empty if it has none.
    pub name: String,
    /// From its own frame to that of the link.
    pub transform: Affine3<f64>,
    /// Its other keys as they are written.
    pub info: Vec<(String, Property)>,
}

/// What a [`Scenery`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SceneryKind {
    /// A light from far away.
    DirectionalLight,
    /// Mist.
    Fog,
    /// Lines between points.
    LineSet,
    /// A place to look from, without perspective.
    OrthographicCamera,
    /// A place to look from.
    PerspectiveCamera,
    /// Letters.
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
