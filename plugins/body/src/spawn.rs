use std::path::Path;
use std::sync::Arc;

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

use crate::{Body, BodyState, JointActuation, JointEfforts, JointTargets, LinkIndex, ToBevy, ToNalgebra};

/// The model of a body entity. An entity that gets one becomes a body, with one entity for each of its links:
///
/// ```
/// use bevy::prelude::*;
/// use bunraku_body::{BodyModel, BodyPlugin};
///
/// fn setup(mut commands: Commands) -> Result {
///     let arm = BodyModel::open("arm.body")?;
///     commands.spawn((arm.clone(), Transform::from_xyz(0.0, 0.0, 0.8)));
///     commands.spawn((arm, Transform::from_xyz(2.0, 0.0, 0.8)));
///     Ok(())
/// }
///
/// App::new().add_plugins((MinimalPlugins, TransformPlugin, BodyPlugin)).add_systems(Startup, setup);
/// ```
///
/// A body begins at rest: with the root where the entity's `Transform` is, if it has one, otherwise in the initial pose of the model. A
/// [`BodyState`] that is spawned with it takes precedence. What else a body needs ([`Drive`], [`JointActuation`], [`JointEfforts`],
/// [`JointTargets`], `Name`) is added where it is missing: joints are actuated as the model specifies, by default by effort; efforts are
/// zero and targets hold the joints. [`BodySpawned`] is triggered once all this is there.
///
/// A `Transform` of the body entity then follows the root link.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque, Component)]
#[component(on_add = complete)]
#[require(Drive)]
pub struct BodyModel(pub Arc<Body>);

impl BodyModel {
    /// Loads a model file: see [`Body::open`].
    ///
    /// # Errors
    /// The first error, with its location.
    pub fn open(path: impl AsRef<Path>) -> bunraku_document::Result<Self> {
        Body::open(path).map(|body| Self(Arc::new(body)))
    }
}

/// A body entity is complete: its links and components are there.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodySpawned {
    /// The body.
    pub entity: Entity,
}

/// Source of the motion of a body.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component)]
pub enum Drive {
    /// Dynamic: gravity, contacts and joint efforts.
    #[default]
    Physics,
    /// Kinematic: a recorded motion. The body pushes others and is not pushed.
    Motion,
    /// Static: the body does not move; others may stand on it.
    Static,
}

/// Link entities of a body entity, in link order. They are despawned with it.
#[derive(Component, Debug, Reflect)]
#[reflect(Component)]
#[relationship_target(relationship = LinkOf, linked_spawn)]
pub struct BodyLinks(Vec<Entity>);

impl BodyLinks {
    /// The entity of a link. `None` if the body has no such link.
    pub fn get(&self, link: LinkIndex) -> Option<Entity> {
        self.0.get(link.0).copied()
    }
}

/// Body entity of a link entity.
///
/// Links are flat: they refer to the body by this relation, are not its children, and their transforms are world poses.
#[derive(Component, Clone, Copy, Debug, Reflect)]
#[reflect(Component)]
#[relationship(relationship_target = BodyLinks)]
pub struct LinkOf(pub Entity);

/// Index of a link entity in its body.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component)]
pub struct LinkNumber(pub LinkIndex);

/// Spawns a body in a state: see [`BodyModel`].
pub fn spawn_body(commands: &mut Commands, body: Arc<Body>, state: BodyState, drive: Drive) -> Entity {
    commands.spawn((BodyModel(body), state, drive)).id()
}

/// Adds what an entity with a model lacks to be a body.
fn complete(mut world: DeferredWorld<'_>, HookContext { entity, .. }: HookContext) {
    let Some(BodyModel(body)) = world.get::<BodyModel>(entity).cloned() else { return };
    let state = world.get::<BodyState>(entity).cloned().unwrap_or_else(|| {
        let root = world.get::<Transform>(entity).map_or(body.root().offset, ToNalgebra::to_nalgebra);
        BodyState::at_rest(&body, &root, body.initial_displacements())
    });
    let mut commands = world.commands();
    for ((index, link), pose) in body.indexed_links().zip(&state.link_poses) {
        commands.spawn((Name::new(link.name.clone()), LinkOf(entity), LinkNumber(index), pose.to_bevy()));
    }
    commands.entity(entity).insert_if_new((
        Name::new(body.name.clone()),
        JointActuation::of_model(&body),
        JointEfforts(vec![0.0; body.num_joints()]),
        JointTargets::holding(&state),
        state,
    ));
    commands.trigger(BodySpawned { entity });
}
