//! Cameras.

use std::f64::consts::{FRAC_PI_4, PI};

use nalgebra::{UnitQuaternion, Vector3};

/// Takes colour pictures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Camera {
    /// The picture and where it looks.
    pub view: CameraView,
    /// How directions become pixels.
    pub lens: LensType,
}

/// Measures distances in the pixels of a picture, through a normal lens.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeCamera {
    /// The picture and where it looks.
    pub view: CameraView,
    /// What it records.
    pub format: RangeFormat,
    /// Smallest measurable distance, m.
    pub min_distance: f64,
    /// Largest measurable distance, m.
    pub max_distance: f64,
    /// Share of the pixels that are measured at all, from 0 to 1.
    pub detection_rate: f64,
    /// Standard deviation of the measured distance, m.
    pub error_deviation: f64,
}

/// The picture of a camera.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraView {
    /// Pixels in a row.
    pub width: u32,
    /// Rows; with a fisheye lens it follows from the width, whatever the file says.
    pub height: u32,
    /// Angle over the shorter side of the picture, rad; with [`LensType::DualFisheye`] it is π for each circle.
    pub field_of_view: f64,
    /// Distance of the near clipping plane, m.
    pub near_clip_distance: f64,
    /// Distance of the far clipping plane, m.
    pub far_clip_distance: f64,
    /// Pictures a second.
    pub frame_rate: f64,
    /// The axes the rotation starts from.
    pub optical_frame: OpticalFrame,
    /// Takes vectors of the optical camera (looks along −Z, +Y up, +X right) into the device frame: the rotation of
    /// [`optical_frame`](Self::optical_frame), then on its right the `optical_frame_rotation` of the file.
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
    /// A camera of a format with the defaults of the original.
    pub fn new(format: RangeFormat) -> Self {
        Self {
            view: CameraView::default(),
            format,
            min_distance: 0.1,
            max_distance: 10.0,
            detection_rate: 1.0,
            error_deviation: 0.0,
        }
    }
}

/// What a range camera records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeFormat {
    /// A point for each pixel.
    Depth,
    /// A point and a colour for each pixel.
    ColorDepth,
    /// Points, without those that hit nothing.
    PointCloud,
    /// Points with colours, without those that hit nothing.
    ColorPointCloud,
}

impl RangeFormat {
    /// Whether it has colours.
    pub fn has_color(self) -> bool {
        matches!(self, Self::ColorDepth | Self::ColorPointCloud)
    }

    /// Whether there is a point for each pixel, in the order of the pixels.
    pub fn is_organized(self) -> bool {
        matches!(self, Self::Depth | Self::ColorDepth)
    }
}

/// How directions become pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LensType {
    /// Straight lines stay straight.
    #[default]
    Normal,
    /// A circle in a square picture; the distance from its centre is proportional to the angle from the axis.
    Fisheye,
    /// Two such circles side by side: to the front at the left, to the back at the right.
    DualFisheye,
}

impl LensType {
    /// The height of a picture of some width where the lens dictates it.
    pub fn height(self, width: u32) -> Option<u32> {
        match self {
            Self::Normal => None,
            Self::Fisheye => Some(width),
            Self::DualFisheye => Some(width / 2),
        }
    }
}

/// Which axes of the device frame a camera goes by.
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
    /// Takes vectors of a camera that looks along −Z with +Y up into the frame these axes belong to.
    pub fn rotation(self) -> UnitQuaternion<f64> {
        match self {
            Self::Gl => UnitQuaternion::identity(),
            Self::Cv => UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI),
            // A third of a turn that takes Y to Z and Z to −X, and so X to −Y.
            Self::Robotics => UnitQuaternion::from_euler_angles(PI / 2.0, 0.0, -PI / 2.0),
        }
    }
}
