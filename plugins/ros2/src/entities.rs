//! The services of entities: the bodies of a simulation.

use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::dynamics::Twist;
use bunraku_body::{Body, BodyState, Drive};
use bunraku_physics::{JointReadings, LinkMotions, Teleport};
use bunraku_sensors::log::{Cdr, topic_name};
use bunraku_simulation::SimulationClock;

use super::bridge::Bridge;
use super::names::namespace;
use super::services::{EntityState, Filters, Outcome, SpawnRequest, write_entity_state};
use super::spawner::{ModelSource, SpawnError, Spawner};

/// A body of the simulation.
pub struct Simulated {
    pub entity: Entity,
    pub name: String,
    pub model: Arc<Body>,
    /// Whether its state can be set.
    pub is_movable: bool,
    /// Whether a client has spawned it.
    pub is_spawned: bool,
}

/// Bodies that clients can have spawned at a time.
const MOST_SPAWNED: usize = 1000;

/// Length of a name, bytes.
const LONGEST_NAME: usize = 200;

impl Bridge {
    pub fn write_entities(&self, filters: &Filters, reply: &mut Cdr) {
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

    pub fn write_entity(&self, world: &World, name: &str, reply: &mut Cdr) {
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

    pub fn set_entity(&mut self, world: &mut World, name: &str, wanted: &EntityState) -> Outcome {
        let Some(body) = self.find(name) else { return not_found(name) };
        if !is_world(&wanted.frame) {
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
        self.has_set_entities |= !body.is_spawned;
        Outcome::ok()
    }

    /// Spawns a body; returns its name.
    pub fn spawn(&mut self, world: &mut World, request: &SpawnRequest) -> (Outcome, String) {
        match self.spawned(world, request) {
            Ok(name) => (Outcome::ok(), name),
            Err(outcome) => (outcome, String::new()),
        }
    }

    fn spawned(&mut self, world: &mut World, request: &SpawnRequest) -> Result<String, Outcome> {
        let Some(spawner) = self.spawner.clone() else {
            return Err(Outcome::new(Outcome::UNSUPPORTED, "this simulation spawns no bodies"));
        };
        if !is_world(&request.frame) {
            return Err(Outcome::new(Outcome::INVALID_POSE, "poses are given in the frame `world`"));
        }
        if self.bodies.iter().filter(|body| body.is_spawned).count() >= MOST_SPAWNED {
            return Err(Outcome::new(Outcome::FAILED, format!("there are {MOST_SPAWNED} spawned bodies: delete some")));
        }
        let prefix = namespace(&request.namespace)
            .map_err(|error| Outcome::new(Outcome::NAMESPACE_INVALID, error.to_string()))?;
        let model = load(spawner.as_ref(), request)?;
        let wanted = if request.name.is_empty() { model.name.as_str() } else { request.name.as_str() };
        let name = self.free_name(prefix.trim_start_matches('/'), wanted, request.is_renaming_allowed)?;
        let entity = spawner.spawn(world, name.clone(), Arc::clone(&model), &request.pose);
        // A spawner may change the model, for example fix its root.
        let model = world.get::<bunraku_body::BodyModel>(entity).map_or(model, |model| Arc::clone(&model.0));
        let has_joints = model.num_joints() > 0;
        let is_movable = world.get::<Drive>(entity).is_some_and(|drive| *drive != Drive::Motion);
        if has_joints || !model.is_fixed() {
            world.entity_mut(entity).insert_if_new(JointReadings::default());
        }
        if self.robot.is_none() && has_joints {
            self.robot = Some(entity);
            let _ = self.robot_topic.set(topic_name(&format!("/{name}/joint_states")));
        }
        self.bodies.push(Simulated { entity, name: name.clone(), model, is_movable, is_spawned: true });
        Ok(name)
    }

    /// A name that no body has.
    fn free_name(&self, namespace: &str, wanted: &str, is_renaming_allowed: bool) -> Result<String, Outcome> {
        let is_usable = |name: &str| {
            !name.is_empty() && name.len() <= LONGEST_NAME && !name.chars().any(|letter| letter.is_control())
        };
        let wanted = match (is_usable(wanted), is_renaming_allowed) {
            (true, _) => wanted,
            (false, true) => "entity",
            (false, false) => {
                let message = format!(
                    "a name has 1 to {LONGEST_NAME} bytes and no control characters; allow renaming for another"
                );
                return Err(Outcome::new(Outcome::NAME_INVALID, message));
            }
        };
        let plain = if namespace.is_empty() { wanted.to_owned() } else { format!("{namespace}/{wanted}") };
        if self.find(&plain).is_none() {
            return Ok(plain);
        }
        if !is_renaming_allowed {
            return Err(Outcome::new(Outcome::NAME_NOT_UNIQUE, format!("there is an entity `{plain}` already")));
        }
        let mut numbered = (1_u64..).map(|number| format!("{plain}_{number}"));
        Ok(numbered.find(|name| self.find(name).is_none()).unwrap_or(plain))
    }

    /// Deletes a body that was spawned.
    pub fn delete(&mut self, world: &mut World, name: &str) -> Outcome {
        match self.find(name) {
            None => return not_found(name),
            Some(body) if !body.is_spawned => {
                return Outcome::new(
                    Outcome::FAILED,
                    "bodies of the scene are recorded: only spawned ones are deleted",
                );
            }
            Some(_) => {}
        }
        self.delete_spawned(world, |body| body.name == name);
        Outcome::ok()
    }

    /// Deletes spawned bodies; returns whether there were any.
    pub fn delete_spawned(&mut self, world: &mut World, is_deleted: impl Fn(&Simulated) -> bool) -> bool {
        let is_kept = |body: &Simulated| !body.is_spawned || !is_deleted(body);
        for body in self.bodies.iter().filter(|body| !is_kept(body)) {
            world.despawn(body.entity);
        }
        let before = self.bodies.len();
        self.bodies.retain(is_kept);
        self.bodies.len() < before
    }
}

fn load(spawner: &dyn Spawner, request: &SpawnRequest) -> Result<Arc<Body>, Outcome> {
    // The text only counts without a file.
    let source = match (request.uri.as_str(), request.text.as_str()) {
        ("", "") => return Err(Outcome::new(Outcome::NO_RESOURCE, "neither a URI nor a text is given")),
        ("", text) => ModelSource::Text(text),
        (uri, _) => ModelSource::File(uri),
    };
    spawner.load(source).map_err(|error| match error {
        SpawnError::NoResource(message) => Outcome::new(Outcome::NO_RESOURCE, message),
        SpawnError::UnsupportedFormat(message) => Outcome::new(Outcome::UNSUPPORTED_FORMAT, message),
        SpawnError::Faulty(message) => Outcome::new(Outcome::PARSE_ERROR, message),
    })
}

fn is_world(frame: &str) -> bool {
    matches!(frame, "" | "world")
}

fn not_found(name: &str) -> Outcome {
    let name: String = name.chars().take(60).collect();
    Outcome::new(Outcome::NOT_FOUND, format!("there is no entity `{name}`"))
}
