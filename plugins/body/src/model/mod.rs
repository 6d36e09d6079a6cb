mod body;
mod collision_rule;
mod collision_shape;
mod device;
mod extra_joint;
mod index;
mod joint;
mod joint_coupling;
mod link;
mod mass_properties;
mod perpendicular;
mod property;
mod rigid_parts;
mod scenery;
mod self_collision;
mod side_by_side;
mod unknown_name;

pub use body::{Body, ModelFormat};
pub use collision_rule::CollisionRule;
pub use collision_shape::CollisionShape;
pub use device::{
    AccelerationSensor, Attachment, Attenuation, Camera, CameraView, Conveyor, ConveyorMotion, Device, DeviceKind,
    DigitalIo, ForceSensor, HoldCondition, Holder, Imu, LensType, MAX_RAYS, Marker, MarkerShape, OpticalFrame,
    PointLight, RangeCamera, RangeFormat, RangeSensor, RateGyroSensor, ScanAngles, SpotLight,
};
pub use extra_joint::{ExtraJoint, ExtraJointKind, MOST_HELD};
pub use index::{JointId, JointIndex, JointSlot, LinkIndex};
pub use joint::{ActuationMode, Joint, JointKind, Motor, Range, SuggestedDynamics};
pub use joint_coupling::{COUPLING_COEFFICIENTS, CouplingError, JointCoupling};
pub(crate) use link::CONTINUOUS_TRACK;
pub use link::Link;
pub use mass_properties::MassProperties;
pub(crate) use perpendicular::PerpendicularColumns;
pub use property::Property;
pub use rigid_parts::{PartOfLink, RigidPart, RigidPartIndex, RigidParts};
pub use scenery::{Scenery, SceneryKind};
pub use self_collision::CollisionFilter;
pub use side_by_side::Placed;
pub use unknown_name::UnknownName;
