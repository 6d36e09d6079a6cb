//! The window: a Bevy app that displays a simulation, and is controlled by panels, keys and the mouse.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bunraku_viewer::window::{ViewerOptions, ViewerPlugin, open_window};
//!
//! let mut app = open_window(&ViewerOptions::default())?;
//! // Plugins of bodies, motions and physics come here, and what is spawned.
//! app.add_plugins(ViewerPlugin::default());
//! app.run();
//! # Ok::<(), bunraku_viewer::window::WindowError>(())
//! ```

mod apply;
mod clock;
mod dialog;
mod display;
mod files;
mod frame;
mod gather;
mod hand;
mod handles;
mod keep;
mod key_frames;
mod moments;
mod open;
mod overlay;
mod picture_and_exit;
mod pictures;
mod plugin;
mod pointer;
mod record;
mod save_scene;
mod scene_text;
mod script;
mod shapes;
mod state;

pub use clock::{Begun, FirstPicture, Timings};
pub use display::WindowError;
pub use files::{EmptySimulation, FileOpener, Loaded, OpenFiles, clear};
pub use open::{ViewerOptions, open_window};
pub use picture_and_exit::PictureAndExit;
pub use pictures::write_picture;
pub use plugin::ViewerPlugin;
pub use script::{Act, Script};
pub use state::{AtExit, Findings, IsRecording, OutputFolder, RecordSwitch, SaveRecordings, SceneEnd, WindowState};
