//! Puts extra joints between bodies into rapier's world.

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextJoints, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::{GenericJoint as RapierJoint, RigidBodyBuilder, RigidBodyHandle, RigidBodySet};
use bunraku_body::{BodyModel, BodyState, Drive, LinkIndex};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus};
use nalgebra::Isometry3;

use super::Party;
use super::findings::moves;
use super::fit::Support;
use super::fit::fits;
use crate::impulse::joints::loops::rows::asked;
use crate::model::extra_joint::{ExtraJointBetween, JointEnd, SimulatedExtraJoint};
use crate::model::guided_root::GuidedRoot;
use crate::model::simulated_body::{SimulatedBody, SimulatedLoop};
use crate::world::contacts::ContactRules;
use crate::world::convert::{from_pose, to_pose};

type JoinedBody<'a> =
    (Entity, (&'a BodyModel, &'a BodyState, &'a Drive, Has<GuidedRoot>), &'a mut SimulatedBody, Option<&'a Name>);

/// Takes in the extra joints that are new, after the bodies.
pub(crate) fn insert_extra_joints(
    mut commands: Commands,
    new: Query<(Entity, &ExtraJointBetween, Option<&Name>), Without<SimulatedExtraJoint>>,
    mut bodies: Query<JoinedBody<'_>>,
    mut contexts: Query<(&mut RapierRigidBodySet, &mut RapierContextJoints)>,
    mut rules: ResMut<ContactRules>,
    (clock, mut status): (Res<SimulationClock>, ResMut<SimulationStatus>),
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
    let parties = bodies.iter().map(|(_, (BodyModel(body), state, drive, guided), ..)| Party {
        body,
        state,
        drive: **drive,
        root_is_guided: *guided,
    });
    let parties: Vec<_> = parties.collect();
    let name = |end: &JointEnd<usize>| match *end {
        JointEnd::World => "the world".to_owned(),
        JointEnd::Link { body, link } => {
            let model = parties[body].body;
            let name = bodies[body].3.map_or(model.name.as_str(), Name::as_str);
            format!("`{name}/{}`", model.link(link).name)
        }
    };
    let mut joints = Vec::with_capacity(new.len());
    let mut names = Vec::with_capacity(new.len());
    for (_, joint, own_name) in &new {
        let known = joint.map_bodies(|body| entities.binary_search(&body).ok()).filter(|joint| {
            joint.ends.iter().all(|end| match *end {
                JointEnd::World => true,
                JointEnd::Link { body, link } => link.0 < parties[body].body.links().len(),
            })
        });
        let kind = joint.form.kind.as_str();
        let Some(joint) = known else {
            let own_name = own_name.map_or_else(String::new, |name| format!(" `{name}`"));
            let message = format!("the {kind} extra joint{own_name} joins a body or a link that is not there");
            *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
            return;
        };
        let [first, second] = joint.ends.each_ref().map(name);
        names.push(match own_name {
            Some(own_name) => format!("extra joint `{own_name}` ({kind} between {first} and {second})"),
            None => format!("the {kind} extra joint between {first} and {second}"),
        });
        joints.push(joint);
    }
    let fits = fits(&parties, &joints);
    let supports: Vec<_> = joints.iter().map(|joint| joint.ends.map(|end| Support::of(end, &parties))).collect();
    let does_something: Vec<_> = joints.iter().map(|joint| moves(joint, &parties)).collect();
    drop(parties);

    for (number, joint) in joints.iter().enumerate() {
        let (fit, kind) = (&fits[number], joint.form.kind);
        let mut fixture = None;
        let handle = does_something[number].then(|| {
            let grips: [Grip; 2] = std::array::from_fn(|end| {
                let frame = fit.frames[end];
                let (part, pose) = match joint.ends[end] {
                    JointEnd::Link { body, link } => bodies[body].2.rigid_body(link),
                    JointEnd::World => (ground(&frame, &mut set.bodies, &mut fixture), Isometry3::identity()),
                };
                match supports[number][end] {
                    Support::Ground => (part, pose_of(part, &set.bodies).inverse() * frame),
                    Support::Led | Support::Tree | Support::Floating => (part, pose * frame),
                }
            });
            let [first, second] = grips;
            let mut data = RapierJoint::new(asked(kind));
            data.local_frame1 = to_pose(&first.1);
            data.local_frame2 = to_pose(&second.1);
            data.set_contacts_enabled(false);
            rapier_joints.impulse_joints.insert(first.0, second.0, data, true)
        });
        let start_gap = fit.open.fixed_rows::<3>(0).norm();
        let extra = SimulatedExtraJoint { handle, name: std::mem::take(&mut names[number]), fixture, kind, start_gap };
        commands.entity(new[number].0).insert(extra);
        let ends = joint.ends.map(|end| match end {
            JointEnd::World => None,
            JointEnd::Link { body, link } => Some((body, link)),
        });
        // Also where others hold all that it holds.
        if let [Some((first, one)), Some((second, other))] = ends {
            let part = |body: usize, link: LinkIndex| bodies[body].2.rigid_body(link).0;
            rules.let_through(part(first, one), part(second, other));
        }
        let Some(handle) = handle else { continue };
        for (body, link) in ends.into_iter().flatten() {
            rules.tied(bodies[body].2.rigid_body(link).0);
        }
        match ends {
            [Some((first, one)), Some((second, other))] if first == second => {
                bodies[first].2.loops.push(SimulatedLoop { handle, links: [Some(one), Some(other)] });
            }
            [first, second] => {
                for (body, links) in [(first, [first, None]), (second, [None, second])] {
                    if let Some((body, _)) = body {
                        let links = links.map(|end| end.map(|(_, link)| link));
                        bodies[body].2.loops.push(SimulatedLoop { handle, links });
                    }
                }
            }
        }
    }
}

/// A rigid body and a frame in it.
type Grip = (RigidBodyHandle, Isometry3<f64>);

/// A rigid body that stands for the world, at a pose in it.
fn ground(pose: &Isometry3<f64>, set: &mut RigidBodySet, fixture: &mut Option<RigidBodyHandle>) -> RigidBodyHandle {
    let ground = set.insert(RigidBodyBuilder::fixed().pose(to_pose(pose)).build());
    *fixture = Some(ground);
    ground
}

fn pose_of(body: RigidBodyHandle, set: &RigidBodySet) -> Isometry3<f64> {
    set.get(body).map_or_else(Isometry3::identity, |body| from_pose(body.position()))
}
