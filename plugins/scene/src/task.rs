//! A task in a scene: the body that is its robot, and the bodies that are its models.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use bevy::prelude::{Entity, World};
use bunraku_body::{Body, BodyState, Drive, LoadOptions};
use bunraku_control::PdController;
use bunraku_document::{Diagnostic, FoundFiles, Reporter};
use bunraku_physics::{BodyCollision, JointLimits, VelocityLimits};
use bunraku_task::TaskRun;
use bunraku_task::execution::Limits;
use bunraku_task::model::{ActionKind, ModelName, ModelPart, ModelRole, StateKind, Task};
use bunraku_task::robot::{RobotSetup, check_support};
use nalgebra::Isometry3;

use super::model::{Scene, SceneBody, SceneDrive};
use super::names;

/// Options for running a task in a scene.
#[derive(Clone, Debug, Default)]
pub struct TaskOptions {
    /// Whether robot and models are moved by forces. Otherwise the robot takes the poses of the task, and models follow
    /// its tools.
    pub physics: bool,
    /// Limits for the run.
    pub limits: Limits,
    /// Options for loading the models of the task.
    pub load: LoadOptions,
}

/// A task that has been fitted into a [`Scene`].
#[derive(Clone, Debug)]
pub struct SceneTask {
    /// The task.
    pub task: Task,
    /// Its robot.
    pub setup: Arc<RobotSetup>,
    /// The robot, as an index in [`Scene::bodies`].
    pub robot: usize,
    /// The models of the task that are bodies, as indices in [`Scene::bodies`]; the others are frames.
    pub models: Vec<(ModelName, usize)>,
    /// Limits for the run.
    pub limits: Limits,
}

impl Scene {
    /// Fits a task into the scene; `directory` is that of the task file.
    ///
    /// The robot is the body with a robot mapping (`robot`) and starts in the pose of the mapping. A model of the task
    /// is the body with its name, else a new one from the file that its master names, else a frame; it starts in its
    /// pose in the task. Environment models, and models without mass, are moved only by tools. The scene runs until it
    /// is stopped. Findings go to `reporter`; returns `None` after at least one error.
    pub fn fit_task(
        &mut self,
        task: Task,
        directory: &Path,
        options: &TaskOptions,
        reporter: &Reporter,
    ) -> Option<SceneTask> {
        let before = reporter.count(bunraku_document::Severity::Error);
        let (robot, name) = self.find_robot(reporter)?;
        let setup = self.set_up(robot, options, reporter)?;
        check_support(&task, &setup, reporter);
        let attached = attached_models(&task);
        let mut models = Vec::new();
        for model in &task.models {
            if model.name.as_str() == name {
                let message = format!("the model `{}` has the name of the robot in the scene", model.name);
                reporter.report(model.origin.error("name-of-robot", message).help("give one of them another name"));
                continue;
            }
            let is_attached = attached.contains(&model.name);
            if let Some(place) = self.fit_model(&task, model, is_attached, directory, options, reporter) {
                models.push((model.name.clone(), place));
            }
        }
        self.duration = None;
        let failed = reporter.count(bunraku_document::Severity::Error) > before;
        let limits = options.limits;
        (!failed).then_some(SceneTask { task, setup: Arc::new(setup), robot, models, limits })
    }

    /// The robot for tasks: its index and its name.
    fn find_robot(&self, reporter: &Reporter) -> Option<(usize, String)> {
        let mut robots = self.bodies.iter().enumerate().filter(|(_, body)| body.robot.is_some());
        let (first, second) = (robots.next(), robots.next());
        let fail = |code, message: String, help: &str| {
            reporter.report(Diagnostic::error(code, format!("{message}: {}", self.file.display())).help(help));
            None
        };
        match (first, second) {
            (Some((place, body)), None) => Some((place, body.name.clone())),
            (None, _) => {
                let help = "add its mapping to the body: `robot: arm.robot.yaml`";
                fail("no-robot", "no body of the scene is a robot for tasks".to_owned(), help)
            }
            (Some((_, first)), Some((_, second))) => {
                let message = format!("`{}` and `{}` both have a mapping for tasks", first.name, second.name);
                fail("several-robots", message, "leave `robot` to the one that is to carry the task out")
            }
        }
    }

    /// Sets the robot to its initial pose.
    fn set_up(&mut self, robot: usize, options: &TaskOptions, reporter: &Reporter) -> Option<RobotSetup> {
        let body = self.bodies.get_mut(robot)?;
        let mut setup = RobotSetup::clone(body.robot.as_deref()?);
        setup.root = body.initial.link_poses.first().copied().unwrap_or(setup.root);
        body.initial = BodyState::at_rest(&body.body, &setup.root, setup.initial.clone());
        if !options.physics {
            (body.drive, body.controller) = (SceneDrive::Task, None);
            return Some(setup);
        }
        let fail = |code, message: String, help: &str| {
            reporter.report(Diagnostic::error(code, format!("{message}: {}", self.file.display())).help(help));
        };
        match (&body.drive, &mut body.controller) {
            (SceneDrive::Physics, Some(controller)) => {
                if controller.motion.take().is_some() {
                    let message = format!("`{}` follows the task, not the motion of its controller", body.name);
                    reporter.report(Diagnostic::warning("idle-motion", message).help("leave the motion out"));
                }
            }
            (SceneDrive::Physics, None) => {
                let message = format!("nothing holds the joints of `{}` where the task has them", body.name);
                fail("no-controller", message, "add `controller: { type: servo, kp: 200000, kd: 2000 }` to it");
            }
            _ => {
                let message = format!("`{}` is not driven by physics", body.name);
                fail("robot-drive", message, "leave its `drive` out, or run the task without physics");
            }
        }
        Some(setup)
    }

