//! All measurements in one MCAP file, which Foxglove and Rerun display without configuration.
//!
//! Messages are protocol buffers of Foxglove's published schemas, or of package `bunraku` where there is no such
//! schema. Their descriptions are in the file.

mod messages;
mod schema;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use ::mcap::records::MessageHeader;
use ::mcap::{McapError, WriteOptions, Writer};
use nalgebra::{Isometry3, Vector3};
use prost::Message;

use super::LogError;
use messages::{
    Color, CompressedImage, FrameTransform, FrameTransforms, Imu, Joints, LaserScan, PackedElementField, Point3,
    PointCloud, Pose, RawImage, SceneEntity, SceneUpdate, Stamp, TriangleListPrimitive, Wrench,
};

/// Root frame.
pub const WORLD: &str = "world";

/// Size of a chunk, bytes. Complete chunks can be read even if the run is killed.
const CHUNK: u64 = 1 << 20;

/// An MCAP file during writing. Times are s of the simulation.
pub struct McapLog<W: Write + Seek = BufWriter<File>> {
    writer: Option<Writer<W>>,
    path: PathBuf,
    /// Channel ID of each topic, and the number of its next message.
    channels: BTreeMap<String, (u16, u32)>,
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
    pub fn create(path: &Path) -> Result<Self, LogError> {
        let failed = |error: std::io::Error| LogError::File { path: path.to_owned(), reason: error.to_string() };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        Self::new(BufWriter::new(File::create(path).map_err(failed)?), path.to_owned())
    }
}

impl<W: Write + Seek> McapLog<W> {
    /// A log to a writer; `path` is its name in messages.
    ///
    /// # Errors
    /// If writing fails.
    pub fn new(writer: W, path: PathBuf) -> Result<Self, LogError> {
        let options = WriteOptions::new().compression(None).chunk_size(Some(CHUNK)).library("bunraku");
        match options.create(writer) {
            Ok(writer) => Ok(Self { writer: Some(writer), path, channels: BTreeMap::new() }),
            Err(error) => Err(LogError::File { path, reason: error.to_string() }),
        }
    }

    /// Writes world poses of frames (links, devices), as `foxglove.FrameTransforms` on `/tf`.
    ///
    /// # Errors
    /// If the file cannot be written. Nothing can be added after that, and the complete chunks remain readable. The
    /// same applies to the other functions.
    pub fn poses<'n>(
        &mut self,
        time: f64,
        poses: impl IntoIterator<Item = (&'n str, Isometry3<f64>)>,
    ) -> Result<(), LogError> {
        let timestamp = Some(Stamp::new(time));
        let transforms = poses.into_iter().map(|(name, pose)| FrameTransform::new(timestamp, WORLD, name, &pose));
        let message = FrameTransforms { transforms: transforms.collect() };
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
        let message = Imu {
            timestamp: Some(Stamp::new(time)),
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
        let message = Wrench {
            timestamp: Some(Stamp::new(time)),
            frame_id: frame.to_owned(),
            force: Some(reading.force.into()),
            torque: Some(reading.torque.into()),
        };
        self.add(topic, "bunraku.Wrench", time, &message)
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
        let message = Joints {
            timestamp: Some(Stamp::new(time)),
            names: names.to_vec(),
            displacements: displacements.to_vec(),
            velocities: velocities.to_vec(),
            efforts: efforts.to_vec(),
        };
        self.add(topic, "bunraku.Joints", time, &message)
    }

    /// Writes an image as PNG bytes. `frame` is the image frame: +X right, +Y down, +Z ahead.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn picture(&mut self, topic: &str, time: f64, frame: &str, png: Vec<u8>) -> Result<(), LogError> {
        let (timestamp, format) = (Some(Stamp::new(time)), "png".to_owned());
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
        let message = RawImage {
            timestamp: Some(Stamp::new(time)),
            width,
            height,
            encoding: "32FC1".to_owned(),
            step: width.saturating_mul(4),
            data: depths.iter().flat_map(|depth| depth.to_le_bytes()).collect(),
            frame_id: frame.to_owned(),
        };
        self.add(topic, "foxglove.RawImage", time, &message)
    }

