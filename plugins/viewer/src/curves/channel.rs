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
    /// Position of the root link along the axis 0 to 2 of the world, m.
    Root(usize),
    /// A number of a sensor, by its index in the measurement.
    Sensor(usize),
}

impl Quantity {
    /// Index in a row of the log of a body with this number of joints.
    pub fn index(self, num_joints: usize) -> usize {
        match self {
            Self::Displacement(joint) => joint.0,
            Self::Velocity(joint) => num_joints + joint.0,
            Self::Effort(joint) => 2 * num_joints + joint.0,
            Self::Root(axis) => 3 * num_joints + axis,
            Self::Sensor(index) => index,
        }
    }

    /// Name with unit, for a body with this model.
    pub fn label(self, body: &Body) -> String {
        let kind = |joint| body.joint(joint).map_or(JointKind::Fixed, |joint| joint.kind);
        let unit = |joint, [turning, sliding]: [&'static str; 2]| {
            if kind(joint) == JointKind::Prismatic { sliding } else { turning }
        };
        match self {
            Self::Displacement(joint) => format!("{} [{}]", body.joint_name(joint), unit(joint, ["rad", "m"])),
            Self::Velocity(joint) => {
                format!("{} velocity [{}]", body.joint_name(joint), unit(joint, ["rad/s", "m/s"]))
            }
            Self::Effort(joint) => format!("{} effort [{}]", body.joint_name(joint), unit(joint, ["N·m", "N"])),
            Self::Root(axis) => format!("root {} [m]", ["x", "y", "z"].get(axis).unwrap_or(&"?")),
            Self::Sensor(index) => format!("value {index}"),
        }
    }
}
