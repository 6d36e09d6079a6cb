//! Extra joints as rapier's joints with all rows of their kinds.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextJoints, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::{GenericJoint, RigidBodyBuilder};
use bunraku_body::{BodyModel, BodyState, ExtraJointKind};
use nalgebra::Isometry3;

use super::reports::Reports;
use crate::model::extra_joint::{ExtraJointBetween, ExtraJointConstraint, JointEnd, SimulatedEnd, SimulatedExtraJoint};
use crate::model::joint_name::JointName;
use crate::model::limitations::loop_limitation;
use crate::model::loops::between::{Party, extra_joint_findings};
use crate::model::loops::geometry::axis_turn;
use crate::model::loops::rows_of_kind::asked;
use crate::model::simulated_body::SimulatedBody;
use crate::readings::gaps::Gaps;
use crate::world::convert::{from_pose, to_pose};

/// Rapier's world, for new extra joints between bodies.
#[derive(SystemParam)]
pub(crate) struct NewRapierJoints<'w, 's> {
    contexts: Query<'w, 's, (&'static mut RapierRigidBodySet, &'static mut RapierContextJoints)>,
    bodies: Query<'w, 's, (Entity, &'static BodyModel, &'static BodyState, &'static SimulatedBody)>,
    reports: Reports<'w>,
}

impl NewRapierJoints<'_, '_> {
    /// Inserts a joint called `name`.
    ///
    /// # Errors
    /// If rapier's step cannot simulate it.
    pub fn insert(
        &mut self,
        entity: Entity,
        joint: &ExtraJointBetween,
        ends: &[SimulatedEnd; 2],
        name: &str,
    ) -> Result<ExtraJointConstraint, String> {
        let (bodies, parties): (Vec<_>, Vec<_>) = self
            .bodies
            .iter()
            .map(|(entity, BodyModel(body), state, simulated)| {
                let (drive, is_root_kinematic) = (simulated.terms.drive, simulated.terms.is_root_kinematic);
                (entity, Party { body, state, drive, is_root_kinematic })
            })
            .unzip();
        let known = joint.map_bodies(|body| bodies.iter().position(|known| *known == body));
        for finding in known.into_iter().flat_map(|joint| extra_joint_findings(&parties, &[joint])) {
            if let Some(limitation) = loop_limitation(finding.trouble) {
                self.reports.add((entity, "ExtraJointBetween"), limitation, &limitation.message(name))?;
            }
        }
        let Ok((mut set, mut joints)) = self.contexts.single_mut() else { return Ok(ExtraJointConstraint::None) };
        let mut fixture = None;
        let [(first, one), (second, other)] = ends.map(|end| {
            end.held.unwrap_or_else(|| {
                let ground = set.bodies.insert(RigidBodyBuilder::fixed().build());
                (*fixture.insert(ground), end.start)
            })
        });
        if first == second {
            return Ok(ExtraJointConstraint::None);
        }
        let data = joint_data(joint.form.kind, [one, other]);
        Ok(ExtraJointConstraint::Rapier { joint: joints.impulse_joints.insert(first, second, data, true), fixture })
    }
}

/// An extra joint whose frames in the two rigid bodies are `frames`.
pub(super) fn joint_data(kind: ExtraJointKind, frames: [Isometry3<f64>; 2]) -> GenericJoint {
    let [first, second] = frames.map(|frame| to_pose(&(frame * axis_turn(kind.axis().as_deref()))));
    let mut data = GenericJoint::new(asked(kind));
    (data.local_frame1, data.local_frame2) = (first, second);
    data.set_contacts_enabled(false);
    data
}

/// Measures the gaps of extra joints between bodies after a step.
pub(crate) fn see_gaps(
    joints: Query<(Entity, &ExtraJointBetween, &SimulatedExtraJoint)>,
    bodies: Query<&SimulatedBody>,
    contexts: Query<&RapierRigidBodySet>,
    mut gaps: Gaps,
) -> Result {
    let set = &contexts.single()?.bodies;
    let pose = |end: JointEnd, frame: Isometry3<f64>| match end {
        JointEnd::World => Some(frame),
        JointEnd::Link { body, link } => {
            let (rigid_body, pose) = bodies.get(body).ok()?.rigid_body(link);
            Some(from_pose(set.get(rigid_body)?.position()) * pose * frame)
        }
    };
    gaps.see(joints.iter().filter_map(|(entity, joint, simulated)| {
        let [one, other] = joint.form.frames;
        let gap = joint.form.kind.gap(&pose(joint.ends[0], one)?, &pose(joint.ends[1], other)?);
        Some((gap, simulated.start_gap, JointName::Between(entity)))
    }));
    Ok(())
}
