//! Recording of a simulation as one MCAP file.

use std::path::{Path, PathBuf};

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bunraku_body::dynamics::Twist;
use bunraku_body::{Body, BodyModel, BodyState, DeviceKind, Drive, JointIndex, JointKind, Link, RangeSensor};
use bunraku_physics::{JointReadings, LinkMotions};
use bunraku_simulation::{RecordingRewind, SimulationClock, SimulationStatus};
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};

use super::body_sensors::{SensorEntities, SensorModel};
use super::reading::{Measurement, Sample, SensorReading};
use super::sensor_log::{ScanCloud, failed};
use crate::log::{Cloud, LogError, McapLog, McapProfile, MessageSink, ScanRow, Surface, WORLD, scan_frame};
use crate::{Scanner, Sensor, SensorKind, ValuesKind};

/// Writes poses and joints of all bodies, their visual shapes, and all measurements to an MCAP file.
///
/// Frames are named `<body>/<link>` and `<body>/<link>/<device>`, that of an image `<body>/<link>/<device>/optical`. The
/// parent of a root is the world, that of any other link its parent in the model. Topics are `/<body>/joints` and
/// `/<body>/<device>`. Scans with several rows are point clouds, and all scans are also points on
/// `/<body>/<device>/points`.
///
/// With [`McapProfile::Ros2`] the messages and the names of topics are those of ROS 2, `/clock` is written with the
/// poses, poses that never change are on `/tf_static`, and there are no shapes.
#[derive(Resource)]
pub struct McapRecorder {
    log: McapLog,
    path: PathBuf,
    steps_per_frame: u64,
    /// Bodies whose shapes are in the file.
    described: Vec<Entity>,
    odometry: Option<Odometry>,
    is_broken: bool,
}

