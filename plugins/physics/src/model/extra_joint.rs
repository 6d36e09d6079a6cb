use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::{ImpulseJointHandle, RigidBodyHandle};
use bunraku_body::{ExtraJointForm, ExtraJointKind, LinkIndex};
use bunraku_multibody::ClosureIndex;
use nalgebra::Isometry3;

/// An extra joint between links of two bodies, or between a link and the world; a component of a separate entity.
///
/// It may be spawned with its bodies or later, and acts until its entity or one of the bodies is despawned. The links that it joins do
/// not collide. A joint whose links cannot move against each other has no effect. `B` identifies bodies: their entities, or indices
/// in a list.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(opaque, Component)]
pub struct ExtraJointBetween<B: Copy + Send + Sync + 'static = Entity> {
    /// Kind of joint, and its frame on either end; at the world a pose in the world.
    pub form: ExtraJointForm,
    /// The two ends.
    pub ends: [JointEnd<B>; 2],
}

/// An end of an extra joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointEnd<B = Entity> {
    /// The world.
    World,
    /// A link of a body.
    Link {
        /// The body.
        body: B,
        /// The link.
        link: LinkIndex,
    },
}

impl<B: Copy + Send + Sync + 'static> ExtraJointBetween<B> {
    /// The same joint with other identifiers of bodies; `None` if one is unknown.
    pub fn map_bodies<C: Copy + Send + Sync + 'static>(
        &self,
        mut known: impl FnMut(B) -> Option<C>,
    ) -> Option<ExtraJointBetween<C>> {
        let mut end = |end: JointEnd<B>| match end {
            JointEnd::World => Some(JointEnd::World),
            JointEnd::Link { body, link } => Some(JointEnd::Link { body: known(body)?, link }),
        };
        let [first, second] = self.ends;
        Some(ExtraJointBetween { form: self.form, ends: [end(first)?, end(second)?] })
    }
}

/// Name of an extra joint in messages, with the names of its ends.
pub(crate) fn joint_name(kind: ExtraJointKind, own: Option<&Name>, [first, second]: [&str; 2]) -> String {
    let kind = kind.as_str();
    match own {
        Some(own) => format!("extra joint `{own}` ({kind} between {first} and {second})"),
        None => format!("the {kind} extra joint between {first} and {second}"),
    }
}

/// The message about an extra joint with an unknown body or link.
pub(crate) fn missing_end(kind: ExtraJointKind, own: Option<&Name>) -> String {
    let own = own.map_or_else(String::new, |name| format!(" `{name}`"));
    format!("the {} extra joint{own} joins a body or a link that is not there", kind.as_str())
}

/// An end of an extra joint as it is simulated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimulatedEnd {
    /// Rigid body and the joint's frame in it; `None` at the world.
    pub held: Option<(RigidBodyHandle, Isometry3<f64>)>,
    /// The joint's frame in the world at the start.
    pub start: Isometry3<f64>,
}

/// An extra joint that is simulated.
#[derive(Component, Clone, Debug)]
pub(crate) struct SimulatedExtraJoint {
    /// Name in messages.
    pub name: String,
    /// [`ExtraJointKind::gap`] at the start, m: a joint may start open.
    pub start_gap: f64,
    pub constraint: ExtraJointConstraint,
}

/// The constraint of an extra joint.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExtraJointConstraint {
    /// The ends cannot move against each other, or a body at one of them was removed.
    None,
    /// In the system of the multibody solver.
    Closure(ClosureIndex),
    Rapier {
        joint: ImpulseJointHandle,
        /// Rapier's fixed body at an end at the world.
        fixture: Option<RigidBodyHandle>,
    },
}

impl SimulatedExtraJoint {
    pub fn closure(&self) -> Option<ClosureIndex> {
        if let ExtraJointConstraint::Closure(closure) = self.constraint { Some(closure) } else { None }
    }
}
