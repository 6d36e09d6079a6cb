//! Devices that are neither sensors nor lights.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Unit, Vector3};

/// Holder that grips attachments while it is on, like a suction cup or a tool changer.
#[derive(Clone, Debug, PartialEq)]
pub struct Holder {
    /// Categories of attachments it grips; empty for any.
    pub categories: Vec<String>,
    /// Condition for gripping an attachment.
    pub condition: HoldCondition,
    /// Maximum distance to an attachment, m.
    pub max_distance: f64,
    /// Name of the body to grip, for [`HoldCondition::Name`].
    pub target: String,
}

impl Default for Holder {
    fn default() -> Self {
        Self { categories: vec![], condition: HoldCondition::Distance, max_distance: 0.1, target: String::new() }
    }
}

/// Condition for gripping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldCondition {
    /// Distance below a limit.
    Distance,
    /// Contact.
    Collision,
    /// Name of the body.
    Name,
}

/// Attachment that holders can grip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachment {
    /// Category that a holder must accept; may be empty.
    pub category: String,
}

/// Conveyor that moves objects on its link.
#[derive(Clone, Debug, PartialEq)]
pub struct Conveyor {
    /// Kind of motion.
    pub motion: ConveyorMotion,
    /// Axis of the motion, in the device frame.
    pub axis: Unit<Vector3<f64>>,
    /// Initial speed: m/s, or rad/s for a rotary conveyor (regardless of `angle_unit`, as in the original).
    pub speed: f64,
}

impl Default for Conveyor {
    fn default() -> Self {
        Self { motion: ConveyorMotion::Linear, axis: Vector3::x_axis(), speed: 0.0 }
    }
}

/// Kind of motion of a conveyor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConveyorMotion {
    /// Translation along the axis.
    Linear,
    /// Rotation about the axis.
    Rotary,
}

/// Digital signal lines, each with an input and an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigitalIo {
    /// Number of lines, numbered from 0.
    pub lines: usize,
    /// Names of outputs.
    pub output_labels: BTreeMap<usize, String>,
    /// Names of inputs.
    pub input_labels: BTreeMap<usize, String>,
    /// Names of the devices of this body that inputs switch on and off, by line.
    pub switches: BTreeMap<usize, String>,
}

impl Default for DigitalIo {
    fn default() -> Self {
        Self { lines: 100, output_labels: BTreeMap::new(), input_labels: BTreeMap::new(), switches: BTreeMap::new() }
    }
}

/// Visual marker.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Shape.
    pub shape: MarkerShape,
    /// Size, m.
    pub size: f64,
    /// Red, green and blue, each from 0 to 1.
    pub color: Vector3<f64>,
    /// Emission factor, from 0 to 1.
    pub emission: f64,
    /// From 0 (solid) to 1 (invisible).
    pub transparency: f64,
    /// Pose in the device frame.
    pub offset: Isometry3<f64>,
}

impl Default for Marker {
    fn default() -> Self {
        Self {
            shape: MarkerShape::Sphere,
            size: 0.01,
            color: Vector3::x(),
            emission: 0.5,
            transparency: 0.7,
            offset: Isometry3::identity(),
        }
    }
}

/// Shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerShape {
    /// Three lines that cross.
    Cross,
    /// A ball.
    Sphere,
    /// Three coloured arrows.
    Axes,
}
