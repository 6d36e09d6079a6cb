//! Scenes of triangles and primitives, ray casting, and images rendered by ray casting without a graphics driver.
//!
//! - [`Model`]: visual model of a link, created once from its visual shapes;
//! - [`Scene`]: models at poses that may change in each step; [`Scene::cast`] and [`Scene::cast_all`] find the hits of
//!   rays;
//! - [`Scene::picture`] and [`Scene::distances`]: images of a camera with a [`View`], as a [`Frame`], lit by
//!   [`Lighting`];
//! - [`Painter`]: another renderer of the same frames, from the [`Part`]s of models.
//!
//! Everything is in the world frame: Z up, metres. A scene stores triangles in f32, like files, and primitives in f64;
//! distances are computed in f64.

// Sines and the like are those of `libm`, so that results have the same bits everywhere.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod batch;
mod bvh;
mod color;
mod distortion;
mod instance;
mod lens;
mod light;
mod model;
mod motion;
mod painter;
mod part;
mod picture;
mod quadric;
mod scene;
mod solid;
mod sweep;
mod textures;
mod viewpoint;

pub use batch::Threads;
pub use color::Linear;
pub use distortion::Intrinsics;
pub use lens::{Lens, MAX_PIXELS, Optics, View, ViewError};
pub use light::{Light, LightSource, Lighting, Sky};
pub use model::{Material, Model};
pub use motion::Motion;
pub use painter::{Painter, PainterError};
pub use part::{Corner, Part};
pub use picture::{Exposure, Frame, Surface};
pub use scene::{Caster, Hit, InstanceIndex, Ray, Reach, Scene};
pub use sweep::{Axes, Sweep};
pub use textures::{Picture, PlacedPicture, Textures};
pub use viewpoint::{Viewpoint, axes, seen_bounds};
