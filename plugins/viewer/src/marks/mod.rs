//! What is drawn of a body beside its shapes.

mod boxes;
mod collision;
mod contacts;
mod draw;
mod pick;
mod sight;
mod trails;

pub use boxes::inertia_box;
pub use collision::{CollisionLines, outline};
pub use contacts::draw_contacts;
pub use draw::{MarkLines, draw_marks, mark_gizmos, show_visuals};
pub use pick::{Picked, Picker, seen_bounds};
pub use sight::draw_sight;
pub use trails::draw_trails;
