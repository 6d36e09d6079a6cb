//! Lights.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use nalgebra::{Unit, Vector3};

/// Point light: shines in all directions.
#[derive(Clone, Debug, PartialEq)]
pub struct PointLight {
    /// Red, green and blue, each from 0 to 1.
    pub color: Vector3<f64>,
    /// Brightness; 1 is full, more is allowed.
    pub intensity: f64,
    /// Attenuation with distance.
    pub attenuation: Attenuation,
}

/// Spot light: shines in a cone. Angles are measured from [`direction`](Self::direction).
#[derive(Clone, Debug, PartialEq)]
pub struct SpotLight {
    /// Red, green and blue, each from 0 to 1.
    pub color: Vector3<f64>,
    /// Brightness; 1 is full, more is allowed.
    pub intensity: f64,
    /// Attenuation with distance.
    pub attenuation: Attenuation,
    /// Direction of the light, in the device frame.
    pub direction: Unit<Vector3<f64>>,
    /// Half angle of full brightness, rad.
    pub beam_width: f64,
    /// Half angle of the cone, rad; there is no light beyond it. It may be less than the beam width, and is by default;
    /// the edge is then sharp.
    pub cut_off_angle: f64,
    /// Exponent of the decrease between the two angles.
    pub cut_off_exponent: f64,
}

impl Default for PointLight {
    fn default() -> Self {
        Self { color: Vector3::repeat(1.0), intensity: 1.0, attenuation: Attenuation::default() }
    }
}

impl Default for SpotLight {
    fn default() -> Self {
        Self {
            color: Vector3::repeat(1.0),
            intensity: 1.0,
            attenuation: Attenuation::default(),
            direction: -Vector3::z_axis(),
            beam_width: FRAC_PI_2,
            cut_off_angle: FRAC_PI_4,
            cut_off_exponent: 1.0,
        }
    }
}

/// Attenuation of a light with distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attenuation {
    /// Constant term.
    pub constant: f64,
    /// Linear term, 1/m.
    pub linear: f64,
    /// Quadratic term, 1/m².
    pub quadratic: f64,
}

impl Default for Attenuation {
    /// No attenuation.
    fn default() -> Self {
        Self { constant: 1.0, linear: 0.0, quadratic: 0.0 }
    }
}

impl Attenuation {
    /// Fraction of the light at a distance d, m: 1 / (constant + linear·d + quadratic·d²), at most 1.
    pub fn factor(&self, distance: f64) -> f64 {
        1.0 / (self.constant + (self.linear + self.quadratic * distance) * distance).max(1.0)
    }
}
