use bevy::prelude::*;
use bunraku_body::dynamics::Twist;

/// How the root of a body moves when it is taken in: velocity of the link origin (m/s) and angular velocity (rad/s), world
/// axes. Put it on a body entity when that is spawned; without it the root starts at rest. How the joints move is
/// [`bunraku_body::BodyState::velocities`]. It counts for bodies that physics drives and whose root is free.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(opaque, Component)]
pub struct InitialTwist(pub Twist);
