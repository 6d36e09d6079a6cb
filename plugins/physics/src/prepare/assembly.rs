//! Bodies as rapier's rigid bodies and colliders.

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;
use bunraku_body::{Body, BodyLinks, BodyModel, BodyState, Drive, JointKind, RigidPartIndex, RigidParts, ToBevy};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus};
use typed_index_collections::TiVec;

use super::collision_groups::BodiesApart;
use crate::actuation::demand::JointPast;
use crate::bodies::MultibodyWorld;
use crate::bodies::solver_body::AddedBody;
use crate::model::collision::{BodyCollision, LinkCollision};
use crate::model::initial_twist::InitialTwist;
use crate::model::joint_solver::JointSolver;
use crate::model::kinematic_root::KinematicRoot;
use crate::model::loops::tracks::track_closures;
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::{SimulatedBody, Terms};
use crate::rapier_step::joints::RapierJoints;
use crate::world::breakdown::unless_it_breaks_down;
use crate::world::colliders::collider;
use crate::world::contacts::{ContactRules, LinkOfBody};
use crate::world::context::allow_fast_rotation;
use crate::world::mass_properties;
use crate::world::mesh_edges::MeshEdges;
use crate::world::tracks::Tracks;

/// A body whose link entities have rapier's components, and whose handles are not known yet.
#[derive(Component, Debug)]
pub(super) struct AssembledBody {
    parts: RigidParts,
    solver: JointSolver,
    terms: Terms,
}

/// Contact material of a collider entity and the link it belongs to.
#[derive(Component, Debug)]
pub(super) struct SurfaceOf {
    pub owner: LinkOfBody,
    material: Option<String>,
}

/// A collider entity that is registered in the contact rules.
#[derive(Component, Debug)]
pub(super) struct KnownSurface;

type NewBody<'a> =
    (Entity, &'a BodyModel, &'a Drive, &'a BodyLinks, Option<&'a BodyCollision>, Option<&'a KinematicRoot>);

type BoundBody<'a> = (
    Entity,
    &'a AssembledBody,
    &'a BodyModel,
    &'a BodyState,
    &'a BodyLinks,
    &'a Drive,
    Option<&'a KinematicRoot>,
    Option<&'a InitialTwist>,
);

/// Adds rapier's components to the links of new bodies.
pub(super) fn assemble(
    mut commands: Commands,
    bodies: Query<NewBody<'_>, (Without<AssembledBody>, Without<SimulatedBody>)>,
    collisions: Query<&LinkCollision>,
    parameters: Res<PhysicsParameters>,
    mut rules: ResMut<ContactRules>,
    mut apart: ResMut<BodiesApart>,
) {
    // Rapier's results depend on the order of its bodies: that of spawning, bodies without joints first.
    let mut new: Vec<_> = bodies.iter().collect();
    new.sort_by_key(|(entity, body, ..)| (body.0.num_joints() > 0, entity.index_u32()));
    for (entity, BodyModel(body), drive, links, collision, guided) in new {
        let solver = parameters.joints;
        let links: Vec<Entity> = links.iter().collect();
        let parts = RigidParts::of(body);
        for (index, part) in parts.parts.iter_enumerated() {
            let is_root_kinematic = *drive == Drive::Physics && index == RigidPartIndex::ROOT && guided.is_some();
            let moved_by_forces = *drive == Drive::Physics && !is_root_kinematic && moves(*drive, body, index);
            let rigid_body = match (drive, solver) {
                (Drive::Motion, _) => RigidBody::KinematicPositionBased,
                (Drive::Physics, _) if is_root_kinematic => RigidBody::KinematicPositionBased,
                (Drive::Physics, JointSolver::Impulse) if moved_by_forces => RigidBody::Dynamic,
                (Drive::Physics, JointSolver::Multibody) if moved_by_forces => RigidBody::KinematicPositionBased,
                (Drive::Physics | Drive::Static, _) => RigidBody::Fixed,
            };
            let mut link = commands.entity(links[part.carrier.0]);
            // A sleeping body would ignore its controller.
            link.insert((rigid_body, Sleeping::disabled()));
            if moved_by_forces {
                link.insert(AdditionalMassProperties::MassProperties(mass_properties::principal(&part.mass)));
            }
        }
        let collisions =
            links.iter().map(|&link| collisions.get(link).copied().unwrap_or_default()).collect::<Vec<_>>();
        let collision_terms = collision.copied().unwrap_or_default();
        let terms =
            Terms { drive: *drive, collision: collision_terms, is_root_kinematic: guided.is_some(), links: collisions };
        let (collision, collisions) = (terms.collision, &terms.links);
        if collision.with_itself {
            rules.allow_self_collision(entity, body.collision_filter().ignored_pairs);
        }
        add_tracks(&mut rules, entity, body, &parts);
        if collision.enabled {
            // A part does not collide with itself.
            let groups = if collision.with_itself || parts.parts.len() == 1 {
                CollisionGroups::default()
            } else {
                apart.groups_of(entity)
            };
            spawn_colliders(&mut commands, (entity, body, *drive), (&links, collisions), &parts, (groups, solver));
        }
        commands.entity(entity).insert(AssembledBody { parts, solver, terms });
    }
}

