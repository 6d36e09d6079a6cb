//! Sun and sky.

use bevy::light::CascadeShadowConfigBuilder;
use bevy::prelude::*;

use crate::camera::{Orbit, Quality};

/// Illuminance that makes a white surface white at Bevy's usual exposure, lx: π · 1.2 · 2^9.7.
const FULL_LIGHT: f32 = std::f32::consts::PI * 998.0;
/// Shares of the sun and of the light from everywhere; a surface that faces the sun is fully bright.
pub const SUN: f32 = 0.72;
pub const SKY: f32 = 0.28;
/// Share of the ambient light that Bevy lets a matte surface give back.
const AMBIENT_REFLECTION: f32 = 0.452;
/// Where the sun shines to.
pub const SUN_DIRECTION: Vec3 = Vec3::new(-0.45, 0.35, -1.0);

/// The light from everywhere.
pub const AMBIENT: GlobalAmbientLight = GlobalAmbientLight {
    color: Color::WHITE,
    brightness: SKY * FULL_LIGHT / (std::f32::consts::PI * AMBIENT_REFLECTION),
    affects_lightmapped_meshes: true,
};

/// The sun.
#[derive(Component)]
pub struct Sun;

/// Behind everything, in a light or a dark window.
pub fn sky(dark: bool) -> Color {
    if dark { Color::srgb(0.13, 0.15, 0.18) } else { Color::srgb(0.80, 0.86, 0.93) }
}

/// Keeps a sun whose shadows reach as far as one looks.
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
