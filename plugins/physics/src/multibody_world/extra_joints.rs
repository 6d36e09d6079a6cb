//! Extra joints between bodies, or between a body and the world.

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus};
use nalgebra::Vector3;

use super::MultibodyWorld;
use super::system_of_bodies::ReducedBody;
use crate::impulse::joints::loops::rows::asked;
use crate::model::extra_joint::{ExtraJointBetween, JointEnd, Opening, SimulatedExtraJoint};
use crate::model::simulated_body::SimulatedBody;
use crate::multibody::{Anchor, Closure};
use crate::world::contacts::ContactRules;

type JoinedBody<'a> = (&'a BodyModel, &'a BodyState, &'a SimulatedBody, &'a mut ReducedBody, Option<&'a Name>);

/// Takes in the extra joints that are new, after the bodies.
pub(crate) fn take_in(
    mut commands: Commands,
    new: Query<(Entity, &ExtraJointBetween, Option<&Name>), Without<SimulatedExtraJoint>>,
    mut bodies: Query<JoinedBody<'_>>,
    (mut world, mut rules): (ResMut<MultibodyWorld>, ResMut<ContactRules>),
    (clock, mut status): (Res<SimulationClock>, ResMut<SimulationStatus>),
) {
    let mut new: Vec<_> = new.iter().collect();
    new.sort_by_key(|(entity, ..)| *entity);
    for (entity, joint, own_name) in new {
        let kind = joint.form.kind.as_str();
        let mut sides = Vec::with_capacity(2);
        let mut names = Vec::with_capacity(2);
        let mut held = Vec::with_capacity(2);
        for (end, frame) in joint.ends.iter().zip(joint.form.frames) {
            let JointEnd::Link { body, link } = *end else {
                sides.push(Anchor { part: None, frame });
                names.push("the world".to_owned());
                continue;
            };
            let Some((BodyModel(model), state, simulated, reduced, name)) =
                bodies.get(body).ok().filter(|(BodyModel(model), ..)| link.0 < model.links().len())
            else {
                let own_name = own_name.map_or_else(String::new, |name| format!(" `{name}`"));
                let message = format!("the {kind} extra joint{own_name} joins a body or a link that is not there");
                *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
                return;
            };
            names.push(format!("`{}/{}`", name.map_or(model.name.as_str(), Name::as_str), model.link(link).name));
            held.push(simulated.rigid_body(link).0);
            sides.push(match reduced.links.get(link.0) {
                Some((part, pose)) => Anchor { part: Some(*part), frame: pose * frame },
                // What stands still has no part: where it is does not change.
                None => Anchor { part: None, frame: state.link_poses[link.0] * frame },
            });
        }
        if let [first, second] = held[..] {
            rules.let_through(first, second);
        }
        if sides[0].part != sides[1].part {
            let closure = Closure { kind: joint.form.kind, sides: [sides[0], sides[1]] };
            let index = world.system.add_closure(closure);
            for (side, end) in joint.ends.iter().enumerate() {
                if let JointEnd::Link { body, link } = *end
                    && let Ok((.., mut reduced, _)) = bodies.get_mut(body)
                {
                    reduced.closures.push((index, side, link));
                }
            }
        }
        let name = match own_name {
            Some(own_name) => format!("extra joint `{own_name}` ({kind} between {} and {})", names[0], names[1]),
            None => format!("the {kind} extra joint between {} and {}", names[0], names[1]),
        };
        let start = Opening { held: asked(joint.form.kind), gap: Vector3::zeros() };
        commands.entity(entity).insert(SimulatedExtraJoint { handle: None, name, fixtures: Vec::new(), start });
    }
}
