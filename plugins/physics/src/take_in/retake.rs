//! Bodies that are to be simulated in another way than they were taken in.

use bevy::ecs::query::QueryItem;
use bevy::prelude::*;
use bevy_rapier3d::plugin::RapierConfiguration;
use bevy_rapier3d::prelude::*;
use bunraku_body::dynamics::Twist;
use bunraku_body::{BodyLinks, BodyModel, BodyState, Drive, JointEfforts, JointTargets, LinkOf};
use bunraku_simulation::{SimulationClock, SimulationWarnings};

use super::assembly::SurfaceOf;
use crate::model::collision::{BodyCollision, LinkCollision, SurfaceMaterials};
use crate::model::extra_joint::{ExtraJointBetween, JointEnd, SimulatedExtraJoint};
use crate::model::guided_root::GuidedRoot;
use crate::model::initial_twist::InitialTwist;
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::SimulatedBody;
use crate::model::teleport::{Teleport, Teleported};
use crate::multibody_world::MultibodyWorld;
use crate::world::contacts::ContactRules;
use crate::world::context;
use crate::world::convert::from_vec3;

type TakenBody<'a> = (
    Entity,
    &'a SimulatedBody,
    &'a Drive,
    Option<&'a BodyCollision>,
    Has<GuidedRoot>,
    (&'a BodyLinks, &'a BodyState, Option<&'a Teleport>),
);

pub(super) type Terms<'a> = (&'a SimulatedBody, &'a Drive, Option<&'a BodyCollision>, Has<GuidedRoot>, Has<Teleport>);

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

type TakenJoints<'w, 's> = Query<'w, 's, (Entity, &'static ExtraJointBetween), With<SimulatedExtraJoint>>;

type NamedModel<'a> = (Entity, Ref<'a, BodyModel>, Option<&'a Name>);

/// Writes where bodies are put; those that are simulated are then taken in anew.
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
                format!("`{name}` is not put elsewhere: the state that it is given is one of another body")
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

/// Whether a body is put elsewhere or has other terms, links aside.
pub(super) fn is_to_be_taken_anew(
    (simulated, drive, collision, is_guided, is_put): QueryItem<'_, '_, Terms<'_>>,
) -> bool {
    is_put || has_other_terms(simulated, *drive, collision, is_guided)
}

/// Whether a body is to be simulated in another way than it was taken in, links aside.
fn has_other_terms(
    SimulatedBody { terms, .. }: &SimulatedBody,
    drive: Drive,
    collision: Option<&BodyCollision>,
    is_guided: bool,
) -> bool {
    terms.drive != drive || terms.collision != collision.copied().unwrap_or_default() || terms.is_guided != is_guided
}

/// Takes bodies out whose terms have changed; they are taken in anew in the same step, as they are and move now.
pub(super) fn retake_changed(
    mut commands: Commands,
    bodies: Query<TakenBody<'_>>,
    changed_links: Query<&LinkOf, Changed<LinkCollision>>,
    mut without_rule: RemovedComponents<LinkCollision>,
    (links_of, collisions): (Query<&LinkOf>, Query<&LinkCollision>),
    (surfaces, extra_joints): (Query<(Entity, &SurfaceOf)>, TakenJoints<'_, '_>),
    (contexts, multibodies): (Query<&RapierRigidBodySet>, Res<MultibodyWorld>),
) {
    let freed = without_rule.read().filter_map(|link| links_of.get(link).ok());
    let touched: Vec<Entity> = changed_links.iter().chain(freed).map(|link| link.0).collect();
    for (entity, simulated, drive, collision, is_guided, (links, state, teleport)) in &bodies {
        let mut is_changed = teleport.is_some() || has_other_terms(simulated, *drive, collision, is_guided);
        if touched.contains(&entity) {
            let now = links.iter().map(|link| collisions.get(link).copied().unwrap_or_default());
            is_changed |= !now.eq(simulated.terms.links.iter().copied());
        }
        if !is_changed {
            continue;
        }
        // It goes on as it moved.
        let own = simulated.parts.first().and_then(|&root| multibodies.root_twist(root));
        let root = contexts.single().ok().and_then(|set| set.bodies.get(*simulated.parts.first()?));
        let twist = root.filter(|_| own.is_none()).map_or(Twist::ZERO, |root| {
            let angular = from_vec3(root.angvel());
            let offset = state.link_poses[0].translation.vector - from_vec3(root.center_of_mass());
            Twist { linear: from_vec3(root.linvel()) + angular.cross(&offset), angular }
        });
        let twist = teleport.map_or(own.unwrap_or(twist), |teleport| teleport.root_twist);
        commands.entity(entity).remove::<(SimulatedBody, Teleport)>().insert(InitialTwist(twist));
        for (link, pose) in links.iter().zip(&state.link_poses) {
            commands
                .entity(link)
                .remove::<(RigidBody, RapierRigidBodyHandle, AdditionalMassProperties, Sleeping)>()
                .insert(bunraku_body::to_transform(pose));
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
}

/// New material tables count from the next step on.
pub(super) fn update_materials(materials: Res<SurfaceMaterials>, mut rules: ResMut<ContactRules>) {
    if materials.is_changed() {
        rules.set_materials(&materials.0);
    }
}

/// Gravity and iterations count from the next step on; what holds joints together counts for bodies that come later.
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

/// A body keeps the model that it was spawned with.
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
            format!("the `BodyModel` of `{name}` was changed while it is simulated, which does nothing: despawn it and spawn another")
        });
    }
}
