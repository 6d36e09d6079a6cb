//! Interaction by a user: pulls links by a spring, changes targets of servos, moves bodies, adds and removes them. All
//! actions are recorded and can be repeated.

use std::collections::VecDeque;
use std::path::PathBuf;

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, JointTargets, LinkIndex};
use bunraku_control::{FollowReferences, ForceProfiles};
use bunraku_physics::{ExternalForce, ExternalForces, ForceFrame};
use bunraku_simulation::{
    RecordingRewind, RegisterSimulationState, SimulationClock, SimulationPlugin, SimulationStep, SimulationSystems,
    SimulationWarnings,
};
use bunraku_task::{Control, TaskRun};
use nalgebra::Point3;
use serde::{Deserialize, Serialize};

use crate::hand_on_bodies::{bring, place};

/// Interactions of a user: [`lay_hand`], [`bring_body`], and their repetition by a [`HandScript`]. Needs
/// [`bunraku_control::ControlPlugin`].
#[derive(Clone, Copy, Debug, Default)]
pub struct HandPlugin;

impl Plugin for HandPlugin {
    fn build(&self, app: &mut App) {
        SimulationPlugin::ensure(app);
        // Forces of profiles replace those of the step before; a pull is added to them.
        let pull = pull.run_if(any_with_component::<Hand>).after(FollowReferences).before(SimulationSystems::Control);
        // As for actions between steps: added bodies are prepared in the same step.
        let follow_script = follow_script.run_if(resource_exists::<HandScript>).before(SimulationSystems::Prepare);
        // In this order without a plugin that sorts the sets of a step, too.
        app.add_systems(SimulationStep, (follow_script, pull).chain())
            .init_resource::<HandNotes>()
            .init_resource::<HandsSoFar>()
            .register_simulation_resource::<HandsSoFar>()
            .ignore_simulation_state::<HandNotes>("how many of them count is state")
            .add_observer(rewind)
            .register_simulation_state::<Hand>();
    }
}

/// Natural frequency of the spring with the mass of the whole body, Hz: it follows the target within a second without
/// shaking the body.
const FREQUENCY: f64 = 1.5;

/// Pulls a link of its body. Without [`ForceProfiles`] on the body, it alone determines [`ExternalForces`].
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[require(ExternalForces)]
pub struct Hand {
    pull: Option<Pull>,
    /// Position of the point at the beginning of the previous step, m, world frame.
    last: Option<Point3<f64>>,
}

/// A spring between a point of a link and a point in the world. Its stiffness gives the whole body a natural frequency
/// of 1.5 Hz, and it is critically damped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pull {
    /// Link.
    pub link: LinkIndex,
    /// Point of application, m, link frame.
    pub point: Point3<f64>,
    /// Target point, m, world frame.
    pub target: Point3<f64>,
}

/// An action of the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandAct {
    /// Pulls a link, or changes the target of the pull.
    Pull {
        /// Name of the link.
        link: String,
        /// Point of application, m, link frame.
        point: [f64; 3],
        /// Target point, m, world frame.
        target: [f64; 3],
    },
    /// Releases the link.
    LetGo,
    /// Sets the target of a servo.
    Target {
        /// Name of the joint.
        joint: String,
        /// Displacement, rad or m.
        displacement: f64,
    },
    /// Moves the root of the body to a pose, at rest.
    Place {
        /// Position, m, world frame.
        translation: [f64; 3],
        /// Roll, pitch and yaw, rad.
        rpy: [f64; 3],
    },
    /// Adds a dynamic body with the name given in the note.
    Bring {
        /// The model file.
        file: PathBuf,
        /// Position of its root, m, world frame.
        translation: [f64; 3],
    },
    /// Removes the body.
    Take,
    /// Sets a parameter of the robot's task.
    Parameter {
        /// Name of the parameter.
        parameter: String,
        /// Value, as an expression of tasks.
        value: String,
    },
    /// Controls the robot's task.
    Task {
        /// Order.
        order: TaskOrder,
    },
}

/// Order to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskOrder {
    /// Run from state to state.
    Run,
    /// Pause at the end of the current command.
    Pause,
    /// Enter the next state, then as [`TaskOrder::Pause`].
    Step,
    /// Stop.
    Stop,
}

impl From<TaskOrder> for Control {
    fn from(order: TaskOrder) -> Self {
        match order {
            TaskOrder::Run => Self::Run,
            TaskOrder::Pause => Self::Pause,
            TaskOrder::Step => Self::Step,
            TaskOrder::Stop => Self::Stop,
        }
    }
}

/// An action of the user, with its step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandNote {
    /// Step at whose beginning it took effect.
    pub step: u64,
    /// Name of the body.
    pub body: String,
    /// Action.
    #[serde(flatten)]
    pub act: HandAct,
}

