//! A hand: it pulls links by a spring and turns the targets of servos, and all that it did can be done again.

use std::collections::VecDeque;

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, JointTargets, LinkIndex};
use bunraku_physics::{ExternalForce, ExternalForces, ForceFrame};
use bunraku_simulation::{RecordingRewind, SimulationClock};
use nalgebra::Point3;
use serde::{Deserialize, Serialize};

use crate::ForceProfiles;

/// Natural frequency of the spring with the whole body on it, Hz: it follows a hand within a second and shakes nothing.
const FREQUENCY: f64 = 1.5;

/// Pulls a link of its body. Without [`ForceProfiles`] on the body, [`ExternalForces`] are what it says alone.
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[require(ExternalForces)]
pub struct Hand {
    pull: Option<Pull>,
    /// Where the point was at the beginning of the step before, m, world frame.
    last: Option<Point3<f64>>,
}

/// A spring between a point of a link and a point in the world, as stiff as moves the whole body at 1.5 Hz, and critically
/// damped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pull {
    /// The link that is held.
    pub link: LinkIndex,
    /// Where, m, link frame.
    pub point: Point3<f64>,
    /// Where to, m, world frame.
    pub target: Point3<f64>,
}

/// Something that a hand does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandAct {
    /// It pulls, or pulls elsewhere.
    Pull {
        /// Name of the link.
        link: String,
        /// Where it holds it, m, link frame.
        point: [f64; 3],
        /// Where to, m, world frame.
        target: [f64; 3],
    },
    /// It lets go.
    LetGo,
    /// It turns the target of a servo.
    Target {
        /// Name of the joint.
        joint: String,
        /// rad or m.
        displacement: f64,
    },
}

/// What a hand did, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandNote {
    /// The step at whose beginning it did.
    pub step: u64,
    /// Name of the body.
    pub body: String,
    /// What it did.
    #[serde(flatten)]
    pub act: HandAct,
}

/// All that hands did, in order.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct HandNotes(pub Vec<HandNote>);

/// What hands are to do: notes of another run, in order of their steps.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct HandScript(pub VecDeque<HandNote>);

/// Lays a hand on a body, from the coming step on, and notes it. What is not there, a joint of another name, say, is left alone.
pub fn lay_hand(world: &mut World, body: Entity, act: HandAct) {
    let step = world.resource::<SimulationClock>().step();
    let Some(name) = world.get::<Name>(body).map(|name| name.as_str().to_owned()) else { return };
    if perform(world, body, &act)
        && let Some(mut notes) = world.get_resource_mut::<HandNotes>()
    {
        // Of one step the last word counts.
        let same = |note: &HandNote| note.step == step && note.body == name && is_same(&note.act, &act);
        notes.0.retain(|note| !same(note));
        notes.0.push(HandNote { step, body: name, act });
    }
}

/// Whether the second undoes the first.
fn is_same(first: &HandAct, second: &HandAct) -> bool {
    match (first, second) {
        (HandAct::Target { joint: a, .. }, HandAct::Target { joint: b, .. }) => a == b,
        (HandAct::Target { .. }, _) | (_, HandAct::Target { .. }) => false,
        _ => true,
    }
}

fn perform(world: &mut World, body: Entity, act: &HandAct) -> bool {
    let Some(BodyModel(model)) = world.get::<BodyModel>(body).cloned() else { return false };
    match act {
        HandAct::Pull { link, point, target } => {
            let Some(link) = model.find_link(link) else { return false };
            let finite = point.iter().chain(target).all(|value| value.is_finite());
            let pull = Pull { link, point: Point3::from(*point), target: Point3::from(*target) };
            finite && set_pull(world, body, Some(pull))
        }
        HandAct::LetGo => set_pull(world, body, None),
        HandAct::Target { joint, displacement } => {
            let Some(joint) = model.find_joint(joint).filter(|_| displacement.is_finite()) else { return false };
            let Some(mut targets) = world.get_mut::<JointTargets>(body) else { return false };
            let Some(target) = targets.displacements.get_mut(joint.0) else { return false };
            *target = *displacement;
            true
        }
    }
}

fn set_pull(world: &mut World, body: Entity, pull: Option<Pull>) -> bool {
    let Ok(mut body) = world.get_entity_mut(body) else { return false };
    let old = body.get::<Hand>().cloned().unwrap_or_default();
    let is_same_grip = old.pull.zip(pull).is_some_and(|(old, new)| (old.link, old.point) == (new.link, new.point));
    body.insert(Hand { pull, last: old.last.filter(|_| is_same_grip) });
    true
}

/// Does what the script has for this step.
pub(crate) fn follow_script(world: &mut World) {
    let step = world.resource::<SimulationClock>().step();
    loop {
        let Some(mut script) = world.get_resource_mut::<HandScript>() else { return };
        if script.0.front().is_none_or(|note| note.step > step) {
            return;
        }
        let Some(note) = script.0.pop_front() else { return };
        let mut bodies = world.query::<(Entity, &Name, &BodyModel)>();
        let found = bodies.iter(world).find(|(_, name, _)| name.as_str() == note.body).map(|(entity, ..)| entity);
        if let Some(body) = found {
            lay_hand(world, body, note.act);
        }
    }
}

/// Makes the forces of this step of where hands pull to.
pub(crate) fn pull(
    clock: Res<SimulationClock>,
    mut bodies: Query<(&BodyModel, &BodyState, &mut Hand, &mut ExternalForces, Has<ForceProfiles>)>,
) {
    for (BodyModel(model), state, mut hand, mut forces, has_profiles) in &mut bodies {
        if !has_profiles {
            forces.forces.clear();
        }
        let Some(Pull { link, point, target }) = hand.pull else { continue };
        let Some(pose) = state.link_poses.get(link.0) else { continue };
        let now = pose * point;
        let velocity = hand.last.map_or_else(Default::default, |last| (now - last) / clock.time_step());
        hand.last = Some(now);
        let (mass, rate) = (model.mass(), std::f64::consts::TAU * FREQUENCY);
        let force = mass * rate * (rate * (target - now) - 2.0 * velocity);
        if force.iter().all(|value| value.is_finite()) {
            let (frame, torque) = (ForceFrame::World, Default::default());
            forces.forces.push(ExternalForce { link, point: Some(point), frame, force, torque });
        }
    }
}

/// What was done in a future that is not to be was not done. Of hands that were there already, their state came back with that of the
/// simulation.
pub(crate) fn rewind(rewind: On<RecordingRewind>, mut notes: ResMut<HandNotes>, mut hands: Query<(&Name, &mut Hand)>) {
    notes.0.retain(|note| note.step < rewind.step);
    for (name, mut hand) in &mut hands {
        let was_there = |note: &HandNote| note.body == name.as_str() && !matches!(note.act, HandAct::Target { .. });
        if !notes.0.iter().any(was_there) {
            *hand = Hand::default();
        }
    }
}
