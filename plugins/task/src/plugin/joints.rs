//! Joints that attach models to tools.

use bevy::prelude::*;
use bunraku_body::{ExtraJointForm, ExtraJointKind, LinkIndex};
use bunraku_physics::{ExtraJointBetween, JointEnd};
use nalgebra::Isometry3;

use super::robot::Attachment;
use crate::robot::RobotSetup;

/// The joint that attaches the root link of a body to a tool; `None` if the robot has no such tool.
pub(super) fn joint_of(
    attachment: &Attachment,
    setup: &RobotSetup,
    robot: Entity,
    body: Entity,
) -> Option<(Name, ExtraJointBetween)> {
    let tool = setup.tool(attachment.tool)?;
    let frames = [tool.offset * attachment.relative, Isometry3::identity()];
    let form = ExtraJointForm { kind: ExtraJointKind::Fixed, frames };
    let ends = [JointEnd::Link { body: robot, link: tool.link }, JointEnd::Link { body, link: LinkIndex::ROOT }];
    Some((Name::new(format!("grip on {}", attachment.model)), ExtraJointBetween { form, ends }))
}
