//! Pictures of bodies, drawn without a window.
//!
//! ```no_run
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use bunraku_body::{BodyState, LoadOptions};
//! use bunraku_document::Reporter;
//! use bunraku_viewer::picture::{PictureCamera, PictureSize, PosedBody, bounding_box, take_picture};
//! use nalgebra::Vector3;
//!
//! let body = bunraku_body::load(Path::new("robot.body"), &LoadOptions::default(), &Reporter::new());
//! let body = Arc::new(body.ok_or("no model")?);
//! let bodies = [PosedBody { state: BodyState::initial(&body), body }];
//! let size = PictureSize { width: 640, height: 480 };
//! let bounds = bounding_box(&bodies).ok_or("nothing to see")?;
//! let camera = PictureCamera::framing(&bounds, Vector3::new(-2.0, 1.0, -1.0), size);
//! let picture = take_picture(&bodies, &camera, size)?;
//! picture.image.save("robot.png")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod camera;
mod device;
mod studio;

use std::sync::Arc;

use bunraku_body::{Body, BodyState};
use bunraku_document::Diagnostic;
use bunraku_mesh::BoundingBox;
use image::RgbaImage;
use thiserror::Error;

pub use camera::{DEFAULT_FIELD_OF_VIEW, PictureCamera};

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

/// Draws bodies on a plain background, lit from behind the camera, and by the lights of the bodies. Colours come out as
/// the models give them where a surface is fully lit.
///
/// It starts a renderer of its own and waits until the picture is there: about a second. The same picture on the same
/// machine has the same pixels; other graphics drivers round otherwise.
///
/// # Errors
/// If there is nothing to draw with, the size or camera makes no sense, or the renderer fails.
pub fn take_picture(bodies: &[PosedBody], camera: &PictureCamera, size: PictureSize) -> Result<Picture, PictureError> {
    let mut studio = studio::Studio::new(device::open()?);
    studio.take(bodies, camera, size)
}

/// The smallest box around all that is seen of some bodies, in the world, m; `None` if there is nothing to see.
pub fn bounding_box(bodies: &[PosedBody]) -> Option<BoundingBox> {
    let boxes = bodies.iter().flat_map(|PosedBody { body, state }| {
        body.links().iter().zip(&state.link_poses).flat_map(|(link, pose)| {
            link.visual.iter().filter_map(move |shape| {
                let transform = nalgebra::convert::<_, nalgebra::Affine3<f64>>(*pose) * shape.transform;
                shape.geometry.triangles().bounding_box(&transform)
            })
        })
    });
    boxes.reduce(BoundingBox::union)
}
