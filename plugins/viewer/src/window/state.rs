//! What the window knows beside the simulation.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bevy::prelude::*;
use bevy_egui::egui::TextureHandle;
use bunraku_document::Diagnostic;

use super::dialog::Choice;
use crate::panels::Desk;
use crate::view::{Request, Speed};

/// State of the window that requests change.
#[derive(Resource, Clone, Debug)]
pub struct WindowState {
    /// How fast it runs while it runs.
    pub speed: Speed,
    /// The last thing it has to say.
    pub notice: Option<String>,
}

/// What loading found.
#[derive(Resource, Clone, Debug, Default)]
pub struct Findings(pub Vec<Diagnostic>);

/// Where pictures and tables of the window go.
#[derive(Resource, Clone, Debug)]
pub struct OutputFolder(pub PathBuf);

impl Default for OutputFolder {
    /// Where the program was started.
    fn default() -> Self {
        Self(PathBuf::from("."))
    }
}

/// What writes recordings under their final names and lets them go on; says in words what came of it. Without it
/// nothing is recorded here.
#[derive(Resource, Clone)]
pub struct SaveRecordings(pub Arc<dyn Fn(&mut World) -> String + Send + Sync>);

/// Starts a recording or finishes it; says in words what came of it, and whether it records then.
pub type SwitchRecording = dyn Fn(&mut World, bool) -> (String, bool) + Send + Sync;

/// What starts recordings and finishes them.
#[derive(Resource, Clone)]
pub struct RecordSwitch(pub Arc<SwitchRecording>);

/// Whether it records now, where that can be switched.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IsRecording(pub bool);

type Work = Box<dyn FnOnce(&mut World) + Send + Sync>;

/// What is done when the window closes, while its world is still there.
#[derive(Resource, Default)]
pub struct AtExit(pub(super) Option<Work>);

impl WindowState {
    /// Says something below the time line.
    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(text.into());
    }
}

impl AtExit {
    /// To do this.
    pub fn new(work: impl FnOnce(&mut World) + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(work)))
    }
}

/// What was asked for and is not done yet.
#[derive(Resource, Clone, Debug, Default)]
pub struct Requests(pub Vec<Request>);

/// The state of the panels.
#[derive(Resource, Default)]
pub struct Panels {
    pub desk: Desk,
    pub pictures: BTreeMap<Entity, (f64, TextureHandle)>,
    pub has_font: bool,
    pub choice: Choice,
}
