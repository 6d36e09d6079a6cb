//! Extra joints between bodies, and between bodies and the world, as rapier's joints with all rows of their kinds.

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextJoints, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::RigidBodyBuilder;
use bunraku_body::{BodyModel, BodyState, Drive, ExtraJoint, LinkIndex};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus, SimulationWarnings};
use nalgebra::Isometry3;

use super::joints::extra_joint_data;
use crate::model::extra_joint::{ExtraJointBetween, JointEnd, SimulatedExtraJoint, joint_name, missing_end};
use crate::model::kinematic_root::KinematicRoot;
use crate::model::limitations::{ReportedLimitations, loop_limitation};
use crate::model::loops::between::{Party, extra_joint_findings};
use crate::model::simulated_body::{SimulatedBody, SimulatedLoop};
use crate::world::contacts::ContactRules;

type JoinedBody<'a> =
    (Entity, (&'a BodyModel, &'a BodyState, &'a Drive, Has<KinematicRoot>), &'a mut SimulatedBody, Option<&'a Name>);

/// Puts the extra joints that are new into rapier's world, after the bodies.
pub(crate) fn insert(
    mut commands: Commands,
    new: Query<(Entity, &ExtraJointBetween, Option<&Name>), Without<SimulatedExtraJoint>>,
    mut bodies: Query<JoinedBody<'_>>,
    mut contexts: Query<(&mut RapierRigidBodySet, &mut RapierContextJoints)>,
    mut rules: ResMut<ContactRules>,
    (clock, mut status): (Res<SimulationClock>, ResMut<SimulationStatus>),
    (mut warnings, mut reported): (ResMut<SimulationWarnings>, ResMut<ReportedLimitations>),
) {
    let mut new: Vec<_> = new.iter().collect();
    let Ok((mut set, mut rapier_joints)) = contexts.single_mut() else { return };
    if new.is_empty() {
        return;
    }
    new.sort_by_key(|(entity, ..)| *entity);
    let mut bodies: Vec<_> = bodies.iter_mut().collect();
    bodies.sort_by_key(|(entity, ..)| *entity);
    let entities: Vec<_> = bodies.iter().map(|(entity, ..)| *entity).collect();
    let parties: Vec<_> = bodies
        .iter()
        .map(|(_, body, ..)| {
            let (BodyModel(body), state, drive, is_root_kinematic) = *body;
            Party { body, state, drive: *drive, is_root_kinematic }
        })
        .collect();
    let mut fail = |message| *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
    for (entity, joint, own_name) in new {
        let kind = joint.form.kind;
        let known = joint.map_bodies(|body| entities.binary_search(&body).ok()).filter(|joint| {
            joint.ends.iter().all(|end| match *end {
                JointEnd::World => true,
                JointEnd::Link { body, link } => link.0 < parties[body].body.links().len(),
            })
        });
        let Some(joint) = known else {
            fail(missing_end(kind, own_name));
            return;
        };
        let [first, second] = joint.ends.map(|end| match end {
            JointEnd::World => "the world".to_owned(),
            JointEnd::Link { body, link } => {
                let model = parties[body].body;
                let name = bodies[body].3.map_or(model.name.as_str(), Name::as_str);
                format!("`{name}/{}`", model.link(link).name)
            }
        });
        let name = joint_name(kind, own_name, [&first, &second]);
        for finding in extra_joint_findings(&parties, &[joint]) {
            let Some(limitation) = loop_limitation(finding.trouble) else { continue };
            let message = format!("{}; {}", limitation.message(&name), limitation.help());
            if limitation.is_refused() {
                fail(message);
                return;
            }
            if reported.0.insert(limitation) {
                warnings.add_each(entity, "ExtraJointBetween", message);
            }
        }
        let mut fixture = None;
        let [(first, one), (second, other)] = joint.ends.map(|end| match end {
            JointEnd::Link { body, link } => bodies[body].2.rigid_body(link),
            JointEnd::World => {
                let ground = set.bodies.insert(RigidBodyBuilder::fixed().build());
                (*fixture.insert(ground), Isometry3::identity())
            }
        });
        let links = [LinkIndex::ROOT; 2];
        let extra = ExtraJoint { kind, links, frames: joint.form.frames };
        let handle = (first != second).then(|| {
            rules.let_through(first, second);
            rapier_joints.impulse_joints.insert(first, second, extra_joint_data(&extra, [one, other]), true)
        });
        for (side, end) in joint.ends.into_iter().enumerate() {
            if let (JointEnd::Link { body, link }, Some(handle)) = (end, handle) {
                let mut links = [None; 2];
                links[side] = Some(link);
                bodies[body].2.loops.push(SimulatedLoop { handle, links });
            }
        }
        let at_start = [0, 1].map(|end| match joint.ends[end] {
            JointEnd::World => joint.form.frames[end],
            JointEnd::Link { body, link } => parties[body].state.link_pose(link) * joint.form.frames[end],
        });
        let start_gap = kind.gap(&at_start[0], &at_start[1]);
        commands.entity(entity).insert(SimulatedExtraJoint { handle, name, fixture, kind, start_gap });
    }
}
