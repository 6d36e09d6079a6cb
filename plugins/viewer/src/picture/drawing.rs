//! Bevy plugins for rendering.

use bevy::a11y::AccessibilityPlugin;
use bevy::app::{PluginGroup, PluginGroupBuilder, TaskPoolPlugin};
use bevy::asset::AssetPlugin;
use bevy::camera::CameraPlugin;
use bevy::core_pipeline::CorePipelinePlugin;
use bevy::diagnostic::FrameCountPlugin;
use bevy::gizmos::GizmoPlugin;
use bevy::image::ImagePlugin;
use bevy::input::InputPlugin;
use bevy::light::LightPlugin;
use bevy::mesh::MeshPlugin;
use bevy::pbr::PbrPlugin;
use bevy::prelude::TransformPlugin;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::time::TimePlugin;
use bevy::window::WindowPlugin;
use bevy::winit::WinitPlugin;

/// All rendering plugins, listed by name instead of `DefaultPlugins`: those depend on the features that others turn on,
/// and include a log and a panic handler.
#[derive(Default)]
pub struct DrawingPlugins {
    /// The window, or none.
    pub window: WindowPlugin,
    /// Window event loop; without it there are only images.
    pub display: Option<WinitPlugin>,
    /// The graphics device, and whether to wait for shaders.
    pub render: RenderPlugin,
    /// Whether another thread draws a picture while the app goes on.
    pub is_pipelined: bool,
}

impl PluginGroup for DrawingPlugins {
    fn build(self) -> PluginGroupBuilder {
        let mut group = PluginGroupBuilder::start::<Self>()
            .add(TaskPoolPlugin::default())
            .add(FrameCountPlugin)
            .add(TimePlugin)
            .add(TransformPlugin)
            .add(InputPlugin)
            .add(self.window)
            .add(AccessibilityPlugin)
            .add(AssetPlugin::default());
        if let Some(display) = self.display {
            group = group.add(display);
        }
        group = group.add(self.render);
        if self.is_pipelined {
            group = group.add(PipelinedRenderingPlugin);
        }
        group
            .add(ImagePlugin::default())
            .add(MeshPlugin)
            .add(CameraPlugin)
            .add(LightPlugin)
            .add(CorePipelinePlugin)
            .add(PbrPlugin::default())
            // Lights have gizmos, whether they are drawn or not.
            .add(GizmoPlugin)
    }
}
