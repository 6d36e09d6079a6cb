//! Interface of renderers other than ray casting.

use nalgebra::Isometry3;
use thiserror::Error;

use crate::lens::View;
use crate::light::Lighting;
use crate::picture::Frame;
use crate::scene::Scene;

/// A renderer of camera images other than ray casting, such as a graphics card.
pub trait Painter: Send + Sync {
    /// Renders the colours and distances of a camera, with the layout and lighting of [`Scene::picture`]. `pose` is the
    /// camera's optical frame in the world.
    ///
    /// # Errors
    /// If no graphics device is available, or it fails.
    fn paint(
        &self,
        scene: &Scene,
        view: &View,
        pose: &Isometry3<f64>,
        lighting: &Lighting,
    ) -> Result<Frame, PainterError>;
}

/// Reason why an image was not rendered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct PainterError(pub String);
