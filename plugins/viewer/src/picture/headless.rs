//! A Bevy app that renders frames without a window, and reports errors instead of panicking.

use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy::render::error_handler::{RenderErrorHandler, RenderErrorPolicy};
use bevy::render::render_resource::{CachedPipelineState, PipelineCache, PollType};
use bevy::render::renderer::RenderDevice;
use bevy::render::{RenderApp, RenderPlugin};
use bevy::window::{ExitCondition, WindowPlugin};

use super::data::PictureError;
use super::device::Device;
use super::drawing::DrawingPlugins;

/// Timeout of an image, s; it usually takes about a second.
const TIMEOUT: u64 = 60;

/// Number of frames rendered after the last shader was ready: a material that waits for its image takes one more.
const SETTLING_FRAMES: u32 = 2;

/// The app and its graphics device.
pub struct Headless {
    pub app: App,
    pub device: RenderDevice,
}

/// Time by which an image must be finished.
#[derive(Clone, Copy)]
pub struct Deadline(Instant);

/// Error of the renderer.
#[derive(Resource)]
struct Failure(String);

impl Deadline {
    pub fn of_a_picture() -> Self {
        Self(Instant::now() + Duration::from_secs(TIMEOUT))
    }
}

impl Headless {
    /// An app with all rendering plugins, and the additions of `add`.
    pub fn new(device: Device, add: impl FnOnce(&mut App)) -> Self {
        let mut app = App::new();
        app.add_plugins(DrawingPlugins {
            window: WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() },
            display: None,
            render: RenderPlugin {
                render_creation: device.creation,
                synchronous_pipeline_compilation: true,
                ..default()
            },
            is_pipelined: false,
        });
        add(&mut app);
        app.insert_resource(RenderErrorHandler(|error, main_world, _| {
            main_world.insert_resource(Failure(error.description.clone()));
            RenderErrorPolicy::StopRendering
        }));
        app.finish();
        app.cleanup();
        Self { app, device: device.device }
    }

    /// Renders until everything that was set up is visible.
    pub fn settle(&mut self, deadline: Deadline) -> Result<(), PictureError> {
        let mut settled = 0;
        while settled < SETTLING_FRAMES {
            let pipelines = self.pipelines();
            self.draw_frame(deadline)?;
            settled = if self.is_ready()? && self.pipelines() == pipelines { settled + 1 } else { 0 };
        }
        Ok(())
    }

    /// Renders a frame and waits until it is finished.
    pub fn draw_frame(&mut self, deadline: Deadline) -> Result<(), PictureError> {
        self.app.update();
        if let Some(Failure(reason)) = self.app.world_mut().remove_resource() {
            return Err(PictureError::Rendering(reason));
        }
        self.wait(deadline)
    }

    /// Waits for all work of the graphics device.
    pub fn wait(&self, Deadline(deadline): Deadline) -> Result<(), PictureError> {
        let remaining = deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(PictureError::Timeout(TIMEOUT));
        }
        let wait = PollType::Wait { submission_index: None, timeout: Some(remaining) };
        self.device.poll(wait).map_err(|_| PictureError::Timeout(TIMEOUT))?;
        Ok(())
    }

    /// Number of pipelines.
    fn pipelines(&self) -> usize {
        let cache = self.app.get_sub_app(RenderApp).and_then(|app| app.world().get_resource::<PipelineCache>());
        cache.map_or(0, |cache| cache.pipelines().count())
    }

    /// Whether everything was rendered; shaders become ready one after the other.
    fn is_ready(&self) -> Result<bool, PictureError> {
        let cache = self.app.get_sub_app(RenderApp).and_then(|app| app.world().get_resource::<PipelineCache>());
        let Some(cache) = cache else { return Ok(false) };
        if cache.waiting_pipelines().next().is_some() {
            return Ok(false);
        }
        for pipeline in cache.pipelines() {
            match &pipeline.state {
                CachedPipelineState::Ok(_) => {}
                CachedPipelineState::Err(error) => return Err(PictureError::Rendering(error.to_string())),
                CachedPipelineState::Queued | CachedPipelineState::Creating(_) => return Ok(false),
            }
        }
        Ok(cache.pipelines().next().is_some())
    }
}
