//! Lenses by the parameters of a calibration, with the laws and the conventions of OpenCV.
//!
//! Coordinates on the plane at distance 1 are those of OpenCV: x to the right, y down. Pixels are counted from the centre
//! of the upper left one.

use nalgebra::{Matrix2, Unit, Vector2, Vector3};

/// Focal lengths and principal point of a calibrated camera, pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intrinsics {
    /// Horizontal focal length.
    pub fx: f64,
    /// Vertical focal length.
    pub fy: f64,
    /// Column of the principal point, counted from the centre of the left column.
    pub cx: f64,
    /// Row of the principal point, counted from the centre of the upper row.
    pub cy: f64,
}

/// Residual of inverted laws, relative to the focal length: below the rounding of pixels.
const EXACT: f64 = 1e-13;

/// Maximum number of Newton steps.
const STEPS: usize = 50;

impl Intrinsics {
    /// Whether the values are those of a camera.
    pub(crate) fn is_sound(&self) -> bool {
        let Self { fx, fy, cx, cy } = *self;
        fx > 0.0 && fy > 0.0 && [fx, fy, cx, cy].into_iter().all(f64::is_finite)
    }

    /// Point of the image, from its upper left corner, for a distorted point of the plane at distance 1.
    fn image(&self, point: Vector2<f64>) -> [f64; 2] {
        [self.fx * point.x + self.cx + 0.5, self.fy * point.y + self.cy + 0.5]
    }

    /// Distorted point of the plane at distance 1 for a point of the image.
    fn plane(&self, x: f64, y: f64) -> Vector2<f64> {
        Vector2::new((x - 0.5 - self.cx) / self.fx, (y - 0.5 - self.cy) / self.fy)
    }
}

/// Radial and tangential distortion (D. Brown 1966): k1, k2, p1, p2, k3, k4, k5, k6 of OpenCV's `projectPoints`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RadialTangential(pub [f64; 8]);

impl RadialTangential {
    /// The distorted point, and the derivative of the distortion.
    fn distort(&self, point: &Vector2<f64>) -> (Vector2<f64>, Matrix2<f64>) {
        let [k1, k2, p1, p2, k3, k4, k5, k6] = self.0;
        let (x, y) = (point.x, point.y);
        let r2 = x * x + y * y;
        let above = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3));
        let below = 1.0 + r2 * (k4 + r2 * (k5 + r2 * k6));
        let radial = above / below;
        let slope_above = k1 + r2 * (2.0 * k2 + r2 * 3.0 * k3);
        let slope_below = k4 + r2 * (2.0 * k5 + r2 * 3.0 * k6);
        // Derivative of the radial factor by x and y.
        let slope = 2.0 * (slope_above - radial * slope_below) / below;
        let distorted = Vector2::new(
            x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
            y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
        );
        let across = slope * x * y + 2.0 * p1 * x + 2.0 * p2 * y;
        let derivative = Matrix2::new(
            radial + slope * x * x + 2.0 * p1 * y + 6.0 * p2 * x,
            across,
            across,
            radial + slope * y * y + 6.0 * p1 * y + 2.0 * p2 * x,
        );
        (distorted, derivative)
    }

    /// The point whose distorted image is `distorted`, by Newton's method; `None` beyond the rim, where the law folds.
    fn undistort(&self, distorted: &Vector2<f64>) -> Option<Vector2<f64>> {
        // From the middle outwards, so that the solution is the one before a fold.
        let mut point = Vector2::zeros();
        let mut goal = *distorted;
        for halving in 0..6 {
            if let Some(found) = self.newton(&goal, point) {
                if goal == *distorted {
                    return Some(found);
                }
                (point, goal) = (found, *distorted);
            } else {
                goal = *distorted * 0.5_f64.powi(halving + 1);
            }
        }
        None
    }

    fn newton(&self, goal: &Vector2<f64>, start: Vector2<f64>) -> Option<Vector2<f64>> {
        let mut point = start;
        for _ in 0..STEPS {
            let (found, derivative) = self.distort(&point);
            if derivative.determinant() <= 0.0 || derivative.trace() <= 0.0 {
                return None;
            }
            let rest = goal - found;
            if rest.amax() < EXACT {
                return Some(point);
            }
            point += derivative.try_inverse()? * rest;
        }
        None
    }

    pub fn project(&self, intrinsics: &Intrinsics, point: &Vector3<f64>) -> Option<[f64; 2]> {
        let ahead = -point.z;
        (ahead > 0.0).then(|| {
            let (distorted, _) = self.distort(&Vector2::new(point.x / ahead, -point.y / ahead));
            intrinsics.image(distorted)
        })
    }

    pub fn direction(&self, intrinsics: &Intrinsics, x: f64, y: f64) -> Option<Unit<Vector3<f64>>> {
        let point = self.undistort(&intrinsics.plane(x, y))?;
        Some(Unit::new_normalize(Vector3::new(point.x, -point.y, -1.0)))
    }
}

