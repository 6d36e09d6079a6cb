//! What goes into a picture, and what comes out.

use std::sync::Arc;

use bunraku_body::{Body, BodyState};
use bunraku_document::Diagnostic;
use image::RgbaImage;
use thiserror::Error;

/// A body to take a picture of, and how it stands.
#[derive(Clone, Debug)]
pub struct PosedBody {
    /// The model.
    pub body: Arc<Body>,
    /// Where its links are.
    pub state: BodyState,
}

/// How many pixels a picture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// A picture and what is missing on it.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Red, green, blue (sRGB) and alpha, which is opaque everywhere.
    pub image: RgbaImage,
    /// What could not be drawn as the models say.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why there is no picture.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// No graphics hardware, and no driver that does without.
    #[error("there is nothing to draw with: no Vulkan, Metal or DirectX 12 adapter ({0})")]
    NoAdapter(String),
    /// There is an adapter, but it gives no device.
    #[error("the graphics adapter {adapter} cannot be used: {reason}")]
    NoDevice {
        /// Its name.
        adapter: String,
        /// What it says.
        reason: String,
    },
    /// Too many pixels, or none.
    #[error("a picture of {}×{} pixels cannot be drawn; 1 to {limit} along each side can", size.width, size.height)]
    Size {
        /// What was asked for.
        size: PictureSize,
        /// Most pixels along a side.
        limit: u32,
    },
    /// A camera that looks nowhere: eye and target are the same, or its numbers are none.
    #[error("the camera of a picture looks nowhere")]
    Camera,
    /// The renderer failed.
    #[error("the picture cannot be drawn: {0}")]
    Rendering(String),
    /// The renderer did not finish.
    #[error("the picture was not drawn within {0} s")]
    Timeout(u64),
}
