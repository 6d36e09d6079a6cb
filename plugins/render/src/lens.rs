//! Which way the pixels of a picture look.

use nalgebra::{Unit, Vector3};

use crate::Reach;

/// A picture: its pixels, its lens and what it shows at all.
///
/// Directions are in the optical frame: −Z ahead, +Y up, +X right in the picture. Rows count from the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// How directions become pixels.
    pub lens: Lens,
    /// What is nearer is looked through, m: along the axis for [`Lens::Normal`], along the ray for the others.
    pub near: f64,
    /// What is further away is not seen, m; measured as `near`.
    pub far: f64,
}

/// How directions become pixels. Angles are in rad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// Straight lines stay straight. Pixels are square and the axis is in the middle.
    Normal {
        /// Angle over the shorter side of the picture, between 0 and π.
        field_of_view: f64,
    },
    /// A circle that touches the shorter side; the distance from its centre is proportional to the angle from the axis,
    /// which is half the field of view at its rim. Outside the circle there is nothing.
    Fisheye {
        /// Angle over the diameter of the circle, above 0, 2π at most.
        field_of_view: f64,
    },
    /// Two such circles side by side, π over each: to the front at the left, to the back at the right. Both are turned by
    /// a quarter so that the edge between them shows what is below: up in the picture is +X, and right is −Y at the left
    /// and +Y at the right.
    DualFisheye,
}

/// A view with all that its pixels share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optics {
    view: View,
    focal_length: f64,
}

/// Why a view cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// No pixels, or more than memory should hold.
    #[error("a picture of {width}×{height} pixels cannot be taken; at least one pixel and at most {MAX_PIXELS} can")]
    Size {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// An angle that the lens does not have.
    #[error(
        "a field of view of {0} rad is impossible: above 0, below π for a normal lens and 2π at most for a fisheye"
    )]
    FieldOfView(f64),
    /// Clipping planes that leave nothing.
    #[error("nothing can be seen between the clipping planes at {near} m and {far} m")]
    Clipping {
        /// Distance of the near plane, m.
        near: f64,
        /// Distance of the far plane, m.
        far: f64,
    },
}

/// Most pixels of a picture: 8192 × 8192.
pub const MAX_PIXELS: u64 = 1 << 26;

impl View {
    /// Whether a picture of it can be taken.
    ///
    /// # Errors
    /// If it has no pixels or too many, or angles or distances make no sense.
    pub fn check(&self) -> Result<(), ViewError> {
        let Self { width, height, near, far, .. } = *self;
        if !(1..=MAX_PIXELS).contains(&(u64::from(width) * u64::from(height))) {
            return Err(ViewError::Size { width, height });
        }
        let angle = match self.lens {
            Lens::Normal { field_of_view } => Some((field_of_view, field_of_view < std::f64::consts::PI)),
            Lens::Fisheye { field_of_view } => Some((field_of_view, field_of_view <= std::f64::consts::TAU)),
            Lens::DualFisheye => None,
        };
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

    /// How many pixels it has.
    pub fn num_pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Where the centre of a pixel looks, counted row by row from the upper left; `None` outside the circles of a fisheye
    /// lens. For many pixels make [`optics`](Self::optics) once.
    pub fn pixel_direction(&self, index: usize) -> Option<Unit<Vector3<f64>>> {
        self.optics().pixel_direction(index)
    }

    /// Where a point of the picture looks. `x` counts pixels to the right and `y` down from the upper left corner of the
    /// picture; pixel centres are at halves.
    pub fn direction(&self, x: f64, y: f64) -> Option<Unit<Vector3<f64>>> {
        self.optics().direction(x, y)
    }

    /// The view with all that its pixels share.
    pub fn optics(&self) -> Optics {
        Optics { view: *self, focal_length: self.focal_length() }
    }

    /// Distance of the picture from the eye of a normal lens, in pixels; that of its axis for the others.
    pub fn focal_length(&self) -> f64 {
        let side = f64::from(self.width.min(self.height));
        match self.lens {
            Lens::Normal { field_of_view } => side / 2.0 / (field_of_view / 2.0).tan(),
            Lens::Fisheye { field_of_view } => side / field_of_view,
            Lens::DualFisheye => f64::from(self.height) / std::f64::consts::PI,
        }
    }

    /// The part of a ray in this direction that is shown.
    pub fn reach(&self, direction: &Vector3<f64>) -> Reach {
        let along = match self.lens {
            Lens::Normal { .. } => -direction.z,
            Lens::Fisheye { .. } | Lens::DualFisheye => 1.0,
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
        }
    }
}

/// Right, up and ahead of a point `x` to the right and `y` up from the centre of a fisheye's circle; `None` outside it.
fn on_circle(x: f64, y: f64, diameter: f64, field_of_view: f64) -> Option<[f64; 3]> {
    let radius = x.hypot(y);
    if radius > diameter / 2.0 {
        return None;
    }
    let angle = radius * field_of_view / diameter;
    let (sin, cos) = angle.sin_cos();
    let share = if radius > 0.0 { sin / radius } else { 0.0 };
    Some([x * share, y * share, cos])
}
