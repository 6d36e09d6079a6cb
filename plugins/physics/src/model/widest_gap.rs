//! The widest gap of the joints of a run.

use bevy::prelude::*;

use super::joint_name::JointName;

/// The widest gap that a joint has had after a step so far, m: the distance of the anchor points on its two sides along the
/// directions that the joint holds ([`bunraku_body::ExtraJointKind::gap`]), across the axis of a prismatic joint. Measured in each
/// step: the joints of the trees of bodies, extra joints between bodies and, with `joints: multibody`, those of models. Of an extra
/// joint that starts open only what it opens further counts.
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
    joint: JointName,
}

impl WidestGap {
    pub(crate) fn add(&mut self, gap: f64, time: f64, joint: JointName) {
        if gap > self.0.map_or(0.0, |widest| widest.gap) {
            self.0 = Some(JointGap { gap, time, joint });
        }
    }
}

impl JointGap {
    /// The joint in words, by the names of bodies in the scene: "joint `ELBOW` of `Arm`".
    pub fn joint_name(&self, world: &World) -> String {
        self.joint.in_world(world)
    }

    /// Whether it is a joint of a body's tree, which only rapier's step lets part.
    pub fn is_of_impulse_tree(&self) -> bool {
        matches!(self.joint, JointName::Link { .. })
    }
}
