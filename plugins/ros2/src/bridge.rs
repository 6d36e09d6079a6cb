//! A simulation in ROS 2: what arrives is applied between steps, what happens is published.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bunraku_body::{BodyModel, Drive};
use bunraku_physics::{JointReadings, LinkMotions, rebuild_bodies};
use bunraku_sensors::MessagePublisher;
use bunraku_sensors::log::{Cdr, topic_name};
use bunraku_simulation::{
    LONGEST_UPDATE, Pace, RecordingRewind, RegisterSimulationState, SimulationSnapshot, SimulationStatus,
    SimulationWarnings, run_steps,
};

use super::commands::{TakenOver, check_base, command_joints, drive_base};
use super::entities::Simulated;
use super::messages::JOINT_STATE;
use super::names::{in_namespace, namespace};
use super::network::{Incoming, Network, ReplyTo};
use super::services::{Outcome, Request, state, write_features};
use super::settings::{BaseDrive, Progress, Ros2Error, Ros2Settings};
use super::spawner::Spawner;

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
            is_spawned: false,
        })
        .collect();
    if let Some(base) = &settings.base
        && let Some(body) = bodies.iter().find(|body| body.entity == base.body)
    {
        check_base(world, &body.model, &body.name, base)?;
    }
    let namespace = namespace(&settings.namespace)?;
    let network = Network::join(settings.domain, &namespace, settings.all_networks)?;
    for body in bodies.iter().filter(|body| body.model.num_joints() > 0 || !body.model.is_fixed()) {
        world.entity_mut(body.entity).insert_if_new(JointReadings::default());
    }
    let robot = settings.robot.filter(|robot| bodies.iter().any(|body| body.entity == *robot));
    let robot_topic = Arc::new(OnceLock::new());
    if let Some(body) = bodies.iter().find(|body| Some(body.entity) == robot) {
        let _ = robot_topic.set(topic_name(&format!("/{}/joint_states", body.name)));
    }
    let published = Arc::clone(&robot_topic);
    let odometry_frame = format!("{namespace}/odom").trim_start_matches('/').to_owned();
    let outbox = network.outbox.clone();
    let publish = move |topic: &str, kind: &'static str, message: &[u8]| {
        outbox.send(in_namespace(&namespace, topic), kind, message);
        if kind == JOINT_STATE && published.get().is_some_and(|published| published == topic) {
            for topic in ["/joint_states", "/robot_joint_states"] {
                outbox.send(in_namespace(&namespace, topic), kind, message);
            }
        }
    };
    let publisher = MessagePublisher::new(settings.steps_per_message, Box::new(publish));
    let publisher = match &settings.base {
        Some(base) => {
            world.entity_mut(base.body).insert_if_new(LinkMotions::default());
            publisher.with_odometry(base.body, "/odom", &odometry_frame)
        }
        None => publisher,
    };
    world.insert_resource(publisher);
    let (pace, resumed) = match settings.progress {
        Progress::Clock(speed) => (Pace::RealTime { speed }, Pace::RealTime { speed }),
        Progress::Paused => (Pace::Paused, Pace::default()),
    };
    world.insert_resource(pace);
    world.insert_resource(Bridge {
        network: Some(network),
        bodies,
        robot,
        robot_topic,
        spawner: settings.spawner,
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

/// Steps that a service has requested.
struct Stepping {
    left: u64,
    reply: ReplyTo,
}

/// The connection of a world.
#[derive(Resource)]
pub struct Bridge {
    network: Option<Network>,
    pub bodies: Vec<Simulated>,
    /// The robot of joint states and commands.
    pub robot: Option<Entity>,
    /// Topic of its joint states.
    pub robot_topic: Arc<OnceLock<String>>,
    pub spawner: Option<Arc<dyn Spawner>>,
    base: Option<BaseDrive>,
    /// Pace after a pause.
    resumed: Pace,
    /// Whether the state of a body of the scene was set since the last reset: physics builds such a body anew, to which no earlier
    /// snapshot fits.
    pub has_set_entities: bool,
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
        self.network.as_ref()?.inbox.take(wait)
    }

    /// Warns once of something that is ignored.
    fn warn(&mut self, world: &mut World, message: String) {
        /// Names in messages come from others, who could send ever new ones.
        const MOST: usize = 100;
        let Some(body) = self.robot.or(self.bodies.first().map(|body| body.entity)) else { return };
        if self.reported.len() < MOST && self.reported.insert(message.clone()) {
            world.resource_mut::<SimulationWarnings>().add_each(body, "Ros2", format!("ROS 2: {message}"));
        }
    }

    fn report_dropped(&mut self, world: &mut World) {
        if self.network.as_ref().is_some_and(|network| network.outbox.dropped() > 0) {
            self.warn(world, "the network does not keep up: messages are dropped".to_owned());
        }
        if self.network.as_ref().is_some_and(|network| network.inbox.dropped() > 0) {
            let message = "commands arrive faster than they are applied: the oldest ones are dropped";
            self.warn(world, message.to_owned());
        }
    }

    fn apply(&mut self, world: &mut World, message: Incoming) {
        match message {
            Incoming::Malformed(topic, error) => {
                self.warn(world, format!("a message on `{topic}` is ignored: {error}"));
            }
            Incoming::Joints(command) => {
                let robot = self.bodies.iter().find(|body| Some(body.entity) == self.robot);
                let Some(Simulated { entity, model, .. }) = robot else {
                    self.warn(world, "joint commands are ignored: there is no robot".to_owned());
                    return;
                };
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
            Request::GetFeatures => write_features(&mut reply, self.spawner.is_some()),
            Request::GetState => {
                reply.u8(self.state(world));
                Outcome::ok().write(&mut reply);
            }
            Request::SetState(wanted) => self.set_state(world, wanted).write(&mut reply),
            Request::Reset(scope) => self.reset_scope(world, scope).write(&mut reply),
            Request::GetEntities(filters) => self.write_entities(&filters, &mut reply),
            Request::GetEntityState(name) => self.write_entity(world, &name, &mut reply),
            Request::Spawn(request) => {
                let (outcome, name) = self.spawn(world, &request);
                outcome.write(&mut reply);
                reply.text(&name);
            }
            Request::Delete(name) => self.delete(world, &name).write(&mut reply),
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

    fn reset_scope(&mut self, world: &mut World, scope: u8) -> Outcome {
        const TIME: u8 = 1;
        const STATE: u8 = 2;
        const SPAWNED: u8 = 4;
        match scope {
            SPAWNED => {
                self.delete_spawned(world, |_| true);
                Outcome::ok()
            }
            0 => self.reset(world),
            scope if scope & (TIME | STATE) == TIME | STATE => self.reset(world),
            _ => Outcome::new(Outcome::UNSUPPORTED, "time and state are reset together"),
        }
    }

    /// Restores the start, without the bodies that were spawned since.
    fn reset(&mut self, world: &mut World) -> Outcome {
        if self.delete_spawned(world, |_| true) {
            // Physics removes bodies at the beginning of a step.
            run_steps(world, 1);
        }
        if self.has_set_entities {
            if let Err(error) = rebuild_bodies(world) {
                return Outcome::new(Outcome::FAILED, error.to_string());
            }
            self.has_set_entities = false;
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
}

fn new_reply(to: ReplyTo) -> Cdr {
    let mut reply = Cdr::new();
    if let Some(header) = to.header {
        header.write(&mut reply);
    }
    reply
}
