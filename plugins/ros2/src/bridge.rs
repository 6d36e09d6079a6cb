//! A simulation in ROS 2: what arrives is applied between steps, what happens is published.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bunraku_body::dynamics::Twist;
use bunraku_body::{Body, BodyModel, BodyState, Drive};
use bunraku_physics::{JointReadings, LinkMotions, Teleport};
use bunraku_sensors::MessagePublisher;
use bunraku_sensors::log::{Cdr, topic_name};
use bunraku_simulation::{
    LONGEST_UPDATE, Pace, RecordingRewind, RegisterSimulationState, SimulationClock, SimulationSnapshot,
    SimulationStatus, SimulationWarnings, run_steps,
};

use super::commands::{TakenOver, check_base, command_joints, drive_base};
use super::messages::JOINT_STATE;
use super::names::{in_namespace, namespace};
use super::network::{Incoming, Network, ReplyTo};
use super::services::{EntityState, Filters, Outcome, Request, state, write_entity_state, write_features};
use super::settings::{BaseDrive, Progress, Ros2Error, Ros2Settings};

/// Wait for messages in an update of a paused simulation; each wait ends with the first message.
const PAUSED_WAIT: Duration = Duration::from_millis(5);
/// The same in one that is paced by the clock.
const PACED_WAIT: Duration = Duration::from_micros(500);
/// Steps of a service between two looks at the time.
const STEPS_AT_ONCE: u64 = 16;

/// Connects a simulation to ROS 2 until its world is dropped. Its bodies are spawned; it has not started.
///
/// # Errors
/// If settings are invalid, or DDS cannot be used.
pub fn connect(app: &mut App, settings: Ros2Settings) -> Result<(), Ros2Error> {
    let world = app.world_mut();
    let mut bodies = world.query::<(Entity, &Name, &BodyModel, &Drive)>();
    let bodies: Vec<Simulated> = bodies
        .iter(world)
        .map(|(entity, name, BodyModel(model), drive)| Simulated {
            entity,
            name: name.to_string(),
            model: Arc::clone(model),
            is_movable: *drive != Drive::Motion,
        })
        .collect();
    if let Some(base) = &settings.base
        && let Some(body) = bodies.iter().find(|body| body.entity == base.body)
    {
        check_base(world, &body.model, &body.name, base)?;
    }
    let namespace = namespace(&settings.namespace)?;
    let (network, incoming) = Network::join(settings.domain, &namespace, settings.all_networks)?;
    for body in bodies.iter().filter(|body| body.model.num_joints() > 0 || !body.model.is_fixed()) {
        world.entity_mut(body.entity).insert_if_new(JointReadings::default());
    }
    let robot = settings.robot.and_then(|robot| bodies.iter().position(|body| body.entity == robot));
    let robot_topic = robot.map(|robot| topic_name(&format!("/{}/joint_states", bodies[robot].name)));
    let outbox = network.outbox.clone();
    let publish = move |topic: &str, kind: &'static str, message: &[u8]| {
        outbox.send(in_namespace(&namespace, topic), kind, message);
        if kind == JOINT_STATE && robot_topic.as_deref() == Some(topic) {
            for topic in ["/joint_states", "/robot_joint_states"] {
                outbox.send(in_namespace(&namespace, topic), kind, message);
            }
        }
    };
    world.insert_resource(MessagePublisher::new(settings.steps_per_message, Box::new(publish)));
    let (pace, resumed) = match settings.progress {
        Progress::Clock(speed) => (Pace::RealTime { speed }, Pace::RealTime { speed }),
        Progress::Paused => (Pace::Paused, Pace::default()),
    };
    world.insert_resource(pace);
    world.insert_resource(Bridge {
        network: Some(network),
        incoming: Mutex::new(incoming),
        bodies,
        robot,
        base: settings.base,
        resumed,
        has_set_entities: false,
        start: None,
        is_stopped: false,
        stepping: None,
        reported: BTreeSet::new(),
    });
    app.ignore_simulation_state::<TakenOver>("a reset does not give joints back to the scene");
    app.add_systems(PreUpdate, serve);
    Ok(())
}

