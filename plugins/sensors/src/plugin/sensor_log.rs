//! Log files of sensors.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bunraku_body::{Device, DeviceKind};
use bunraku_simulation::{RecordingRewind, SimulationClock, SimulationFault, SimulationStatus};
use nalgebra::Vector3;

use super::body_sensors::SensorModel;
use super::reading::{Measurement, Sample, SensorReading};
use crate::log::{
    Cloud, Column, IndexLog, LogError, VectorLog, write_color_png, write_depth_png, write_npy, write_ply, write_truth,
};
use crate::{CameraReading, Quantity, Scan, Scanner, SensorKind, ValuesKind};

/// Writes the measurements of its sensor entity: a table for vectors, or an index and one or more files for each
/// sample. See [`crate::log`] for the files.
#[derive(Component, Debug)]
pub struct SensorLog {
    files: Files,
    path: PathBuf,
    is_broken: bool,
    /// Range sensor whose clouds are written.
    scanner: Option<Scanner>,
}

#[derive(Debug)]
enum Files {
    Table(VectorLog),
    Samples {
        folder: PathBuf,
        index: IndexLog,
        /// Names of device and body, for the comments of files.
        frame: String,
    },
}

/// File layout for a kind of sensor.
enum Layout {
    /// Columns of a table.
    Table(Vec<Column>),
    /// Names of the file columns of an index.
    Samples(&'static [&'static str]),
}

impl SensorLog {
    /// Path of the log of a device with this label: its table, or the index of its samples.
    pub fn path(folder: &Path, label: &str, device: &Device) -> Option<PathBuf> {
        match layout(device)? {
            Layout::Table(_) => Some(folder.join(format!("{label}.csv"))),
            Layout::Samples(_) => Some(folder.join(label).join("index.csv")),
        }
    }

    /// Whether a folder is that of an earlier log: its index begins as ours.
    pub fn is_folder(folder: &Path) -> bool {
        let index = std::fs::File::open(folder.join("index.csv")).map(BufReader::new);
        let mut lines = index.into_iter().flat_map(|index| index.take(LONGEST_HEAD).lines()).map_while(Result::ok);
        lines.next().is_some_and(|columns| columns.starts_with(IndexLog::COLUMNS))
    }

    /// Whether a file with this name in the folder of an earlier log belongs to it.
    pub fn is_sample(name: &str) -> bool {
        let digits = name.bytes().take_while(u8::is_ascii_digit).count();
        let is_numbered = digits >= SAMPLE_DIGITS && SAMPLE_ENDS.contains(&name[digits..].trim_start_matches('.'));
        is_numbered || name == "index.csv" || ANGLES.contains(&name)
    }

    /// Creates a log in `folder`, which is that of the sensor's body; `body` is its name.
    ///
    /// # Errors
    /// If a file cannot be created.
    pub fn create(folder: &Path, body: &str, device: &Device, model: &SensorModel) -> Result<Option<Self>, LogError> {
        let label = model.label();
        let (Some(path), Some(layout)) = (Self::path(folder, label, device), layout(device)) else { return Ok(None) };
        let scanner = match &model.sensor().kind {
            SensorKind::Range(scanner) if scanner.has_cloud() => Some((**scanner).clone()),
            _ => None,
        };
        let files = match layout {
            Layout::Table(columns) => Files::Table(VectorLog::create(&path, &columns)?),
            Layout::Samples(files) => {
                let clouds = ["scan", "points"];
                let index = IndexLog::create(&path, if scanner.is_some() { &clouds } else { files })?;
                if let SensorKind::Range(scanner) = &model.sensor().kind
                    && !scanner.has_pattern()
                {
                    for (name, angles) in ANGLES.iter().zip([scanner.yaw(), scanner.pitch()]) {
                        let angles: Vec<f64> = (0..angles.samples()).map(|sample| angles.angle(sample)).collect();
                        write_npy(&folder.join(label).join(name), &angles, angles.len(), 1)?;
                    }
                }
                Files::Samples { folder: folder.join(label), index, frame: format!("{body}/{label}") }
            }
        };
        Ok(Some(Self { files, path, is_broken: false, scanner }))
    }

    /// Writes buffered data; returns the path of the table or index, and whether it is complete.
    ///
    /// # Errors
    /// If rows cannot be written; those before are kept.
    pub fn finish(mut self) -> Result<(PathBuf, bool), (PathBuf, LogError)> {
        match &mut self.files {
            Files::Table(table) => match table.flush() {
                Ok(()) => Ok((self.path, !self.is_broken)),
                Err(error) => Err((self.path, error)),
            },
            Files::Samples { .. } => Ok((self.path, !self.is_broken)),
        }
    }

