use bevy::prelude::*;
use bunraku_body::dynamics::Twist;

/// Initial twist of the root: velocity of the link origin, m/s, and angular velocity, rad/s, world axes. A component of the body entity
/// when it is spawned; by default the root starts at rest. It applies to dynamic bodies with a free or kinematic root.
/// [`bunraku_body::BodyState::velocities`] has the initial velocities of the joints.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(opaque, Component)]
pub struct InitialTwist(pub Twist);
