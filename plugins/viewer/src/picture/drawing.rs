//! What Bevy draws with.

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
use bevy::time::TimePlugin;
use bevy::window::WindowPlugin;
use bevy::winit::WinitPlugin;

/// All that draws, by name rather than by `DefaultPlugins`: those follow the features that others turn on, and bring a log and a panic
/// handler.
#[derive(Default)]
pub struct DrawingPlugins {
    /// The window, or none.
    pub window: WindowPlugin,
    /// What runs a window on a display; without it there are only pictures.
    pub display: Option<WinitPlugin>,
    /// The graphics device, and whether one waits for shaders.
    pub render: RenderPlugin,
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
        group
            .add(self.render)
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
