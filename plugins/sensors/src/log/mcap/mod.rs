//! All measurements in one MCAP file, which Foxglove displays without configuration.
//!
//! By default messages are protocol buffers of Foxglove's published schemas, or of package `bunraku` where there is no
//! such schema; with [`McapProfile::Ros2`] they are those of ROS 2. Their descriptions are in the file.

mod calibration;
mod file;
mod messages;
mod protobuf;
mod ros2;
mod ros2_only;
mod schema;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use bunraku_render::View;
use nalgebra::{Isometry3, Vector3};
use prost::Message;
use serde::{Deserialize, Serialize};

use super::LogError;
use super::cloud::{Cloud, FieldKind};
use super::encode_color_png;
use crate::{Values, ValuesKind};
use calibration::Calibration;
use file::McapFile;
use messages::{
    CameraCalibration, Color, CompressedImage, FrameTransform, FrameTransforms, Header, Imu, JointState, JointStates,
    LaserScan, LocationFix, PackedElementField, Point3, PointCloud, Pose, RawImage, SceneEntity, SceneUpdate,
    Timestamp, TriangleListPrimitive, Wrench,
};

pub use ros2::{Cdr, topic_name};
use ros2_only::TF_STATIC;

/// Root frame.
pub const WORLD: &str = "world";

/// Message types of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum McapProfile {
    /// Foxglove's schemas as protocol buffers.
    #[default]
    Foxglove,
    /// Standard messages of ROS 2, encoded as CDR, which `ros2 bag` and its libraries read. Topics have no characters
    /// that ROS 2 forbids.
    Ros2,
}

/// One row of a scan, for [`McapLog::scan`].
#[derive(Clone, Copy, Debug)]
pub struct ScanRow<'r> {
    /// Distances, m; +∞ without a hit.
    pub distances: &'r [f64],
    /// Intensities from 0 to 1; empty if they are not measured.
    pub intensities: &'r [f32],
    /// Angles of the first and the last distance, rad, counter-clockwise about +Z with 0 at +X.
    pub angles: [f64; 2],
    /// Smallest and largest distance that can be measured, m.
    pub limits: [f64; 2],
    /// Time from scan to scan, s.
    pub period: f64,
}

/// Receives topic, type and encoded message instead of a file; the header of the encoding is part of the message.
pub type MessageSink = Box<dyn FnMut(&str, &'static str, &[u8]) + Send + Sync>;

/// An MCAP file during writing. Times are s of the simulation.
pub struct McapLog<W: Write + Seek = File> {
    /// Absent after the end, after an error, and if messages go to `sink`.
    file: Option<McapFile<W>>,
    /// Receives the messages in place of a file.
    sink: Option<MessageSink>,
    path: PathBuf,
    profile: McapProfile,
    /// Channel ID of each topic.
    channels: BTreeMap<String, u16>,
    /// Topics in the file that differ from those in the calls.
    topics: BTreeMap<String, String>,
    /// ID of each schema.
    schemas: BTreeMap<&'static str, u16>,
}

/// Triangles of one colour, for [`McapLog::scene`].
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Three points for each triangle, m, in their frame.
    pub points: Vec<Vector3<f32>>,
    /// Red, green, blue and alpha (1 is opaque), sRGB from 0 to 1.
    pub color: [f64; 4],
}

impl McapLog {
    /// Creates a file, and its folder if it is missing.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path, profile: McapProfile) -> Result<Self, LogError> {
        let failed = |error: io::Error| LogError::File { path: path.to_owned(), reason: error.to_string() };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        Self::new(File::create(path).map_err(failed)?, path.to_owned(), profile)
    }

    /// A log without a file: `sink` receives the messages of ROS 2, for example to publish them.
    pub fn to_sink(sink: MessageSink) -> Self {
        Self {
            file: None,
            sink: Some(sink),
            path: PathBuf::new(),
            profile: McapProfile::Ros2,
            channels: BTreeMap::new(),
            topics: BTreeMap::new(),
            schemas: BTreeMap::new(),
        }
    }
}

