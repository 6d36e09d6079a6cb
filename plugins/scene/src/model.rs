//! The data of a scene, independent of the file format that it was read from.

use std::path::PathBuf;
use std::sync::Arc;

use bunraku_body::dynamics::Twist;
use bunraku_body::{Actuation, Body, BodyState, ContactMaterials, Drive, JointIndex};
use bunraku_control::{ControllerProcess, ForceProfile};
use bunraku_motion::{BodyMotion, JointDisplacements, Recording, Sequence};
use bunraku_physics::{
    BodyCollision, ExtraJointBetween, Gains, JointEnd, JointLimits, JointLosses, JointSprings, PhysicsParameters,
    VelocityLimits,
};
use bunraku_sensors::JointChannels;
use bunraku_sensors::{BodySensors, DeviceSwitches, SurroundingLight, VisualModels};
use bunraku_task::robot::RobotSetup;
use nalgebra::Point3;

use super::cnoid::MissingPart;

/// A scene with all its models and motions loaded.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The scene file.
    pub file: PathBuf,
    /// The files that it names, and those that its models name: models, motions, tables, meshes, pictures.
    pub sources: Vec<PathBuf>,
    /// For a Choreonoid project, the name of its chosen simulator item.
    pub simulator: Option<String>,
    /// For a Choreonoid project, its parts that are missing and left out.
    pub missing: Vec<MissingPart>,
    /// The content of the file, with all overrides of this run.
    pub resolved: serde_json::Value,
    /// Length of a step, s.
    pub time_step: f64,
    /// Duration of the run, s; `None`: until it is stopped.
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
    /// The recorded quantities of each body that moves.
    pub record: RecordSettings,
    /// What bodies are for ROS 2, if it is used.
    pub ros2: SceneRos2,
    /// Initial position of a window's camera and the point it looks at, m; `None`: a position from which everything is
    /// visible.
    pub view: Option<[Point3<f64>; 2]>,
    /// Light of the surroundings in pictures of sensors; `None`: the default.
    pub lighting: Option<SurroundingLight>,
    /// Shapes of the models as cameras and range sensors detect them; all worlds of the scene and its clones share it.
    pub visual_models: VisualModels,
}

/// What bodies of a scene are for ROS 2.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneRos2 {
    /// The body of joint states and joint commands, by its index in [`Scene::bodies`].
    pub robot: Option<usize>,
    /// The base that velocities drive.
    pub base: Option<SceneBase>,
}

/// A base with wheels or tracks on its left and right.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneBase {
    /// The body, by its index in [`Scene::bodies`].
    pub body: usize,
    /// Its joints on the left, positive forwards.
    pub left: Vec<JointIndex>,
    /// Its joints on the right, positive forwards.
    pub right: Vec<JointIndex>,
    /// Radius of the wheels, m; tracks have none.
    pub wheel_radius: f64,
    /// Distance between left and right, m.
    pub track_width: f64,
}

