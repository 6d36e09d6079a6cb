//! Scenes of triangles, the rays that meet them, and pictures drawn with rays: no graphics driver is needed.
//!
//! - [`Model`]: what is seen of a link, made once from its visual shapes;
//! - [`Scene`]: models at poses that may change each step; [`Scene::cast`] and [`Scene::cast_all`] find what rays meet;
//! - [`Scene::picture`] and [`Scene::distances`]: what a camera with a [`View`] sees, as a [`Frame`], lit by [`Lighting`];
//! - [`Painter`]: what draws the same frames by other means, of the [`Part`]s of models.
//!
//! Everything is in the world's frame: Z up, metres. A scene keeps its triangles in f32, as files do; distances are
//! computed in f64.

mod batch;
mod bvh;
mod color;
mod lens;
mod light;
mod model;
mod painter;
mod part;
mod picture;
mod scene;
mod textures;
mod viewpoint;

pub use batch::Threads;
pub use color::Linear;
pub use lens::{Lens, MAX_PIXELS, Optics, View, ViewError};
pub use light::{Light, LightSource, Lighting};
pub use model::{Material, Model};
pub use painter::{Painter, PainterError};
pub use part::{Corner, Part};
pub use picture::Frame;
pub use scene::{Caster, Hit, InstanceIndex, Ray, Reach, Scene};
pub use textures::{Picture, PlacedPicture, Textures};
pub use viewpoint::{Viewpoint, axes, seen_bounds};
