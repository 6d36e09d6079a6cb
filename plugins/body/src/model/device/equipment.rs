//! Devices that are neither sensors nor lights.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Unit, Vector3};

/// Grips attachments, like a suction cup or a tool changer, while it is on.
#[derive(Clone, Debug, PartialEq)]
pub struct Holder {
    /// It grips attachments of these categories; of any if there are none.
    pub categories: Vec<String>,
    /// Which attachments in reach it grips.
    pub condition: HoldCondition,
    /// How far away an attachment may be, m.
    pub max_distance: f64,
    /// The body to grip, for [`HoldCondition::Name`].
    pub target: String,
}

impl Default for Holder {
    fn default() -> Self {
        Self { categories: vec![], condition: HoldCondition::Distance, max_distance: 0.1, target: String::new() }
    }
}

/// When a holder grips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldCondition {
    /// What is near enough.
    Distance,
    /// What touches.
    Collision,
    /// What has a certain name.
    Name,
}

/// Can be gripped by a holder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachment {
    /// Which holders may grip it; may be empty.
    pub category: String,
}

/// Moves what lies on its link.
#[derive(Clone, Debug, PartialEq)]
pub struct Conveyor {
    /// How it moves.
    pub motion: ConveyorMotion,
    /// Along which axis, or about which, in the device frame.
    pub axis: Unit<Vector3<f64>>,
    /// Speed at the start: m/s, or rad/s if it turns (whatever `angle_unit` says, as in the original).
    pub speed: f64,
}

impl Default for Conveyor {
    fn default() -> Self {
        Self { motion: ConveyorMotion::Linear, axis: Vector3::x_axis(), speed: 0.0 }
    }
}

/// How a conveyor moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConveyorMotion {
    /// Along the axis.
    Linear,
    /// About the axis.
    Rotary,
}

/// Signal lines that are on or off, each an input and an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigitalIo {
    /// How many lines; they are counted from 0.
    pub lines: usize,
    /// Names of outputs.
    pub output_labels: BTreeMap<usize, String>,
    /// Names of inputs.
    pub input_labels: BTreeMap<usize, String>,
    /// Names of the devices of this body that inputs switch on and off.
    pub switches: BTreeMap<usize, String>,
}

impl Default for DigitalIo {
    fn default() -> Self {
        Self { lines: 100, output_labels: BTreeMap::new(), input_labels: BTreeMap::new(), switches: BTreeMap::new() }
    }
}

/// A mark in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// What it looks like.
    pub shape: MarkerShape,
    /// Its size, m.
    pub size: f64,
    /// Red, green and blue, each from 0 to 1.
    pub color: Vector3<f64>,
    /// How much it glows by itself, from 0 to 1.
    pub emission: f64,
    /// From 0 (solid) to 1 (invisible).
    pub transparency: f64,
    /// Where it is in the device frame.
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

/// What a marker looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerShape {
    /// Three lines that cross.
    Cross,
    /// A ball.
    Sphere,
    /// Three coloured arrows.
    Axes,
}