    /// Writes points (m) in a frame, with colours if there is one for each.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn cloud(
        &mut self,
        topic: &str,
        time: f64,
        frame: &str,
        points: &[Vector3<f32>],
        colors: &[[u8; 3]],
    ) -> Result<(), LogError> {
        // IDs of Foxglove's numeric types.
        const UINT8: i32 = 1;
        const FLOAT32: i32 = 7;
        let colored = !colors.is_empty() && colors.len() == points.len();
        let field = |name: &str, offset: u32, kind: i32| PackedElementField { name: name.to_owned(), offset, kind };
        let mut fields = vec![field("x", 0, FLOAT32), field("y", 4, FLOAT32), field("z", 8, FLOAT32)];
        if colored {
            let names = ["red", "green", "blue", "alpha"];
            fields.extend(names.into_iter().zip(12..).map(|(name, offset)| field(name, offset, UINT8)));
        }
        let mut data = Vec::new();
        for (index, point) in points.iter().enumerate() {
            point.iter().for_each(|value| data.extend_from_slice(&value.to_le_bytes()));
            if colored {
                data.extend(colors.get(index).into_iter().flatten());
                data.push(u8::MAX);
            }
        }
        let message = PointCloud {
            timestamp: Some(Stamp::new(time)),
            frame_id: frame.to_owned(),
            pose: Some(Pose::new(&Isometry3::identity())),
            point_stride: if colored { 16 } else { 12 },
            fields,
            data,
        };
        self.add(topic, "foxglove.PointCloud", time, &message)
    }

    /// Writes one row of a scan: distances (m) at angles from `start` to `end` (rad), counter-clockwise about +Z of
    /// `origin`, a pose in `frame`, with 0 at +X.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn scan(
        &mut self,
        topic: &str,
        time: f64,
        (frame, origin): (&str, &Isometry3<f64>),
        distances: &[f64],
        (start_angle, end_angle): (f64, f64),
    ) -> Result<(), LogError> {
        let message = LaserScan {
            timestamp: Some(Stamp::new(time)),
            frame_id: frame.to_owned(),
            pose: Some(Pose::new(origin)),
            start_angle,
            end_angle,
            ranges: distances.to_vec(),
            intensities: Vec::new(),
        };
        self.add(topic, "foxglove.LaserScan", time, &message)
    }

    /// Writes the visual shape of a frame, such as a link. It moves with the frame and needs to be written only once.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn scene(&mut self, time: f64, frame: &str, surfaces: &[Surface]) -> Result<(), LogError> {
        let triangles = surfaces.iter().map(|Surface { points, color: [r, g, b, a] }| TriangleListPrimitive {
            pose: Some(Pose::new(&Isometry3::identity())),
            points: points.iter().map(|point| Point3::from(point.cast::<f64>())).collect(),
            color: Some(Color { r: *r, g: *g, b: *b, a: *a }),
        });
        let entity = SceneEntity {
            timestamp: Some(Stamp::new(time)),
            frame_id: frame.to_owned(),
            id: frame.to_owned(),
            frame_locked: true,
            triangles: triangles.collect(),
        };
        self.add("/scene", "foxglove.SceneUpdate", time, &SceneUpdate { entities: vec![entity] })
    }

    /// Ends the file with its index. Without the index it can still be read from the start.
    ///
    /// # Errors
    /// If the index cannot be written.
    pub fn finish(&mut self) -> Result<(), LogError> {
        let finished = self.writer.as_mut().map_or(Ok(()), |writer| writer.finish().map(|_| ()));
        finished.map_err(|error| self.broken(&error))?;
        self.writer = None;
        Ok(())
    }

    fn add(&mut self, topic: &str, schema: &str, time: f64, message: &impl Message) -> Result<(), LogError> {
        let added = self.try_add(topic, schema, time, &message.encode_to_vec());
        added.map_err(|error| self.broken(&error))
    }

    fn try_add(&mut self, topic: &str, schema: &str, time: f64, data: &[u8]) -> Result<(), McapError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        if !self.channels.contains_key(topic) {
            let schema = writer.add_schema(schema, "protobuf", &schema::descriptions())?;
            let channel = writer.add_channel(schema, topic, "protobuf", &BTreeMap::new())?;
            self.channels.insert(topic.to_owned(), (channel, 0));
        }
        if let Some((channel_id, sequence)) = self.channels.get_mut(topic) {
            let nanoseconds = messages::nanoseconds(time);
            let header = MessageHeader {
                channel_id: *channel_id,
                sequence: *sequence,
                log_time: nanoseconds,
                publish_time: nanoseconds,
            };
            *sequence = sequence.wrapping_add(1);
            writer.write_to_known_channel(&header, data)?;
        }
        Ok(())
    }

    /// Marks the file as failed.
    fn broken(&mut self, error: &McapError) -> LogError {
        self.writer = None;
        LogError::File { path: self.path.clone(), reason: error.to_string() }
    }
}
