//! Colours: files and images contain sRGB values, light is added in linear values.

use std::ops::{Add, AddAssign, Mul};
use std::sync::LazyLock;

use nalgebra::Vector3;

/// Linear red, green and blue; 1 is the maximum of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Linear(pub [f32; 3]);

impl Linear {
    /// No light.
    pub const BLACK: Self = Self([0.0; 3]);

    /// A colour of a file, sRGB from 0 to 1; values out of range are clamped.
    pub fn from_file(factors: &Vector3<f64>) -> Self {
        Self([0, 1, 2].map(|channel| decode(factors[channel].max(0.0).clamp(0.0, 1.0) as f32)))
    }

    /// Colour of a pixel.
    pub fn from_pixel(pixel: [u8; 3]) -> Self {
        Self(pixel.map(|value| decode(f32::from(value) / 255.0)))
    }

    /// The colour as a pixel, sRGB, clamped to 1.
    pub fn to_pixel(self) -> [u8; 3] {
        self.0.map(encode)
    }

    /// Luminance of the colour (IEC 61966-2-1), from 0 to 1.
    pub fn luminance(self) -> f32 {
        let [red, green, blue] = self.0;
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// Linear interpolation between this (0) and another colour (1).
    pub fn mix(self, other: Self, weight: f32) -> Self {
        self * (1.0 - weight) + other * weight
    }
}

/// The standard's formula (IEC 61966-2-1).
fn decode(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { libm::powf((value + 0.055) / 1.055, 2.4) }
}

/// The inverse, rounded to a byte. A lookup table with steps of a tenth of a byte where the slope is greatest.
fn encode(value: f32) -> u8 {
    const STEPS: u16 = 1 << 14;
    static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let byte = |step: u16| {
            let value = f64::from(step) / f64::from(STEPS);
            let value = if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * libm::pow(value, 1.0 / 2.4) - 0.055 };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let byte = (value * 255.0).round() as u8;
            byte
        };
        (0..=STEPS).map(byte).collect()
    });
    // `max` first: it turns NaN into 0.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let step = (value.max(0.0).clamp(0.0, 1.0) * f32::from(STEPS) + 0.5) as usize;
    TABLE.get(step).copied().unwrap_or(u8::MAX)
}

impl Add for Linear {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self([0, 1, 2].map(|channel| self.0[channel] + other.0[channel]))
    }
}

impl AddAssign for Linear {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul for Linear {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self([0, 1, 2].map(|channel| self.0[channel] * other.0[channel]))
    }
}

impl Mul<f32> for Linear {
    type Output = Self;

    fn mul(self, factor: f32) -> Self {
        Self(self.0.map(|value| value * factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pixel_round_trips_through_linear_values() {
        for value in 0..=u8::MAX {
            assert_eq!(Linear::from_pixel([value; 3]).to_pixel(), [value; 3]);
        }
        assert_eq!(Linear([7.0, -1.0, f32::NAN]).to_pixel(), [255, 0, 0]);
    }
}