/// The multibody solver moves bodies that are kinematic to rapier, between which rapier by default detects nothing.
fn collision_types(solver: JointSolver, is_moved_by_forces: bool) -> ActiveCollisionTypes {
    if solver == JointSolver::Multibody && is_moved_by_forces {
        ActiveCollisionTypes::all()
    } else {
        ActiveCollisionTypes::default()
    }
}

fn add_tracks(rules: &mut ContactRules, entity: Entity, body: &Body, parts: &RigidParts) {
    for (index, link) in body.indexed_links().filter(|(_, link)| link.joint.kind == JointKind::PseudoContinuousTrack) {
        if let Some(axis) = link.joint.axis.try_normalize(0.0) {
            let axis = parts.links[index].pose.rotation * axis;
            rules.add_track(LinkOfBody { body: entity, link: index }, axis);
        }
    }
}

fn spawn_colliders(
    commands: &mut Commands,
    (entity, body, drive): (Entity, &Body, Drive),
    (links, collisions): (&[Entity], &[LinkCollision]),
    parts: &RigidParts,
    (groups, solver): (CollisionGroups, JointSolver),
) {
    let disabled = body.collision_filter().disabled_links;
    for (index, link) in body.indexed_links().filter(|(index, _)| !disabled.contains(index)) {
        let of_link = parts.links[index];
        let carrier = links[parts.parts[of_link.part].carrier.0];
        let moves = moves(drive, body, of_link.part);
        let types = collision_types(solver, drive == Drive::Physics && moves);
        let collision = collisions[index.0].of_link(link.collision_shape);
        for (collider, pose) in link.collision.iter().filter_map(|shape| collider(shape, moves, collision)) {
            commands.spawn((
                collider,
                (of_link.pose * pose).to_bevy(),
                // Masses are those of the model.
                ColliderMassProperties::Density(0.0),
                ActiveHooks::FILTER_CONTACT_PAIRS | ActiveHooks::MODIFY_SOLVER_CONTACTS,
                (groups, types),
                SurfaceOf { owner: LinkOfBody { body: entity, link: index }, material: link.material.clone() },
                ChildOf(carrier),
            ));
        }
    }
}

/// Whether a part of a body can move at all.
fn moves(drive: Drive, body: &Body, part: RigidPartIndex) -> bool {
    match drive {
        Drive::Physics => part != RigidPartIndex::ROOT || !body.is_fixed(),
        Drive::Motion => true,
        Drive::Static => false,
    }
}

