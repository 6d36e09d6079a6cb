//! Surroundings of the bodies: light, sky, ground.

mod ground;
mod light;
mod matte;

pub use ground::{AXIS_COLORS, GroundLines, ShownMarks, draw_ground, ground_gizmos};
pub use light::{AMBIENT, light_stage, sky};
pub use matte::MattePlugin;
