use bevy::prelude::Entity;
use bunraku_body::{Body, JointIndex, JointKind};

/// A quantity of a body or sensor over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Body or sensor entity.
    pub of: Entity,
    /// Quantity.
    pub quantity: Quantity,
}

/// A quantity of a body or a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Displacement of a joint, rad or m.
    Displacement(JointIndex),
    /// Velocity of a joint, rad/s or m/s.
    Velocity(JointIndex),
    /// Effort at a joint, N·m or N.
    Effort(JointIndex),
    /// Displacement that the servo or the controller of a joint aims at, rad or m.
    Target(JointIndex),
    /// Position of the root link along the axis 0 to 2 of the world, m; with 3 to 5 its roll, pitch and yaw, rad.
    Root(usize),
    /// Zero moment point of the contacts of the body along the axis 0 to 2 of the world, m.
    Zmp(usize),
    /// A number of a sensor, by its index in the measurement.
    Sensor(usize),
}

/// Names of the quantities of the root link, as in recordings.
const ROOT: [&str; 6] = ["x", "y", "z", "roll", "pitch", "yaw"];

impl Quantity {
    /// Number of quantities of the root link.
    pub const OF_ROOT: usize = ROOT.len();

    /// Index in a row of the log of a body with this number of joints.
    pub fn index(self, num_joints: usize) -> usize {
        match self {
            Self::Displacement(joint) => joint.0,
            Self::Velocity(joint) => num_joints + joint.0,
            Self::Effort(joint) => 2 * num_joints + joint.0,
            Self::Target(joint) => 3 * num_joints + joint.0,
            Self::Root(index) => 4 * num_joints + index,
            Self::Zmp(axis) => 4 * num_joints + ROOT.len() + axis,
            Self::Sensor(index) => index,
        }
    }

    /// Name, for a body with this model.
    pub fn name(self, body: &Body) -> String {
        match self {
            Self::Displacement(joint) => body.joint_name(joint).to_owned(),
            Self::Velocity(joint) => format!("{} velocity", body.joint_name(joint)),
            Self::Effort(joint) => format!("{} effort", body.joint_name(joint)),
            Self::Target(joint) => format!("{} target", body.joint_name(joint)),
            Self::Root(index) => format!("root {}", ROOT.get(index).unwrap_or(&"?")),
            Self::Zmp(axis) => format!("zmp {}", ROOT.get(axis).unwrap_or(&"?")),
            Self::Sensor(index) => format!("value {index}"),
        }
    }

    /// Unit, for a body with this model; empty for a number of a sensor, which has its own.
    pub fn unit(self, body: &Body) -> &'static str {
        let slides = |joint| body.joint(joint).is_some_and(|joint| joint.kind == JointKind::Prismatic);
        match self {
            Self::Displacement(joint) | Self::Target(joint) if slides(joint) => "m",
            Self::Displacement(_) | Self::Target(_) => "rad",
            Self::Velocity(joint) if slides(joint) => "m/s",
            Self::Velocity(_) => "rad/s",
            Self::Effort(joint) if slides(joint) => "N",
            Self::Effort(_) => "N·m",
            Self::Root(0..=2) | Self::Zmp(_) => "m",
            Self::Root(_) => "rad",
            Self::Sensor(_) => "",
        }
    }

    /// Name with unit.
    pub fn label(self, body: &Body) -> String {
        match self.unit(body) {
            "" => self.name(body),
            unit => format!("{} [{unit}]", self.name(body)),
        }
    }

    /// Name among the [channels](bunraku_motion::channels) of a recording, if recordings have it.
    pub fn recorded(self, body: &Body) -> Option<String> {
        match self {
            Self::Displacement(joint) => Some(body.joint_name(joint).to_owned()),
            Self::Root(index) => ROOT.get(index).map(|name| format!("root.{name}")),
            Self::Zmp(axis) => ROOT.get(axis).map(|name| format!("zmp.{name}")),
            Self::Velocity(_) | Self::Effort(_) | Self::Target(_) | Self::Sensor(_) => None,
        }
    }

    /// Whether it is an angle that goes on after a full turn.
    pub fn is_orientation(self) -> bool {
        matches!(self, Self::Root(3..))
    }
}
