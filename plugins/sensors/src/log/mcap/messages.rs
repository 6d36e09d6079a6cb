//! The messages. Names and tags are those of Foxglove's published schemas, of which only the fields that are used are
//! declared; package `bunraku` has what these lack.

use nalgebra::Isometry3;
use prost::Message;

use super::protobuf::{Described, Description, FieldType, messages};

/// Converts a time in s to nanoseconds; NaN and negative times give 0.
pub fn nanoseconds(time: f64) -> u64 {
    // A cast of a float truncates and saturates, as required.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let nanoseconds = (time * 1e9).round() as u64;
    nanoseconds
}

messages! {
    package "google.protobuf", GOOGLE;

    #[derive(Copy, Eq)]
    Timestamp {
        seconds: i64 [int64] = 1,
        nanos: i32 [int32] = 2,
    }
}

messages! {
    package "foxglove", FOXGLOVE;

    #[derive(Copy)]
    Vector3 {
        x: f64 [double] = 1,
        y: f64 [double] = 2,
        z: f64 [double] = 3,
    }

    #[derive(Copy)]
    Point3 {
        x: f64 [double] = 1,
        y: f64 [double] = 2,
        z: f64 [double] = 3,
    }

    #[derive(Copy)]
    Quaternion {
        x: f64 [double] = 1,
        y: f64 [double] = 2,
        z: f64 [double] = 3,
        w: f64 [double] = 4,
    }

    #[derive(Copy)]
    Color {
        r: f64 [double] = 1,
        g: f64 [double] = 2,
        b: f64 [double] = 3,
        a: f64 [double] = 4,
    }

    #[derive(Copy)]
    Pose {
        position: Option<Vector3> [message, optional] = 1,
        orientation: Option<Quaternion> [message, optional] = 2,
    }

    FrameTransform {
        timestamp: Option<Timestamp> [message, optional] = 1,
        parent_frame_id: String [string] = 2,
        child_frame_id: String [string] = 3,
        translation: Option<Vector3> [message, optional] = 4,
        rotation: Option<Quaternion> [message, optional] = 5,
    }

    FrameTransforms {
        transforms: Vec<FrameTransform> [message, repeated] = 1,
    }

    CompressedImage {
        timestamp: Option<Timestamp> [message, optional] = 1,
        data: Vec<u8> [bytes = "vec"] = 2,
        format: String [string] = 3,
        frame_id: String [string] = 4,
    }

    RawImage {
        timestamp: Option<Timestamp> [message, optional] = 1,
        width: u32 [fixed32] = 2,
        height: u32 [fixed32] = 3,
        encoding: String [string] = 4,
        step: u32 [fixed32] = 5,
        data: Vec<u8> [bytes = "vec"] = 6,
        frame_id: String [string] = 7,
    }

    PointCloud {
        timestamp: Option<Timestamp> [message, optional] = 1,
        frame_id: String [string] = 2,
        pose: Option<Pose> [message, optional] = 3,
        point_stride: u32 [fixed32] = 4,
        fields: Vec<PackedElementField> [message, repeated] = 5,
        data: Vec<u8> [bytes = "vec"] = 6,
    }

    LaserScan {
        timestamp: Option<Timestamp> [message, optional] = 1,
        frame_id: String [string] = 2,
        pose: Option<Pose> [message, optional] = 3,
        start_angle: f64 [double] = 4,
        end_angle: f64 [double] = 5,
        ranges: Vec<f64> [double, repeated] = 6,
        intensities: Vec<f64> [double, repeated] = 7,
    }

    TriangleListPrimitive {
        pose: Option<Pose> [message, optional] = 1,
        points: Vec<Point3> [message, repeated] = 2,
        color: Option<Color> [message, optional] = 3,
        colors: Vec<Color> [message, repeated] = 4,
        indices: Vec<u32> [fixed32, repeated] = 5,
    }

    SceneEntity {
        timestamp: Option<Timestamp> [message, optional] = 1,
        frame_id: String [string] = 2,
        id: String [string] = 3,
        frame_locked: bool [bool] = 5,
        triangles: Vec<TriangleListPrimitive> [message, repeated] = 12,
    }

    SceneUpdate {
        entities: Vec<SceneEntity> [message, repeated] = 2,
    }

    #[allow(non_snake_case)]
    CameraCalibration {
        timestamp: Option<Timestamp> [message, optional] = 1,
        frame_id: String [string] = 9,
        width: u32 [fixed32] = 2,
        height: u32 [fixed32] = 3,
        distortion_model: String [string] = 4,
        D: Vec<f64> [double, repeated] = 5,
        K: Vec<f64> [double, repeated] = 6,
        R: Vec<f64> [double, repeated] = 7,
        P: Vec<f64> [double, repeated] = 8,
    }

    JointState {
        name: String [string] = 1,
        position: Option<f64> [double, optional] = 2,
        velocity: Option<f64> [double, optional] = 3,
        effort: Option<f64> [double, optional] = 5,
    }

    LocationFix {
        timestamp: Option<Timestamp> [message, optional] = 6,
        frame_id: String [string] = 7,
        latitude: f64 [double] = 1,
        longitude: f64 [double] = 2,
        altitude: f64 [double] = 3,
    }

    JointStates {
        timestamp: Option<Timestamp> [message, optional] = 1,
        joints: Vec<JointState> [message, repeated] = 2,
    }

    PackedElementField {
        name: String [string] = 1,
        offset: u32 [fixed32] = 2,
        r#type: i32 [int32] = 3,
    }
}

messages! {
    package "bunraku", BUNRAKU;

    Imu {
        timestamp: Option<Timestamp> [message, optional] = 1,
        frame_id: String [string] = 2,
        linear_acceleration: Option<Vector3> [message, optional] = 3,
        angular_velocity: Option<Vector3> [message, optional] = 4,
    }

    Wrench {
        timestamp: Option<Timestamp> [message, optional] = 1,
        frame_id: String [string] = 2,
        force: Option<Vector3> [message, optional] = 3,
        torque: Option<Vector3> [message, optional] = 4,
    }
}

messages! {
    package "bunraku";

    /// The fields with which all messages of the package begin.
    Header {
        timestamp: Option<Timestamp> [message, optional] = 1,
        frame_id: String [string] = 2,
    }
}

impl Timestamp {
    pub fn new(time: f64) -> Self {
        const SECOND: u64 = 1_000_000_000;
        let nanoseconds = nanoseconds(time);
        Self {
            seconds: i64::try_from(nanoseconds / SECOND).unwrap_or(i64::MAX),
            nanos: i32::try_from(nanoseconds % SECOND).unwrap_or(0),
        }
    }
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
    pub fn new(timestamp: Option<Timestamp>, parent: &str, child: &str, pose: &Isometry3<f64>) -> Self {
        Self {
            timestamp,
            parent_frame_id: parent.to_owned(),
            child_frame_id: child.to_owned(),
            translation: Some(pose.translation.vector.into()),
            rotation: Some(pose.rotation.into()),
        }
    }
}