/// A body of the simulation.
struct Simulated {
    entity: Entity,
    name: String,
    model: Arc<Body>,
    /// Whether its state can be set.
    is_movable: bool,
}

/// Steps that a service has requested.
struct Stepping {
    left: u64,
    reply: ReplyTo,
}

/// The connection of a world.
#[derive(Resource)]
struct Bridge {
    network: Option<Network>,
    incoming: Mutex<Receiver<Incoming>>,
    bodies: Vec<Simulated>,
    /// Index of the robot.
    robot: Option<usize>,
    base: Option<BaseDrive>,
    /// Pace after a pause.
    resumed: Pace,
    /// Whether the state of an entity was set: physics builds such a body anew, to which no earlier snapshot fits.
    has_set_entities: bool,
    /// State to reset to.
    start: Option<SimulationSnapshot>,
    /// Whether it is reset and not resumed since.
    is_stopped: bool,
    stepping: Option<Stepping>,
    /// Warnings so far: each is given once.
    reported: BTreeSet<String>,
}

impl Drop for Bridge {
    fn drop(&mut self) {
        if let Some(network) = self.network.take() {
            network.close();
        }
    }
}

/// Applies what has arrived. It runs before the steps of each update.
fn serve(world: &mut World) {
    world.resource_scope(|world, mut bridge: Mut<'_, Bridge>| {
        bridge.begin(world);
        if bridge.stepping.is_some() {
            bridge.step(world);
            return;
        }
        let wait = match *world.resource::<Pace>() {
            Pace::Paused => PAUSED_WAIT,
            Pace::RealTime { .. } => PACED_WAIT,
            Pace::Steps(_) | Pace::Unpaced => Duration::ZERO,
        };
        let mut next = bridge.receive(wait);
        while let Some(message) = next {
            bridge.apply(world, message);
            if bridge.stepping.is_some() {
                return;
            }
            next = bridge.receive(Duration::ZERO);
        }
        bridge.report_dropped(world);
    });
}

impl Bridge {
    /// Starts the simulation, so that it can be reset, and its first state is published.
    fn begin(&mut self, world: &mut World) {
        if self.start.is_some() {
            return;
        }
        run_steps(world, 0);
        match SimulationSnapshot::take(world) {
            Ok(start) => self.start = Some(start),
            Err(error) => self.warn(world, format!("it cannot be reset: {error}")),
        }
    }

