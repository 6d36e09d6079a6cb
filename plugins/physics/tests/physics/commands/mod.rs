//! Inputs of a body besides its controllers: initial velocities, external forces, losses of its joints, and the rule of
//! velocity ranges. All against closed formulas, with both joint solvers.

mod external_forces;
mod feed_forward;
mod initial_velocities;
mod losses;
mod velocity_ranges;

use bevy::prelude::Entity;
use bunraku_body::{BodyState, JointTargets};
use bunraku_motion::Sequence;

use crate::common::World;

/// A value that stays.
fn constant(value: f64) -> Sequence<f64> {
    Sequence::timed(vec![0.0], 1, vec![value]).unwrap()
}

/// Lets the joints of a body start with velocities, rad/s or m/s.
fn start_with(world: &mut World, entity: Entity, velocities: &[f64]) {
    let mut state = world.app.world_mut().get_mut::<BodyState>(entity).unwrap();
    state.velocities.copy_from_slice(velocities);
}

fn set_target(world: &mut World, entity: Entity, displacement: f64) {
    world.app.world_mut().get_mut::<JointTargets>(entity).unwrap().displacements[0] = displacement;
}
