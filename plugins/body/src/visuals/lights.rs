//! Lights of models as Bevy lights.

use std::f64::consts::PI;

use bevy::prelude::*;
use nalgebra::{Isometry3, Point3, Rotation3, UnitQuaternion, Vector3};

use super::materials::color;
use crate::{Device, ToBevy};

/// Distance at which a light of a model is as bright as in the original, m.
///
/// The original's lights are attenuated by three factors, by default not at all; Bevy's with the square of the
/// distance, like real ones. They can agree at one distance only: closer it is brighter, further away it is darker.
pub const LIGHT_REFERENCE_DISTANCE: f64 = 2.0;

/// Range of lights, m. Beyond it Bevy's inverse square leaves less than a hundredth of the original's brightness.
const LIGHT_RANGE: f32 = 20.0;

/// Bevy's spot lights must be narrower than a half space.
const WIDEST_CONE: f64 = 0.499 * PI;

/// Luminance displayed as white at Bevy's default exposure, cd/m²: 1.2 · 2^EV100 (ISO 2720's saturation).
fn white() -> f64 {
    1.2 * libm::exp2(f64::from(bevy::camera::Exposure::EV100_BLENDER))
}

/// Luminous power, lm, that gives a white surface at the reference distance, facing the light, the same brightness as
/// in the original: `intensity` × the attenuation factor there, where 1 is white.
///
/// A matte white surface with an illuminance of E lx has a luminance of E/π cd/m², and a light of Φ lm gives Φ/4πd² lx.
fn power(intensity: f64, attenuation: &crate::Attenuation) -> f32 {
    let brightness = intensity.max(0.0) * attenuation.factor(LIGHT_REFERENCE_DISTANCE);
    let illuminance = brightness * white() * PI;
    let power = illuminance * 4.0 * PI * LIGHT_REFERENCE_DISTANCE.powi(2);
    if power.is_finite() { power as f32 } else { 0.0 }
}

/// A light with the same intensity in all directions.
pub fn point_light(light: &crate::PointLight) -> PointLight {
    PointLight {
        color: color(&light.color),
        intensity: power(light.intensity, &light.attenuation),
        range: LIGHT_RANGE,
        ..default()
    }
}

/// A light in a cone.
pub fn spot_light(light: &crate::SpotLight) -> SpotLight {
    // `max` first: it turns NaN into 0.
    let outer = light.cut_off_angle.max(0.0).clamp(0.0, WIDEST_CONE);
    SpotLight {
        color: color(&light.color),
        intensity: power(light.intensity, &light.attenuation),
        range: LIGHT_RANGE,
        outer_angle: outer as f32,
        inner_angle: light.beam_width.max(0.0).min(outer) as f32,
        ..default()
    }
}

/// Transform of a device on its link.
pub fn place(device: &Device) -> Transform {
    let origin = device.transform * Point3::origin();
    Isometry3::from_parts(origin.into(), UnitQuaternion::identity()).to_bevy()
}

/// Transform of a spot light on its link, with −Z, along which Bevy's spot lights shine, in its direction.
pub fn aim(device: &Device, light: &crate::SpotLight) -> Transform {
    let direction = device.transform * light.direction.into_inner();
    let forward = -Vector3::z();
    let turn = Rotation3::rotation_between(&forward, &direction)
        // Opposite directions: a rotation by 180° about any horizontal axis.
        .unwrap_or_else(|| Rotation3::from_axis_angle(&Vector3::x_axis(), PI));
    let origin = device.transform * Point3::origin();
    Isometry3::from_parts(origin.into(), turn.into()).to_bevy()
}
