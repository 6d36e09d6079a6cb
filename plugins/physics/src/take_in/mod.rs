//! Bodies that come into rapier's world, change there, and go.

mod assembly;
mod collision_groups;
mod departures;
mod retake;
mod schedule;

pub(crate) use schedule::add;
