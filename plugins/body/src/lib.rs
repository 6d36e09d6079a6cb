//! Body models: robots and other objects such as boxes and floors.
//!
//! - [`Body`]: links in a tree, their [`Joint`]s, mass properties, [`Shape`]s and [`Device`]s;
//! - [`load`]: reads a model file (`.body`, OpenHRP `.wrl`, a mesh) into a [`Body`];
//! - [`write()`]: writes a [`Body`] as a `.body` file;
//! - [`kinematics`]: poses of the links for given joint displacements;
//! - with the feature `bevy` (on by default): `BodyPlugin`, which spawns a body's links as entities;
//! - with the feature `assets`: `BodyAsset`, model files as Bevy assets;
//! - with the feature `visuals`: `visuals::BodyVisualsPlugin`, which renders spawned bodies in apps with a renderer.
//!
//! All quantities are in SI units (m, kg, s, rad) and f64. The pose of a link frame is that of its parent times `offset
//! · joint motion`; the joint axis is given in the link's own frame.

// Sines and the like are those of `libm`, so that results have the same bits everywhere.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// No bytes of a file make a reader panic or lose digits: `get` and patterns instead of indices.
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod contact_materials;
pub mod dynamics;
pub mod kinematics;
mod model;
mod plausibility;
mod reader;
mod writer;

#[cfg(feature = "assets")]
mod asset;
#[cfg(feature = "bevy")]
mod bevy_math;
#[cfg(feature = "bevy")]
mod commands;
#[cfg(feature = "bevy")]
mod plugin;
#[cfg(feature = "bevy")]
mod robot;
#[cfg(feature = "bevy")]
mod spawn;
#[cfg(feature = "bevy")]
mod state;
#[cfg(feature = "visuals")]
pub mod visuals;

#[cfg(feature = "assets")]
pub use asset::{BodyAsset, BodyAssetError, BodyAssetLoader, BodyFile};
#[cfg(feature = "bevy")]
pub use bevy_math::{ToBevy, ToNalgebra};
pub use bunraku_mesh::{Appearance, Geometry, Shape};
#[cfg(feature = "bevy")]
pub use commands::{Actuation, JointActuation, JointEfforts, JointTargets};
pub use contact_materials::{ContactCulling, ContactMaterials, ContactProperties};
pub use model::{
    AccelerationSensor, ActuationMode, Attachment, Attenuation, Body, COUPLING_COEFFICIENTS, Camera, CameraView,
    CollisionFilter, CollisionRule, CollisionShape, Conveyor, ConveyorMotion, CouplingError, Device, DeviceKind,
    DigitalIo, ExtraJoint, ExtraJointKind, ForceSensor, HoldCondition, Holder, Imu, Joint, JointCoupling, JointId,
    JointIndex, JointKind, JointSlot, LensType, Link, LinkIndex, MAX_RAYS, MOST_HELD, Marker, MarkerShape,
    MassProperties, ModelFormat, Motor, OpticalFrame, PartOfLink, Placed, PointLight, Property, Range, RangeCamera,
    RangeFormat, RangeSensor, RateGyroSensor, RigidPart, RigidPartIndex, RigidParts, ScanAngles, Scenery, SceneryKind,
    SpotLight, SuggestedDynamics, UnknownName,
};
pub use plausibility::{Implausibility, ImplausibilityKind};
#[cfg(feature = "bevy")]
pub use plugin::BodyPlugin;
pub use reader::{ExtraJointForm, LoadOptions, load, read};
#[cfg(feature = "bevy")]
pub use robot::{Robot, RobotItem, RobotReadOnly, RobotReadOnlyItem};
#[cfg(feature = "bevy")]
pub use spawn::{BodyLinks, BodyModel, BodySpawned, Drive, LinkNumber, LinkOf, spawn_body};
#[cfg(feature = "bevy")]
pub use state::BodyState;
pub use writer::{WriteOptions, WrittenFile, WrittenModel, write, write_mjcf, write_urdf};
