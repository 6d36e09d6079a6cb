//! Messages of ROS 2: their names, definitions and encoding. Frames, axes and units follow REP 103 and REP 105.

mod cdr;
mod definitions;

use bunraku_body::dynamics::Twist;
use nalgebra::{Isometry3, Vector3};

use super::ScanRow;
use super::calibration::Calibration;
use super::messages::Timestamp;
use crate::log::cloud::{Cloud, FieldKind};
use crate::{ForceReading, Values, ValuesKind};
pub use cdr::Cdr;

pub use definitions::definition;

/// Name of a message type and an encoded message.
pub type Encoded = (&'static str, Vec<u8>);

/// Types of the fields of points: `UINT16`, `UINT32` and `FLOAT32` of `sensor_msgs/PointField`.
const UINT16: (u8, u32) = (4, 2);
const UINT32: (u8, u32) = (6, 4);
const FLOAT32: (u8, u32) = (7, 4);

/// First number of a covariance of values that are not measured.
const NOT_MEASURED: f64 = -1.0;

/// Quality of service of a topic whose last message also reaches later subscribers, as rosbag2 has it in a file: it keeps
/// the last message, is reliable, and its durability is that of the publisher.
pub const LATCHED: &str = "- history: 1\n  depth: 1\n  reliability: 1\n  durability: 1\n  deadline:\n    sec: 9223372036\n    nsec: 854775807\n  \
     lifespan:\n    sec: 9223372036\n    nsec: 854775807\n  liveliness: 1\n  liveliness_lease_duration:\n    sec: 9223372036\n    \
     nsec: 854775807\n  avoid_ros_namespace_conventions: false\n";

/// A topic as ROS 2 allows it: letters, digits and `_` in tokens that begin with a letter.
pub fn topic_name(topic: &str) -> String {
    let token = |token: &str| {
        let plain: String =
            token.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
        // Neither two underscores nor one at an end.
        let words: Vec<&str> = plain.split('_').filter(|word| !word.is_empty()).collect();
        let token = words.join("_");
        if token.starts_with(|first: char| first.is_ascii_alphabetic()) { token } else { format!("x{token}") }
    };
    topic.split('/').filter(|part| !part.is_empty()).map(|part| format!("/{}", token(part))).collect()
}

fn stamp(cdr: &mut Cdr, time: f64) {
    let Timestamp { seconds, nanos } = Timestamp::new(time);
    cdr.i32(i32::try_from(seconds).unwrap_or(i32::MAX));
    cdr.u32(u32::try_from(nanos).unwrap_or(0));
}

/// A message that begins with a `std_msgs/Header`.
fn with_header(time: f64, frame: &str) -> Cdr {
    let mut cdr = Cdr::new();
    header(&mut cdr, time, frame);
    cdr
}

fn header(cdr: &mut Cdr, time: f64, frame: &str) {
    stamp(cdr, time);
    cdr.text(frame);
}

fn vector(cdr: &mut Cdr, vector: Vector3<f64>) {
    cdr.f64_array(vector.iter().copied());
}

/// A covariance that is not known, or of values that are not measured.
fn covariance(cdr: &mut Cdr, is_measured: bool) {
    cdr.f64_array([if is_measured { 0.0 } else { NOT_MEASURED }].into_iter().chain([0.0; 8]));
}

pub fn clock(time: f64) -> Encoded {
    let mut cdr = Cdr::new();
    stamp(&mut cdr, time);
    ("rosgraph_msgs/msg/Clock", cdr.into_bytes())
}

pub fn poses<'n>(time: f64, poses: impl IntoIterator<Item = (&'n str, &'n str, Isometry3<f64>)>) -> Encoded {
    let poses: Vec<_> = poses.into_iter().collect();
    let mut cdr = Cdr::new();
    cdr.length(poses.len());
    for (parent, name, pose) in poses {
        header(&mut cdr, time, parent);
        cdr.text(name);
        vector(&mut cdr, pose.translation.vector);
        cdr.f64_array(pose.rotation.coords.iter().copied());
    }
    ("tf2_msgs/msg/TFMessage", cdr.into_bytes())
}