    fn record(&mut self, sample: &Sample) -> Result<(), LogError> {
        match (&mut self.files, &sample.measurement) {
            (Files::Table(table), Measurement::Values(values)) => table.push(sample.time, &values.numbers),
            (Files::Table(table), measurement) => {
                let (numbers, count) = vectors(measurement);
                table.push(sample.time, &numbers[..count])
            }
            (Files::Samples { folder, index, frame }, Measurement::Range(scan)) => {
                let Scan { yaw_samples, pitch_samples, returns, distances, .. } = &**scan;
                let name = file_name(sample.number, "npy");
                write_npy(&folder.join(&name), distances, *yaw_samples, *pitch_samples * *returns)?;
                let Some(scanner) = &self.scanner else {
                    return index.push(sample.number, sample.time, &sample.pose, &[&name]);
                };
                let cloud = file_name(sample.number, "ply");
                let comment = format!("time {} s, frame {frame}", sample.time);
                write_ply(&folder.join(&cloud), &ScanCloud::new(scanner, scan).view(), &comment)?;
                index.push(sample.number, sample.time, &sample.pose, &[&name, &cloud])
            }
            (Files::Samples { folder, index, frame }, Measurement::Camera(taken)) => {
                let comment = format!("time {} s, frame {frame}", sample.time);
                let names = write_picture(folder, sample.number, taken, &comment)?;
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                index.push(sample.number, sample.time, &sample.pose, &names)
            }
            (Files::Samples { .. }, _) => Ok(()),
        }
    }
}

/// Points of a scan in the form of files.
pub(super) struct ScanCloud {
    points: Vec<Vector3<f32>>,
    intensities: Vec<f32>,
    rings: Vec<u16>,
    times: Vec<f32>,
}

impl ScanCloud {
    /// Hit points. Intensities are empty if they are not measured.
    pub fn new(scanner: &Scanner, scan: &Scan) -> Self {
        let points = scanner.cloud(scan);
        let intensities = points.iter().map(|point| point.intensity).collect();
        Self {
            intensities: if scanner.has_intensity() { intensities } else { Vec::new() },
            points: points.iter().map(|point| point.position.cast()).collect(),
            rings: points.iter().map(|point| point.ring).collect(),
            times: points.iter().map(|point| point.time as f32).collect(),
        }
    }

    /// The points with their data.
    pub fn view(&self) -> Cloud<'_> {
        let Self { points, intensities, rings, times } = self;
        Cloud { points, colors: &[], intensities, rings, times }
    }
}

/// Largest size of the two lines at the beginning of an index, bytes.
const LONGEST_HEAD: u64 = 1 << 16;

/// Files with the angles of the columns and rows of scans, rad.
const ANGLES: [&str; 2] = ["yaw.npy", "pitch.npy"];

/// Ends of the names of samples.
const SAMPLE_ENDS: [&str; 8] = ["png", "npy", "mm.png", "ply", "labels.png", "boxes.csv", "normals.npy", "flow.npy"];

/// Minimum number of digits in the name of a sample's file.
const SAMPLE_DIGITS: usize = 6;

fn file_name(sample: u64, extension: &str) -> String {
    format!("{sample:0SAMPLE_DIGITS$}.{extension}")
}

/// Writes the files of an image, in the order of the columns of [`layout`].
fn write_picture(folder: &Path, sample: u64, taken: &CameraReading, comment: &str) -> Result<Vec<String>, LogError> {
    let CameraReading { width, height, colors, points, depths, truth } = taken;
    write_truth(folder, file_name(sample, "").trim_end_matches('.'), truth)?;
    let mut names = Vec::new();
    let mut name = |extension: &str| {
        let name = file_name(sample, extension);
        let path = folder.join(&name);
        names.push(name);
        path
    };
    let is_cloud = depths.is_empty() && !(points.is_empty() && colors.len() == *width as usize * *height as usize);
    if is_cloud {
        write_ply(&name("ply"), &Cloud { points, colors, ..Cloud::default() }, comment)?;
        return Ok(names);
    }
    if !colors.is_empty() {
        write_color_png(&name("png"), colors, *width, *height)?;
    }
    if !depths.is_empty() {
        write_npy(&name("npy"), depths, *width as usize, *height as usize)?;
        write_depth_png(&name("mm.png"), depths, *width, *height)?;
    }
    Ok(names)
}