/// Fisheye of J. Kannala and S. Brandt (2006): k1 to k4 of OpenCV's `fisheye` module, the distance from the principal
/// point is θ·(1 + k1·θ² + k2·θ⁴ + k3·θ⁶ + k4·θ⁸) for the angle θ from the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct KannalaBrandt(pub [f64; 4]);

impl KannalaBrandt {
    /// Distance from the principal point for an angle from the axis, and its derivative.
    fn radius(&self, angle: f64) -> (f64, f64) {
        let [k1, k2, k3, k4] = self.0;
        let a2 = angle * angle;
        let radius = angle * (1.0 + a2 * (k1 + a2 * (k2 + a2 * (k3 + a2 * k4))));
        let slope = 1.0 + a2 * (3.0 * k1 + a2 * (5.0 * k2 + a2 * (7.0 * k3 + a2 * 9.0 * k4)));
        (radius, slope)
    }

    /// Angle for a distance; `None` beyond the largest one before the law folds, and beyond half a turn.
    fn angle(&self, radius: f64) -> Option<f64> {
        let (mut low, mut high, mut angle) = (0.0, std::f64::consts::PI, radius.min(std::f64::consts::PI));
        for _ in 0..STEPS {
            let (found, slope) = self.radius(angle);
            if (found - radius).abs() < EXACT {
                return self.is_before_a_fold(angle).then_some(angle);
            }
            if found > radius || slope <= 0.0 {
                high = angle
            } else {
                low = angle
            }
            let next = angle + (radius - found) / slope;
            // Bisection where Newton's step leaves the interval.
            angle = if next > low && next < high { next } else { f64::midpoint(low, high) };
        }
        None
    }

    fn is_before_a_fold(&self, angle: f64) -> bool {
        (1..=8).all(|part| self.radius(angle * f64::from(part) / 8.0).1 > 0.0)
    }

    pub fn project(&self, intrinsics: &Intrinsics, point: &Vector3<f64>) -> Option<[f64; 2]> {
        let across = Vector2::new(point.x, -point.y);
        let length = across.norm();
        let angle = libm::atan2(length, -point.z);
        let (radius, slope) = self.radius(angle);
        if slope <= 0.0 {
            return None;
        }
        Some(intrinsics.image(if length > 0.0 { across * (radius / length) } else { across }))
    }

    pub fn direction(&self, intrinsics: &Intrinsics, x: f64, y: f64) -> Option<Unit<Vector3<f64>>> {
        let plane = intrinsics.plane(x, y);
        let radius = plane.norm();
        let (sin, cos) = libm::sincos(self.angle(radius)?);
        let across = if radius > 0.0 { plane * (sin / radius) } else { plane };
        Some(Unit::new_normalize(Vector3::new(across.x, -across.y, -cos)))
    }
}