/// `nav_msgs/Odometry`. Its covariances are zero: it is exact.
pub fn odometry(time: f64, (parent, frame): (&str, &str), pose: &Isometry3<f64>, twist: &Twist) -> Encoded {
    const NUM_COVARIANCES: usize = 36;
    let mut cdr = with_header(time, parent);
    cdr.text(frame);
    vector(&mut cdr, pose.translation.vector);
    cdr.f64_array(pose.rotation.coords.iter().copied());
    cdr.f64_array([0.0; NUM_COVARIANCES]);
    vector(&mut cdr, twist.linear);
    vector(&mut cdr, twist.angular);
    cdr.f64_array([0.0; NUM_COVARIANCES]);
    ("nav_msgs/msg/Odometry", cdr.into_bytes())
}

pub fn imu(
    time: f64,
    frame: &str,
    acceleration: Option<Vector3<f64>>,
    angular_velocity: Option<Vector3<f64>>,
) -> Encoded {
    let mut cdr = with_header(time, frame);
    // The orientation is not measured.
    cdr.f64_array([0.0, 0.0, 0.0, 1.0]);
    covariance(&mut cdr, false);
    for measured in [angular_velocity, acceleration] {
        vector(&mut cdr, measured.unwrap_or_default());
        covariance(&mut cdr, measured.is_some());
    }
    ("sensor_msgs/msg/Imu", cdr.into_bytes())
}

pub fn wrench(time: f64, frame: &str, ForceReading { force, torque }: &ForceReading) -> Encoded {
    let mut cdr = with_header(time, frame);
    vector(&mut cdr, *force);
    vector(&mut cdr, *torque);
    ("geometry_msgs/msg/WrenchStamped", cdr.into_bytes())
}

/// The numbers of a sensor, with the end of its topic.
pub fn values(time: f64, frame: &str, Values { kind, numbers }: &Values) -> Vec<(&'static str, Encoded)> {
    let number = |index: usize| numbers.get(index).copied().unwrap_or(f64::NAN);
    let three = |first: usize| Vector3::new(number(first), number(first + 1), number(first + 2));
    let mut cdr = with_header(time, frame);
    let encoded = match kind {
        ValuesKind::Encoder | ValuesKind::LinearEncoder => {
            let values = [&numbers[..1.min(numbers.len())], numbers.get(1..2).unwrap_or_default(), &[]];
            return vec![("", joints(time, &[frame.to_owned()], values))];
        }
        ValuesKind::Magnetometer => {
            vector(&mut cdr, three(0));
            covariance(&mut cdr, true);
            "sensor_msgs/msg/MagneticField"
        }
        ValuesKind::Barometer => {
            cdr.f64_array([number(0), 0.0]);
            "sensor_msgs/msg/FluidPressure"
        }
        ValuesKind::Gnss => {
            // A fix by GPS; the covariance is unknown.
            cdr.i8(0);
            cdr.u16(1);
            cdr.f64_array([number(0), number(1), number(2)]);
            cdr.f64_array([0.0; 9]);
            cdr.u8(0);
            let mut velocity = with_header(time, frame);
            vector(&mut velocity, three(3));
            return vec![
                ("", ("sensor_msgs/msg/NavSatFix", cdr.into_bytes())),
                ("/velocity", ("geometry_msgs/msg/Vector3Stamped", velocity.into_bytes())),
            ];
        }
        ValuesKind::TouchSensor => {
            // The amount of the force: 0 without contact.
            vector(&mut cdr, Vector3::new(number(1), 0.0, 0.0));
            "geometry_msgs/msg/Vector3Stamped"
        }
    };
    vec![("", (encoded, cdr.into_bytes()))]
}

pub fn joints(time: f64, names: &[String], values: [&[f64]; 3]) -> Encoded {
    let mut cdr = with_header(time, "");
    cdr.length(names.len());
    names.iter().for_each(|name| cdr.text(name));
    values.into_iter().for_each(|values| cdr.f64_sequence(values));
    ("sensor_msgs/msg/JointState", cdr.into_bytes())
}

