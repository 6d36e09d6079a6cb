//! Extra joints between bodies, or between a body and the world, as closures.

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus};

use super::MultibodyWorld;
use super::solver_body::{SolverBody, SolverLoop};
use crate::model::extra_joint::{ExtraJointBetween, JointEnd, SimulatedExtraJoint, joint_name, missing_end};
use crate::model::joint_name::JointName;
use crate::model::simulated_body::SimulatedBody;
use crate::model::widest_gap::WidestGap;
use crate::readings::acting::{Acting, ActingOn};
use crate::readings::health::{WIDEST_GAP, torn_apart};
use crate::world::contacts::ContactRules;
use bunraku_multibody::{Anchor, Closure, ClosureIndex};

type JoinedBody<'a> = (&'a BodyModel, &'a BodyState, &'a SimulatedBody, Option<&'a Name>);

/// An extra joint in our own solver's world.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct SolverExtraJoint {
    /// `None` if it has no effect.
    pub closure: Option<ClosureIndex>,
}

/// Adds new extra joints, after new bodies.
pub(crate) fn prepare(
    mut commands: Commands,
    new: Query<(Entity, &ExtraJointBetween, Option<&Name>), Without<SimulatedExtraJoint>>,
    bodies: Query<JoinedBody<'_>>,
    (mut world, mut rules): (ResMut<MultibodyWorld>, ResMut<ContactRules>),
    (clock, mut status): (Res<SimulationClock>, ResMut<SimulationStatus>),
) {
    let mut new: Vec<_> = new.iter().collect();
    new.sort_by_key(|(entity, ..)| *entity);
    for (entity, joint, own_name) in new {
        let mut sides = Vec::with_capacity(2);
        let mut names = Vec::with_capacity(2);
        let mut held = Vec::with_capacity(2);
        let mut poses = Vec::with_capacity(2);
        for (end, frame) in joint.ends.iter().zip(joint.form.frames) {
            let JointEnd::Link { body, link } = *end else {
                sides.push(Anchor { part: None, frame });
                poses.push(frame);
                names.push("the world".to_owned());
                continue;
            };
            let Some((BodyModel(model), state, simulated, name)) =
                bodies.get(body).ok().filter(|(BodyModel(model), ..)| link.0 < model.links().len())
            else {
                let message = missing_end(joint.form.kind, own_name);
                *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
                return;
            };
            names.push(format!("`{}/{}`", name.map_or(model.name.as_str(), Name::as_str), model.link(link).name));
            poses.push(state.link_pose(link) * frame);
            let (rigid_body, pose) = simulated.rigid_body(link);
            held.push(rigid_body);
            sides.push(match world.part_of(rigid_body) {
                Some(part) => Anchor { part: Some(part), frame: pose * frame },
                // A static body has no part; its pose is constant.
                None => Anchor { part: None, frame: state.link_pose(link) * frame },
            });
        }
        if let [first, second] = held[..] {
            rules.let_through(first, second);
        }
        let mut made = None;
        if sides[0].part != sides[1].part {
            let closure = Closure { kind: joint.form.kind, sides: [sides[0], sides[1]] };
            made = Some(world.system.add_closure(closure));
        }
        let name = joint_name(joint.form.kind, own_name, [&names[0], &names[1]]);
        let kind = joint.form.kind;
        let start_gap = kind.gap(&poses[0], &poses[1]);
        let simulated = SimulatedExtraJoint { handle: None, name, fixture: None, kind, start_gap };
        commands.entity(entity).insert((simulated, SolverExtraJoint { closure: made }));
    }
}

/// Measures the gaps of extra joints after a step; a joint that is torn apart stops the simulation.
pub(crate) fn see_gaps(
    joints: Query<(Entity, &SimulatedExtraJoint, &SolverExtraJoint)>,
    bodies: Query<(Entity, &SolverBody)>,
    acting: Query<ActingOn<'_>, With<SimulatedBody>>,
    world: Res<MultibodyWorld>,
    clock: Res<SimulationClock>,
    (mut status, mut widest): (ResMut<SimulationStatus>, ResMut<WidestGap>),
    (names, models): (Query<&SimulatedExtraJoint>, Query<(&BodyModel, Option<&Name>)>),
) {
    let time = clock.time() + clock.time_step();
    let between = joints
        .iter()
        .filter_map(|(entity, joint, own)| Some((own.closure?, joint.start_gap, JointName::Between(entity))));
    let within = bodies.iter().flat_map(|(body, own)| own.loops.iter().map(move |own| (body, own)));
    let within = within.map(|(body, &SolverLoop { closure, links, start_gap })| {
        let kind = world.system.closure(closure).kind;
        (closure, start_gap, JointName::Loop { body, kind, links })
    });
    for (closure, start_gap, joint) in between.chain(within) {
        let open = world.gap(closure);
        widest.add(open - start_gap, time, joint);
        if open > WIDEST_GAP + start_gap {
            let name = joint.in_words(|entity| names.get(entity).ok(), |body| models.get(body).ok());
            let causes = Acting::on_any(acting).usual_causes(false);
            let message = format!("{}; {causes}", torn_apart(&name, open));
            *status = SimulationStatus::Failed(SimulationFault { time, message });
            return;
        }
    }
}