/// Components of the at most two vectors of a measurement, and their number.
fn vectors(measurement: &Measurement) -> ([f64; 6], usize) {
    let none = Vector3::zeros();
    let (first, second, count) = match measurement {
        Measurement::Acceleration(value) | Measurement::AngularVelocity(value) => (value, &none, 3),
        Measurement::Imu { acceleration, angular_velocity } => (acceleration, angular_velocity, 6),
        Measurement::Force(reading) => (&reading.force, &reading.torque, 6),
        Measurement::Values(_) | Measurement::Range(_) | Measurement::Camera(_) => (&none, &none, 0),
    };
    ([first.x, first.y, first.z, second.x, second.y, second.z], count)
}

/// File layout of a device; `None` if it is not a sensor.
fn layout(device: &Device) -> Option<Layout> {
    let columns = |groups: &[(&str, &str)]| {
        let column =
            |name: &str, unit: &str, axis: &str| Column { name: format!("{name}{axis}"), unit: unit.to_owned() };
        let axes = ["x", "y", "z"];
        groups.iter().flat_map(|(name, unit)| axes.map(|axis| column(name, unit, axis))).collect()
    };
    let (acceleration, spin) = (("a", "m/s^2"), ("w", "rad/s"));
    Some(match &device.kind {
        DeviceKind::AccelerationSensor(_) => Layout::Table(columns(&[acceleration])),
        DeviceKind::RateGyroSensor(_) => Layout::Table(columns(&[spin])),
        DeviceKind::Imu(_) => Layout::Table(columns(&[acceleration, spin])),
        DeviceKind::ForceSensor(_) => Layout::Table(columns(&[("f", "N"), ("t", "N*m")])),
        DeviceKind::RangeSensor(_) => Layout::Samples(&["scan"]),
        DeviceKind::Camera(_) => Layout::Samples(&["color"]),
        DeviceKind::RangeCamera(camera) => match (camera.format.has_color(), camera.format.is_organized()) {
            (false, true) => Layout::Samples(&["depth", "depth_mm"]),
            (true, true) => Layout::Samples(&["color", "depth", "depth_mm"]),
            (_, false) => Layout::Samples(&["points"]),
        },
        DeviceKind::Other(word) => {
            let kind = ValuesKind::of_device_type(word)?;
            let column =
                |quantity: &Quantity| Column { name: quantity.name.to_owned(), unit: quantity.unit.to_owned() };
            Layout::Table(kind.quantities().iter().map(column).collect())
        }
        _ => return None,
    })
}

/// Writes the measurements of this step. A log that cannot continue stops the simulation, because continuing would lose
/// data that the user requested.
pub(super) fn record(
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut sensors: Query<(&SensorReading, &mut SensorLog)>,
) {
    if !matches!(*status, SimulationStatus::Running) {
        return;
    }
    for (SensorReading(reading), mut log) in &mut sensors {
        let Some(sample) = reading.as_ref().filter(|sample| sample.time == clock.time()) else { continue };
        if let Err(error) = log.record(sample) {
            log.is_broken = true;
            *status = failed(&clock, &error);
            return;
        }
    }
}

/// Discards measurements after the restored step.
pub(super) fn rewind(
    rewind: On<RecordingRewind>,
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut logs: Query<&mut SensorLog>,
) {
    for mut log in &mut logs {
        let cut = match &mut log.files {
            Files::Table(table) => table.cut_after(rewind.time),
            Files::Samples { index, .. } => index.cut_after(rewind.time),
        };
        if let Err(error) = cut {
            log.is_broken = true;
            *status = failed(&clock, &error);
        }
    }
}

/// Completes the log of a sensor that is despawned.
pub(super) fn finish_with_sensor(
    gone: On<Despawn, SensorLog>,
    mut logs: Query<&mut SensorLog>,
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
) {
    if let Ok(mut log) = logs.get_mut(gone.entity)
        && let Files::Table(table) = &mut log.files
        && let Err(error) = table.flush()
        && matches!(*status, SimulationStatus::Running)
    {
        *status = failed(&clock, &error);
    }
}

pub(super) fn failed(clock: &SimulationClock, error: &LogError) -> SimulationStatus {
    let message = format!("the recording of sensors failed: {error}");
    SimulationStatus::Failed(SimulationFault { time: clock.time(), message })
}
