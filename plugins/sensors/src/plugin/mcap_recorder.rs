//! Recording of a simulation as one MCAP file.

use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, BodyState, DeviceKind, Drive, JointIndex, Link};
use bunraku_physics::JointReadings;
use bunraku_simulation::{RecordingRewind, SimulationClock, SimulationStatus};
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};

use super::body_sensors::{SensorEntities, SensorModel};
use super::reading::{Measurement, Sample, SensorReading};
use super::sensor_log::failed;
use crate::SensorKind;
use crate::log::{LogError, McapLog, Surface, encode_color_png};

/// Writes poses and joints of all bodies, their visual shapes, and all measurements to an MCAP file.
///
/// Frames are named `<body>/<link>` and `<body>/<link>/<device>`, that of an image `<body>/<link>/<device>/optical`;
/// topics `/<body>/joints` and `/<body>/<device>`. Scans with several rows are point clouds.
#[derive(Resource)]
pub struct McapRecorder {
    log: McapLog,
    path: PathBuf,
    steps_per_frame: u64,
    /// Bodies whose links are described, and the number of links.
    described: Vec<Entity>,
    is_broken: bool,
}

impl McapRecorder {
    /// Creates a file with poses and joints every `steps_per_frame` steps (at least 1).
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path, steps_per_frame: u64) -> Result<Self, LogError> {
        let log = McapLog::create(path)?;
        Ok(Self {
            log,
            path: path.to_owned(),
            steps_per_frame: steps_per_frame.max(1),
            described: Vec::new(),
            is_broken: false,
        })
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

    fn body(&mut self, time: f64, body: &Recorded<'_>, is_frame: bool) -> Result<(), LogError> {
        let Recorded { entity, name, model, drive, state, readings } = body;
        let is_new = !self.described.contains(entity);
        if is_new {
            self.described.push(*entity);
        } else if !is_frame || *drive == Drive::Static {
            return Ok(());
        }
        let frames: Vec<String> = model.links().iter().map(|link| link_frame(name, link)).collect();
        self.log.poses(time, frames.iter().map(String::as_str).zip(state.link_poses.iter().copied()))?;
        if is_new {
            for (frame, link) in frames.iter().zip(model.links()) {
                let surfaces = surfaces(link);
                if !surfaces.is_empty() {
                    self.log.scene(time, frame, &surfaces)?;
                }
            }
        }
        if model.num_joints() > 0 {
            let names: Vec<String> =
                (0..model.num_joints()).map(|joint| model.joint_name(JointIndex(joint)).to_owned()).collect();
            let efforts = readings.map_or(&[][..], JointReadings::efforts);
            let values = [&state.displacements[..], &state.velocities[..], efforts];
            self.log.joints(&format!("/{name}/joints"), time, &names, values)?;
        }
        Ok(())
    }

    fn sample(&mut self, name: &str, body: &Body, model: &SensorModel, sample: &Sample) -> Result<(), LogError> {
        let (sensor, time) = (model.sensor(), sample.time);
        let frame = format!("{}/{}", link_frame(name, body.link(sensor.link)), model.label());
        let topic = format!("/{name}/{}", model.label());
        self.log.poses(time, [(frame.as_str(), sample.pose)])?;
        match (&sample.measurement, &sensor.kind) {
            (Measurement::Acceleration(value), _) => self.log.imu(&topic, time, &frame, Some(*value), None),
            (Measurement::AngularVelocity(value), _) => self.log.imu(&topic, time, &frame, None, Some(*value)),
            (Measurement::Imu { acceleration, angular_velocity }, _) => {
                self.log.imu(&topic, time, &frame, Some(*acceleration), Some(*angular_velocity))
            }
            (Measurement::Force(reading), _) => self.log.wrench(&topic, time, &frame, reading),
            (Measurement::Range(scan), SensorKind::Range(scanner)) => {
                let DeviceKind::RangeSensor(model) = &body.devices[sensor.device].kind else { return Ok(()) };
                if scan.pitch_samples == 1 && model.pitch.angle(0) == 0.0 {
                    // Straight ahead is −Z of the optical frame, left is −X, up is +Y; in the message they are +X, +Y
                    // and +Z.
                    let axes = Matrix3::from_columns(&[-Vector3::z(), -Vector3::x(), Vector3::y()]);
                    let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
                    let origin = Isometry3::from_parts(Default::default(), model.optical_rotation * turn);
                    let last = model.yaw.angle(scan.yaw_samples - 1);
                    let angles = (model.yaw.angle(0), last);
                    return self.log.scan(&topic, time, (frame.as_str(), &origin), &scan.distances, angles);
                }
                let points: Vec<_> = scanner.points(scan).iter().map(|point| point.cast::<f32>()).collect();
                self.log.cloud(&topic, time, &frame, &points, &[])
            }
            (Measurement::Camera(taken), SensorKind::Camera(camera)) => {
                let size = (taken.width, taken.height);
                let is_picture = taken.points.is_empty() || !taken.depths.is_empty();
                if is_picture {
                    let optical = format!("{frame}/optical");
                    // +Y down and +Z ahead.
                    let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
                    let link = sample.pose * sensor.mounting.inverse();
                    self.log.poses(time, [(optical.as_str(), camera.optical_pose(&link) * turn)])?;
                    if taken.colors.len() == taken.width as usize * taken.height as usize {
                        let png = encode_color_png(&self.path, &taken.colors, taken.width, taken.height)?;
                        self.log.picture(&format!("{topic}/color"), time, &optical, png)?;
                    }
                    if !taken.depths.is_empty() {
                        self.log.depth(&format!("{topic}/depth"), time, &optical, &taken.depths, size)?;
                    }
                }
                if !taken.points.is_empty() {
                    self.log.cloud(&format!("{topic}/points"), time, &frame, &taken.points, &taken.colors)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
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
}

fn link_frame(body: &str, link: &Link) -> String {
    format!("{body}/{}", link.name)
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

type RecordedBody<'a> =
    (Entity, &'a Name, &'a BodyModel, &'a Drive, &'a BodyState, Option<&'a JointReadings>, Option<&'a SensorEntities>);

/// Writes the data of this step.
pub(super) fn record(
    recorder: Option<ResMut<McapRecorder>>,
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    bodies: Query<RecordedBody<'_>>,
    sensors: Query<(&SensorModel, &SensorReading)>,
) {
    let Some(mut recorder) = recorder else { return };
    if recorder.is_broken || !matches!(*status, SimulationStatus::Running) {
        return;
    }
    let is_frame = clock.step().is_multiple_of(recorder.steps_per_frame);
    let mut sorted: Vec<_> = bodies.iter().collect();
    sorted.sort_unstable_by_key(|body| body.0);
    for (entity, name, BodyModel(model), drive, state, readings, entities) in sorted {
        let body = Recorded { entity, name, model, drive: *drive, state, readings };
        let mut written = recorder.body(clock.time(), &body, is_frame);
        for sensor in entities.into_iter().flat_map(SensorEntities::iter) {
            let Ok((sensor, SensorReading(Some(sample)))) = sensors.get(sensor) else { continue };
            if written.is_ok() && sample.time == clock.time() {
                written = recorder.sample(name, model, sensor, sample);
            }
        }
        if let Err(error) = written {
            recorder.is_broken = true;
            *status = failed(&clock, &error);
            return;
        }
    }
}

/// The format does not support truncation: the file ends at the first restored snapshot.
pub(super) fn rewind(rewind: On<RecordingRewind>, recorder: Option<ResMut<McapRecorder>>) {
    if let Some(mut recorder) = recorder.filter(|recorder| !recorder.is_broken) {
        recorder.is_broken = true;
        log::warn!("the simulation goes back to {} s, and an MCAP file cannot: it ends here", rewind.time);
    }
}
