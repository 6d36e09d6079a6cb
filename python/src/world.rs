//! A headless simulation: the same app as that of `bunraku run`.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use bevy::ecs::system::SystemState;
use bevy::prelude::*;
use bunraku::SandboxPlugins;
use bunraku::body::{BodyState, JointActuation, JointEfforts, JointTargets};
use bunraku::physics::{Contact, Contacts, JointReadings, RapierPoses, Teleport, rebuild_bodies};
use bunraku::scene::{FinishedFiles, Scene};
use bunraku::simulation::{
    FailOnPanic, Pace, SimulationClock, SimulationSnapshot, SimulationStatus, SimulationWarnings, StopAfter, run_steps,
};

/// A scene that is simulated.
pub struct SimulatedScene {
    world: World,
    scene: Arc<Scene>,
    entities: Vec<Entity>,
    start: Taken,
    /// Whether no body was put elsewhere: physics builds such a body anew.
    has_first_bodies: bool,
    /// Directory of its recordings, until they are finished.
    out: Option<PathBuf>,
    /// Settings of the caller for each body, in addition to the scene.
    settings: Vec<Settings>,
}

/// A state of a simulation.
pub struct Taken {
    snapshot: SimulationSnapshot,
    /// Whether its bodies were those of the start.
    of_first_bodies: bool,
}

/// Settings of a body that a reset keeps.
#[derive(Clone, Default)]
struct Settings {
    measures_joints: bool,
    actuation: Option<JointActuation>,
}

impl SimulatedScene {
    /// Builds the world of a scene and starts its simulation; with `out` it is recorded there.
    ///
    /// # Errors
    /// If files cannot be created or the simulation cannot start.
    pub fn new(scene: Arc<Scene>, out: Option<PathBuf>) -> Result<Self, String> {
        /// Types of components are those of every world; their registrations take 100 kB.
        static TYPES: OnceLock<AppTypeRegistry> = OnceLock::new();
        let mut app = App::new();
        let types = TYPES.get_or_init(|| app.world().resource::<AppTypeRegistry>().clone()).clone();
        app.insert_resource(types);
        app.add_plugins((MinimalPlugins, TransformPlugin)).insert_resource(Pace::Paused).add_plugins(SandboxPlugins);
        app.insert_resource(RapierPoses::Never).insert_resource(FailOnPanic);
        let entities = scene.spawn(app.world_mut());
        // The caller says when it ends.
        app.insert_resource(StopAfter(None));
        if let Some(out) = &out {
            let made = std::fs::create_dir_all(out);
            made.map_err(|error| format!("{} cannot be created: {error}", out.display()))?;
            scene.record(app.world_mut(), &entities, out).map_err(|error| error.to_string())?;
        }
        app.finish();
        app.cleanup();
        // The systems at the start of an app.
        app.update();
        // An app cannot go to another thread; its world can.
        let mut world = std::mem::take(app.world_mut());
        run_steps(&mut world, 0);
        let snapshot = SimulationSnapshot::take(&mut world).map_err(|error| error.to_string())?;
        let start = Taken { snapshot, of_first_bodies: true };
        let settings = vec![Settings::default(); entities.len()];
        let simulated = Self { world, scene, entities, start, has_first_bodies: true, out, settings };
        simulated.status()?;
        Ok(simulated)
    }

    /// Runs steps.
    ///
    /// # Errors
    /// The reason for which the simulation has failed, now or before.
    pub fn step(&mut self, steps: u64) -> Result<(), String> {
        run_steps(&mut self.world, steps);
        self.status()
    }

    /// Runs steps until `stopped` is true.
    ///
    /// # Errors
    /// As of `step`.
    pub fn step_until(&mut self, steps: u64, stopped: &dyn Fn() -> bool) -> Result<(), String> {
        /// Some milliseconds of a humanoid.
        const AT_ONCE: u64 = 64;
        let mut left = steps;
        while left > 0 && !stopped() {
            self.step(left.min(AT_ONCE))?;
            left = left.saturating_sub(AT_ONCE);
        }
        Ok(())
    }

    fn status(&self) -> Result<(), String> {
        match self.world.resource::<SimulationStatus>() {
            SimulationStatus::Failed(fault) => Err(fault.to_string()),
            _ => Ok(()),
        }
    }

    /// Back to the start, with the measurements and the actuation that the caller has asked for.
    ///
    /// # Errors
    /// If a simulation that is recorded has failed in a way that does not allow it.
    pub fn reset(&mut self) -> Result<(), String> {
        let prepared = self.prepare_bodies(self.start.of_first_bodies);
        match prepared.and_then(|()| self.start.snapshot.restore(&mut self.world).map_err(|error| error.to_string())) {
            Ok(()) => {}
            Err(error) if self.out.is_some() => return Err(error),
            // A step that fails may leave bodies half prepared.
            Err(_) => {
                let settings = std::mem::take(&mut self.settings);
                *self = Self::new(Arc::clone(&self.scene), None)?;
                self.settings = settings;
            }
        }
        self.apply_settings(true);
        Ok(())
    }

