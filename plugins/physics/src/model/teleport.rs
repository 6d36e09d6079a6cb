use bevy::prelude::*;
use bunraku_body::dynamics::Twist;
use bunraku_body::{Body, BodyState};
use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};

/// Puts a body at another state; a component of the body entity, which the next step removes.
///
/// Efforts are then zero, targets are the joint displacements, and controllers are reset. Overlap with other bodies is not checked. It is for
/// dynamic and static bodies; a body that plays a motion returns to it at once.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(opaque, Component)]
pub struct Teleport {
    pub(crate) state: BodyState,
    pub(crate) root_twist: Twist,
}

impl Teleport {
    /// To a state with its joint velocities; the root is at rest.
    pub fn to(state: BodyState) -> Self {
        Self { state, root_twist: Twist::ZERO }
    }

    /// To a root pose in the world, with the initial displacements of the model; at rest.
    pub fn to_root(body: &Body, root: &Isometry3<f64>) -> Self {
        Self::to(BodyState::at_rest(body, root, body.initial_displacements()))
    }

    /// To the initial pose of the model; at rest.
    pub fn reset(body: &Body) -> Self {
        Self::to(BodyState::initial(body))
    }

    /// The same with a twist of a free root: velocity of the link origin, m/s, and angular velocity, rad/s, world axes.
    #[must_use]
    pub fn moving(self, root_twist: Twist) -> Self {
        Self { root_twist, ..self }
    }
}

/// A body was teleported: resets systems that keep its previous state or commands.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Teleported {
    /// The body.
    pub entity: Entity,
}
