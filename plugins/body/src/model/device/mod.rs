//! Sensors, lights and other equipment on links.

mod equipment;
mod light;
mod motion_sensor;
mod mounting;
mod range_sensor;
mod vision;

use nalgebra::Affine3;

use super::{LinkIndex, Property};

pub use equipment::{Attachment, Conveyor, ConveyorMotion, DigitalIo, HoldCondition, Holder, Marker, MarkerShape};
pub use light::{Attenuation, PointLight, SpotLight};
pub use motion_sensor::{AccelerationSensor, ForceSensor, Imu, RateGyroSensor};
pub use range_sensor::{MAX_RAYS, RangeSensor, ScanAngles};
pub use vision::{Camera, CameraView, LensType, OpticalFrame, RangeCamera, RangeFormat};

/// Sensor, light or other equipment on a link, as given in the file; all quantities in SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// Name; may be empty.
    pub name: String,
    /// Number that identifies it among devices of its kind, for controllers.
    pub id: Option<usize>,
    /// The link it is mounted on.
    pub link: LinkIndex,
    /// Transform from the device frame to the link frame. Rigid, unless an enclosing node of the file scales it.
    pub transform: Affine3<f64>,
    /// Whether it is initially on.
    pub enabled: bool,
    /// Kind, with kind-specific data.
    pub kind: DeviceKind,
    /// Unknown keys (for [`DeviceKind::Other`] all except the common ones), in file order.
    pub info: Vec<(String, Property)>,
}

/// Kind of a device.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceKind {
    /// Measures linear acceleration.
    AccelerationSensor(AccelerationSensor),
    /// Measures angular velocity.
    RateGyroSensor(RateGyroSensor),
    /// Measures linear acceleration and angular velocity.
    Imu(Imu),
    /// Measures force and torque.
    ForceSensor(ForceSensor),
    /// Takes colour images.
    Camera(Camera),
    /// Measures the distance in each pixel of an image.
    RangeCamera(RangeCamera),
    /// Measures distances along rays.
    RangeSensor(RangeSensor),
    /// Shines in all directions.
    PointLight(PointLight),
    /// Shines in a cone.
    SpotLight(SpotLight),
    /// Grips attachments.
    Holder(Holder),
    /// Attachment that holders can grip.
    Attachment(Attachment),
    /// Moves objects on its link.
    Conveyor(Conveyor),
    /// Digital signal lines.
    DigitalIo(DigitalIo),
    /// Visual marker.
    Marker(Marker),
    /// The zero moment point, displayed by a controller.
    Zmp,
    /// Unknown device, with the word after `type`: plugins of the original define their own.
    Other(String),
}

impl Device {
    /// Name of the kind, the same for all spellings of model files: `Imu` for `IMU`, `RangeCamera` for a `Camera` that
    /// measures depth. For an unknown device, the word in its file.
    pub fn type_name(&self) -> &str {
        self.kind.type_name()
    }

    /// Value of an unknown key.
    pub fn property(&self, key: &str) -> Option<&Property> {
        self.info.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl DeviceKind {
    /// Name of the kind; see [`Device::type_name`].
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

    /// Whether a device is on if its file does not specify it: holders and attachments are off until switched on.
    pub fn is_on_by_default(&self) -> bool {
        !matches!(self, Self::Holder(_) | Self::Attachment(_))
    }
}
