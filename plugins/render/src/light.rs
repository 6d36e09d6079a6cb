//! Lighting of an image.

use bunraku_body::{Attenuation, Device, DeviceKind};
use nalgebra::{Isometry3, Point3, Unit, Vector3};

use crate::color::Linear;

/// All light in a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Lighting {
    /// Ambient light, as a fraction of full light.
    pub ambient: Linear,
    /// Light from the camera along its axis; moves with it.
    pub head: Linear,
    /// All other lights.
    pub lights: Vec<Light>,
    /// Colour of pixels without a hit, if there is no sky.
    pub background: Linear,
    /// Sky behind everything; absent by default.
    pub sky: Option<Sky>,
    /// Whether surfaces keep light from others, except that of the camera and the ambient light.
    pub shadows: bool,
}

/// Colours of the surroundings by their direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// Straight up.
    pub zenith: Linear,
    /// At the horizon.
    pub horizon: Linear,
    /// Below the horizon.
    pub ground: Linear,
}

impl Sky {
    /// Colour in a direction of the world: from the horizon to the zenith by the sine of the elevation.
    pub fn color(&self, direction: &Vector3<f64>) -> Linear {
        let up = direction.z as f32;
        if up < 0.0 { self.ground } else { self.horizon.mix(self.zenith, up.sqrt()) }
    }
}

/// A light. A surface that faces it has its own colour at full light (1).
#[derive(Clone, Debug, PartialEq)]
pub struct Light {
    /// Colour times intensity.
    pub color: Linear,
    /// Position and shape.
    pub source: LightSource,
}

/// Position and shape of a light, in the world.
#[derive(Clone, Debug, PartialEq)]
pub enum LightSource {
    /// Directional light.
    Directional {
        /// Direction in which it shines.
        direction: Unit<Vector3<f64>>,
    },
    /// Point light.
    Point {
        /// Position, m.
        position: Point3<f64>,
        /// Attenuation with distance.
        attenuation: Attenuation,
    },
    /// Spot light.
    Spot {
        /// Position, m.
        position: Point3<f64>,
        /// Attenuation with distance.
        attenuation: Attenuation,
        /// Direction in which it shines.
        direction: Unit<Vector3<f64>>,
        /// Half angle of full brightness, rad.
        beam_width: f64,
        /// Half angle of the cone, rad; there is no light beyond it.
        cut_off_angle: f64,
        /// Exponent of the decrease between the two angles.
        cut_off_exponent: f64,
    },
}

impl Default for Lighting {
    /// A quarter ambient light, half from the sky and slightly sideways, and a quarter from the camera; the background
    /// is black.
    fn default() -> Self {
        let sky = Unit::new_normalize(Vector3::new(0.3, 0.2, -1.0));
        Self {
            ambient: Linear([0.25; 3]),
            head: Linear([0.25; 3]),
            lights: vec![Light { color: Linear([0.5; 3]), source: LightSource::Directional { direction: sky } }],
            background: Linear::BLACK,
            sky: None,
            shadows: false,
        }
    }
}

impl Light {
    /// The light of a device on a link at `pose`; `None` if the device is not a light.
    pub fn of_device(device: &Device, pose: &Isometry3<f64>) -> Option<Self> {
        let position = pose * (device.transform * Point3::origin());
        let (color, intensity, source) = match &device.kind {
            DeviceKind::PointLight(light) => {
                (light.color, light.intensity, LightSource::Point { position, attenuation: light.attenuation })
            }
            DeviceKind::SpotLight(light) => {
                let direction = pose.rotation * (device.transform * light.direction.into_inner());
                let source = LightSource::Spot {
                    position,
                    attenuation: light.attenuation,
                    direction: Unit::try_new(direction, 0.0)?,
                    beam_width: light.beam_width,
                    cut_off_angle: light.cut_off_angle,
                    cut_off_exponent: light.cut_off_exponent,
                };
                (light.color, light.intensity, source)
            }
            _ => return None,
        };
        Some(Self { color: Linear::from_file(&color) * intensity.max(0.0) as f32, source })
    }

    /// Unit vector from a point towards the light, the distance of the light, m, and the share of it that arrives; `None`
    /// in the dark.
    pub(crate) fn at(&self, point: &Point3<f64>) -> Option<(Unit<Vector3<f64>>, f64, f32)> {
        match &self.source {
            LightSource::Directional { direction } => Some((-*direction, f64::INFINITY, 1.0)),
            LightSource::Point { position, attenuation } => {
                let (towards, distance) = Unit::try_new_and_get(position - point, 0.0)?;
                Some((towards, distance, attenuation.factor(distance) as f32))
            }
            LightSource::Spot { position, attenuation, direction, beam_width, cut_off_angle, cut_off_exponent } => {
                let (towards, distance) = Unit::try_new_and_get(position - point, 0.0)?;
                let angle = libm::acos((-towards.dot(direction)).clamp(-1.0, 1.0));
                if angle >= *cut_off_angle {
                    return None;
                }
                let share = if angle <= *beam_width {
                    1.0
                } else {
                    libm::pow((cut_off_angle - angle) / (cut_off_angle - beam_width), *cut_off_exponent)
                };
                Some((towards, distance, (attenuation.factor(distance) * share) as f32))
            }
        }
    }
}
