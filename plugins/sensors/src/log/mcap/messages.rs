//! Messages. Field numbers are those of Foxglove's published schemas; [`super::schema`] contains their descriptions.

use nalgebra::Isometry3;
use prost::Message;

/// Converts a time in s to nanoseconds; NaN and negative times give 0.
pub fn nanoseconds(time: f64) -> u64 {
    // A cast of a float truncates and saturates, as required.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let nanoseconds = (time * 1e9).round() as u64;
    nanoseconds
}

/// `google.protobuf.Timestamp`.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct Stamp {
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

impl Stamp {
    pub fn new(time: f64) -> Self {
        const SECOND: u64 = 1_000_000_000;
        let nanoseconds = nanoseconds(time);
        Self {
            seconds: i64::try_from(nanoseconds / SECOND).unwrap_or(i64::MAX),
            nanos: i32::try_from(nanoseconds % SECOND).unwrap_or(0),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Vector3 {
    #[prost(double, tag = "1")]
    pub x: f64,
    #[prost(double, tag = "2")]
    pub y: f64,
    #[prost(double, tag = "3")]
    pub z: f64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Point3 {
    #[prost(double, tag = "1")]
    pub x: f64,
    #[prost(double, tag = "2")]
    pub y: f64,
    #[prost(double, tag = "3")]
    pub z: f64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Quaternion {
    #[prost(double, tag = "1")]
    pub x: f64,
    #[prost(double, tag = "2")]
    pub y: f64,
    #[prost(double, tag = "3")]
    pub z: f64,
    #[prost(double, tag = "4")]
    pub w: f64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Color {
    #[prost(double, tag = "1")]
    pub r: f64,
    #[prost(double, tag = "2")]
    pub g: f64,
    #[prost(double, tag = "3")]
    pub b: f64,
    #[prost(double, tag = "4")]
    pub a: f64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Pose {
    #[prost(message, optional, tag = "1")]
    pub position: Option<Vector3>,
    #[prost(message, optional, tag = "2")]
    pub orientation: Option<Quaternion>,
}

#[derive(Clone, PartialEq, Message)]
pub struct FrameTransform {
    #[prost(message, optional, tag = "1")]
    pub timestamp: Option<Stamp>,
    #[prost(string, tag = "2")]
    pub parent_frame_id: String,
    #[prost(string, tag = "3")]
    pub child_frame_id: String,
    #[prost(message, optional, tag = "4")]
    pub translation: Option<Vector3>,
    #[prost(message, optional, tag = "5")]
    pub rotation: Option<Quaternion>,
}

#[derive(Clone, PartialEq, Message)]
pub struct FrameTransforms {
    #[prost(message, repeated, tag = "1")]
    pub transforms: Vec<FrameTransform>,
}

#[derive(Clone, PartialEq, Message)]
pub struct CompressedImage {
    #[prost(message, optional, tag = "1")]
    pub timestamp: Option<Stamp>,
    #[prost(bytes = "vec", tag = "2")]
    pub data: Vec<u8>,
    #[prost(string, tag = "3")]
    pub format: String,
    #[prost(string, tag = "4")]
    pub frame_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct RawImage {
    #[prost(message, optional, tag = "1")]
    pub timestamp: Option<Stamp>,
    #[prost(fixed32, tag = "2")]
    pub width: u32,
    #[prost(fixed32, tag = "3")]
    pub height: u32,
    #[prost(string, tag = "4")]
    pub encoding: String,
    #[prost(fixed32, tag = "5")]
    pub step: u32,
    #[prost(bytes = "vec", tag = "6")]
    pub data: Vec<u8>,
    #[prost(string, tag = "7")]
    pub frame_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct PackedElementField {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(fixed32, tag = "2")]
    pub offset: u32,
    #[prost(int32, tag = "3")]
    pub kind: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct PointCloud {
    #[prost(message, optional, tag = "1")]
    pub timestamp: Option<Stamp>,
    #[prost(string, tag = "2")]
    pub frame_id: String,
    #[prost(message, optional, tag = "3")]
    pub pose: Option<Pose>,
    #[prost(fixed32, tag = "4")]
    pub point_stride: u32,
    #[prost(message, repeated, tag = "5")]
    pub fields: Vec<PackedElementField>,
    #[prost(bytes = "vec", tag = "6")]
    pub data: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub struct LaserScan {
    #[prost(message, optional, tag = "1")]
    pub timestamp: Option<Stamp>,
    #[prost(string, tag = "2")]
    pub frame_id: String,
    #[prost(message, optional, tag = "3")]
    pub pose: Option<Pose>,
    #[prost(double, tag = "4")]
    pub start_angle: f64,
    #[prost(double, tag = "5")]
    pub end_angle: f64,
    #[prost(double, repeated, tag = "6")]
    pub ranges: Vec<f64>,
    #[prost(double, repeated, tag = "7")]
    pub intensities: Vec<f64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TriangleListPrimitive {
    #[prost(message, optional, tag = "1")]
    pub pose: Option<Pose>,
    #[prost(message, repeated, tag = "2")]
    pub points: Vec<Point3>,
    #[prost(message, optional, tag = "3")]
    pub color: Option<Color>,
}

#[derive(Clone, PartialEq, Message)]
pub struct SceneEntity {
    #[prost(message, optional, tag = "1")]
    pub timestamp: Option<Stamp>,
    #[prost(string, tag = "2")]
    pub frame_id: String,
    #[prost(string, tag = "3")]
    pub id: String,
    #[prost(bool, tag = "5")]
    pub frame_locked: bool,
    #[prost(message, repeated, tag = "12")]
    pub triangles: Vec<TriangleListPrimitive>,
}

#[derive(Clone, PartialEq, Message)]
pub struct SceneUpdate {
    #[prost(message, repeated, tag = "2")]
    pub entities: Vec<SceneEntity>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Imu {
    #[prost(message, optional, tag = "1")]
    pub timestamp: Option<Stamp>,
    #[prost(string, tag = "2")]
    pub frame_id: String,
    #[prost(message, optional, tag = "3")]
    pub linear_acceleration: Option<Vector3>,
    #[prost(message, optional, tag = "4")]
    pub angular_velocity: Option<Vector3>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Wrench {
    #[prost(message, optional, tag = "1")]
    pub timestamp: Option<Stamp>,
    #[prost(string, tag = "2")]
    pub frame_id: String,
    #[prost(message, optional, tag = "3")]
    pub force: Option<Vector3>,
    #[prost(message, optional, tag = "4")]
    pub torque: Option<Vector3>,
}

#[derive(Clone, PartialEq, Message)]
pub struct JointState {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(double, optional, tag = "2")]
    pub position: Option<f64>,
    #[prost(double, optional, tag = "3")]
    pub velocity: Option<f64>,
    #[prost(double, optional, tag = "5")]
    pub effort: Option<f64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct JointStates {
    #[prost(message, optional, tag = "1")]
    pub timestamp: Option<Stamp>,
    #[prost(message, repeated, tag = "2")]
    pub joints: Vec<JointState>,
}

#[derive(Clone, PartialEq, Message)]
pub struct CameraCalibration {
    #[prost(message, optional, tag = "1")]
    pub timestamp: Option<Stamp>,
    #[prost(string, tag = "9")]
    pub frame_id: String,
    #[prost(fixed32, tag = "2")]
    pub width: u32,
    #[prost(fixed32, tag = "3")]
    pub height: u32,
    #[prost(string, tag = "4")]
    pub distortion_model: String,
    /// `D`
    #[prost(double, repeated, tag = "5")]
    pub distortion: Vec<f64>,
    /// `K`
    #[prost(double, repeated, tag = "6")]
    pub intrinsic: Vec<f64>,
    /// `R`
    #[prost(double, repeated, tag = "7")]
    pub rectification: Vec<f64>,
    /// `P`
    #[prost(double, repeated, tag = "8")]
    pub projection: Vec<f64>,
}

impl From<nalgebra::Vector3<f64>> for Vector3 {
    fn from(vector: nalgebra::Vector3<f64>) -> Self {
        Self { x: vector.x, y: vector.y, z: vector.z }
    }
}

impl From<nalgebra::Vector3<f64>> for Point3 {
    fn from(vector: nalgebra::Vector3<f64>) -> Self {
        Self { x: vector.x, y: vector.y, z: vector.z }
    }
}

impl From<nalgebra::UnitQuaternion<f64>> for Quaternion {
    fn from(rotation: nalgebra::UnitQuaternion<f64>) -> Self {
        Self { x: rotation.i, y: rotation.j, z: rotation.k, w: rotation.w }
    }
}

impl Pose {
    pub fn new(pose: &Isometry3<f64>) -> Self {
        Self { position: Some(pose.translation.vector.into()), orientation: Some(pose.rotation.into()) }
    }
}

impl FrameTransform {
    pub fn new(timestamp: Option<Stamp>, parent: &str, child: &str, pose: &Isometry3<f64>) -> Self {
        Self {
            timestamp,
            parent_frame_id: parent.to_owned(),
            child_frame_id: child.to_owned(),
            translation: Some(pose.translation.vector.into()),
            rotation: Some(pose.rotation.into()),
        }
    }
}

/// Time and frame, with which all messages of package `bunraku` begin.
#[derive(Clone, PartialEq, Message)]
pub struct Header {
    #[prost(message, optional, tag = "1")]
    pub timestamp: Option<Stamp>,
    #[prost(string, tag = "2")]
    pub frame_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct LocationFix {
    #[prost(double, tag = "1")]
    pub latitude: f64,
    #[prost(double, tag = "2")]
    pub longitude: f64,
    #[prost(double, tag = "3")]
    pub altitude: f64,
    #[prost(message, optional, tag = "6")]
    pub timestamp: Option<Stamp>,
    #[prost(string, tag = "7")]
    pub frame_id: String,
}
