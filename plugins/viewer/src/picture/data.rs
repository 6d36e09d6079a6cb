//! Input and output of images.

use std::sync::Arc;

use bunraku_body::{Body, BodyState};
use bunraku_document::Diagnostic;
use image::RgbaImage;
use thiserror::Error;

/// A body with its pose.
#[derive(Clone, Debug)]
pub struct PosedBody {
    /// The model.
    pub body: Arc<Body>,
    /// State with the poses of its links.
    pub state: BodyState,
}

/// Size of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
}

/// An image, and findings about it.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Red, green, blue (sRGB) and alpha, which is opaque everywhere.
    pub image: RgbaImage,
    /// Findings about visuals that could not be rendered as specified in the models.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reason why no image was rendered.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// Neither graphics hardware nor a software driver is available.
    #[error("there is nothing to draw with: no Vulkan, Metal or DirectX 12 adapter ({0})")]
    NoAdapter(String),
    /// An adapter is available, but provides no device.
    #[error("the graphics adapter {adapter} cannot be used: {reason}")]
    NoDevice {
        /// Name of the adapter.
        adapter: String,
        /// Reason.
        reason: String,
    },
    /// The size is zero or exceeds the limit.
    #[error("a picture of {}×{} pixels cannot be drawn; 1 to {limit} along each side can", size.width, size.height)]
    Size {
        /// Requested size.
        size: PictureSize,
        /// Maximum length of a side, pixels.
        limit: u32,
    },
    /// The camera is invalid: eye and target coincide, or are not finite.
    #[error("the camera of a picture looks nowhere")]
    Camera,
    /// The renderer failed.
    #[error("the picture cannot be drawn: {0}")]
    Rendering(String),
    /// The renderer did not finish.
    #[error("the picture was not drawn within {0} s")]
    Timeout(u64),
}
