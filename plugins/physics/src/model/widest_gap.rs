//! How far the joints of a run part.

use bevy::prelude::*;
use bunraku_body::{BodyModel, LinkIndex};

use crate::model::extra_joint::SimulatedExtraJoint;
use crate::model::simulated_body::SimulatedBody;

/// The widest gap that a joint has had after a step so far: between the anchor points on its two sides, across the axis of a
/// prismatic joint. Joints of the trees of bodies and extra joints between bodies are measured, in each step; of an extra joint that
/// starts open only what it opens further.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(opaque, Resource)]
pub struct WidestGap(pub Option<JointGap>);

/// A gap of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointGap {
    /// m
    pub gap: f64,
    /// Simulated time at the end of the step, s.
    pub time: f64,
    joint: GapOf,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum GapOf {
    /// The joint between a link and its parent.
    Link { body: Entity, link: LinkIndex },
    /// An extra joint between bodies.
    Between(Entity),
}

impl WidestGap {
    pub(crate) fn add(&mut self, gap: f64, time: f64, joint: GapOf) {
        if gap > self.0.map_or(0.0, |widest| widest.gap) {
            self.0 = Some(JointGap { gap, time, joint });
        }
    }
}

impl JointGap {
    /// The joint in words, by the names of bodies in the scene: "joint `ELBOW` of `Arm`".
    pub fn joint_name(&self, world: &World) -> String {
        let name = match self.joint {
            GapOf::Between(joint) => world.get::<SimulatedExtraJoint>(joint).map(|joint| joint.name.clone()),
            GapOf::Link { body, link } => world.get::<BodyModel>(body).map(|BodyModel(model)| {
                let name = world.get::<Name>(body).map_or(model.name.as_str(), Name::as_str);
                format!("joint `{}` of `{name}`", model.link(link).joint_name())
            }),
        };
        name.unwrap_or_else(|| "a joint".to_owned())
    }

    /// Whether `joints: multibody` would hold the joint: it is one of a body's tree, an impulse joint now.
    pub fn is_of_impulse_tree(&self, world: &World) -> bool {
        let GapOf::Link { body, link } = self.joint else { return false };
        world
            .get::<SimulatedBody>(body)
            .is_some_and(|simulated| simulated.joints.iter().any(|joint| joint.link == link))
    }
}
