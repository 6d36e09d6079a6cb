//! The camera of the window.

mod control;
mod follow;
mod orbit;
mod through;

pub use control::{MainCamera, Quality, ViewArea, place_camera, spawn_camera};
pub use follow::{Follow, Followed, follow_link};
pub use orbit::{FIELD_OF_VIEW, Orbit};
pub use through::{Through, ThroughCamera, look_through};