    /// The body for a model, in its pose in the task; `None` for a model that is a frame.
    fn fit_model(
        &mut self,
        task: &Task,
        model: &ModelPart,
        is_attached: bool,
        directory: &Path,
        options: &TaskOptions,
        reporter: &Reporter,
    ) -> Option<usize> {
        let pose = model.pose.to_isometry();
        let known = self.bodies.iter().position(|body| body.name == model.name.as_str());
        let place = match known {
            Some(place) => place,
            None => {
                let master = task.master(&model.master).filter(|master| !master.file.is_empty())?;
                let file = directory.join(&master.file);
                // A missing file was reported when the task was checked.
                if !file.is_file() {
                    return None;
                }
                let found = FoundFiles::default();
                let load = LoadOptions { roots: options.load.roots.clone().noting(&found), ..options.load.clone() };
                let loaded = bunraku_body::load(&file, &load, reporter)?;
                if let Some(why) = names::objection(model.name.as_str()) {
                    let message =
                        format!("recordings are files called after models, and `{}` cannot be: {why}", model.name);
                    reporter.report(model.origin.error("bad-body-name", message).help("give it another name"));
                    return None;
                }
                self.sources.push(file);
                self.sources.extend(found.files());
                self.bodies.push(SceneBody::of_model(model.name.as_str(), loaded));
                self.bodies.len() - 1
            }
        };
        let body = self.bodies.get_mut(place)?;
        body.initial = BodyState::at_rest(&body.body, &pose, body.initial.displacements.clone());
        if known.is_none() && model.role == ModelRole::Environment {
            // An environment model does not move unless a tool carries it.
            body.drive = if is_attached { SceneDrive::Task } else { SceneDrive::Static };
        }
        if matches!(body.drive, SceneDrive::Static) {
            if is_attached {
                let message =
                    format!("`{0}` is attached by the task, and the body `{0}` of the scene is static", model.name);
                let help = "leave `drive: static` of the body out of the scene";
                reporter.report(model.origin.error("static-model", message).help(help));
            }
        } else if !options.physics {
            (body.drive, body.controller) = (SceneDrive::Task, None);
        } else if body.drive.of_body() == Drive::Physics
            && let Some(link) =
                bunraku_physics::massless_links(&body.body, bunraku_physics::JointSolver::Impulse).first()
        {
            // As with all models of the original task program, whose robots are moved without forces.
            let link = &body.body.link(*link).name;
            let message = format!("link `{link}` of `{}` has no mass: forces do not move the model", model.name);
            let help =
                "it stays where the task has it and follows the tool it is attached to; give it a mass to let it fall";
            reporter.report(model.origin.warning("no-mass", message).help(help));
            (body.drive, body.controller) = (SceneDrive::Task, None);
        }
        Some(place)
    }
}

/// The models that some state of the task attaches to a tool.
fn attached_models(task: &Task) -> BTreeSet<ModelName> {
    let commands = task.states.iter().filter_map(|state| match &state.kind {
        StateKind::Command(command) => Some(command),
        _ => None,
    });
    let actions = commands.flat_map(|command| &command.actions);
    actions.filter(|action| action.kind == ActionKind::Attach).map(|action| action.model.clone()).collect()
}

impl SceneBody {
    /// A body of a model, with the defaults of a scene.
    fn of_model(name: &str, body: Body) -> Self {
        let root: Isometry3<f64> = body.root().offset;
        let initial = BodyState::at_rest(&body, &root, body.initial_displacements());
        Self {
            name: name.to_owned(),
            body: Arc::new(body),
            initial,
            drive: SceneDrive::Physics,
            controller: None,
            collision: BodyCollision::default(),
            initial_twist: bunraku_body::dynamics::Twist::ZERO,
            joint_limits: JointLimits::default(),
            velocity_limits: VelocityLimits::default(),
            losses: None,
            springs: None,
            sensors: None,
            switches: None,
            records_contacts: false,
            records_balance: false,
            robot: None,
        }
    }
}

impl SceneTask {
    /// Starts the robot and returns its entity. `entities` are those of [`Scene::spawn`], in a world that has
    /// [`bunraku_task::TaskPlugin`].
    /// [`bunraku_task::TaskPlugin`].
    pub fn insert(&self, world: &mut World, entities: &[Entity]) -> Option<Entity> {
        let robot = *entities.get(self.robot)?;
        let models = self.models.iter();
        let bodies = models.filter_map(|(name, place)| Some((name.clone(), *entities.get(*place)?))).collect();
        let run = TaskRun::new(self.task.clone(), Arc::clone(&self.setup), bodies, self.limits);
        let mut entity = world.entity_mut(robot);
        if let Some(controller) = entity.take::<PdController>() {
            entity.insert(controller.following_targets());
        }
        entity.insert(run);
        Some(robot)
    }
}
