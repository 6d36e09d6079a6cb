mod body;
mod device;
mod extra_joint;
mod joint;
mod link;
mod mass_properties;
mod scenery;
mod self_collision;
mod side_by_side;

pub use body::{Body, JointIndex, JointSlot, LinkIndex, ModelFormat};
pub use device::{
    AccelerationSensor, Attachment, Attenuation, Camera, CameraView, Conveyor, ConveyorMotion, Device, DeviceKind,
    DigitalIo, ForceSensor, HoldCondition, Holder, Imu, LensType, Marker, MarkerShape, OpticalFrame, PointLight,
    Property, RangeCamera, RangeFormat, RangeSensor, RateGyroSensor, ScanAngles, SpotLight,
};
pub use extra_joint::{ExtraJoint, ExtraJointKind};
pub use joint::{ActuationMode, Joint, JointKind, Motor, Range};
pub(crate) use link::CONTINUOUS_TRACK;
pub use link::Link;
pub use mass_properties::MassProperties;
pub use scenery::{Scenery, SceneryKind};
pub use self_collision::{CollisionFilter, CollisionRule};
pub use side_by_side::Placed;
