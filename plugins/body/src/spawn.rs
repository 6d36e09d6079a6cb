use std::sync::Arc;

use bevy::prelude::*;
use nalgebra::Isometry3;

use crate::{Body, BodyState, JointActuation, JointEfforts, JointTargets, LinkIndex};

/// The model of a body entity.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque, Component)]
pub struct BodyModel(pub Arc<Body>);

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

/// Spawns a body and one entity for each of its links; returns the body entity. Its joints are actuated as specified in
/// the model, by default by effort. Efforts are zero and targets hold the joints until a controller changes them.
pub fn spawn_body(commands: &mut Commands, body: Arc<Body>, state: BodyState, drive: Drive) -> Entity {
    let entity = commands
        .spawn((
            Name::new(body.name.clone()),
            BodyModel(Arc::clone(&body)),
            JointActuation::of_model(&body),
            JointEfforts(vec![0.0; body.num_joints()]),
            JointTargets::holding(&state),
            state.clone(),
            drive,
        ))
        .id();
    for ((index, link), pose) in body.indexed_links().zip(&state.link_poses) {
        commands.spawn((Name::new(link.name.clone()), LinkOf(entity), LinkNumber(index), to_transform(pose)));
    }
    entity
}

/// Converts a pose to a Bevy transform, rounded to f32: the only conversion of link poses to transforms.
pub fn to_transform(pose: &Isometry3<f64>) -> Transform {
    let translation = pose.translation.vector.cast::<f32>();
    let rotation = pose.rotation.quaternion().coords.cast::<f32>();
    Transform {
        translation: Vec3::new(translation.x, translation.y, translation.z),
        rotation: Quat::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w),
        scale: Vec3::ONE,
    }
}