impl McapRecorder {
    /// Creates a file with poses and joints every `steps_per_frame` steps (at least 1).
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path, steps_per_frame: u64, profile: McapProfile) -> Result<Self, LogError> {
        Ok(Self::new(McapLog::create(path, profile)?, path.to_owned(), steps_per_frame))
    }

    fn new(log: McapLog, path: PathBuf, steps_per_frame: u64) -> Self {
        Self {
            log,
            path,
            steps_per_frame: steps_per_frame.max(1),
            described: Vec::new(),
            odometry: None,
            is_broken: false,
        }
    }

    /// Adds the odometry of a body: with [`McapProfile::Ros2`] its root is in the frame `frame`, which is where the body starts, upright,
    /// and its pose and twist are on `topic`.
    pub fn with_odometry(mut self, body: Entity, topic: &str, frame: &str) -> Self {
        self.odometry = Some(Odometry { body, topic: topic.to_owned(), frame: frame.to_owned(), start: None });
        self
    }

    /// Ends the file; returns its path, and whether it is complete.
    ///
    /// # Errors
    /// If its end cannot be written; the data before it can be read.
    pub fn finish(mut self) -> Result<(PathBuf, bool), (PathBuf, LogError)> {
        match self.log.finish() {
            Ok(()) => Ok((self.path, !self.is_broken)),
            Err(error) => Err((self.path, error)),
        }
    }

    fn step(&mut self, time: f64, bodies: &[Recorded<'_>], is_frame: bool) -> Result<(), LogError> {
        let is_new = |body: &Recorded<'_>, described: &[Entity]| !described.contains(&body.entity);
        let new: Vec<bool> = bodies.iter().map(|body| is_new(body, &self.described)).collect();
        if is_frame || new.contains(&true) || bodies.iter().any(|body| body.has_scanned(time)) {
            self.log.clock(time)?;
            self.poses(time, bodies, new.contains(&true))?;
            self.odometry(time, bodies)?;
        }
        self.shapes(time, bodies)?;
        for (body, is_new) in bodies.iter().zip(new) {
            if is_new || is_frame && body.drive != Drive::Static {
                self.joints(time, body)?;
            }
            for (sensor, sample) in body.samples(time) {
                self.sample(body.name, body.model, sensor, sample)?;
            }
        }
        Ok(())
    }

    /// Writes the visual shapes of all bodies if some of them are new.
    fn shapes(&mut self, time: f64, bodies: &[Recorded<'_>]) -> Result<(), LogError> {
        if bodies.iter().all(|body| self.described.contains(&body.entity)) {
            return Ok(());
        }
        self.described = bodies.iter().map(|body| body.entity).collect();
        let links = bodies.iter().flat_map(|body| body.model.links().iter().map(|link| (body.name, link)));
        let shapes: Vec<_> = links.map(|(name, link)| (link_frame(name, link), surfaces(link))).collect();
        let shown = shapes.iter().filter(|(_, surfaces)| !surfaces.is_empty());
        self.log.scene(time, shown.map(|(frame, surfaces)| (frame.as_str(), surfaces.as_slice())))
    }

    /// Writes the poses of all frames in one message, because players that seek find the last message only; with ROS 2 those
    /// that never change in another, if bodies are new.
    fn poses(&mut self, time: f64, bodies: &[Recorded<'_>], has_new: bool) -> Result<(), LogError> {
        let is_ros2 = self.log.profile() == McapProfile::Ros2;
        if let Some(odometry) = &mut self.odometry {
            odometry.start(bodies);
        }
        let odometry = self.odometry.as_ref().filter(|_| is_ros2);
        let scans = bodies.iter().filter(|_| is_ros2).flat_map(Recorded::scan_frames);
        let frames = bodies.iter().flat_map(|body| body.frames(odometry)).chain(scans);
        let (fixed, moving): (Vec<_>, Vec<_>) =
            frames.chain(odometry.and_then(Odometry::frame)).partition(|frame| is_ros2 && frame.is_constant);
        if has_new {
            self.log.static_poses(time, fixed.iter().map(Frame::parts))?;
        }
        self.log.poses(time, moving.iter().map(Frame::parts))
    }

    fn odometry(&mut self, time: f64, bodies: &[Recorded<'_>]) -> Result<(), LogError> {
        let Some(Odometry { body, topic, frame, start: Some(start) }) = &self.odometry else { return Ok(()) };
        let Some(body) = bodies.iter().find(|recorded| recorded.entity == *body) else { return Ok(()) };
        let Some(pose) = body.state.link_poses.first() else { return Ok(()) };
        let twist = body.motions.and_then(|motions| motions.twists().first()).copied().unwrap_or(Twist::ZERO);
        let own = |vector: Vector3<f64>| pose.inverse_transform_vector(&vector);
        let twist = Twist { linear: own(twist.linear), angular: own(twist.angular) };
        let root = link_frame(body.name, body.model.root());
        self.log.odometry(topic, time, (frame, &root), &start.inv_mul(pose), &twist)
    }

    fn joints(&mut self, time: f64, body: &Recorded<'_>) -> Result<(), LogError> {
        let Recorded { name, model, state, readings, .. } = body;
        if model.num_joints() == 0 {
            return Ok(());
        }
        let names: Vec<String> =
            (0..model.num_joints()).map(|joint| model.joint_name(JointIndex(joint)).to_owned()).collect();
        let efforts = readings.map_or(&[][..], JointReadings::efforts);
        let values = [&state.displacements[..], &state.velocities[..], efforts];
        self.log.joints(&format!("/{name}/{}", self.ends().joints), time, &names, values)
    }

    fn sample(&mut self, name: &str, body: &Body, model: &SensorModel, sample: &Sample) -> Result<(), LogError> {
        let (sensor, time) = (model.sensor(), sample.time);
        let frame = device_frame(name, body, model);
        let topic = format!("/{name}/{}", model.label());
        match (&sample.measurement, &sensor.kind) {
            (Measurement::Acceleration(value), _) => self.log.imu(&topic, time, &frame, Some(*value), None),
            (Measurement::AngularVelocity(value), _) => self.log.imu(&topic, time, &frame, None, Some(*value)),
            (Measurement::Imu { acceleration, angular_velocity }, _) => {
                self.log.imu(&topic, time, &frame, Some(*acceleration), Some(*angular_velocity))
            }
            (Measurement::Force(reading), _) => self.log.wrench(&topic, time, &frame, reading),
            (Measurement::Values(values), _) => {
                if let (ValuesKind::Gnss, [latitude, longitude, altitude, ..]) = (values.kind, &values.numbers[..]) {
                    let place = [*latitude, *longitude, *altitude];
                    self.log.location(&format!("{topic}/fix"), time, &frame, place)?;
                }
                self.log.values(&topic, time, &frame, values)
            }
            (Measurement::Range(scan), SensorKind::Range(scanner)) => {
                let cloud = ScanCloud::new(scanner, scan);
                let DeviceKind::RangeSensor(model) = &body.devices[sensor.device].kind else { return Ok(()) };
                if is_fan(scanner, model) {
                    let strongest = 0..scan.yaw_samples;
                    let row = ScanRow {
                        distances: scan.distances.get(strongest.clone()).unwrap_or_default(),
                        intensities: scan.intensities.get(strongest).unwrap_or_default(),
                        angles: [0, scan.yaw_samples - 1].map(|sample| model.yaw.angle(sample)),
                        limits: [model.min_distance, model.max_distance],
                        period: 1.0 / model.scan_rate,
                    };
                    self.log.scan(&topic, time, (frame.as_str(), &scan_origin(model)), &row)?;
                }
                self.log.cloud(&format!("{topic}/points"), time, &frame, &cloud.view())
            }
            (Measurement::Camera(taken), SensorKind::Camera(camera)) => {
                let size = (taken.width, taken.height);
                let is_picture = taken.points.is_empty() || !taken.depths.is_empty();
                if is_picture {
                    let optical = format!("{frame}/optical");
                    let ends = self.ends();
                    self.log.calibration(&format!("{topic}/{}", ends.calibration), time, &optical, camera.view())?;
                    if taken.colors.len() == taken.width as usize * taken.height as usize {
                        self.log.picture(&format!("{topic}/{}", ends.color), time, &optical, &taken.colors, size)?;
                    }
                    if !taken.depths.is_empty() {
                        self.log.depth(&format!("{topic}/{}", ends.depth), time, &optical, &taken.depths, size)?;
                    }
                }
                if !taken.points.is_empty() {
                    let cloud = Cloud { points: &taken.points, colors: &taken.colors, ..Cloud::default() };
                    self.log.cloud(&format!("{topic}/points"), time, &frame, &cloud)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Ends of the topics that differ between profiles.
struct TopicEnds {
    joints: &'static str,
    calibration: &'static str,
    color: &'static str,
    depth: &'static str,
}

impl McapRecorder {
    fn ends(&self) -> TopicEnds {
        match self.log.profile() {
            McapProfile::Foxglove => {
                TopicEnds { joints: "joints", calibration: "calibration", color: "color", depth: "depth" }
            }
            // As ROS's drivers of cameras call them.
            McapProfile::Ros2 => TopicEnds {
                joints: "joint_states",
                calibration: "camera_info",
                color: "image_raw",
                depth: "depth/image_raw",
            },
        }
    }
}

/// Whether the scans of a sensor are one level row at an instant.
fn is_fan(scanner: &Scanner, model: &RangeSensor) -> bool {
    let is_level_row = model.pitch.samples() == 1 && model.pitch.angle(0) == 0.0;
    !scanner.is_rolling() && !scanner.has_pattern() && is_level_row
}

/// The axes of scans in the frame of their sensor: straight ahead is −Z of the optical frame, left is −X, up is +Y; in
/// messages they are +X, +Y and +Z.
fn scan_origin(model: &RangeSensor) -> Isometry3<f64> {
    let axes = Matrix3::from_columns(&[-Vector3::z(), -Vector3::x(), Vector3::y()]);
    let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    Isometry3::from_parts(Default::default(), model.optical_rotation * turn)
}

/// The odometry of a body.
struct Odometry {
    body: Entity,
    topic: String,
    frame: String,
    /// Pose of the frame in the world: where the body was in the first step, with +Z up.
    start: Option<Isometry3<f64>>,
}

impl Odometry {
    fn start(&mut self, bodies: &[Recorded<'_>]) {
        let body = bodies.iter().find(|recorded| recorded.entity == self.body);
        if let (None, Some(pose)) = (self.start, body.and_then(|body| body.state.link_poses.first())) {
            let ahead = pose.rotation * Vector3::x();
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), libm::atan2(ahead.y, ahead.x));
            self.start = Some(Isometry3::from_parts(pose.translation, turn));
        }
    }

    fn frame(&self) -> Option<Frame> {
        Some(Frame::constant(WORLD.to_owned(), self.frame.clone(), self.start?))
    }
}

/// A frame in its parent.
struct Frame {
    parent: String,
    name: String,
    pose: Isometry3<f64>,
    /// Whether the pose never changes.
    is_constant: bool,
}

impl Frame {
    fn constant(parent: String, name: String, pose: Isometry3<f64>) -> Self {
        Self { parent, name, pose, is_constant: true }
    }

    fn parts(&self) -> (&str, &str, Isometry3<f64>) {
        (&self.parent, &self.name, self.pose)
    }
}

/// Recorded state of a body.
struct Recorded<'a> {
    entity: Entity,
    name: &'a str,
    model: &'a Body,
    drive: Drive,
    state: &'a BodyState,
    readings: Option<&'a JointReadings>,
    motions: Option<&'a LinkMotions>,
    sensors: Vec<(&'a SensorModel, &'a SensorReading)>,
}

impl Recorded<'_> {
    /// The frames of the links and devices of the body.
    fn frames(&self, odometry: Option<&Odometry>) -> Vec<Frame> {
        let Self { name, model, state, .. } = self;
        let start = odometry.filter(|odometry| odometry.body == self.entity);
        let links = model.links().iter().zip(&state.link_poses).map(|(link, pose)| {
            let (parent, pose) = match (link.parent, start) {
                (Some(parent), _) => (link_frame(name, model.link(parent)), state.link_pose(parent).inv_mul(pose)),
                (None, Some(Odometry { frame, start: Some(start), .. })) => (frame.clone(), start.inv_mul(pose)),
                (None, _) => (WORLD.to_owned(), *pose),
            };
            let is_constant = link.parent.is_some() && link.joint.kind == JointKind::Fixed;
            Frame { parent, name: link_frame(name, link), pose, is_constant }
        });
        let devices = self.sensors.iter().flat_map(|(sensor, _)| {
            let Sensor { link, mounting, kind, .. } = sensor.sensor();
            let frame = device_frame(name, model, sensor);
            let optical = match kind {
                SensorKind::Camera(camera) => {
                    // +Y down and +Z ahead.
                    let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
                    let pose = mounting.inv_mul(&camera.optical_pose(&Isometry3::identity())) * turn;
                    Some(Frame::constant(frame.clone(), format!("{frame}/optical"), pose))
                }
                _ => None,
            };
            let device = Frame::constant(link_frame(name, model.link(*link)), frame, *mounting);
            std::iter::once(device).chain(optical)
        });
        links.chain(devices).collect()
    }

    /// The frames of scans with ROS 2, whose messages have no pose.
    fn scan_frames(&self) -> Vec<Frame> {
        let scan = |sensor: &SensorModel| {
            let Sensor { device, kind: SensorKind::Range(scanner), .. } = sensor.sensor() else { return None };
            let DeviceKind::RangeSensor(model) = &self.model.devices.get(*device)?.kind else { return None };
            let frame = device_frame(self.name, self.model, sensor);
            let scan = || Frame::constant(frame.clone(), scan_frame(&frame), scan_origin(model));
            is_fan(scanner, model).then(scan)
        };
        self.sensors.iter().filter_map(|(sensor, _)| scan(sensor)).collect()
    }

    /// The samples of a step.
    fn samples(&self, time: f64) -> impl Iterator<Item = (&SensorModel, &Sample)> {
        self.sensors.iter().filter_map(move |(sensor, SensorReading(sample))| {
            Some((*sensor, sample.as_ref().filter(|sample| sample.time == time)?))
        })
    }

    /// Whether a sensor whose data are shown at its pose has measured in a step.
    fn has_scanned(&self, time: f64) -> bool {
        let is_placed =
            |(_, sample): (_, &Sample)| matches!(sample.measurement, Measurement::Range(_) | Measurement::Camera(_));
        self.samples(time).any(is_placed)
    }
}

fn link_frame(body: &str, link: &Link) -> String {
    format!("{body}/{}", link.name)
}

fn device_frame(name: &str, body: &Body, sensor: &SensorModel) -> String {
    format!("{}/{}", link_frame(name, body.link(sensor.sensor().link)), sensor.label())
}

/// Visual shapes of a link, each in one colour.
fn surfaces(link: &Link) -> Vec<Surface> {
    let surface = |shape: &bunraku_body::Shape| {
        let mesh = shape.geometry.triangles();
        let corner = |vertex: &u32| mesh.vertices.get(*vertex as usize).copied();
        let corners = mesh.triangles.iter().filter_map(|triangle| {
            let corners = triangle.each_ref().map(corner);
            corners.iter().all(Option::is_some).then_some(corners)
        });
        let transformed = |point: Point3<f32>| (shape.transform * point.cast::<f64>()).coords.cast::<f32>();
        let points = corners.flatten().flatten().map(transformed).collect();
        let color = shape.appearance.diffuse;
        Surface { points, color: [color.x, color.y, color.z, 1.0 - shape.appearance.transparency] }
    };
    link.visual.iter().map(surface).filter(|surface| !surface.points.is_empty()).collect()
}

/// Passes on the messages that an MCAP file with [`McapProfile::Ros2`] would contain, as the simulation runs.
#[derive(Resource)]
pub struct MessagePublisher(McapRecorder);

impl MessagePublisher {
    /// Passes messages to `sink`: poses and joints every `steps_per_frame` steps (at least 1), and all measurements.
    pub fn new(steps_per_frame: u64, sink: MessageSink) -> Self {
        Self(McapRecorder::new(McapLog::to_sink(sink), PathBuf::new(), steps_per_frame))
    }

    /// Adds the odometry of a body, as [`McapRecorder::with_odometry`].
    pub fn with_odometry(self, body: Entity, topic: &str, frame: &str) -> Self {
        Self(self.0.with_odometry(body, topic, frame))
    }
}

type RecordedBody<'a> = (
    Entity,
    &'a Name,
    (&'a BodyModel, &'a Drive, &'a BodyState),
    (Option<&'a JointReadings>, Option<&'a LinkMotions>),
    Option<&'a SensorEntities>,
);

/// The bodies of a simulation and their measurements, in the order of their entities.
#[derive(SystemParam)]
pub(super) struct RecordedBodies<'w, 's> {
    bodies: Query<'w, 's, RecordedBody<'static>>,
    sensors: Query<'w, 's, (&'static SensorModel, &'static SensorReading)>,
}

impl RecordedBodies<'_, '_> {
    fn sorted(&self) -> Vec<Recorded<'_>> {
        let mut sorted: Vec<_> = self.bodies.iter().collect();
        sorted.sort_unstable_by_key(|body| body.0);
        sorted.into_iter().map(|body| self.recorded(body)).collect()
    }

    fn recorded<'a>(&'a self, body: RecordedBody<'a>) -> Recorded<'a> {
        let (entity, name, (BodyModel(model), drive, state), (readings, motions), entities) = body;
        let entities = entities.into_iter().flat_map(SensorEntities::iter);
        let sensors = entities.filter_map(|sensor| self.sensors.get(sensor).ok()).collect();
        Recorded { entity, name, model, drive: *drive, state, readings, motions, sensors }
    }
}

impl McapRecorder {
    fn add_step(&mut self, clock: &SimulationClock, bodies: &RecordedBodies<'_, '_>) -> Result<(), LogError> {
        let is_frame = clock.step().is_multiple_of(self.steps_per_frame);
        self.step(clock.time(), &bodies.sorted(), is_frame)
    }
}

/// Writes the data of this step.
pub(super) fn record(
    mut recorder: ResMut<McapRecorder>,
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    bodies: RecordedBodies<'_, '_>,
) {
    if recorder.is_broken || !matches!(*status, SimulationStatus::Running) {
        return;
    }
    if let Err(error) = recorder.add_step(&clock, &bodies) {
        recorder.is_broken = true;
        *status = failed(&clock, &error);
    }
}

/// Passes on the data of this step.
pub(super) fn publish(
    mut publisher: ResMut<MessagePublisher>,
    clock: Res<SimulationClock>,
    status: Res<SimulationStatus>,
    bodies: RecordedBodies<'_, '_>,
) {
    if matches!(*status, SimulationStatus::Running) {
        // Only files fail.
        let _ = publisher.0.add_step(&clock, &bodies);
    }
}

/// The format does not support truncation: the file ends at the first restored snapshot.
pub(super) fn rewind(rewind: On<RecordingRewind>, recorder: Option<ResMut<McapRecorder>>) {
    if let Some(mut recorder) = recorder.filter(|recorder| !recorder.is_broken) {
        recorder.is_broken = true;
        log::warn!("the simulation goes back to {} s, and an MCAP file cannot: it ends here", rewind.time);
    }
}
