//! State of the window besides the simulation.

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
    /// Speed while running.
    pub speed: Speed,
    /// Last notice.
    pub notice: Option<String>,
}

/// Findings of loading.
#[derive(Resource, Clone, Debug, Default)]
pub struct Findings(pub Vec<Diagnostic>);

/// Folder for screenshots and tables of the window.
#[derive(Resource, Clone, Debug)]
pub struct OutputFolder(pub PathBuf);

impl Default for OutputFolder {
    /// The current directory.
    fn default() -> Self {
        Self(PathBuf::from("."))
    }
}

/// Writes recordings under their final names and continues; returns a description of the result. Without it no
/// recording is possible.
#[derive(Resource, Clone)]
pub struct SaveRecordings(pub Arc<dyn Fn(&mut World) -> String + Send + Sync>);

/// Starts or finishes a recording; returns a description of the result, and whether it records now.
pub type SwitchRecording = dyn Fn(&mut World, bool) -> (String, bool) + Send + Sync;

/// Starts and finishes recordings.
#[derive(Resource, Clone)]
pub struct RecordSwitch(pub Arc<SwitchRecording>);

/// Whether it records now, if that can be switched.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IsRecording(pub bool);

type Work = Box<dyn FnOnce(&mut World) + Send + Sync>;

/// Work that is done when the window closes, while its world still exists.
#[derive(Resource, Default)]
pub struct AtExit(pub(super) Option<Work>);

impl WindowState {
    /// Shows a notice below the time line.
    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(text.into());
    }
}

impl AtExit {
    /// Sets the work.
    pub fn new(work: impl FnOnce(&mut World) + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(work)))
    }
}

/// Step at which the scene file ends the run; marked on the time line.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneEnd(pub Option<u64>);

/// Requests that are not executed yet.
#[derive(Resource, Clone, Debug, Default)]
pub struct Requests(pub Vec<Request>);

/// State of the panels.
#[derive(Resource, Default)]
pub struct Panels {
    pub desk: Desk,
    pub pictures: BTreeMap<Entity, (f64, TextureHandle)>,
    pub has_font: bool,
    pub choice: Choice,
}
