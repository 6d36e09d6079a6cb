//! The parts that compound shapes and meshes are made of.

use bevy_rapier3d::parry::query::details::NormalConstraints;
use bevy_rapier3d::parry::shape::Shape;
use bevy_rapier3d::rapier::math::Pose;

/// Takes a part of a shape: its pose, itself, and what bounds its normals.
pub(super) type TakePart<'a> = dyn FnMut(&Pose, &dyn Shape, Option<&dyn NormalConstraints>) + 'a;

/// Gives a part of a shape, with its pose in that shape; a shape without parts is its own.
pub(super) fn give_part(shape: &dyn Shape, index: u32, give: &mut TakePart<'_>) {
    match shape.as_composite_shape() {
        None => give(&Pose::IDENTITY, shape, None),
        Some(composite) => composite.map_part_at(index, &mut |pose, part, constraints| {
            give(pose.unwrap_or(&Pose::IDENTITY), part, constraints);
        }),
    }
}
