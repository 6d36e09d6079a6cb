use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::{ImpulseJointHandle, RigidBodyHandle};
use bunraku_body::{ExtraJointForm, ExtraJointKind, LinkIndex};

/// An extra joint between links of two bodies, or between a link and the world; a component of an entity of its own.
///
/// It may be spawned at any time, with or after its bodies, and holds until its entity or one of the bodies is despawned. The links that it joins pass through each other. A joint whose links cannot move against each other does nothing.
/// `B` is what bodies are called by: their entities, or elsewhere their indices in a list.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(opaque, Component)]
pub struct ExtraJointBetween<B: Copy + Send + Sync + 'static = Entity> {
    /// What it holds, and where on either end; on the world the frame is a pose in the world.
    pub form: ExtraJointForm,
    /// What it joins.
    pub ends: [JointEnd<B>; 2],
}

/// What an extra joint holds on to.
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
    /// The same joint with bodies called otherwise; `None` if one is not known.
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

/// An extra joint in rapier's world.
#[derive(Component, Clone, Debug)]
pub(crate) struct SimulatedExtraJoint {
    /// `None` if it does nothing.
    pub handle: Option<ImpulseJointHandle>,
    /// What it is called in messages.
    pub name: String,
    /// What stands for the world in rapier, if the joint has an end there.
    pub fixture: Option<RigidBodyHandle>,
    /// What it holds together.
    pub kind: ExtraJointKind,
    /// [`ExtraJointKind::gap`] at the start, m: a joint may start open.
    pub start_gap: f64,
}
