//! Overlays of bodies besides their shapes.

mod boxes;
mod collision;
mod draw;
mod forces;
mod pick;
mod sight;
mod support;
mod trails;

pub use boxes::inertia_box;
pub use collision::{CollisionLines, outline};
pub use draw::{MarkLines, draw_marks, mark_gizmos, show_visuals};
pub use forces::{ForceLabels, draw_contacts, draw_joint_forces, measure_joints};
pub use pick::{Picked, Picker, seen_bounds};
pub use sight::draw_sight;
pub use support::draw_support;
pub use trails::draw_trails;
