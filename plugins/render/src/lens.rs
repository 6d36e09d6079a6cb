//! Directions of the pixels of an image.

use nalgebra::{Unit, Vector3};

use crate::Reach;
use crate::distortion::{Intrinsics, KannalaBrandt, RadialTangential};

/// View of a camera: image size, lens and range.
///
/// Directions are in the optical frame: −Z ahead, +Y up, +X right in the image. Rows are counted from the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// Projection.
    pub lens: Lens,
    /// Surfaces nearer than this are ignored, m: along the axis for [`Lens::Normal`], along the ray for the others.
    pub near: f64,
    /// Surfaces further away than this are ignored, m; measured like `near`.
    pub far: f64,
}

/// Projection of a camera. Angles are in rad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// Perspective: straight lines stay straight. Pixels are square and the axis is in the middle.
    Normal {
        /// Angle over the shorter side of the image, between 0 and π.
        field_of_view: f64,
    },
    /// A circle that touches the shorter side. The distance from its centre is proportional to the angle from the axis,
    /// which is half the field of view at its rim. Outside the circle the image is empty.
    Fisheye {
        /// Angle over the diameter of the circle, positive, at most 2π.
        field_of_view: f64,
    },
    /// Two such circles side by side, π over each: front view at the left, rear view at the right. Both are rotated by
    /// 90° so that the border between them shows the view downwards: up in the image is +X, and right is −Y at the left
    /// and +Y at the right.
    DualFisheye,
    /// Perspective with the radial and tangential distortion of OpenCV's `projectPoints`. Outside the image of the lens,
    /// where the law folds, the image is empty.
    RadialTangential {
        /// Focal lengths and principal point.
        intrinsics: Intrinsics,
        /// k1, k2, p1, p2, k3, k4, k5, k6.
        coefficients: [f64; 8],
    },
    /// Fisheye of OpenCV's `fisheye` module.
    KannalaBrandt {
        /// Focal lengths and principal point.
        intrinsics: Intrinsics,
        /// k1, k2, k3, k4.
        coefficients: [f64; 4],
    },
}

/// A view with precomputed data for its pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optics {
    view: View,
    focal_length: f64,
}

/// Reason why a view is invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The number of pixels is 0 or exceeds the limit.
    #[error("a picture of {width}×{height} pixels cannot be taken; at least one pixel and at most {MAX_PIXELS} can")]
    Size {
        /// Width, pixels.
        width: u32,
        /// Height, pixels.
        height: u32,
    },
    /// The field of view is invalid for the lens.
    #[error(
        "a field of view of {0} rad is impossible: above 0, below π for a normal lens and 2π at most for a fisheye"
    )]
    FieldOfView(f64),
    /// The calibration is not that of a camera.
    #[error("the calibration is impossible: focal lengths are positive, and all numbers are finite")]
    Calibration,
    /// The clipping planes leave an empty range.
    #[error("the range between the clipping planes at {near} m and {far} m is empty")]
    Clipping {
        /// Distance of the near plane, m.
        near: f64,
        /// Distance of the far plane, m.
        far: f64,
    },
}

/// Maximum number of pixels of an image: 8192 × 8192.
pub const MAX_PIXELS: u64 = 1 << 26;

impl View {
    /// Checks that the view is valid.
    ///
    /// # Errors
    /// If the number of pixels is 0 or exceeds the limit, or angles or distances are invalid.
    pub fn check(&self) -> Result<(), ViewError> {
        let Self { width, height, near, far, .. } = *self;
        if !(1..=MAX_PIXELS).contains(&(u64::from(width) * u64::from(height))) {
            return Err(ViewError::Size { width, height });
        }
        let angle = match self.lens {
            Lens::Normal { field_of_view } => Some((field_of_view, field_of_view < std::f64::consts::PI)),
            Lens::Fisheye { field_of_view } => Some((field_of_view, field_of_view <= std::f64::consts::TAU)),
            Lens::DualFisheye | Lens::RadialTangential { .. } | Lens::KannalaBrandt { .. } => None,
        };
        let is_calibrated = match &self.lens {
            Lens::RadialTangential { intrinsics, coefficients } => {
                intrinsics.is_sound() && coefficients.iter().all(|value| value.is_finite())
            }
            Lens::KannalaBrandt { intrinsics, coefficients } => {
                intrinsics.is_sound() && coefficients.iter().all(|value| value.is_finite())
            }
            _ => true,
        };
        if !is_calibrated {
            return Err(ViewError::Calibration);
        }
        if let Some((angle, small_enough)) = angle
            && !(angle > 0.0 && small_enough)
        {
            return Err(ViewError::FieldOfView(angle));
        }
        if !(near >= 0.0 && far > near) {
            return Err(ViewError::Clipping { near, far });
        }
        Ok(())
    }

    /// Number of pixels.
    pub fn num_pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Direction of the centre of a pixel, counted row by row from the upper left; `None` outside the circles of a
    /// fisheye lens. For many pixels create [`optics`](Self::optics) once.
    pub fn pixel_direction(&self, index: usize) -> Option<Unit<Vector3<f64>>> {
        self.optics().pixel_direction(index)
    }

    /// Direction of a point of the image. `x` counts pixels to the right and `y` down from the upper left corner of the
    /// image; pixel centres are at halves.
    pub fn direction(&self, x: f64, y: f64) -> Option<Unit<Vector3<f64>>> {
        self.optics().direction(x, y)
    }

