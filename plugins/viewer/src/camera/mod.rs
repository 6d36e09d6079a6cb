//! The camera of the window.

mod control;
mod orbit;

pub use control::{MainCamera, Quality, ViewArea, place_camera, spawn_camera};
pub use orbit::{FIELD_OF_VIEW, Orbit};