impl<W: Write + Seek> McapLog<W> {
    /// A log to a writer; `path` is its name in messages.
    ///
    /// # Errors
    /// If writing fails.
    pub fn new(writer: W, path: PathBuf, profile: McapProfile) -> Result<Self, LogError> {
        let name = match profile {
            McapProfile::Foxglove => "",
            McapProfile::Ros2 => "ros2",
        };
        match McapFile::new(writer, name, "bunraku") {
            Ok(file) => Ok(Self {
                file: Some(file),
                sink: None,
                path,
                profile,
                channels: BTreeMap::new(),
                topics: BTreeMap::new(),
                schemas: BTreeMap::new(),
            }),
            Err(error) => Err(LogError::File { path, reason: error.to_string() }),
        }
    }

    /// The message types of the file.
    pub fn profile(&self) -> McapProfile {
        self.profile
    }

    fn is_ros2(&self) -> bool {
        self.profile == McapProfile::Ros2
    }

    /// Writes poses of frames (links, devices), each in its parent, as `foxglove.FrameTransforms` on `/tf`: name of
    /// the parent ([`WORLD`] for a root), name, and pose.
    ///
    /// # Errors
    /// If the file cannot be written. Nothing can be added after that, and the complete chunks remain readable. The
    /// same applies to the other functions.
    pub fn poses<'n>(
        &mut self,
        time: f64,
        poses: impl IntoIterator<Item = (&'n str, &'n str, Isometry3<f64>)>,
    ) -> Result<(), LogError> {
        if self.is_ros2() {
            return self.add_ros2("/tf", time, ros2::poses(time, poses));
        }
        let timestamp = Some(Timestamp::new(time));
        let transform = |(parent, name, pose): (&str, &str, _)| FrameTransform::new(timestamp, parent, name, &pose);
        let message = FrameTransforms { transforms: poses.into_iter().map(transform).collect() };
        self.add("/tf", "foxglove.FrameTransforms", time, &message)
    }

    /// Writes a reading of an IMU, gyro or acceleration sensor in the frame `frame`.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn imu(
        &mut self,
        topic: &str,
        time: f64,
        frame: &str,
        acceleration: Option<Vector3<f64>>,
        angular_velocity: Option<Vector3<f64>>,
    ) -> Result<(), LogError> {
        if self.is_ros2() {
            return self.add_ros2(topic, time, ros2::imu(time, frame, acceleration, angular_velocity));
        }
        let message = Imu {
            timestamp: Some(Timestamp::new(time)),
            frame_id: frame.to_owned(),
            linear_acceleration: acceleration.map(Into::into),
            angular_velocity: angular_velocity.map(Into::into),
        };
        self.add(topic, "bunraku.Imu", time, &message)
    }

    /// Writes a reading of a force sensor in the frame `frame`.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn wrench(
        &mut self,
        topic: &str,
        time: f64,
        frame: &str,
        reading: &crate::ForceReading,
    ) -> Result<(), LogError> {
        if self.is_ros2() {
            return self.add_ros2(topic, time, ros2::wrench(time, frame, reading));
        }
        let message = Wrench {
            timestamp: Some(Timestamp::new(time)),
            frame_id: frame.to_owned(),
            force: Some(reading.force.into()),
            torque: Some(reading.torque.into()),
        };
        self.add(topic, "bunraku.Wrench", time, &message)
    }

    /// Writes a reading of a few numbers in the frame `frame`, as the message of package `bunraku` that is named after
    /// its device type, or as the messages of ROS 2 for it.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn values(&mut self, topic: &str, time: f64, frame: &str, values: &Values) -> Result<(), LogError> {
        if self.is_ros2() {
            let mut messages = ros2::values(time, frame, values).into_iter();
            return messages.try_for_each(|(end, message)| self.add_ros2(&format!("{topic}{end}"), time, message));
        }
        /// Type of a field of eight bytes.
        const DOUBLE: i32 = 1;
        let mut bytes = Header { timestamp: Some(Timestamp::new(time)), frame_id: frame.to_owned() }.encode_to_vec();
        for (tag, value) in (schema::FIRST_VALUE..).zip(&values.numbers) {
            bytes.extend(u8::try_from(tag << 3 | DOUBLE).ok());
            bytes.extend(value.to_le_bytes());
        }
        let schema = match values.kind {
            ValuesKind::Encoder => "bunraku.Encoder",
            ValuesKind::LinearEncoder => "bunraku.LinearEncoder",
            ValuesKind::Magnetometer => "bunraku.Magnetometer",
            ValuesKind::Gnss => "bunraku.Gnss",
            ValuesKind::Barometer => "bunraku.Barometer",
            ValuesKind::TouchSensor => "bunraku.TouchSensor",
        };
        self.add_bytes(topic, schema, time, &bytes)
    }

    /// Writes latitude and longitude, °, and height above the ellipsoid, m, of the frame `frame`. With ROS 2,
    /// [`values`](Self::values) writes them.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn location(&mut self, topic: &str, time: f64, frame: &str, place: [f64; 3]) -> Result<(), LogError> {
        if self.is_ros2() {
            return Ok(());
        }
        let [latitude, longitude, altitude] = place;
        let (timestamp, frame_id) = (Some(Timestamp::new(time)), frame.to_owned());
        let message = LocationFix { latitude, longitude, altitude, timestamp, frame_id };
        self.add(topic, "foxglove.LocationFix", time, &message)
    }

    /// Writes the state of joints by name: displacements (rad or m), velocities and efforts; a list may be empty.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn joints(
        &mut self,
        topic: &str,
        time: f64,
        names: &[String],
        [displacements, velocities, efforts]: [&[f64]; 3],
    ) -> Result<(), LogError> {
        if self.is_ros2() {
            return self.add_ros2(topic, time, ros2::joints(time, names, [displacements, velocities, efforts]));
        }
        let joint = |(index, name): (usize, &String)| JointState {
            name: name.clone(),
            position: displacements.get(index).copied(),
            velocity: velocities.get(index).copied(),
            effort: efforts.get(index).copied(),
        };
        let message = JointStates {
            timestamp: Some(Timestamp::new(time)),
            joints: names.iter().enumerate().map(joint).collect(),
        };
        self.add(topic, "foxglove.JointStates", time, &message)
    }

    /// Writes size and lens of a camera whose images are in `frame`; nothing for a lens for which there is no model.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn calibration(&mut self, topic: &str, time: f64, frame: &str, view: &View) -> Result<(), LogError> {
        let Some(calibration) = Calibration::new(view) else { return Ok(()) };
        let size = (view.width, view.height);
        if self.is_ros2() {
            return self.add_ros2(topic, time, ros2::calibration(time, frame, &calibration, size));
        }
        let projection = calibration.projection().to_vec();
        let Calibration { model, distortion, intrinsic } = calibration;
        let message = CameraCalibration {
            timestamp: Some(Timestamp::new(time)),
            frame_id: frame.to_owned(),
            width: view.width,
            height: view.height,
            distortion_model: model.to_owned(),
            D: distortion,
            K: intrinsic.to_vec(),
            R: Calibration::RECTIFICATION.to_vec(),
            P: projection,
        };
        self.add(topic, "foxglove.CameraCalibration", time, &message)
    }

    /// Writes an image, row by row from the upper left, red, green and blue (sRGB): as PNG, or with ROS 2 as it is.
    /// `frame` is the image frame: +X right, +Y down, +Z ahead.
    ///
    /// # Errors
    /// As [`poses`](Self::poses), and if the number of pixels differs from the size.
    pub fn picture(
        &mut self,
        topic: &str,
        time: f64,
        frame: &str,
        pixels: &[[u8; 3]],
        (width, height): (u32, u32),
    ) -> Result<(), LogError> {
        if self.is_ros2() {
            let data = pixels.as_flattened();
            return self.add_ros2(topic, time, ros2::image(time, frame, ("rgb8", 3), data, (width, height)));
        }
        let png = encode_color_png(&self.path, pixels, width, height)?;
        let (timestamp, format) = (Some(Timestamp::new(time)), "png".to_owned());
        let message = CompressedImage { timestamp, data: png, format, frame_id: frame.to_owned() };
        self.add(topic, "foxglove.CompressedImage", time, &message)
    }

    /// Writes the depths (m) of an image, row by row from the upper left, as a `32FC1` image.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn depth(
        &mut self,
        topic: &str,
        time: f64,
        frame: &str,
        depths: &[f32],
        (width, height): (u32, u32),
    ) -> Result<(), LogError> {
        let data: Vec<u8> = depths.iter().flat_map(|depth| depth.to_le_bytes()).collect();
        if self.is_ros2() {
            return self.add_ros2(topic, time, ros2::image(time, frame, ("32FC1", 4), &data, (width, height)));
        }
        let message = RawImage {
            timestamp: Some(Timestamp::new(time)),
            width,
            height,
            encoding: "32FC1".to_owned(),
            step: width.saturating_mul(4),
            data,
            frame_id: frame.to_owned(),
        };
        self.add(topic, "foxglove.RawImage", time, &message)
    }

    /// Writes points in a frame; lists that do not have a value for each point are left out.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn cloud(&mut self, topic: &str, time: f64, frame: &str, cloud: &Cloud<'_>) -> Result<(), LogError> {
        let points = cloud.points;
        let cloud = if cloud.is_sound() { *cloud } else { Cloud { points, ..Cloud::default() } };
        if self.is_ros2() {
            return self.add_ros2(topic, time, ros2::cloud(time, frame, &cloud));
        }
        // IDs and sizes of Foxglove's numeric types.
        const UINT8: (i32, u32) = (1, 1);
        const UINT16: (i32, u32) = (3, 2);
        const FLOAT32: (i32, u32) = (7, 4);
        let (mut fields, mut stride) = (Vec::new(), 0);
        let mut field = |name: &str, (kind, size): (i32, u32)| {
            fields.push(PackedElementField { name: name.to_owned(), offset: stride, r#type: kind });
            stride += size;
        };
        ["x", "y", "z"].into_iter().for_each(|name| field(name, FLOAT32));
        if !cloud.colors.is_empty() {
            ["red", "green", "blue", "alpha"].into_iter().for_each(|name| field(name, UINT8));
        }
        for (name, kind) in cloud.fields() {
            field(name, if kind == FieldKind::Float { FLOAT32 } else { UINT16 });
        }
        let mut data = Vec::with_capacity(points.len() * stride as usize);
        for (index, point) in points.iter().enumerate() {
            point.iter().for_each(|value| data.extend_from_slice(&value.to_le_bytes()));
            if let Some(color) = cloud.colors.get(index) {
                data.extend(color.iter().chain([&u8::MAX]));
            }
            cloud.push_fields(index, &mut data);
        }
        let message = PointCloud {
            timestamp: Some(Timestamp::new(time)),
            frame_id: frame.to_owned(),
            pose: Some(Pose::new(&Isometry3::identity())),
            point_stride: stride,
            fields,
            data,
        };
        self.add(topic, "foxglove.PointCloud", time, &message)
    }

    /// Writes one row of a scan, whose angles are about the axes of `origin`, a pose in `frame`. With ROS 2 the frame
    /// itself has these axes, see [`scan_frame`].
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn scan(
        &mut self,
        topic: &str,
        time: f64,
        (frame, origin): (&str, &Isometry3<f64>),
        row: &ScanRow<'_>,
    ) -> Result<(), LogError> {
        if self.is_ros2() {
            return self.add_ros2(topic, time, ros2::scan(time, &scan_frame(frame), row));
        }
        let ScanRow { distances, angles: [start_angle, end_angle], .. } = *row;
        let message = LaserScan {
            timestamp: Some(Timestamp::new(time)),
            frame_id: frame.to_owned(),
            pose: Some(Pose::new(origin)),
            start_angle,
            end_angle,
            ranges: distances.to_vec(),
            intensities: Vec::new(),
        };
        self.add(topic, "foxglove.LaserScan", time, &message)
    }

    /// Writes the visual shapes of all frames, such as links, in one message, because players show the last message
    /// of a topic only. Shapes move with their frames. ROS 2 has no message for them.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn scene<'n>(
        &mut self,
        time: f64,
        frames: impl IntoIterator<Item = (&'n str, &'n [Surface])>,
    ) -> Result<(), LogError> {
        if self.is_ros2() {
            return Ok(());
        }
        let triangles = |Surface { points, color: [r, g, b, a] }: &Surface| TriangleListPrimitive {
            pose: Some(Pose::new(&Isometry3::identity())),
            points: points.iter().map(|point| Point3::from(point.cast::<f64>())).collect(),
            color: Some(Color { r: *r, g: *g, b: *b, a: *a }),
            ..TriangleListPrimitive::default()
        };
        let entity = |(frame, surfaces): (&str, &[Surface])| SceneEntity {
            timestamp: Some(Timestamp::new(time)),
            frame_id: frame.to_owned(),
            id: frame.to_owned(),
            frame_locked: true,
            triangles: surfaces.iter().map(triangles).collect(),
        };
        let message = SceneUpdate { entities: frames.into_iter().map(entity).collect() };
        self.add("/scene", "foxglove.SceneUpdate", time, &message)
    }

    /// Ends the file with its index. Without the index it can still be read from the start, up to the last whole chunk.
    ///
    /// # Errors
    /// If the index cannot be written.
    pub fn finish(&mut self) -> Result<(), LogError> {
        let finished = self.file.as_mut().map_or(Ok(()), McapFile::finish);
        finished.map_err(|error| self.broken(&error))?;
        self.file = None;
        Ok(())
    }

    fn add(&mut self, topic: &str, schema: &'static str, time: f64, message: &impl Message) -> Result<(), LogError> {
        self.add_bytes(topic, schema, time, &message.encode_to_vec())
    }

    fn add_bytes(&mut self, topic: &str, schema: &'static str, time: f64, message: &[u8]) -> Result<(), LogError> {
        if let Some(sink) = &mut self.sink {
            sink(topic, schema, message);
            return Ok(());
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        let channel = match self.channels.get(topic) {
            Some(channel) => *channel,
            None => {
                let (encodings, description) = match self.profile {
                    McapProfile::Foxglove => (["protobuf"; 2], schema::descriptions()),
                    McapProfile::Ros2 => (["ros2msg", "cdr"], ros2::definition(schema).into_bytes()),
                };
                let add_schema = || file.add_schema(schema, encodings[0], &description);
                let schema = *self.schemas.entry(schema).or_insert_with(add_schema);
                let metadata = if topic == TF_STATIC { &[("offered_qos_profiles", ros2::LATCHED)][..] } else { &[] };
                let channel = file.add_channel(schema, topic, encodings[1], metadata);
                self.channels.insert(topic.to_owned(), channel);
                channel
            }
        };
        let added = file.add_message(channel, messages::nanoseconds(time), message);
        added.map_err(|error| self.broken(&error))
    }

    /// Marks the file as failed.
    fn broken(&mut self, error: &io::Error) -> LogError {
        self.file = None;
        LogError::File { path: self.path.clone(), reason: error.to_string() }
    }
}

/// The frame of the scans of a sensor with ROS 2: straight ahead is +X, left is +Y.
pub fn scan_frame(sensor: &str) -> String {
    format!("{sensor}/scan")
}
