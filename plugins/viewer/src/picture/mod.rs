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
mod data;
pub(crate) mod device;
mod drawing;
mod film;
pub(crate) mod headless;
pub(crate) mod studio;

use bunraku_mesh::BoundingBox;

pub use camera::{DEFAULT_FIELD_OF_VIEW, PictureCamera};
pub use data::{Picture, PictureError, PictureSize, PosedBody};
pub use drawing::DrawingPlugins;
pub use film::{Film, GifWriter};

/// Renders bodies on a plain background, lit from behind the camera and by the lights of the bodies. A fully lit
/// surface has the colour given in its model.
///
/// It starts a renderer and waits until the image is finished: about a second. On the same machine, the same image has
/// the same pixels; other graphics drivers round differently.
///
/// # Errors
/// If no graphics device is available, the size or camera is invalid, or the renderer fails.
pub fn take_picture(bodies: &[PosedBody], camera: &PictureCamera, size: PictureSize) -> Result<Picture, PictureError> {
    let mut studio = studio::Studio::new(device::open()?);
    studio.take(bodies, camera, size)
}

/// Bounding box of the visual shapes of bodies, in the world, m; `None` without visual shapes.
pub fn bounding_box(bodies: &[PosedBody]) -> Option<BoundingBox> {
    let boxes =
        bodies.iter().filter_map(|PosedBody { body, state }| bunraku_render::seen_bounds(body, &state.link_poses));
    boxes.reduce(BoundingBox::union)
}
