//! When bodies are taken in: before the first step, and at the beginning of each step that finds something new.

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy::transform::systems::{propagate_parent_transforms, sync_simple_transforms};
use bevy_rapier3d::plugin::systems::{init_colliders, init_joints, init_rigid_bodies, on_add_entity_with_parent};
use bevy_rapier3d::plugin::{NoUserData, PhysicsSet, RapierConfiguration, RapierPhysicsPlugin};
use bevy_rapier3d::prelude::*;
use bunraku_body::BodyModel;
use bunraku_simulation::{
    RegisterSimulationState, SimulationClock, SimulationStart, SimulationStep, SimulationSystems,
};

use super::collision_groups::BodiesApart;
use super::departures::{self, Departures};
use super::{assembly, retake};
use crate::model::collision::{LinkCollision, SurfaceMaterials};
use crate::model::extra_joint::{ExtraJointBetween, SimulatedExtraJoint};
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::SimulatedBody;
use crate::multibody_world::{self, MultibodyWorld, users_bodies};
use crate::rapier_step::{extra_joints, joints};
use crate::world::context;

/// Takes new bodies into rapier's world, and whatever else of rapier's there is: before the first step.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct TakeInFirst;

/// Takes new bodies into rapier's world while it is stepped. Components that bevy_rapier would copy to rapier, transforms above all, are
/// left alone: rapier's own poses count.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct TakeInLater;

/// Takes in what was spawned, despawned or changed between two steps.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct TakeInChanges;

pub(crate) fn add(app: &mut App) {
    app.init_resource::<Departures>()
        .init_resource::<BodiesApart>()
        .add_observer(departures::body_goes)
        .add_observer(departures::joint_goes)
        .init_schedule(TakeInFirst)
        .init_schedule(TakeInLater)
        .init_schedule(TakeInChanges)
        .audit_simulation_schedule(TakeInChanges)
        .add_systems(
            TakeInFirst,
            (
                assembly::assemble,
                // The app may not have been updated yet.
                (sync_simple_transforms, propagate_parent_transforms).chain(),
                RapierPhysicsPlugin::<NoUserData>::get_systems(PhysicsSet::SyncBackend),
                assembly::bind,
                (joints::insert, extra_joints::insert).chain().run_if(not(multibody_world::is_used)),
                multibody_world::extra_joints::take_in.run_if(multibody_world::is_used),
            )
                .chain(),
        )
        .add_systems(
            TakeInLater,
            (
                assembly::assemble,
                (sync_simple_transforms, propagate_parent_transforms).chain(),
                (on_add_entity_with_parent, init_rigid_bodies, init_colliders, init_joints).chain(),
                assembly::bind,
                (joints::insert, extra_joints::insert).chain().run_if(not(multibody_world::is_used)),
                multibody_world::extra_joints::take_in.run_if(multibody_world::is_used),
            )
                .chain(),
        )
        .add_systems(SimulationStart, (retake::update_materials, start).chain().in_set(SimulationSystems::TakeIn))
        .add_systems(
            TakeInChanges,
            (
                retake::update_materials,
                retake::update_parameters,
                retake::warn_of_other_models,
                retake::teleport,
                retake::retake_changed,
                take_in,
                users_bodies::take_in.run_if(multibody_world::is_used),
            )
                .chain(),
        )
        // One system of the step, as in most steps there is nothing to do.
        .add_systems(SimulationStep, take_in_changes.run_if(has_changed).in_set(SimulationSystems::TakeIn));
}

fn take_in_changes(world: &mut World) {
    world.run_schedule(TakeInChanges);
}

fn start(world: &mut World) {
    let parameters = world.resource::<PhysicsParameters>().clone();
    let clock = *world.resource::<SimulationClock>();
    world.insert_resource(context::timestep_mode(&clock));
    let mut contexts = world.query::<(&mut RapierContextSimulation, &mut RapierConfiguration)>();
    for (mut simulation, mut configuration) in contexts.iter_mut(world) {
        context::apply(&parameters, &clock, &mut simulation.integration_parameters, &mut configuration);
    }
    world.run_schedule(TakeInFirst);
}

type NewBody = (With<BodyModel>, Without<SimulatedBody>);
type NewExtraJoint = (With<ExtraJointBetween>, Without<SimulatedExtraJoint>);
type UsersNewBody = (With<RigidBody>, Without<RapierRigidBodyHandle>);
type UsersNewCollider = (With<Collider>, Without<RapierColliderHandle>);

type Rewritten = Or<(Changed<LinkCollision>, Changed<BodyModel>)>;
type News = Or<(NewBody, NewExtraJoint, UsersNewBody, UsersNewCollider)>;

/// Whether anything came, went or is to be simulated in another way since the step before, or users' own bodies are to be followed; asked
/// once a step, as in most steps nothing is.
fn has_changed(
    (departures, news): (Res<Departures>, Query<(), News>),
    bodies: Query<retake::Terms<'_>>,
    changed: Query<(), Rewritten>,
    mut without_rule: RemovedComponents<LinkCollision>,
    (materials, parameters): (Res<SurfaceMaterials>, Res<PhysicsParameters>),
    (multibodies, sets): (Res<MultibodyWorld>, Query<&RapierRigidBodySet>),
) -> bool {
    without_rule.read().count() > 0
        || materials.is_changed()
        || parameters.is_changed()
        || !changed.is_empty()
        || bodies.iter().any(retake::is_to_be_taken_anew)
        || !departures.is_empty()
        || !news.is_empty()
        || (multibody_world::is_used(parameters) && users_bodies::are_there(&multibodies, &sets))
}

fn take_in(world: &mut World) -> Result {
    // Bodies that are taken anew have become new ones just now.
    let has_new = world.query_filtered::<(), News>().iter(world).next().is_some();
    if !has_new && world.resource::<Departures>().is_empty() {
        return Ok(());
    }
    let departures = std::mem::take(&mut *world.resource_mut::<Departures>());
    departures::forget(world, &departures);
    world.run_schedule(TakeInLater);
    if !departures.is_empty() {
        departures::remove(world, departures)?;
    }
    Ok(())
}