/// All actions, in order.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct HandNotes(pub Vec<HandNote>);

/// Number of [`HandNotes`] that took effect before the current time. After restoring a snapshot, only the actions
/// before it count.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct HandsSoFar(usize);

/// Actions of another run to be repeated, in the order of their steps.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct HandScript(pub VecDeque<HandNote>);

/// Applies an action to a body from the next step on, and records it. Objects that do not exist, such as a joint of
/// another name, are ignored. Returns whether it had an effect.
pub fn lay_hand(world: &mut World, body: Entity, act: HandAct) -> bool {
    let Some(name) = world.get::<Name>(body).map(|name| name.as_str().to_owned()) else { return false };
    let is_done = perform(world, body, &act);
    if is_done {
        note(world, name, act);
    }
    is_done
}

/// Adds a dynamic body of a model file from the next step on, and records it.
///
/// # Errors
/// If a body of this name exists already, or the file is not a valid model.
pub fn bring_body(world: &mut World, name: &str, file: PathBuf, translation: [f64; 3]) -> Result<Entity, String> {
    let entity = bring(world, name, &file, translation)?;
    note(world, name.to_owned(), HandAct::Bring { file, translation });
    Ok(entity)
}

fn note(world: &mut World, body: String, act: HandAct) {
    let step = world.resource::<SimulationClock>().step();
    let so_far = world.get_resource::<HandsSoFar>().copied().unwrap_or_default().0;
    let Some(mut notes) = world.get_resource_mut::<HandNotes>() else { return };
    notes.0.truncate(so_far);
    // Of several actions in one step the last one is recorded.
    let same = |note: &HandNote| note.step == step && note.body == body && is_same(&note.act, &act);
    notes.0.retain(|note| !same(note));
    notes.0.push(HandNote { step, body, act });
    let so_far = notes.0.len();
    world.insert_resource(HandsSoFar(so_far));
}

/// Whether the second action replaces the first.
fn is_same(first: &HandAct, second: &HandAct) -> bool {
    use HandAct::{LetGo, Parameter, Place, Pull, Target};
    match (first, second) {
        (Target { joint: a, .. }, Target { joint: b, .. }) => a == b,
        (Parameter { parameter: a, .. }, Parameter { parameter: b, .. }) => a == b,
        (Pull { .. } | LetGo, Pull { .. } | LetGo) | (Place { .. }, Place { .. }) => true,
        _ => false,
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
        HandAct::Place { translation, rpy } => place(world, body, *translation, *rpy),
        HandAct::Take => world.despawn(body),
        // The body does not exist yet.
        HandAct::Bring { .. } => false,
        HandAct::Task { order } => {
            if let Some(mut run) = world.get_mut::<TaskRun>(body) {
                run.set_control((*order).into());
            }
            true
        }
        HandAct::Parameter { parameter, value } => {
            let adjusted = world.get_mut::<TaskRun>(body).map(|mut run| run.adjust(parameter, value));
            if let Some(Err(error)) = adjusted {
                world.resource_mut::<SimulationWarnings>().add(body, "TaskRun", || error.message.clone());
            }
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

/// Executes the scripted actions of this step.
fn follow_script(world: &mut World) {
    let step = world.resource::<SimulationClock>().step();
    loop {
        let Some(mut script) = world.get_resource_mut::<HandScript>() else { return };
        if script.0.front().is_none_or(|note| note.step > step) {
            return;
        }
        let Some(note) = script.0.pop_front() else { return };
        if let HandAct::Bring { file, translation } = note.act {
            if let Err(reason) = bring_body(world, &note.body, file, translation) {
                let warning = || format!("`{}` is not brought by hand again: {reason}", note.body);
                world.resource_mut::<SimulationWarnings>().add(Entity::PLACEHOLDER, "HandScript", warning);
            }
            continue;
        }
        let mut bodies = world.query::<(Entity, &Name, &BodyModel)>();
        let found = bodies.iter(world).find(|(_, name, _)| name.as_str() == note.body).map(|(entity, ..)| entity);
        if let Some(body) = found {
            lay_hand(world, body, note.act);
        }
    }
}

/// Computes the forces of this step from the pulls.
fn pull(
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

/// Discards the actions after the restored step. The state of existing pulls has been restored with the simulation.
fn rewind(
    _: On<RecordingRewind>,
    mut notes: ResMut<HandNotes>,
    so_far: Res<HandsSoFar>,
    mut hands: Query<(&Name, &mut Hand)>,
) {
    notes.0.truncate(so_far.0);
    let is_pull = |act: &HandAct| matches!(act, HandAct::Pull { .. } | HandAct::LetGo);
    for (name, mut hand) in &mut hands {
        if !notes.0.iter().any(|note| note.body == name.as_str() && is_pull(&note.act)) {
            *hand = Hand::default();
        }
    }
}
