//! What a scene is, whatever it was read from.

use std::path::PathBuf;
use std::sync::Arc;

use crate::joint_log::JointChannels;
use bunraku_body::dynamics::Twist;
use bunraku_body::{Actuation, Body, BodyState, ContactMaterials, Drive};
use bunraku_control::ForceProfile;
use bunraku_motion::{BodyMotion, Recording, Sequence};
use bunraku_physics::{
    BodyCollision, ExtraJointBetween, Gains, JointEnd, JointLimits, JointLosses, PhysicsParameters, VelocityLimits,
};
use bunraku_sensors::{BodySensors, DeviceSwitches};
use bunraku_task::robot::RobotSetup;
use nalgebra::Point3;

/// A scene with all its models and motions loaded.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The scene file.
    pub file: PathBuf,
    /// The files that it names, and those that its models name: models, motions, tables, meshes, pictures.
    pub sources: Vec<PathBuf>,
    /// Of a Choreonoid project, the simulator item that counts, by its name.
    pub simulator: Option<String>,
    /// What the file says, with everything that was changed in it for this run.
    pub resolved: serde_json::Value,
    /// Length of a step, s.
    pub time_step: f64,
    /// Length of the run, s; `None`: until it is stopped.
    pub duration: Option<f64>,
    /// Gravity and solver iterations.
    pub parameters: PhysicsParameters,
    /// The contact material table.
    pub materials: ContactMaterials,
    /// The bodies, in file order.
    pub bodies: Vec<SceneBody>,
    /// Joints between bodies, and between bodies and the world, in file order.
    pub extra_joints: Vec<SceneExtraJoint>,
    /// Forces on links from outside, in file order.
    pub external_forces: Vec<SceneForce>,
    /// What is recorded of each body that moves.
    pub record: RecordSettings,
    /// Where the camera of a window begins and what it looks at, m; `None`: where everything is seen.
    pub view: Option<[Point3<f64>; 2]>,
}

/// A body of a scene.
#[derive(Clone, Debug)]
pub struct SceneBody {
    /// Name, unique within the scene; recordings are called after it.
    pub name: String,
    /// Its model.
    pub body: Arc<Body>,
    /// Where it starts.
    pub initial: BodyState,
    /// What moves it.
    pub drive: SceneDrive,
    /// What commands its joints.
    pub controller: Option<SceneController>,
    /// What it may collide with.
    pub collision: BodyCollision,
    /// How its root starts to move: velocity of the link origin (m/s) and angular velocity (rad/s), world axes. The joints start
    /// with the velocities of `initial`.
    pub initial_twist: Twist,
    /// Whether its joints stop at the ends of their displacement ranges.
    pub joint_limits: JointLimits,
    /// What the velocity ranges of its joints bound.
    pub velocity_limits: VelocityLimits,
    /// What brakes its joints by itself, if anything does.
    pub losses: Option<JointLosses>,
    /// Its sensors that are simulated and recorded.
    pub sensors: Option<BodySensors>,
    /// Which of its devices are on, if the scene says otherwise than the model.
    pub switches: Option<DeviceSwitches>,
    /// Whether its contacts are recorded.
    pub records_contacts: bool,
    /// What the numbers and words of tasks mean on it, if it is a robot for tasks.
    pub robot: Option<Arc<RobotSetup>>,
}

/// A force on a link of a scene.
#[derive(Clone, Debug)]
pub struct SceneForce {
    /// The body, by its index in [`Scene::bodies`].
    pub body: usize,
    /// The force.
    pub force: ForceProfile,
}

/// What moves a body of a scene.
#[derive(Clone, Debug)]
pub enum SceneDrive {
    /// Forces.
    Physics,
    /// The motion that it plays, whatever is in its way.
    Motion(Arc<BodyMotion>),
    /// Nothing.
    Static,
    /// Its root follows the poses of the motion, its joints move by forces (`{ root: motion, joints: physics }`).
    GuidedRoot(Arc<BodyMotion>),
    /// The displacements of its joints are those of the motion, its root moves by forces (`{ root: physics, joints: motion }`).
    PrescribedJoints(Arc<BodyMotion>),
    /// A task, whatever is in its way; without one, nothing.
    Task,
}

impl SceneDrive {
    /// What moves the body as a whole: forces, if they move one half of it.
    pub fn of_body(&self) -> Drive {
        match self {
            Self::Physics | Self::GuidedRoot(_) | Self::PrescribedJoints(_) => Drive::Physics,
            Self::Motion(_) | Self::Task => Drive::Motion,
            Self::Static => Drive::Static,
        }
    }
}

/// An extra joint of a scene.
#[derive(Clone, Debug)]
pub struct SceneExtraJoint {
    /// Its own name, if it has one.
    pub name: Option<String>,
    /// What it joins, by indices in [`Scene::bodies`], and how.
    pub joint: ExtraJointBetween<usize>,
}

impl SceneExtraJoint {
    /// What an end is called in scene files, `body/link`; `None` for the world.
    pub fn end_name(end: JointEnd<usize>, bodies: &[SceneBody]) -> Option<String> {
        let JointEnd::Link { body, link } = end else { return None };
        let body = bodies.get(body)?;
        Some(format!("{}/{}", body.name, body.body.links().get(link.0)?.name))
    }
}

/// What commands the joints of a body.
#[derive(Clone, Debug)]
pub struct SceneController {
    /// How it moves them.
    pub kind: ControllerKind,
    /// The motion it follows; without one it holds the initial pose.
    pub motion: Option<Arc<BodyMotion>>,
    /// Velocities that are commanded in place of what the motion says, rad/s or m/s.
    pub velocities: Option<JointProfiles>,
    /// Efforts that are added to the controller's, N·m or N.
    pub efforts: Option<JointProfiles>,
}

/// By joint index, SI units over time in s; `None` where nothing is said.
pub type JointProfiles = Vec<Option<Sequence<f64>>>;

/// How a controller moves joints; by joint index.
#[derive(Clone, Debug)]
pub enum ControllerKind {
    /// By effort (`type: pd`).
    Pd(Vec<Gains>),
    /// By the servos of the joints (`type: servo`, `type: velocity`), or by nothing but the efforts that are added (`type: effort`).
    Servo(Vec<Actuation>),
}

/// Which links a recording holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordedLinks {
    /// The root link only: the others follow from the joints.
    #[default]
    Root,
    /// Every link.
    All,
}

/// What is recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordSettings {
    /// Steps from one frame to the next, at least 1.
    pub steps_per_frame: u64,
    /// Which links.
    pub links: RecordedLinks,
    /// What of the joints is recorded beside their displacements, in a table.
    pub joints: JointChannels,
    /// Which frames: all, or those of the last seconds.
    pub recording: Recording,
}

impl Default for RecordSettings {
    /// The root link and all joints of every step.
    fn default() -> Self {
        Self {
            steps_per_frame: 1,
            links: RecordedLinks::Root,
            joints: JointChannels::default(),
            recording: Recording::Full,
        }
    }
}

impl Scene {
    /// Steps of the whole run: the duration in time steps, rounded; `None`: until it is stopped.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn num_steps(&self) -> Option<u64> {
        self.duration.map(|duration| (duration / self.time_step).round() as u64)
    }
}
