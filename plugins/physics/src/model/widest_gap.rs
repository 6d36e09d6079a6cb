//! How far the joints of a run part.

use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, ExtraJointKind, LinkIndex};

use crate::model::extra_joint::SimulatedExtraJoint;
use crate::model::simulated_body::SimulatedBody;

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
    joint: GapOf,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum GapOf {
    /// The joint between a link and its parent.
    Link { body: Entity, link: LinkIndex },
    /// An extra joint between bodies.
    Between(Entity),
    /// An extra joint of a model, or the hinge that closes a track.
    Loop { body: Entity, kind: ExtraJointKind, links: [LinkIndex; 2] },
}

impl GapOf {
    /// The joint in words, by the names of bodies in the scene: "joint `ELBOW` of `Arm`".
    pub fn name<'a>(
        self,
        between: impl Fn(Entity) -> Option<&'a SimulatedExtraJoint>,
        model: impl Fn(Entity) -> Option<(&'a BodyModel, Option<&'a Name>)>,
    ) -> String {
        let of_body = |body: Entity, joint: &dyn Fn(&Body) -> String| {
            let (BodyModel(model), name) = model(body)?;
            let name = name.map_or(model.name.as_str(), Name::as_str);
            Some(format!("{} of `{name}`", joint(model)))
        };
        let name = match self {
            Self::Between(joint) => between(joint).map(|joint| joint.name.clone()),
            Self::Link { body, link } => of_body(body, &|model| format!("joint `{}`", model.link(link).joint_name())),
            Self::Loop { body, kind, links } => of_body(body, &|model| {
                let [first, second] = links.map(|link| model.link(link).name.as_str());
                format!("the {} extra joint between `{first}` and `{second}`", kind.as_str())
            }),
        };
        name.unwrap_or_else(|| "a joint".to_owned())
    }
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
        self.joint.name(
            |joint| world.get::<SimulatedExtraJoint>(joint),
            |body| Some((world.get::<BodyModel>(body)?, world.get::<Name>(body))),
        )
    }

    /// Whether `joints: multibody` would hold the joint: it is one of a body's tree, an impulse joint now.
    pub fn is_of_impulse_tree(&self, world: &World) -> bool {
        let GapOf::Link { body, link } = self.joint else { return false };
        world
            .get::<SimulatedBody>(body)
            .is_some_and(|simulated| simulated.joints.iter().any(|joint| joint.link == link))
    }
}
