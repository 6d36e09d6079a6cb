use bevy::prelude::*;
use bunraku_body::dynamics::Twist;
use bunraku_body::{Body, BodyState};
use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};

/// Puts a body elsewhere, as if it were taken away and set down again. Insert it on the body's entity: the next step begins with the body
/// there, and takes it off.
///
/// Commands begin anew too: efforts are zero, targets are where the joints are, and controllers forget what was before. What is in the way
/// is not looked after. For bodies that forces move, and for those that nothing moves; a motion that a body plays has it back at once.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(opaque, Component)]
pub struct Teleport {
    pub(crate) state: BodyState,
    pub(crate) root_twist: Twist,
}

impl Teleport {
    /// To where `state` has it, with the velocities that `state` has for the joints; the root is at rest.
    pub fn to(state: BodyState) -> Self {
        Self { state, root_twist: Twist::ZERO }
    }

    /// To a root pose in the world, with the joints where the model has them; at rest.
    pub fn to_root(body: &Body, root: &Isometry3<f64>) -> Self {
        Self::to(BodyState::at_rest(body, root, body.initial_displacements()))
    }

    /// Back to the pose that the model file gives; at rest.
    pub fn reset(body: &Body) -> Self {
        Self::to(BodyState::initial(body))
    }

    /// The same with a root that moves: velocity of the link origin (m/s) and angular velocity (rad/s), world axes. It counts for roots
    /// that are free.
    #[must_use]
    pub fn moving(self, root_twist: Twist) -> Self {
        Self { root_twist, ..self }
    }
}

/// A body was put elsewhere: whoever keeps where it was, or what it was commanded, forgets that.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Teleported {
    /// The body.
    pub entity: Entity,
}
