//! Sun and ambient light.

use bevy::light::CascadeShadowConfigBuilder;
use bevy::prelude::*;

use crate::camera::{Orbit, Quality};

/// Illuminance that displays a white surface as white at Bevy's default exposure, lx: π · 1.2 · 2^9.7.
const FULL_LIGHT: f32 = std::f32::consts::PI * 998.0;
/// Fraction of the light that comes from the sun; the rest is ambient. A surface that faces the sun is fully bright.
pub const SUN: f32 = 0.72;
pub const SKY: f32 = 0.28;
/// Fraction of the ambient light that a matte surface reflects in Bevy.
const AMBIENT_REFLECTION: f32 = 0.452;
/// Direction of the sunlight.
pub const SUN_DIRECTION: Vec3 = Vec3::new(-0.45, 0.35, -1.0);

/// Ambient light.
pub const AMBIENT: GlobalAmbientLight = GlobalAmbientLight {
    color: Color::WHITE,
    brightness: SKY * FULL_LIGHT / (std::f32::consts::PI * AMBIENT_REFLECTION),
    affects_lightmapped_meshes: true,
};

/// Marker of the sun.
#[derive(Component)]
pub struct Sun;

/// Background colour of a light or a dark window.
pub fn sky(dark: bool) -> Color {
    if dark { Color::srgb(0.13, 0.15, 0.18) } else { Color::srgb(0.80, 0.86, 0.93) }
}

/// Maintains a sun whose shadows cover the visible range.
pub fn light_stage(
    mut commands: Commands,
    orbit: Res<Orbit>,
    quality: Res<Quality>,
    sun: Query<Entity, With<Sun>>,
    mut reach: Local<f32>,
) {
    let wanted = 4.0 * orbit.distance;
    if sun.is_empty() || *reach > 2.0 * wanted || *reach < wanted / 2.0 {
        *reach = wanted;
        for old in &sun {
            commands.entity(old).despawn();
        }
        commands.spawn((
            Sun,
            DirectionalLight {
                illuminance: SUN * FULL_LIGHT,
                shadow_maps_enabled: *quality == Quality::Full,
                ..default()
            },
            Transform::default().looking_to(SUN_DIRECTION, Vec3::Z),
            CascadeShadowConfigBuilder {
                num_cascades: 2,
                minimum_distance: 0.02 * orbit.distance,
                maximum_distance: wanted,
                first_cascade_far_bound: 1.4 * orbit.distance,
                ..default()
            }
            .build(),
        ));
    }
}
