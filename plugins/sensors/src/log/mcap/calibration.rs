//! Size and lens of a camera in the terms of OpenCV and ROS.

use bunraku_render::{Intrinsics, Lens, View};

/// Calibration of a camera.
pub struct Calibration {
    /// Name of the distortion model.
    pub model: &'static str,
    /// Its coefficients.
    pub distortion: Vec<f64>,
    /// Matrix of the intrinsics, row by row.
    pub intrinsic: [f64; 9],
}

impl Calibration {
    /// Rotation of the rectification, row by row: none.
    pub const RECTIFICATION: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

    /// The model of lenses by Kannala and Brandt.
    pub const FISHEYE: &'static str = "kannala_brandt";

    /// The calibration of a view; `None` if there is no model for its lens.
    pub fn new(view: &View) -> Option<Self> {
        // Pixels are counted from the centre of the first one, as OpenCV and ROS do.
        let [cx, cy] = [view.width, view.height].map(|side| f64::from(side) / 2.0 - 0.5);
        let middle = Intrinsics { fx: view.focal_length(), fy: view.focal_length(), cx, cy };
        let (model, Intrinsics { fx, fy, cx, cy }, distortion) = match view.lens {
            Lens::Normal { .. } => ("plumb_bob", middle, vec![0.0; 5]),
            // A lens of Kannala and Brandt without higher terms is equidistant, like ours.
            Lens::Fisheye { .. } => (Self::FISHEYE, middle, vec![0.0; 4]),
            Lens::RadialTangential { intrinsics, coefficients } => {
                ("rational_polynomial", intrinsics, coefficients.to_vec())
            }
            Lens::KannalaBrandt { intrinsics, coefficients } => (Self::FISHEYE, intrinsics, coefficients.to_vec()),
            Lens::DualFisheye => return None,
        };
        Some(Self { model, distortion, intrinsic: [fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0] })
    }

    /// Projection of points in the frame of the image, row by row.
    pub fn projection(&self) -> [f64; 12] {
        let [fx, _, cx, _, fy, cy, ..] = self.intrinsic;
        [fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0]
    }
}
