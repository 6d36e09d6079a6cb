//! New extra joints between bodies, and between bodies and the world.

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus};
use nalgebra::Isometry3;

use crate::bodies::MultibodyWorld;
use crate::model::extra_joint::{
    ExtraJointBetween, ExtraJointConstraint, JointEnd, SimulatedEnd, SimulatedExtraJoint, joint_name, missing_end,
};
use crate::model::joint_solver::JointSolver;
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::SimulatedBody;
use crate::rapier_step::extra_joints::NewRapierJoints;
use crate::world::contacts::ContactRules;

type JoinedBody<'a> = (&'a BodyModel, &'a BodyState, &'a SimulatedBody, Option<&'a Name>);

/// Adds new extra joints, after new bodies.
pub(super) fn insert(
    mut commands: Commands,
    new: Query<(Entity, &ExtraJointBetween, Option<&Name>), Without<SimulatedExtraJoint>>,
    bodies: Query<JoinedBody<'_>>,
    (parameters, mut rules): (Res<PhysicsParameters>, ResMut<ContactRules>),
    (mut multibodies, mut rapier): (ResMut<MultibodyWorld>, NewRapierJoints),
    (clock, mut status): (Res<SimulationClock>, ResMut<SimulationStatus>),
) {
    let mut new: Vec<_> = new.iter().collect();
    new.sort_by_key(|(entity, ..)| *entity);
    let mut fail = |message| *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
    for (entity, joint, own_name) in new {
        let kind = joint.form.kind;
        let [first, second] = [0, 1].map(|side| find_end(joint.ends[side], &joint.form.frames[side], &bodies));
        let Some(((first, first_name), (second, second_name))) = first.zip(second) else {
            return fail(missing_end(kind, own_name));
        };
        let (ends, name) = ([first, second], joint_name(kind, own_name, [&first_name, &second_name]));
        if let [Some((first, _)), Some((second, _))] = ends.map(|end| end.held) {
            rules.let_through(first, second);
        }
        let constraint = match parameters.joints {
            JointSolver::Multibody => {
                multibodies.join(kind, &ends).map_or(ExtraJointConstraint::None, ExtraJointConstraint::Closure)
            }
            JointSolver::Impulse => match rapier.insert(entity, joint, &ends, &name) {
                Ok(constraint) => constraint,
                Err(message) => return fail(message),
            },
        };
        let start_gap = kind.gap(&ends[0].start, &ends[1].start);
        commands.entity(entity).insert(SimulatedExtraJoint { name, start_gap, constraint });
    }
}

/// An end with this frame, and its name in messages; `None` if its body or link is missing.
fn find_end(end: JointEnd, frame: &Isometry3<f64>, bodies: &Query<JoinedBody<'_>>) -> Option<(SimulatedEnd, String)> {
    let JointEnd::Link { body, link } = end else {
        return Some((SimulatedEnd { held: None, start: *frame }, "the world".to_owned()));
    };
    let (BodyModel(model), state, simulated, name) = bodies.get(body).ok()?;
    let name = format!("`{}/{}`", name.map_or(model.name.as_str(), Name::as_str), model.links().get(link.0)?.name);
    let (rigid_body, pose) = simulated.rigid_body(link);
    Some((SimulatedEnd { held: Some((rigid_body, pose * frame)), start: state.link_pose(link) * frame }, name))
}
