//! Lights in the layout of the shader.

use bunraku_body::Attenuation;
use bunraku_render::{Lens, Light, LightSource, Lighting, Linear, View};
use nalgebra::{Isometry3, Vector3};

/// Kinds of lights in the shader.
const DIRECTIONAL: f32 = 0.0;
const POINT: f32 = 1.0;
const SPOT: f32 = 2.0;

/// Bytes of the lighting of an image, in the frame of an eye in the world. `back` is the direction to the camera's back
/// in that frame: the head light comes from there.
pub fn bytes(lighting: &Lighting, view: &View, eye: &Isometry3<f64>, back: &Vector3<f64>) -> Vec<u8> {
    let into_eye = eye.inverse();
    let along_ray = !matches!(view.lens, Lens::Normal { .. });
    let mut rows = vec![
        color(lighting.ambient, lighting.lights.len() as f32),
        color(lighting.head, 0.0),
        vector(back, f32::from(u8::from(along_ray))),
        [view.near as f32, view.far as f32, 0.0, 0.0],
    ];
    for Light { color: shine, source } in &lighting.lights {
        match source {
            LightSource::Directional { direction } => rows.extend([
                color(*shine, DIRECTIONAL),
                [0.0; 4],
                vector(&(into_eye * direction.into_inner()), 0.0),
                [0.0; 4],
            ]),
            LightSource::Point { position, attenuation } => rows.extend([
                color(*shine, POINT),
                vector(&(into_eye * position).coords, 0.0),
                [0.0; 4],
                fading(attenuation, 0.0),
            ]),
            LightSource::Spot { position, attenuation, direction, beam_width, cut_off_angle, cut_off_exponent } => rows
                .extend([
                    color(*shine, SPOT),
                    vector(&(into_eye * position).coords, *cut_off_exponent),
                    vector(&(into_eye * direction.into_inner()), *beam_width),
                    fading(attenuation, *cut_off_angle),
                ]),
        }
    }
    // The shader's list must not be empty.
    if lighting.lights.is_empty() {
        rows.extend([[0.0; 4]; 4]);
    }
    rows.into_iter().flatten().flat_map(f32::to_le_bytes).collect()
}

fn color(Linear([red, green, blue]): Linear, last: f32) -> [f32; 4] {
    [red, green, blue, last]
}

fn vector(vector: &Vector3<f64>, last: impl Into<f64>) -> [f32; 4] {
    [vector.x as f32, vector.y as f32, vector.z as f32, last.into() as f32]
}

fn fading(attenuation: &Attenuation, last: f64) -> [f32; 4] {
    vector(&Vector3::new(attenuation.constant, attenuation.linear, attenuation.quadratic), last)
}
