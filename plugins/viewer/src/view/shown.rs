use std::sync::Arc;

use bevy::prelude::Entity;
use bunraku_body::{Actuation, Body, BodyState, Drive};
use bunraku_document::Severity;

use super::{Selection, ShownTask, Speed};

/// All that panels show of a simulation at a moment.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// What it does.
    pub doing: Doing,
    /// How fast it runs while it runs.
    pub speed: Speed,
    /// Simulated time, s.
    pub time: f64,
    /// Length of a step, s.
    pub time_step: f64,
    /// The step that is shown.
    pub step: u64,
    /// The last step that is remembered.
    pub last_step: u64,
    /// Steps of the whole run, if it has an end.
    pub end: Option<u64>,
    /// Moments that are remembered.
    pub num_remembered: usize,
    /// Simulated seconds a second of wall time, over the last half second.
    pub real_time_factor: f64,
    /// Wall time of a step, µs, over the last half second.
    pub step_time: f64,
    /// Wall time between two pictures, ms.
    pub frame_time: f64,
    /// From the start of the program to the first picture with everything in it, s.
    pub first_picture: Option<f64>,
    /// Whether the run is recorded.
    pub is_recording: bool,
    /// Whether recording can be turned on and off.
    pub can_record: bool,
    /// Whether files can be opened.
    pub can_open: bool,
    /// The last thing that the window has to say: where a picture went, for example.
    pub notice: Option<String>,
    /// The bodies, in the order in which they were spawned.
    pub bodies: Vec<ShownBody>,
    /// What is selected.
    pub selection: Option<Selection>,
    /// What loading and running found.
    pub problems: Vec<Problem>,
    /// Tasks of robots, in the order of their bodies.
    pub tasks: Vec<ShownTask>,
}

/// What a simulation does.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Doing {
    /// Steps are made.
    Running,
    /// It waits.
    #[default]
    Paused,
    /// The end of the run is reached.
    Finished,
    /// It had to stop, and why.
    Failed(String),
}

/// A body of it.
#[derive(Clone, Debug)]
pub struct ShownBody {
    /// The body entity.
    pub entity: Entity,
    /// What it is called.
    pub name: String,
    /// The model.
    pub model: Arc<Body>,
    /// Where it is.
    pub state: BodyState,
    /// What moves it.
    pub drive: Drive,
    /// How each joint is actuated.
    pub actuation: Vec<Actuation>,
    /// Where the servo of each joint is to have it, rad or m.
    pub targets: Vec<f64>,
    /// Effort at each joint in the last step, N·m or N; empty if nobody measures it.
    pub efforts: Vec<f64>,
    /// Its sensors.
    pub sensors: Vec<ShownSensor>,
}

/// A sensor of a body.
#[derive(Clone, Debug)]
pub struct ShownSensor {
    /// The sensor entity.
    pub entity: Entity,
    /// The device, by its index in the model.
    pub device: usize,
    /// What it is called.
    pub label: String,
    /// Simulated time of the last sample, s.
    pub time: Option<f64>,
    /// What it measured.
    pub value: ShownValue,
}

/// What a sensor measured, to be shown.
#[derive(Clone, Debug, Default)]
pub enum ShownValue {
    /// Nothing yet, or it is off.
    #[default]
    Nothing,
    /// Numbers with their names and units.
    Numbers(Vec<(&'static str, &'static str, f64)>),
    /// Distances, m, in rows; infinite where nothing was met.
    Distances {
        /// Numbers in a row.
        width: usize,
        /// Row by row.
        distances: Arc<Vec<f32>>,
    },
    /// A picture.
    Picture {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
        /// Red, green and blue of each pixel, row by row from the top.
        colors: Arc<Vec<[u8; 3]>>,
    },
}

/// Something that is wrong, or may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Which rule it is about.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// File, line and column, if it is about one.
    pub place: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Shown {
    /// The body that is selected, as a whole or in part.
    pub fn selected_body(&self) -> Option<&ShownBody> {
        let selection = self.selection?;
        self.bodies.iter().find(|body| body.entity == selection.body)
    }
}