/// A body of a scene.
#[derive(Clone, Debug)]
pub struct SceneBody {
    /// Name, unique within the scene; recordings are named after it.
    pub name: String,
    /// Its model.
    pub body: Arc<Body>,
    /// Its initial state.
    pub initial: BodyState,
    /// How it is moved.
    pub drive: SceneDrive,
    /// The controller of its joints.
    pub controller: Option<SceneController>,
    /// Its allowed collisions.
    pub collision: BodyCollision,
    /// Initial velocity of its root: velocity of the link origin (m/s) and angular velocity (rad/s), world axes. The
    /// initial joint velocities are those of `initial`.
    pub initial_twist: Twist,
    /// Whether its joints stop at the limits of their displacement ranges.
    pub joint_limits: JointLimits,
    /// The effect of its joints' velocity limits.
    pub velocity_limits: VelocityLimits,
    /// Damping and friction of its joints, if it has any.
    pub losses: Option<JointLosses>,
    /// Springs of its joints, if it has any.
    pub springs: Option<JointSprings>,
    /// Its sensors that are simulated and recorded.
    pub sensors: Option<BodySensors>,
    /// The on/off states of its devices, if the scene differs from the model.
    pub switches: Option<DeviceSwitches>,
    /// Whether its contacts are recorded.
    pub records_contacts: bool,
    /// Whether its centre of mass and zero moment point are recorded.
    pub records_balance: bool,
    /// The robot mapping, if the body is a robot for tasks: the meaning of numbers and words of tasks on it.
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

/// How a body of a scene is moved.
#[derive(Clone, Debug)]
pub enum SceneDrive {
    /// By forces.
    Physics,
    /// By a motion, regardless of obstacles.
    Motion(Arc<BodyMotion>),
    /// Not at all.
    Static,
    /// Its root follows the poses of the motion, its joints move by forces (`{ root: motion, joints: physics }`).
    KinematicRoot(Arc<BodyMotion>),
    /// The displacements of its joints are those of the motion, its root moves by forces (`{ root: physics, joints:
    /// motion }`).
    PrescribedJoints(Arc<BodyMotion>),
    /// By a task, regardless of obstacles; without a task it does not move.
    Task,
}

impl SceneDrive {
    /// How the body as a whole is moved: by forces if one of its halves is.
    pub fn of_body(&self) -> Drive {
        match self {
            Self::Physics | Self::KinematicRoot(_) | Self::PrescribedJoints(_) => Drive::Physics,
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
    /// The ends that it connects, by indices in [`Scene::bodies`], and how.
    pub joint: ExtraJointBetween<usize>,
}

impl SceneExtraJoint {
    /// The name of an end in scene files, `body/link`; `None` for the world.
    pub fn end_name(end: JointEnd<usize>, bodies: &[SceneBody]) -> Option<String> {
        let JointEnd::Link { body, link } = end else { return None };
        let body = bodies.get(body)?;
        Some(format!("{}/{}", body.name, body.body.links().get(link.0)?.name))
    }
}

/// A controller for the joints of a body.
#[derive(Clone, Debug)]
pub struct SceneController {
    /// How it moves them.
    pub kind: ControllerKind,
    /// The motion it follows; without one it holds the initial pose.
    pub motion: Option<Arc<BodyMotion>>,
    /// Joint displacements of `motion`, which all worlds share.
    pub reference: Option<Arc<JointDisplacements>>,
    /// Commanded velocities in place of those of the motion, rad/s or m/s.
    pub velocities: Option<JointProfiles>,
    /// Efforts added to those of the controller, N·m or N.
    pub efforts: Option<JointProfiles>,
    /// Whether the weight of the links is compensated.
    pub gravity_compensation: bool,
}

/// Values over time by joint index: SI units, times in s; `None` for joints without a profile.
pub type JointProfiles = Vec<Option<Sequence<f64>>>;

/// The kind of a controller, with its parameters by joint index.
#[derive(Clone, Debug)]
pub enum ControllerKind {
    /// By effort (`type: pd`).
    Pd(Vec<Gains>),
    /// By the servos of the joints (`type: servo`, `type: velocity`), or only by the added efforts (`type: effort`).
    Servo(Vec<Actuation>),
    /// By a program (`type: process`), which commands efforts or the targets of servos.
    Process {
        /// The program.
        process: Arc<ControllerProcess>,
        /// How its commands act on the joints.
        actuation: Vec<Actuation>,
    },
}

/// The links that a recording contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordedLinks {
    /// Only the root link: the others follow from the joints.
    #[default]
    Root,
    /// Every link.
    All,
}

/// Settings of the recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordSettings {
    /// Steps from one frame to the next, at least 1.
    pub steps_per_frame: u64,
    /// The recorded links.
    pub links: RecordedLinks,
    /// The joint quantities, apart from displacements, that are recorded in a table.
    pub joints: JointChannels,
    /// The recorded frames: all, or those of the last seconds.
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
    /// Number of steps of the whole run: the duration divided by the time step, rounded; `None`: until it is stopped.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn num_steps(&self) -> Option<u64> {
        self.duration.map(|duration| (duration / self.time_step).round() as u64)
    }
}