/// Turns assembled bodies into simulated ones, once rapier has handles of their links.
#[allow(clippy::too_many_arguments)]
pub(super) fn bind(
    mut commands: Commands,
    bodies: Query<BoundBody<'_>>,
    handles: Query<&RapierRigidBodyHandle>,
    surfaces: Query<(Entity, &SurfaceOf, &RapierColliderHandle), Without<KnownSurface>>,
    mut contexts: Query<&mut RapierRigidBodySet>,
    mut colliders: Query<(&mut RapierContextColliders, &RapierContextSimulation)>,
    clock: Res<SimulationClock>,
    (mut rules, mut status, mut multibodies): (ResMut<ContactRules>, ResMut<SimulationStatus>, ResMut<MultibodyWorld>),
) {
    let carriers = bodies.iter().flat_map(|(_, assembled, _, _, links, ..)| {
        let links: Vec<Entity> = links.iter().collect();
        assembled.parts.parts.iter().filter_map(move |part| links.get(part.carrier.0).copied())
    });
    let new_parts: Vec<RigidBodyHandle> = handles.iter_many(carriers).map(|handle| handle.0).collect();
    if !new_parts.is_empty()
        && let (Ok(mut set), Ok((mut colliders, simulation))) = (contexts.single_mut(), colliders.single_mut())
    {
        let (bodies, colliders) = (&mut set.bodies, &mut colliders.colliders);
        let settle = || mass_properties::settle(&simulation.islands, bodies, colliders, new_parts);
        if let Err(message) = unless_it_breaks_down(settle) {
            *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
            return;
        }
    }
    let mut assembled: Vec<_> = bodies.iter().collect();
    assembled.sort_by_key(|(entity, _, body, ..)| (body.0.num_joints() > 0, entity.index_u32()));
    for (entity, assembled, BodyModel(body), state, links, drive, guided, twist) in assembled {
        let links: Vec<Entity> = links.iter().collect();
        let parts = assembled.parts.parts.iter().map(|part| handles.get(links[part.carrier.0]).map(|handle| handle.0));
        let Ok(parts) = parts.collect::<Result<TiVec<RigidPartIndex, _>, _>>() else { continue };
        for mut set in &mut contexts {
            for &part in &parts {
                allow_fast_rotation(&mut set, part);
            }
        }
        let mut bound = commands.entity(entity);
        if assembled.solver == JointSolver::Multibody {
            let (Ok(set), Ok((colliders, _))) = (contexts.single(), colliders.single()) else { continue };
            let (is_root_kinematic, drive) = (guided.is_some(), *drive);
            let new =
                AddedBody { body, state, drive, is_root_kinematic, twist, parts: &assembled.parts, handles: &parts };
            if rules.touches_itself(entity) {
                // Neighbours overlap at their joint.
                let of_links = &assembled.parts.links;
                for (index, link) in body.indexed_links() {
                    if let (true, Some(parent)) = (of_links[index].is_carrier, link.parent) {
                        rules.let_through(parts[of_links[index].part], parts[of_links[parent].part]);
                    }
                }
                for extra in body.extra_joints.iter().cloned().chain(track_closures(body)) {
                    let [first, second] = extra.links.map(|link| parts[of_links[link].part]);
                    rules.let_through(first, second);
                }
            }
            bound.insert(multibodies.add(new, &set.bodies, &colliders.colliders));
        }
        let (links, terms) = (assembled.parts.links.clone(), assembled.terms.clone());
        bound
            .remove::<(AssembledBody, RapierJoints)>()
            .insert((SimulatedBody { parts, links, terms }, JointPast::default()));
        if let Some(tracks) = Tracks::of(body) {
            bound.insert(tracks);
        }
    }
    for (entity, surface, handle) in &surfaces {
        commands.entity(entity).insert(KnownSurface);
        rules.add(handle.0, surface.owner, surface.material.as_deref());
        let collider = colliders.single().ok().and_then(|(colliders, _)| colliders.colliders.get(handle.0));
        if let Some(mesh) = collider.and_then(|collider| collider.shape().as_trimesh()) {
            let vertices: Vec<_> = mesh.vertices().iter().map(|vertex| vertex.as_dvec3()).collect();
            rules.add_mesh(handle.0, MeshEdges::of(&vertices, mesh.indices()));
        }
    }
}
