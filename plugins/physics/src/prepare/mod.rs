//! Bodies that come into rapier's world, change there, and go.

mod anew;
mod assembly;
mod collision_groups;
mod extra_joints;
mod rebuild;
mod removal;
mod schedule;

pub use anew::rebuild_bodies;
pub(crate) use schedule::add;
