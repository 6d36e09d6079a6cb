//! Bevy camera of the window.

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{CameraOutputMode, ClearColorConfig, Viewport};
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::prelude::*;
use bevy_egui::PrimaryEguiContext;

use super::orbit::{FIELD_OF_VIEW, Orbit};

/// The camera that shows the bodies.
#[derive(Component)]
pub struct MainCamera;

/// Rendering quality.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// Anti-aliasing, shadows and highlights.
    #[default]
    Full,
    /// Without them, fast enough for a processor without a graphics card.
    Plain,
}

/// The part of the window that is not covered by panels.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct ViewArea {
    /// Upper left corner, pixels.
    pub position: UVec2,
    /// Size, pixels; zero before the first frame.
    pub size: UVec2,
}

impl ViewArea {
    /// Width divided by height.
    pub fn aspect(&self) -> f32 {
        if self.size.y == 0 { 1.0 } else { self.size.x as f32 / self.size.y as f32 }
    }
}

/// Distance of the near plane as a fraction of the distance to the target.
const NEAR: f32 = 0.01;

/// Spawns a camera for the bodies, and one for the panels, which covers the whole window.
pub fn spawn_camera(mut commands: Commands, orbit: Res<Orbit>, quality: Res<Quality>) {
    let msaa = if *quality == Quality::Full { Msaa::Sample4 } else { Msaa::Off };
    commands.spawn((
        MainCamera,
        Camera3d::default(),
        Projection::from(PerspectiveProjection { fov: FIELD_OF_VIEW, near: 0.01, far: 1000.0, ..default() }),
        orbit.transform(),
        Tonemapping::None,
        DebandDither::Disabled,
        msaa,
    ));
    commands.spawn((
        PrimaryEguiContext,
        Camera3d::default(),
        RenderLayers::none(),
        Msaa::Off,
        Tonemapping::None,
        DebandDither::Disabled,
        Camera {
            order: 1,
            output_mode: CameraOutputMode::Write {
                blend_state: Some(wgpu::BlendState::ALPHA_BLENDING),
                clear_color: ClearColorConfig::None,
            },
            clear_color: ClearColorConfig::Custom(Color::NONE),
            ..default()
        },
    ));
}

/// Updates the camera to the orbit and to the part of the window without panels.
pub fn place_camera(
    orbit: Res<Orbit>,
    area: Res<ViewArea>,
    mut cameras: Query<(&mut Transform, &mut Camera, &mut Projection), With<MainCamera>>,
) {
    for (mut transform, mut camera, mut projection) in &mut cameras {
        transform.set_if_neq(orbit.transform());
        let now = camera.viewport.as_ref().map(|viewport| (viewport.physical_position, viewport.physical_size));
        if area.size.min_element() > 0 && now != Some((area.position, area.size)) {
            camera.viewport =
                Some(Viewport { physical_position: area.position, physical_size: area.size, ..default() });
        }
        if let Projection::Perspective(perspective) = &mut *projection {
            let near = (orbit.distance * NEAR).clamp(0.001, 1.0);
            if (perspective.near - near).abs() > 0.1 * near {
                perspective.near = near;
            }
        }
    }
}
