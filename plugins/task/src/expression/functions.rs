use nalgebra::Vector3;

use super::{Value, ValueType};
use crate::model::{rotation_of_rpy, rpy_of_rotation};

/// Function of the language; each has one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `xyz`: the position of a pose, m.
    Xyz,
    /// `rpy`: roll, pitch, yaw of a pose, degrees.
    Rpy,
    /// `rotFromRpy`: the rotation Rz(yaw)·Ry(pitch)·Rx(roll) of angles in degrees.
    RotationFromRpy,
    /// `rpyFromRot`: roll, pitch, yaw of a rotation, degrees.
    RpyFromRotation,
}

impl Function {
    /// All functions.
    pub const ALL: [Self; 4] = [Self::Xyz, Self::Rpy, Self::RotationFromRpy, Self::RpyFromRotation];

    /// The spelling of `rotFromRpy` in the manual.
    pub(super) const MISSPELT: &'static str = "rotFomrRpy";

    /// Name in expressions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xyz => "xyz",
            Self::Rpy => "rpy",
            Self::RotationFromRpy => "rotFromRpy",
            Self::RpyFromRotation => "rpyFromRot",
        }
    }

    /// The function with this name; the manual's misspelling is accepted.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = if name == Self::MISSPELT { "rotFromRpy" } else { name };
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// Type of the argument.
    pub fn argument(self) -> ValueType {
        match self {
            Self::Xyz | Self::Rpy => ValueType::Vector6,
            Self::RotationFromRpy => ValueType::Vector3,
            Self::RpyFromRotation => ValueType::Rotation,
        }
    }

    /// Type of the result.
    pub fn result(self) -> ValueType {
        match self {
            Self::Xyz | Self::Rpy | Self::RpyFromRotation => ValueType::Vector3,
            Self::RotationFromRpy => ValueType::Rotation,
        }
    }

    pub(super) fn apply(self, argument: &Value) -> Option<Value> {
        Some(match (self, argument) {
            (Self::Xyz, Value::Vector6(pose)) => Value::Vector3(Vector3::new(pose[0], pose[1], pose[2])),
            (Self::Rpy, Value::Vector6(pose)) => Value::Vector3(Vector3::new(pose[3], pose[4], pose[5])),
            (Self::RotationFromRpy, Value::Vector3(angles)) => Value::Rotation(rotation_of_rpy(angles)),
            (Self::RpyFromRotation, Value::Rotation(rotation)) => Value::Vector3(rpy_of_rotation(rotation)),
            _ => return None,
        })
    }
}
