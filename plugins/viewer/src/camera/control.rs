//! Bevy camera of the window.

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{CameraOutputMode, ClearColorConfig, ScalingMode, Viewport};
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
        perspective(),
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

fn perspective() -> Projection {
    PerspectiveProjection { fov: FIELD_OF_VIEW, near: 0.01, far: 1000.0, ..default() }.into()
}

fn orthographic(viewport_height: f32) -> Projection {
    let scaling_mode = ScalingMode::FixedVertical { viewport_height };
    OrthographicProjection { near: 0.01, far: 1000.0, scaling_mode, ..OrthographicProjection::default_3d() }.into()
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
        // Orthographic, or through a sensor's camera.
        let is_other =
            !matches!(&*projection, Projection::Perspective(known) if known.fov.to_bits() == FIELD_OF_VIEW.to_bits());
        if orbit.is_orthographic {
            let now = match &*projection {
                Projection::Orthographic(known) => match known.scaling_mode {
                    ScalingMode::FixedVertical { viewport_height } => Some(viewport_height),
                    _ => None,
                },
                _ => None,
            };
            if now != Some(orbit.height()) {
                *projection = orthographic(orbit.height());
            }
        } else if is_other {
            *projection = perspective();
        }
        if let Projection::Perspective(perspective) = &mut *projection {
            let near = (orbit.distance * NEAR).clamp(0.001, 1.0);
            if (perspective.near - near).abs() > 0.1 * near {
                perspective.near = near;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Height in the picture of a point at this height over the target, −1 … 1, as drawn.
    fn drawn_height(app: &mut App, point: Vec3) -> f32 {
        app.update();
        let mut cameras = app.world_mut().query_filtered::<(&Transform, &mut Projection), With<MainCamera>>();
        let (transform, mut projection) = cameras.single_mut(app.world_mut()).unwrap();
        projection.update(400.0, 300.0);
        let clip = projection.get_clip_from_view() * transform.to_matrix().inverse() * point.extend(1.0);
        clip.y / clip.w
    }

    #[test]
    fn both_projections_show_the_target_equally_large() {
        let mut app = App::new();
        let orbit = Orbit::looking(Vec3::new(3.0, 0.0, 0.0), Vec3::ZERO);
        app.insert_resource(orbit).init_resource::<ViewArea>().add_systems(Update, place_camera);
        app.world_mut().spawn((MainCamera, Camera::default(), Transform::default(), perspective()));
        let (at_target, nearer) = (Vec3::new(0.0, 0.0, 0.4), Vec3::new(1.5, 0.0, 0.4));
        let expected = 2.0 * 0.4 / orbit.height();
        for is_orthographic in [false, true, false] {
            app.insert_resource(Orbit { is_orthographic, ..orbit });
            assert!((drawn_height(&mut app, at_target) - expected).abs() < 1e-4, "{is_orthographic}");
            let factor = if is_orthographic { 1.0 } else { 2.0 };
            assert!((drawn_height(&mut app, nearer) - factor * expected).abs() < 1e-4, "{is_orthographic}");
        }
        // Zooming changes the scale.
        app.insert_resource(Orbit { is_orthographic: true, distance: 1.5, ..orbit });
        assert!((drawn_height(&mut app, at_target) - 2.0 * expected).abs() < 1e-4);
    }
}
