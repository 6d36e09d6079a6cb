//! Joints of a scene, and their names in messages.

use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, ExtraJointKind, LinkIndex};

use super::extra_joint::SimulatedExtraJoint;

/// Identifies a joint in a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum JointName {
    /// The joint between a link and its parent.
    Link { body: Entity, link: LinkIndex },
    /// An extra joint between bodies.
    Between(Entity),
    /// An extra joint of a model, or the hinge that closes a track.
    Loop { body: Entity, kind: ExtraJointKind, links: [LinkIndex; 2] },
}

impl JointName {
    /// The joint in words, by the names of bodies in the scene: "joint `ELBOW` of `Arm`".
    pub fn in_words<'a>(
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

    /// The same by the entities of a world.
    pub fn in_world(self, world: &World) -> String {
        self.in_words(
            |joint| world.get::<SimulatedExtraJoint>(joint),
            |body| Some((world.get::<BodyModel>(body)?, world.get::<Name>(body))),
        )
    }
}
