use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_rapier3d::plugin::RapierConfiguration;
use bevy_rapier3d::prelude::RapierContextSimulation;
use bevy_rapier3d::rapier::dynamics::FrictionModel;
use bunraku_simulation::SimulationClock;

use crate::model::parameters::PhysicsParameters;
use crate::world::{context, tracks};

/// Takes new bodies into rapier's world.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TakeIn;

pub(crate) fn start(world: &mut World) {
    let parameters = world.resource::<PhysicsParameters>().clone();
    let clock = *world.resource::<SimulationClock>();
    world.insert_resource(context::timestep_mode(&clock));
    let mut contexts = world.query::<(&mut RapierContextSimulation, &mut RapierConfiguration)>();
    for (mut simulation, mut configuration) in contexts.iter_mut(world) {
        context::apply(&parameters, &clock, &mut simulation.integration_parameters, &mut configuration);
    }
    world.run_schedule(TakeIn);
    // Rapier's usual friction takes what two surfaces do along each other and what they do about the normal for two things, so that a
    // long track never turns.
    let has_tracks = world.query::<&tracks::Tracks>().iter(world).next().is_some();
    if has_tracks {
        for mut simulation in world.query::<&mut RapierContextSimulation>().iter_mut(world) {
            simulation.integration_parameters.friction_model = FrictionModel::Coulomb;
        }
    }
}
