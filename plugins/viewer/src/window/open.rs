//! An app with an empty window.

use bevy::gizmos_render::GizmoRenderPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::window::{ExitCondition, PresentMode, WindowPlugin, WindowResolution};
use bevy::winit::{UpdateMode, WinitPlugin, WinitSettings};
use bevy_egui::{EguiGlobalSettings, EguiPlugin};

use crate::camera::Quality;

use super::display::{WindowError, look_for_display};
use crate::picture::{DrawingPlugins, device};
use crate::stage::MattePlugin;

/// Initial options of the window.
#[derive(Clone, Debug)]
pub struct ViewerOptions {
    /// Title.
    pub title: String,
    /// Width and height, points.
    pub size: [u32; 2],
    /// Whether the window may run on another thread than the first of the process.
    pub any_thread: bool,
    /// Rendering quality; `None`: depending on the graphics device of this machine.
    pub quality: Option<Quality>,
}

impl Default for ViewerOptions {
    fn default() -> Self {
        Self { title: "Bunraku".to_owned(), size: [1440, 900], any_thread: false, quality: None }
    }
}

/// An app with a window and all rendering plugins. `SandboxPlugins` or similar plugins, bodies, and a
/// [`ViewerPlugin`](super::ViewerPlugin) must be added.
///
/// # Errors
/// If there is no display, or no graphics device.
pub fn open_window(options: &ViewerOptions) -> Result<App, WindowError> {
    look_for_display()?;
    let device = device::open().map_err(WindowError::NoGraphics)?;
    let usual = if device.is_software { Quality::Plain } else { Quality::Full };
    let quality = options.quality.unwrap_or(usual);
    let mut app = App::new();
    let window = Window {
        title: options.title.clone(),
        resolution: WindowResolution::new(options.size[0], options.size[1]),
        present_mode: PresentMode::AutoVsync,
        ..default()
    };
    let exit_condition = ExitCondition::OnPrimaryClosed;
    app.add_plugins((
        DrawingPlugins {
            window: WindowPlugin { primary_window: Some(window), exit_condition, ..default() },
            display: Some(WinitPlugin { run_on_any_thread: options.any_thread }),
            render: RenderPlugin { render_creation: device.creation, ..default() },
            // A processor takes long for a picture: steps go on meanwhile.
            is_pipelined: quality == Quality::Plain,
        },
        GizmoRenderPlugin,
        EguiPlugin { bindless_mode_array_size: None },
    ));
    app.insert_resource(EguiGlobalSettings { auto_create_primary_context: false, ..default() });
    if quality == Quality::Plain {
        app.add_plugins(MattePlugin);
    }
    app.insert_resource(quality);
    // A window in the background continues: the user may wait for its run.
    app.insert_resource(WinitSettings { focused_mode: UpdateMode::Continuous, unfocused_mode: UpdateMode::Continuous });
    Ok(app)
}