    /// The view with precomputed data for its pixels.
    pub fn optics(&self) -> Optics {
        Optics { view: *self, focal_length: self.focal_length() }
    }

    /// Focal length of a normal lens, pixels; that of the axis for the others.
    pub fn focal_length(&self) -> f64 {
        let side = f64::from(self.width.min(self.height));
        match self.lens {
            Lens::Normal { field_of_view } => side / 2.0 / libm::tan(field_of_view / 2.0),
            Lens::Fisheye { field_of_view } => side / field_of_view,
            Lens::DualFisheye => f64::from(self.height) / std::f64::consts::PI,
            Lens::RadialTangential { intrinsics, .. } | Lens::KannalaBrandt { intrinsics, .. } => intrinsics.fx,
        }
    }

    /// Point of the image of a point in the optical frame, m, counted like those of [`direction`](Self::direction); `None`
    /// behind a perspective camera, and outside what the lens shows. It may be outside the image.
    pub fn project(&self, point: &Vector3<f64>) -> Option<[f64; 2]> {
        let (width, height) = (f64::from(self.width), f64::from(self.height));
        match self.lens {
            Lens::Normal { .. } => {
                let scale = self.focal_length() / -point.z;
                (point.z < 0.0).then(|| [width / 2.0 + point.x * scale, height / 2.0 - point.y * scale])
            }
            Lens::Fisheye { field_of_view } => {
                let diameter = width.min(height);
                let [x, y] = from_circle([point.x, point.y, -point.z], diameter, field_of_view)?;
                Some([width / 2.0 + x, height / 2.0 - y])
            }
            Lens::DualFisheye => {
                let diameter = height.min(width / 2.0);
                let (center, side) = if point.z <= 0.0 { (diameter / 2.0, -1.0) } else { (1.5 * diameter, 1.0) };
                let ahead = [side * point.y, point.x, side * point.z];
                let [x, y] = from_circle(ahead, diameter, std::f64::consts::PI)?;
                Some([center + x, height / 2.0 - y])
            }
            Lens::RadialTangential { intrinsics, coefficients } => {
                RadialTangential(coefficients).project(&intrinsics, point)
            }
            Lens::KannalaBrandt { intrinsics, coefficients } => KannalaBrandt(coefficients).project(&intrinsics, point),
        }
    }

    /// The visible part of a ray in this direction.
    pub fn reach(&self, direction: &Vector3<f64>) -> Reach {
        let along = match self.lens {
            Lens::Normal { .. } => -direction.z,
            _ => 1.0,
        };
        Reach { min: self.near / along, max: self.far / along }
    }
}

impl Optics {
    /// As [`View::pixel_direction`].
    pub fn pixel_direction(&self, index: usize) -> Option<Unit<Vector3<f64>>> {
        let width = (self.view.width as usize).max(1);
        self.direction((index % width) as f64 + 0.5, (index / width) as f64 + 0.5)
    }

    /// As [`View::direction`].
    pub fn direction(&self, x: f64, y: f64) -> Option<Unit<Vector3<f64>>> {
        let (width, height) = (f64::from(self.view.width), f64::from(self.view.height));
        match self.view.lens {
            Lens::Normal { .. } => {
                let direction = Vector3::new(x - width / 2.0, height / 2.0 - y, -self.focal_length);
                Some(Unit::new_normalize(direction))
            }
            Lens::Fisheye { field_of_view } => {
                let diameter = width.min(height);
                let [right, up, ahead] = on_circle(x - width / 2.0, height / 2.0 - y, diameter, field_of_view)?;
                Some(Unit::new_normalize(Vector3::new(right, up, -ahead)))
            }
            Lens::DualFisheye => {
                let diameter = height.min(width / 2.0);
                let (center, side) = if x < diameter { (diameter / 2.0, -1.0) } else { (1.5 * diameter, 1.0) };
                let [right, up, ahead] = on_circle(x - center, height / 2.0 - y, diameter, std::f64::consts::PI)?;
                Some(Unit::new_normalize(Vector3::new(up, side * right, side * ahead)))
            }
            Lens::RadialTangential { intrinsics, coefficients } => {
                RadialTangential(coefficients).direction(&intrinsics, x, y)
            }
            Lens::KannalaBrandt { intrinsics, coefficients } => {
                KannalaBrandt(coefficients).direction(&intrinsics, x, y)
            }
        }
    }
}

/// Point to the right and up from the centre of a fisheye's circle for a vector right, up and ahead; `None` outside it.
fn from_circle([right, up, ahead]: [f64; 3], diameter: f64, field_of_view: f64) -> Option<[f64; 2]> {
    let across = libm::hypot(right, up);
    let angle = libm::atan2(across, ahead);
    let radius = angle * diameter / field_of_view;
    let share = if across > 0.0 { radius / across } else { 0.0 };
    (angle <= field_of_view / 2.0).then_some([right * share, up * share])
}

/// Right, up and ahead for a point `x` to the right and `y` up from the centre of a fisheye's circle; `None` outside
/// it.
fn on_circle(x: f64, y: f64, diameter: f64, field_of_view: f64) -> Option<[f64; 3]> {
    let radius = libm::hypot(x, y);
    if radius > diameter / 2.0 {
        return None;
    }
    let angle = radius * field_of_view / diameter;
    let (sin, cos) = libm::sincos(angle);
    let share = if radius > 0.0 { sin / radius } else { 0.0 };
    Some([x * share, y * share, cos])
}
