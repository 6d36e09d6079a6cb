//! Bodies whose settings changed: they are rebuilt.

use bevy::ecs::query::QueryItem;
use bevy::prelude::*;
use bevy_rapier3d::plugin::RapierConfiguration;
use bevy_rapier3d::prelude::*;
use bunraku_body::dynamics::Twist;
use bunraku_body::{BodyLinks, BodyModel, BodyState, Drive, JointEfforts, JointTargets, LinkOf, ToBevy};
use bunraku_simulation::{SimulationClock, SimulationWarnings};

use super::assembly::SurfaceOf;
use crate::bodies::MultibodyWorld;
use crate::model::collision::{BodyCollision, LinkCollision, SurfaceMaterials};
use crate::model::extra_joint::{ExtraJointBetween, JointEnd, SimulatedExtraJoint};
use crate::model::initial_twist::InitialTwist;
use crate::model::kinematic_root::KinematicRoot;
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::SimulatedBody;
use crate::model::teleport::{Teleport, Teleported};
use crate::world::contacts::ContactRules;
use crate::world::context;
use crate::world::convert::from_vec3;

type RebuiltBody<'a> = (
    Entity,
    &'a SimulatedBody,
    &'a Drive,
    Option<&'a BodyCollision>,
    Has<KinematicRoot>,
    (&'a BodyLinks, &'a BodyState, Option<&'a Teleport>),
);

pub(super) type Terms<'a> =
    (&'a SimulatedBody, &'a Drive, Option<&'a BodyCollision>, Has<KinematicRoot>, Has<Teleport>);

type Teleporting<'a> = (
    Entity,
    &'a Teleport,
    &'a BodyModel,
    &'a mut BodyState,
    &'a mut JointEfforts,
    &'a mut JointTargets,
    Has<SimulatedBody>,
    Option<&'a Name>,
);