    fn receive(&self, wait: Duration) -> Option<Incoming> {
        let incoming = self.incoming.lock().unwrap_or_else(PoisonError::into_inner);
        match incoming.recv_timeout(wait) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(wait);
                None
            }
        }
    }

    /// Warns once of something that is ignored.
    fn warn(&mut self, world: &mut World, message: String) {
        /// Names in messages come from others, who could send ever new ones.
        const MOST: usize = 100;
        let body = self.robot.or(if self.bodies.is_empty() { None } else { Some(0) });
        let Some(body) = body.map(|body| self.bodies[body].entity) else { return };
        if self.reported.len() < MOST && self.reported.insert(message.clone()) {
            world.resource_mut::<SimulationWarnings>().add_each(body, "Ros2", format!("ROS 2: {message}"));
        }
    }

    fn report_dropped(&mut self, world: &mut World) {
        if self.network.as_ref().is_some_and(|network| network.outbox.dropped() > 0) {
            self.warn(world, "the network does not keep up: messages are dropped".to_owned());
        }
    }

    fn apply(&mut self, world: &mut World, message: Incoming) {
        match message {
            Incoming::Malformed(topic, error) => {
                self.warn(world, format!("a message on `{topic}` is ignored: {error}"));
            }
            Incoming::Joints(command) => {
                let Some(robot) = self.robot else {
                    self.warn(world, "joint commands are ignored: the scene has no robot".to_owned());
                    return;
                };
                let Simulated { entity, model, .. } = &self.bodies[robot];
                let Ok(mut entity) = world.get_entity_mut(*entity) else { return };
                for ignored in command_joints(&mut entity, model, &command) {
                    self.warn(world, ignored);
                }
            }
            Incoming::Base(velocity) => {
                let Some(base) = &self.base else {
                    let help = "`/cmd_vel` is ignored: the scene has no `ros2: { base: … }` with wheels";
                    self.warn(world, help.to_owned());
                    return;
                };
                let body = self.bodies.iter().find(|body| body.entity == base.body);
                if let (Some(body), Ok(mut entity)) = (body, world.get_entity_mut(base.body)) {
                    drive_base(&mut entity, &body.model, base, velocity);
                }
            }
            Incoming::Request(request, to) => self.answer(world, request, to),
        }
    }

    fn answer(&mut self, world: &mut World, request: Request, to: ReplyTo) {
        let mut reply = new_reply(to);
        match request {
            Request::GetFeatures => write_features(&mut reply),
            Request::GetState => {
                reply.u8(self.state(world));
                Outcome::ok().write(&mut reply);
            }
            Request::SetState(wanted) => self.set_state(world, wanted).write(&mut reply),
            Request::Reset(scope) => self.reset_scope(world, scope).write(&mut reply),
            Request::GetEntities(filters) => self.write_entities(&filters, &mut reply),
            Request::GetEntityState(name) => self.write_entity(world, &name, &mut reply),
            Request::SetEntityState(name, state) => self.set_entity(world, &name, &state).write(&mut reply),
            Request::Step(steps) => {
                if self.state(world) == state::PLAYING {
                    let message = "the simulation is not paused: set its state to PAUSED first";
                    Outcome::new(Outcome::INCORRECT_STATE, message).write(&mut reply);
                } else {
                    self.is_stopped = false;
                    self.stepping = Some(Stepping { left: steps, reply: to });
                    self.step(world);
                    return;
                }
            }
        }
        self.send_reply(to, reply);
    }

    fn send_reply(&self, to: ReplyTo, reply: Cdr) {
        if let Some(network) = &self.network {
            network.outbox.reply(to, reply.into_bytes());
        }
    }

    /// Runs requested steps for the time of an update; replies after the last one.
    fn step(&mut self, world: &mut World) {
        let Some(Stepping { mut left, reply: to }) = self.stepping.take() else { return };
        if let Some(network) = &self.network {
            network.outbox.wait(true);
        }
        let deadline = Instant::now() + Duration::from_secs_f64(LONGEST_UPDATE);
        while left > 0 && *world.resource::<SimulationStatus>() == SimulationStatus::Running {
            if Instant::now() > deadline {
                self.stepping = Some(Stepping { left, reply: to });
                return;
            }
            let now = left.min(STEPS_AT_ONCE);
            run_steps(world, now);
            left -= now;
        }
        if let Some(network) = &self.network {
            network.outbox.wait(false);
        }
        let outcome = match world.resource::<SimulationStatus>() {
            SimulationStatus::Failed(fault) => Outcome::new(Outcome::FAILED, fault.to_string()),
            _ if left > 0 => Outcome::new(Outcome::FAILED, "the run has come to its end"),
            _ => Outcome::ok(),
        };
        let mut reply = new_reply(to);
        outcome.write(&mut reply);
        self.send_reply(to, reply);
    }

    fn state(&self, world: &World) -> u8 {
        match (world.resource::<Pace>(), self.is_stopped) {
            (Pace::Paused, true) => state::STOPPED,
            (Pace::Paused, false) => state::PAUSED,
            _ => state::PLAYING,
        }
    }

    fn set_state(&mut self, world: &mut World, wanted: u8) -> Outcome {
        if wanted == self.state(world) {
            return Outcome::new(Outcome::ALREADY, "the simulation is in this state");
        }
        match wanted {
            state::PLAYING => {
                self.is_stopped = false;
                world.insert_resource(self.resumed);
            }
            state::PAUSED => {
                self.is_stopped = false;
                world.insert_resource(Pace::Paused);
            }
            state::STOPPED => {
                world.insert_resource(Pace::Paused);
                let outcome = self.reset(world);
                self.is_stopped = outcome.code == Outcome::OK;
                return outcome;
            }
            state::QUITTING => world.insert_resource(SimulationStatus::Finished),
            other => return Outcome::new(Outcome::UNSUPPORTED, format!("there is no state {other}")),
        }
        Outcome::ok()
    }

    fn reset_scope(&self, world: &mut World, scope: u8) -> Outcome {
        const TIME: u8 = 1;
        const STATE: u8 = 2;
        const SPAWNED: u8 = 4;
        match scope {
            // Nothing is spawned.
            SPAWNED => Outcome::ok(),
            0 => self.reset(world),
            scope if scope & (TIME | STATE) == TIME | STATE => self.reset(world),
            _ => Outcome::new(Outcome::UNSUPPORTED, "time and state are reset together"),
        }
    }

    fn reset(&self, world: &mut World) -> Outcome {
        if self.has_set_entities {
            let message = "the state of an entity was set, and the start cannot be restored since: run it again";
            return Outcome::new(Outcome::FAILED, message);
        }
        let Some(start) = &self.start else {
            return Outcome::new(Outcome::FAILED, "the simulation has no state to go back to");
        };
        match start.restore(world) {
            Ok(()) => {
                world.trigger(RecordingRewind { step: 0, time: 0.0 });
                Outcome::ok()
            }
            Err(error) => Outcome::new(Outcome::FAILED, error.to_string()),
        }
    }

    fn write_entities(&self, filters: &Filters, reply: &mut Cdr) {
        let is_plain = filters.names.chars().all(|letter| letter.is_alphanumeric() || "_- ".contains(letter));
        if filters.has_others || !is_plain {
            let message =
                "entities are filtered by a part of their names only: no patterns, categories, tags or bounds";
            Outcome::new(Outcome::UNSUPPORTED, message).write(reply);
            reply.length(0);
            return;
        }
        Outcome::ok().write(reply);
        // A pattern without special characters matches anywhere.
        let found: Vec<_> = self.bodies.iter().filter(|body| body.name.contains(&filters.names)).collect();
        reply.length(found.len());
        found.iter().for_each(|body| reply.text(&body.name));
    }

    fn find(&self, name: &str) -> Option<&Simulated> {
        self.bodies.iter().find(|body| body.name == name)
    }

    fn write_entity(&self, world: &World, name: &str, reply: &mut Cdr) {
        let time = world.resource::<SimulationClock>().time();
        let body = self.find(name);
        let pose = body.and_then(|body| world.get::<BodyState>(body.entity)).and_then(|state| state.link_poses.first());
        let motions = body.and_then(|body| world.get::<LinkMotions>(body.entity));
        let root = |motions: Option<&[Twist]>| motions.and_then(|of| of.first()).copied().unwrap_or(Twist::ZERO);
        let twist = root(motions.map(LinkMotions::twists));
        let acceleration = root(motions.map(LinkMotions::accelerations));
        match pose {
            Some(pose) => {
                Outcome::ok().write(reply);
                write_entity_state(reply, time, pose, [&twist, &acceleration]);
            }
            None => {
                not_found(name).write(reply);
                write_entity_state(reply, time, &Default::default(), [&Twist::ZERO, &Twist::ZERO]);
            }
        }
    }

    fn set_entity(&mut self, world: &mut World, name: &str, wanted: &EntityState) -> Outcome {
        let Some(body) = self.find(name) else { return not_found(name) };
        if !matches!(wanted.frame.as_str(), "" | "world") {
            return Outcome::new(Outcome::UNSUPPORTED, "states are given in the frame `world`");
        }
        if !body.is_movable {
            return Outcome::new(Outcome::FAILED, "the body plays a motion, which would move it back");
        }
        let Some(state) = world.get::<BodyState>(body.entity) else { return not_found(name) };
        let velocities = state.velocities.clone();
        let mut state = BodyState::at_rest(&body.model, &wanted.pose, state.displacements.clone());
        state.velocities = velocities;
        world.entity_mut(body.entity).insert(Teleport::to(state).moving(wanted.twist));
        self.has_set_entities = true;
        Outcome::ok()
    }
}

fn new_reply(to: ReplyTo) -> Cdr {
    let mut reply = Cdr::new();
    if let Some(header) = to.header {
        header.write(&mut reply);
    }
    reply
}

fn not_found(name: &str) -> Outcome {
    let name: String = name.chars().take(60).collect();
    Outcome::new(Outcome::NOT_FOUND, format!("there is no entity `{name}`"))
}
