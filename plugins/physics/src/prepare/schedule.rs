//! Preparation of bodies: before the first step, and at the beginning of each step with changes.

use bevy::ecs::schedule::{ScheduleConfigs, ScheduleLabel};
use bevy::ecs::system::ScheduleSystem;
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
use super::removal::{self, Departures};
use super::{anew, assembly, extra_joints, rebuild};
use crate::bodies::{self, MultibodyWorld, users_bodies, users_components, users_joints};
use crate::model::collision::{LinkCollision, SurfaceMaterials};
use crate::model::extra_joint::{ExtraJointBetween, SimulatedExtraJoint};
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::SimulatedBody;
use crate::rapier_step::joints;
use crate::world::context;

/// Prepares all bodies and user-defined rapier entities before the first step.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct PrepareFirst;

/// Prepares new bodies between steps. Components that bevy_rapier would copy to rapier, transforms above all, are not copied: rapier's
/// poses take precedence.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct PrepareLater;

/// Prepares what was spawned, despawned or changed between two steps.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct PrepareChanges;

/// Global transforms of links and colliders.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct UpdateTransforms;

pub(crate) fn add(app: &mut App) {
    app.init_resource::<Departures>()
        .init_resource::<anew::FirstOrder>()
        .init_schedule(UpdateTransforms)
        .add_systems(UpdateTransforms, (sync_simple_transforms, propagate_parent_transforms).chain())
        .init_resource::<BodiesApart>()
        .add_observer(removal::body_goes)
        .add_observer(removal::joint_goes)
        .add_observer(removal::rigid_body_goes)
        .add_observer(removal::users_joint_goes)
        .init_schedule(PrepareFirst)
        .init_schedule(PrepareLater)
        .init_schedule(PrepareChanges)
        .audit_simulation_schedule(PrepareChanges)
        .add_systems(SimulationStart, (rebuild::update_materials, start).chain().in_set(SimulationSystems::Prepare))
        .add_systems(
            PrepareChanges,
            (
                rebuild::update_materials,
                rebuild::update_parameters,
                rebuild::warn_of_other_models,
                rebuild::teleport,
                rebuild::rebuild_changed,
                prepare,
                (users_bodies::prepare, users_joints::prepare, users_components::warn).chain().run_if(bodies::is_used),
            )
                .chain(),
        )
        // One system of the step, because most steps have no changes.
        .add_systems(SimulationStep, prepare_changes.run_if(has_changed).in_set(SimulationSystems::Prepare));
    add_preparation(app, PrepareFirst, RapierPhysicsPlugin::<NoUserData>::get_systems(PhysicsSet::SyncBackend));
    let without_copies = (on_add_entity_with_parent, init_rigid_bodies, init_colliders, init_joints);
    add_preparation(app, PrepareLater, without_copies.chain());
}

/// Adds a preparation of new bodies; `by_rapier` are the systems with which bevy_rapier gives entities their handles.
fn add_preparation(app: &mut App, schedule: impl ScheduleLabel, by_rapier: ScheduleConfigs<ScheduleSystem>) {
    app.add_systems(
        schedule,
        (
            assembly::assemble,
            // The app may not have been updated yet.
            (sync_simple_transforms, propagate_parent_transforms).chain(),
            by_rapier,
            assembly::bind,
            (joints::warn_of_restitution, joints::insert).chain().run_if(not(bodies::is_used)),
            extra_joints::insert,
        )
            .chain(),
    );
}

fn prepare_changes(world: &mut World) {
    world.run_schedule(PrepareChanges);
}

/// Updates the transforms of links and their colliders.
pub(super) fn update_transforms(world: &mut World) {
    world.run_schedule(UpdateTransforms);
}

/// Prepares bodies and extra joints that are not prepared yet.
pub(super) fn prepare_new(world: &mut World) {
    world.run_schedule(PrepareLater);
}

fn start(world: &mut World) {
    let parameters = world.resource::<PhysicsParameters>().clone();
    let clock = *world.resource::<SimulationClock>();
    world.insert_resource(context::timestep_mode(&clock));
    let mut contexts = world.query::<(&mut RapierContextSimulation, &mut RapierConfiguration)>();
    for (mut simulation, mut configuration) in contexts.iter_mut(world) {
        context::apply(&parameters, &clock, &mut simulation.integration_parameters, &mut configuration);
    }
    world.run_schedule(PrepareFirst);
    anew::note_first_order(world);
}

type NewBody = (With<BodyModel>, Without<SimulatedBody>);
type NewExtraJoint = (With<ExtraJointBetween>, Without<SimulatedExtraJoint>);
type UsersNewBody = (With<RigidBody>, Without<RapierRigidBodyHandle>);
type UsersNewCollider = (With<Collider>, Without<RapierColliderHandle>);

type Rewritten = Or<(Changed<LinkCollision>, Changed<BodyModel>)>;
type UsersNewJoint = (With<ImpulseJoint>, Without<RapierImpulseJointHandle>);
type News = Or<(NewBody, NewExtraJoint, UsersNewBody, UsersNewCollider, UsersNewJoint)>;

/// Whether anything was spawned, despawned or changed since the last step, or user-defined bodies exist. In most steps nothing is.
fn has_changed(
    (departures, news): (Res<Departures>, Query<(), News>),
    bodies: Query<rebuild::Terms<'_>>,
    changed: Query<(), Rewritten>,
    mut without_rule: RemovedComponents<LinkCollision>,
    (materials, parameters): (Res<SurfaceMaterials>, Res<PhysicsParameters>),
    (multibodies, contexts): (Res<MultibodyWorld>, Query<(&RapierRigidBodySet, &RapierContextJoints)>),
) -> bool {
    without_rule.read().count() > 0
        || materials.is_changed()
        || parameters.is_changed()
        || !changed.is_empty()
        || bodies.iter().any(rebuild::is_to_be_rebuilt)
        || !departures.is_empty()
        || !news.is_empty()
        || (bodies::is_used(parameters)
            && contexts.iter().any(|(set, joints)| {
                users_bodies::are_there(&multibodies, set) || users_joints::have_changed(&multibodies, joints)
            }))
}

fn prepare(world: &mut World) -> Result {
    // Bodies that are rebuilt are new now.
    let has_new = world.query_filtered::<(), News>().iter(world).next().is_some();
    if !has_new && world.resource::<Departures>().is_empty() {
        return Ok(());
    }
    let departures = std::mem::take(&mut *world.resource_mut::<Departures>());
    removal::forget(world, &departures);
    prepare_new(world);
    if !departures.is_empty() {
        removal::remove(world, departures)?;
    }
    Ok(())
}
