//! Bodies that come into rapier's world, change there, and go.

mod assembly;
mod collision_groups;
mod extra_joints;
mod rebuild;
mod removal;
mod schedule;

pub(crate) use schedule::add;