    fn apply_settings(&mut self, with_actuation: bool) {
        for (settings, &entity) in self.settings.iter().zip(&self.entities) {
            let Ok(mut entity) = self.world.get_entity_mut(entity) else { continue };
            if settings.measures_joints {
                entity.insert_if_new(JointReadings::default());
            }
            if let Some(actuation) = settings.actuation.as_ref().filter(|_| with_actuation) {
                entity.insert(actuation.clone());
            }
        }
    }

    /// The state now.
    ///
    /// # Errors
    /// If it cannot be taken.
    pub fn snapshot(&mut self) -> Result<Taken, String> {
        let snapshot = SimulationSnapshot::take(&mut self.world).map_err(|error| error.to_string())?;
        Ok(Taken { snapshot, of_first_bodies: self.has_first_bodies })
    }

    /// Back to a snapshot of this simulation.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn restore(&mut self, taken: &Taken) -> Result<(), String> {
        self.prepare_bodies(taken.of_first_bodies)?;
        taken.snapshot.restore(&mut self.world).map_err(|error| error.to_string())?;
        self.apply_settings(false);
        Ok(())
    }

    /// Makes bodies fit a state. To one from before a body was put elsewhere its rebuilt parts do not fit: all are then rebuilt
    /// as those of the start.
    fn prepare_bodies(&mut self, of_first_bodies: bool) -> Result<(), String> {
        // A step that fails may leave bodies half prepared.
        if of_first_bodies && !self.has_first_bodies && self.status().is_ok() {
            rebuild_bodies(&mut self.world).map_err(|error| error.to_string())?;
            self.has_first_bodies = true;
        }
        Ok(())
    }

    /// A snapshot as bytes.
    ///
    /// # Errors
    /// If a state cannot be written.
    pub fn bytes_of(&mut self, taken: &Taken) -> Result<Vec<u8>, String> {
        taken.snapshot.to_bytes(&mut self.world).map_err(|error| error.to_string())
    }

    /// A snapshot of bytes, of any simulation of the same scene.
    ///
    /// # Errors
    /// If it is damaged or of another scene.
    pub fn snapshot_of(&mut self, bytes: &[u8]) -> Result<Taken, String> {
        let snapshot = SimulationSnapshot::from_bytes(bytes, &mut self.world).map_err(|error| error.to_string())?;
        // The bytes do not say of which bodies they are.
        Ok(Taken { snapshot, of_first_bodies: false })
    }

    /// Finishes the recordings; `None` if there are none.
    pub fn finish(&mut self) -> Option<FinishedFiles> {
        let out = self.out.take()?;
        Some(self.scene.finish_recordings(&mut self.world, &self.entities, &out))
    }

    pub fn clock(&self) -> SimulationClock {
        *self.world.resource::<SimulationClock>()
    }

    pub fn ecs(&self) -> &World {
        &self.world
    }

    fn entity(&self, body: usize) -> Entity {
        self.entities.get(body).copied().unwrap_or(Entity::PLACEHOLDER)
    }

    /// The index of the body of an entity.
    pub fn body_of(&self, entity: Entity) -> Option<usize> {
        self.entities.iter().position(|body| *body == entity)
    }

    /// A component of a body; `None` if the body is gone.
    pub fn get<C: Component>(&self, body: usize) -> Option<&C> {
        self.world.get(self.entity(body))
    }

    pub fn state(&self, body: usize) -> Option<&BodyState> {
        self.get(body)
    }

    pub fn efforts_mut(&mut self, body: usize) -> Option<Mut<'_, JointEfforts>> {
        let entity = self.entity(body);
        self.world.get_mut(entity)
    }

    pub fn targets_mut(&mut self, body: usize) -> Option<Mut<'_, JointTargets>> {
        let entity = self.entity(body);
        self.world.get_mut(entity)
    }

    /// Measures accelerations, efforts and reactions of a body's joints from the next step on.
    pub fn measure_joints(&mut self, body: usize) {
        if let Some(settings) = self.settings.get_mut(body) {
            settings.measures_joints = true;
        }
        self.apply_settings(false);
    }

    /// Sets the actuation of a body's joints, also for the time after a reset.
    pub fn set_actuation(&mut self, body: usize, actuation: JointActuation) {
        let entity = self.entity(body);
        if let (Some(settings), Ok(mut entity)) = (self.settings.get_mut(body), self.world.get_entity_mut(entity)) {
            entity.insert(actuation.clone());
            settings.actuation = Some(actuation);
        }
    }

    /// Puts a body elsewhere at the beginning of the next step.
    pub fn teleport(&mut self, body: usize, teleport: Teleport) {
        let entity = self.entity(body);
        if let Ok(mut entity) = self.world.get_entity_mut(entity) {
            entity.insert(teleport);
            self.has_first_bodies = false;
        }
    }

    /// Contacts of a body in the last step.
    pub fn contacts(&mut self, body: usize) -> Vec<Contact> {
        let entity = self.entity(body);
        let mut contacts: SystemState<Contacts<'_, '_>> = SystemState::new(&mut self.world);
        contacts.get(&self.world).map(|contacts| contacts.of_body(entity)).unwrap_or_default()
    }

    /// Warnings of the simulation so far.
    pub fn warnings(&self) -> Vec<String> {
        self.world.resource::<SimulationWarnings>().as_slice().iter().map(|warning| warning.message.clone()).collect()
    }
}
