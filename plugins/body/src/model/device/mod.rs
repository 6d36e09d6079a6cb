//! Sensors, lights and other equipment on links.

mod equipment;
mod light;
mod motion_sensor;
mod range_sensor;
mod vision;

use nalgebra::Affine3;

use super::{LinkIndex, Property};

pub use equipment::{Attachment, Conveyor, ConveyorMotion, DigitalIo, HoldCondition, Holder, Marker, MarkerShape};
pub use light::{Attenuation, PointLight, SpotLight};
pub use motion_sensor::{AccelerationSensor, ForceSensor, Imu, RateGyroSensor};
pub use range_sensor::{RangeSensor, ScanAngles};
pub use vision::{Camera, CameraView, LensType, OpticalFrame, RangeCamera, RangeFormat};

/// A sensor, light or other equipment on a link, as the file describes it; everything in SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// Name; may be empty.
    pub name: String,
    /// Number by which controllers find it among its kind.
    pub id: Option<usize>,
    /// The link it is mounted on.
    pub link: LinkIndex,
    /// From the device's own frame to the link frame; a rigid motion unless the file scales what encloses it.
    pub transform: Affine3<f64>,
    /// Whether it is on at the start.
    pub enabled: bool,
    /// What it is, with the data of its kind.
    pub kind: DeviceKind,
    /// Keys its kind does not know (all but the common ones for [`DeviceKind::Other`]), in file order.
    pub info: Vec<(String, Property)>,
}

/// What a device is.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceKind {
    /// Measures linear acceleration.
    AccelerationSensor(AccelerationSensor),
    /// Measures angular velocity.
    RateGyroSensor(RateGyroSensor),
    /// Measures both.
    Imu(Imu),
    /// Measures force and torque.
    ForceSensor(ForceSensor),
    /// Takes colour pictures.
    Camera(Camera),
    /// Measures distances in the pixels of a picture.
    RangeCamera(RangeCamera),
    /// Measures distances along rays.
    RangeSensor(RangeSensor),
    /// Shines in all directions.
    PointLight(PointLight),
    /// Shines in a cone.
    SpotLight(SpotLight),
    /// Grips attachments.
    Holder(Holder),
    /// Can be gripped by a holder.
    Attachment(Attachment),
    /// Moves what lies on its link.
    Conveyor(Conveyor),
    /// Signal lines that are on or off.
    DigitalIo(DigitalIo),
    /// A mark in the picture.
    Marker(Marker),
    /// The zero moment point, where a controller wants to show it.
    Zmp,
    /// A device nobody here knows, by the word after `type`: plugins of the original bring their own.
    Other(String),
}

impl Device {
    /// What it is in one word, the same for all spellings of model files: `Imu` for `IMU`, `RangeCamera` for a
    /// `Camera` that measures depth. An unknown device has the word of its file.
    pub fn type_name(&self) -> &str {
        self.kind.type_name()
    }

    /// The value of a key that its kind does not know.
    pub fn property(&self, key: &str) -> Option<&Property> {
        self.info.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl DeviceKind {
    /// The word for the kind; see [`Device::type_name`].
    pub fn type_name(&self) -> &str {
        match self {
            Self::AccelerationSensor(_) => "AccelerationSensor",
            Self::RateGyroSensor(_) => "RateGyroSensor",
            Self::Imu(_) => "Imu",
            Self::ForceSensor(_) => "ForceSensor",
            Self::Camera(_) => "Camera",
            Self::RangeCamera(_) => "RangeCamera",
            Self::RangeSensor(_) => "RangeSensor",
            Self::PointLight(_) => "PointLight",
            Self::SpotLight(_) => "SpotLight",
            Self::Holder(_) => "HolderDevice",
            Self::Attachment(_) => "AttachmentDevice",
            Self::Conveyor(_) => "Conveyor",
            Self::DigitalIo(_) => "DigitalIoDevice",
            Self::Marker(_) => "MarkerDevice",
            Self::Zmp => "ZmpDevice",
            Self::Other(word) => word,
        }
    }

    /// Whether a device is on when its file does not say: holders and attachments wait to be switched on.
    pub fn is_on_by_default(&self) -> bool {
        !matches!(self, Self::Holder(_) | Self::Attachment(_))
    }
}