type PreparedJoints<'w, 's> = Query<'w, 's, (Entity, &'static ExtraJointBetween), With<SimulatedExtraJoint>>;

type NamedModel<'a> = (Entity, Ref<'a, BodyModel>, Option<&'a Name>);

/// Writes the states of teleported bodies; simulated ones are then rebuilt.
pub(super) fn teleport(
    mut commands: Commands,
    mut bodies: Query<Teleporting<'_>>,
    mut warnings: ResMut<SimulationWarnings>,
) {
    for (entity, teleport, BodyModel(body), mut state, mut efforts, mut targets, is_simulated, name) in &mut bodies {
        let Teleport { state: there, root_twist } = teleport;
        let fits = there.link_poses.len() == body.links().len()
            && [&there.displacements, &there.velocities].iter().all(|values| values.len() == body.num_joints());
        if !fits {
            warnings.add(entity, "Teleport", || {
                let name = name.map_or(body.name.as_str(), Name::as_str);
                format!("`{name}` is not teleported: the given state is one of another body")
            });
            commands.entity(entity).remove::<Teleport>();
            continue;
        }
        state.clone_from(there);
        efforts.0.fill(0.0);
        *targets = JointTargets::holding(there);
        commands.trigger(Teleported { entity });
        if !is_simulated {
            commands.entity(entity).remove::<Teleport>().insert(InitialTwist(*root_twist));
        }
    }
}

/// Whether a body is teleported or has other settings, except for those of its links.
pub(super) fn is_to_be_rebuilt(
    (simulated, drive, collision, is_root_kinematic, is_put): QueryItem<'_, '_, Terms<'_>>,
) -> bool {
    is_put || has_other_terms(simulated, *drive, collision, is_root_kinematic)
}

/// Whether a body has other settings, except for those of its links.
fn has_other_terms(
    SimulatedBody { terms, .. }: &SimulatedBody,
    drive: Drive,
    collision: Option<&BodyCollision>,
    is_root_kinematic: bool,
) -> bool {
    terms.drive != drive
        || terms.collision != collision.copied().unwrap_or_default()
        || terms.is_root_kinematic != is_root_kinematic
}

/// Removes bodies whose settings have changed; they are prepared again in the same step, with their present state.
pub(super) fn rebuild_changed(
    mut commands: Commands,
    bodies: Query<RebuiltBody<'_>>,
    changed_links: Query<&LinkOf, Changed<LinkCollision>>,
    mut without_rule: RemovedComponents<LinkCollision>,
    (links_of, collisions): (Query<&LinkOf>, Query<&LinkCollision>),
    (surfaces, extra_joints): (Query<(Entity, &SurfaceOf)>, PreparedJoints<'_, '_>),
    (contexts, multibodies): (Query<&RapierRigidBodySet>, Res<MultibodyWorld>),
) {
    let freed = without_rule.read().filter_map(|link| links_of.get(link).ok());
    let touched: Vec<Entity> = changed_links.iter().chain(freed).map(|link| link.0).collect();
    for (entity, simulated, drive, collision, is_root_kinematic, (links, state, teleport)) in &bodies {
        let mut is_changed = teleport.is_some() || has_other_terms(simulated, *drive, collision, is_root_kinematic);
        if touched.contains(&entity) {
            let now = links.iter().map(|link| collisions.get(link).copied().unwrap_or_default());
            is_changed |= !now.eq(simulated.terms.links.iter().copied());
        }
        if !is_changed {
            continue;
        }
        // Its motion continues.
        let own = simulated.parts.first().and_then(|&root| multibodies.root_twist(root));
        let root = contexts.single().ok().and_then(|set| set.bodies.get(*simulated.parts.first()?));
        let twist = root.filter(|_| own.is_none()).map_or(Twist::ZERO, |root| {
            let angular = from_vec3(root.angvel());
            let offset = state.link_poses[0].translation.vector - from_vec3(root.center_of_mass());
            Twist { linear: from_vec3(root.linvel()) + angular.cross(&offset), angular }
        });
        let twist = teleport.map_or(own.unwrap_or(twist), |teleport| teleport.root_twist);
        take_out(&mut commands, (entity, links, state), twist, &surfaces, &extra_joints);
    }
}

/// Takes a body out of physics; it is prepared again with this state and twist of its root.
fn take_out(
    commands: &mut Commands,
    (entity, links, state): (Entity, &BodyLinks, &BodyState),
    twist: Twist,
    surfaces: &Query<(Entity, &SurfaceOf)>,
    extra_joints: &PreparedJoints<'_, '_>,
) {
    commands.entity(entity).remove::<(SimulatedBody, Teleport)>().insert(InitialTwist(twist));
    for (link, pose) in links.iter().zip(&state.link_poses) {
        commands
            .entity(link)
            .remove::<(RigidBody, RapierRigidBodyHandle, AdditionalMassProperties, Sleeping)>()
            .insert(pose.to_bevy());
    }
    for (surface, _) in surfaces.iter().filter(|(_, surface)| surface.owner.body == entity) {
        commands.entity(surface).despawn();
    }
    let holds = |joint: &ExtraJointBetween| {
        joint.ends.iter().any(|end| matches!(end, JointEnd::Link { body, .. } if *body == entity))
    };
    for (joint, _) in extra_joints.iter().filter(|(_, joint)| holds(joint)) {
        commands.entity(joint).remove::<SimulatedExtraJoint>();
    }
}

/// Takes all bodies out of physics, as [`take_out`] does, with their present states at rest.
pub(super) fn take_out_all(
    mut commands: Commands,
    bodies: Query<(Entity, &BodyLinks, &BodyState), With<SimulatedBody>>,
    surfaces: Query<(Entity, &SurfaceOf)>,
    extra_joints: PreparedJoints<'_, '_>,
) {
    for body in &bodies {
        take_out(&mut commands, body, Twist::ZERO, &surfaces, &extra_joints);
    }
}

/// Applies a new material table from the next step on.
pub(super) fn update_materials(materials: Res<SurfaceMaterials>, mut rules: ResMut<ContactRules>) {
    if materials.is_changed() {
        rules.set_materials(&materials.0);
    }
}

/// Applies gravity and iterations from the next step on. The solver applies to bodies that are added later.
pub(super) fn update_parameters(
    parameters: Res<PhysicsParameters>,
    clock: Res<SimulationClock>,
    mut contexts: Query<(&mut RapierContextSimulation, &mut RapierConfiguration)>,
) {
    if parameters.is_changed() {
        for (mut simulation, mut configuration) in &mut contexts {
            context::apply(&parameters, &clock, &mut simulation.integration_parameters, &mut configuration);
        }
    }
}

/// Warns of a changed [`BodyModel`], which has no effect.
pub(super) fn warn_of_other_models(
    bodies: Query<NamedModel<'_>, With<SimulatedBody>>,
    mut warnings: ResMut<SimulationWarnings>,
) {
    for (entity, model, name) in &bodies {
        if model.is_added() || !model.is_changed() {
            continue;
        }
        let BodyModel(body) = &*model;
        warnings.add(entity, "BodyModel", || {
            let name = name.map_or(body.name.as_str(), Name::as_str);
            format!("the `BodyModel` of `{name}` was changed while it is simulated, which has no effect: despawn it and spawn another")
        });
    }
}
