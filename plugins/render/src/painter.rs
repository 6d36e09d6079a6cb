//! Pictures by other means than rays.

use nalgebra::Isometry3;
use thiserror::Error;

use crate::lens::View;
use crate::light::Lighting;
use crate::picture::Frame;
use crate::scene::Scene;

/// Draws what cameras see by other means than rays, such as a graphics card.
pub trait Painter: Send + Sync {
    /// The colours and distances that a camera sees, laid out and lit as those of [`Scene::picture`]. `pose` is the
    /// camera's optical frame in the world.
    ///
    /// # Errors
    /// If there is nothing to draw with, or it fails.
    fn paint(
        &self,
        scene: &Scene,
        view: &View,
        pose: &Isometry3<f64>,
        lighting: &Lighting,
    ) -> Result<Frame, PainterError>;
}

/// Why a picture was not drawn.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct PainterError(pub String);
