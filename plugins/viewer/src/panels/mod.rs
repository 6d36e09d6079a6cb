//! The panels of the window: their display, and the requests that result from clicks. They are functions of
//! [`Shown`](crate::view::Shown) and the state of the window, a [`Desk`], and return
//! [`Request`](crate::view::Request)s.

mod bar;
mod chart;
mod desk;
mod dock;
mod gallery;
mod handle;
mod inspector;
mod joints;
mod key_frames;
mod keys;
mod performance;
mod plots;
mod problems;
mod sensors;
mod style;
mod surroundings;
mod task;
mod toggles;
mod tree;
mod view;
mod whole;

pub use desk::{Desk, Kept, Panel};
pub use handle::Handles;
pub use key_frames::KeyEditor;
pub use keys::{KEYS, key_requests};
pub use plots::Plots;
pub use style::{prepare, set_style};
pub use surroundings::{Pull, Surroundings};
pub use whole::show;