pub fn calibration(time: f64, frame: &str, calibration: &Calibration, (width, height): (u32, u32)) -> Encoded {
    let mut cdr = with_header(time, frame);
    cdr.u32(height);
    cdr.u32(width);
    // ROS calls the lens of Kannala and Brandt `equidistant`.
    let model = if calibration.model == Calibration::FISHEYE { "equidistant" } else { calibration.model };
    cdr.text(model);
    cdr.f64_sequence(&calibration.distortion);
    cdr.f64_array(calibration.intrinsic);
    cdr.f64_array(Calibration::RECTIFICATION);
    cdr.f64_array(calibration.projection());
    // No binning; the region of interest is the whole image.
    (0..6).for_each(|_| cdr.u32(0));
    cdr.bool(false);
    ("sensor_msgs/msg/CameraInfo", cdr.into_bytes())
}

/// An image with pixels of `bytes` bytes.
pub fn image(
    time: f64,
    frame: &str,
    (encoding, bytes): (&str, u32),
    data: &[u8],
    (width, height): (u32, u32),
) -> Encoded {
    let mut cdr = with_header(time, frame);
    cdr.u32(height);
    cdr.u32(width);
    cdr.text(encoding);
    cdr.bool(false);
    cdr.u32(width.saturating_mul(bytes));
    cdr.bytes(data);
    ("sensor_msgs/msg/Image", cdr.into_bytes())
}

pub fn cloud(time: f64, frame: &str, cloud: &Cloud<'_>) -> Encoded {
    let mut fields = vec![("x", FLOAT32), ("y", FLOAT32), ("z", FLOAT32)];
    if !cloud.colors.is_empty() {
        fields.push(("rgb", UINT32));
    }
    fields.extend(cloud.fields().map(|(name, kind)| (name, if kind == FieldKind::Float { FLOAT32 } else { UINT16 })));
    let step: u32 = fields.iter().map(|(_, (_, size))| size).sum();
    let number = u32::try_from(cloud.points.len()).unwrap_or(u32::MAX);
    let mut cdr = with_header(time, frame);
    cdr.u32(1);
    cdr.u32(number);
    cdr.length(fields.len());
    let mut offset = 0;
    for (name, (kind, size)) in fields {
        cdr.text(name);
        cdr.u32(offset);
        cdr.u8(kind);
        cdr.u32(1);
        offset += size;
    }
    cdr.bool(false);
    cdr.u32(step);
    cdr.u32(step.saturating_mul(number));
    let mut data = Vec::with_capacity(cloud.points.len() * step as usize);
    for (index, point) in cloud.points.iter().enumerate() {
        point.iter().for_each(|value| data.extend(value.to_le_bytes()));
        // 0x00RRGGBB, as PCL has it.
        data.extend(cloud.colors.get(index).into_iter().flat_map(|[red, green, blue]| [*blue, *green, *red, 0]));
        cloud.push_fields(index, &mut data);
    }
    cdr.bytes(&data);
    cdr.bool(cloud.points.iter().all(|point| point.iter().all(|value| value.is_finite())));
    ("sensor_msgs/msg/PointCloud2", cdr.into_bytes())
}

/// A scan in a frame whose +X is at the angle 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
pub fn scan(time: f64, frame: &str, row: &ScanRow<'_>) -> Encoded {
    let [start, end] = row.angles;
    let gaps = row.distances.len().saturating_sub(1).max(1);
    let mut cdr = with_header(time, frame);
    for value in [start, end, (end - start) / gaps as f64, 0.0, row.period, row.limits[0], row.limits[1]] {
        cdr.f32(value as f32);
    }
    cdr.f32_sequence(row.distances.iter().map(|distance| *distance as f32));
    cdr.f32_sequence(row.intensities.iter().copied());
    ("sensor_msgs/msg/LaserScan", cdr.into_bytes())
}
