//! Cameras.

use std::f64::consts::{FRAC_PI_4, PI};

use nalgebra::{UnitQuaternion, Vector3};

/// Takes colour images.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Camera {
    /// Image size, field of view and optical frame.
    pub view: CameraView,
    /// Projection.
    pub lens: LensType,
}

/// Measures the distance in each pixel of an image, through a normal lens.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeCamera {
    /// Image size, field of view and optical frame.
    pub view: CameraView,
    /// Recorded data.
    pub format: RangeFormat,
    /// Smallest measurable distance along a ray, m; nearer surfaces give no measurement.
    pub min_distance: f64,
    /// Largest measurable distance along a ray, m; infinite by default.
    pub max_distance: f64,
    /// Fraction of the pixels that give a measurement, from 0 to 1.
    pub detection_rate: f64,
    /// Standard deviation of the measured distance, m.
    pub error_deviation: f64,
}

/// Image of a camera.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraView {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels. With a fisheye lens it follows from the width, and the value in the file is ignored.
    pub height: u32,
    /// Angle over the shorter side of the image, rad; with [`LensType::DualFisheye`] it is π for each circle.
    pub field_of_view: f64,
    /// Distance of the near clipping plane, m.
    pub near_clip_distance: f64,
    /// Distance of the far clipping plane, m.
    pub far_clip_distance: f64,
    /// Images per second, Hz.
    pub frame_rate: f64,
    /// Convention of the axes, to which the rotation is applied.
    pub optical_frame: OpticalFrame,
    /// Rotation of the optical camera frame (looks along −Z, +Y up, +X right) to the device frame: the rotation of
    /// [`optical_frame`](Self::optical_frame), multiplied on the right by the `optical_frame_rotation` of the file.
    pub optical_rotation: UnitQuaternion<f64>,
}

impl Default for CameraView {
    fn default() -> Self {
        Self {
            width: 640,
            height: 480,
            field_of_view: FRAC_PI_4,
            near_clip_distance: 0.04,
            far_clip_distance: 200.0,
            frame_rate: 30.0,
            optical_frame: OpticalFrame::Gl,
            optical_rotation: UnitQuaternion::identity(),
        }
    }
}

impl RangeCamera {
    /// A camera with this format and the defaults of the original, whose distances are limited by the clipping planes
    /// only: its `min_distance` and `max_distance` have no effect.
    pub fn new(format: RangeFormat) -> Self {
        Self {
            view: CameraView::default(),
            format,
            min_distance: 0.0,
            max_distance: f64::INFINITY,
            detection_rate: 1.0,
            error_deviation: 0.0,
        }
    }
}

/// Data recorded by a range camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeFormat {
    /// A point for each pixel.
    Depth,
    /// A point and a colour for each pixel.
    ColorDepth,
    /// Points of the pixels with a hit.
    PointCloud,
    /// Coloured points of the pixels with a hit.
    ColorPointCloud,
}

impl RangeFormat {
    /// Whether it includes colours.
    pub fn has_color(self) -> bool {
        matches!(self, Self::ColorDepth | Self::ColorPointCloud)
    }

    /// Whether there is a point for each pixel, in pixel order.
    pub fn is_organized(self) -> bool {
        matches!(self, Self::Depth | Self::ColorDepth)
    }
}

/// Projection of a camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LensType {
    /// Perspective: straight lines stay straight.
    #[default]
    Normal,
    /// A circle in a square image; the distance from its centre is proportional to the angle from the optical axis.
    Fisheye,
    /// Two such circles side by side: front view at the left, rear view at the right.
    DualFisheye,
}

impl LensType {
    /// Height of an image of this width, if the lens determines it.
    pub fn height(self, width: u32) -> Option<u32> {
        match self {
            Self::Normal => None,
            Self::Fisheye => Some(width),
            Self::DualFisheye => Some(width / 2),
        }
    }
}

/// Convention of the axes of a camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpticalFrame {
    /// Looks along −Z, +Y up, +X right.
    #[default]
    Gl,
    /// Looks along +Z, −Y up, +X right.
    Cv,
    /// Looks along +X, +Z up, −Y right.
    Robotics,
}

impl OpticalFrame {
    /// Rotation from a camera frame that looks along −Z with +Y up to the frame with these axes.
    pub fn rotation(self) -> UnitQuaternion<f64> {
        match self {
            Self::Gl => UnitQuaternion::identity(),
            Self::Cv => UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI),
            // A rotation by 120° that maps Y to Z, Z to −X and X to −Y.
            Self::Robotics => UnitQuaternion::from_euler_angles(PI / 2.0, 0.0, -PI / 2.0),
        }
    }
}
