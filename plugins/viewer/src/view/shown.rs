use std::path::PathBuf;
use std::sync::Arc;

use bevy::prelude::Entity;
use bunraku_body::{Actuation, Body, BodyState, Device, DeviceKind, Drive};
use bunraku_document::Severity;

use super::{GalleryScene, Moments, Selection, ShownTask, Speed};

/// All data of a simulation that panels display.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Activity.
    pub doing: Doing,
    /// Speed while running.
    pub speed: Speed,
    /// Simulated time, s.
    pub time: f64,
    /// Length of a step, s.
    pub time_step: f64,
    /// Displayed step.
    pub step: u64,
    /// Step of the last snapshot.
    pub last_step: u64,
    /// Number of steps of the whole run, if it has an end.
    pub end: Option<u64>,
    /// Step at which the scene file ends the run, if it does; the window may run on.
    pub scene_end: Option<u64>,
    /// Whether the projection is orthographic.
    pub is_orthographic: bool,
    /// Whether the camera follows a link.
    pub is_following: bool,
    /// The sensor's camera through which the view looks, if any.
    pub through: Option<ShownThrough>,
    /// Number of snapshots.
    pub num_remembered: usize,
    /// Moments that are marked on the time line.
    pub moments: Moments,
    /// Simulated seconds per second of wall time, over the last half second.
    pub real_time_factor: f64,
    /// Wall time of a step, µs, over the last half second.
    pub step_time: f64,
    /// Wall time between two frames, ms.
    pub frame_time: f64,
    /// Time from the start of the program to the first complete frame, s.
    pub first_picture: Option<f64>,
    /// Whether the run is recorded.
    pub is_recording: bool,
    /// Whether recording can be switched on and off.
    pub can_record: bool,
    /// Whether files can be opened.
    pub can_open: bool,
    /// Last notice of the window, for example the path of a screenshot.
    pub notice: Option<String>,
    /// Bodies, in the order of spawning.
    pub bodies: Vec<ShownBody>,
    /// Selection.
    pub selection: Option<Selection>,
    /// Findings of loading and running.
    pub problems: Vec<Problem>,
    /// Tasks of robots, in the order of their bodies.
    pub tasks: Vec<ShownTask>,
    /// Scenes that are offered while there are no bodies.
    pub gallery: Arc<Vec<GalleryScene>>,
    /// Files that were opened together before, the last first; offered with the scenes.
    pub recent: Vec<Vec<PathBuf>>,
}

/// Activity of a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Doing {
    /// It is running.
    Running,
    /// It is paused.
    #[default]
    Paused,
    /// It has reached its end.
    Finished,
    /// It has failed, with the reason.
    Failed(String),
}

/// A sensor's camera through which the view looks.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownThrough {
    /// The device.
    pub device: Selection,
    /// Name.
    pub label: String,
    /// Half the width and half the height of its image at the distance 1.
    pub extent: [f32; 2],
}

/// Displayed body.
#[derive(Clone, Debug)]
pub struct ShownBody {
    /// Body entity.
    pub entity: Entity,
    /// Name.
    pub name: String,
    /// Model.
    pub model: Arc<Body>,
    /// State.
    pub state: BodyState,
    /// Source of its motion.
    pub drive: Drive,
    /// Actuation of each joint.
    pub actuation: Vec<Actuation>,
    /// Target displacement of the servo of each joint, rad or m.
    pub targets: Vec<f64>,
    /// Effort at each joint in the last step, N·m or N; empty if it is not measured.
    pub efforts: Vec<f64>,
    /// Sensors.
    pub sensors: Vec<ShownSensor>,
}

/// Displayed sensor.
#[derive(Clone, Debug)]
pub struct ShownSensor {
    /// Sensor entity.
    pub entity: Entity,
    /// The device, by its index in the model.
    pub device: usize,
    /// Name.
    pub label: String,
    /// Simulated time of the last sample, s.
    pub time: Option<f64>,
    /// Last measurement.
    pub value: ShownValue,
}

/// Displayed measurement of a sensor.
#[derive(Clone, Debug, Default)]
pub enum ShownValue {
    /// No measurement yet, or the sensor is off.
    #[default]
    Nothing,
    /// Numbers with their names and units.
    Numbers(Vec<(&'static str, &'static str, f64)>),
    /// Distances, m, in rows; infinite without a hit.
    Distances {
        /// Number of distances in a row.
        width: usize,
        /// Distances row by row.
        distances: Arc<Vec<f32>>,
    },
    /// Image.
    Picture {
        /// Width, pixels.
        width: usize,
        /// Height, pixels.
        height: usize,
        /// Red, green and blue of each pixel, row by row from the top.
        colors: Arc<Vec<[u8; 3]>>,
    },
}

/// Displayed finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Severity.
    pub severity: Severity,
    /// Code.
    pub code: String,
    /// Message.
    pub message: String,
    /// File, line and column, if located.
    pub place: String,
    /// Suggested remedy.
    pub help: Option<String>,
}

impl Shown {
    /// Devices that are cameras, with their names, in the order of bodies.
    pub fn cameras(&self) -> Vec<(Selection, String)> {
        let is_camera = |device: &Device| matches!(device.kind, DeviceKind::Camera(_) | DeviceKind::RangeCamera(_));
        let of_body = |body: &ShownBody| {
            let devices = body.model.devices.iter().enumerate().filter(|(_, device)| is_camera(device));
            let named = devices.map(|(index, device)| {
                let selection = Selection { body: body.entity, link: None, device: Some(index) };
                (selection, format!("{} / {}", body.name, device.name))
            });
            named.collect::<Vec<_>>()
        };
        self.bodies.iter().flat_map(of_body).collect()
    }

    /// The body that is selected, as a whole or in part.
    pub fn selected_body(&self) -> Option<&ShownBody> {
        let selection = self.selection?;
        self.bodies.iter().find(|body| body.entity == selection.body)
    }
}
