//! The sensors of a body.

use bunraku_body::{Body, Device, DeviceKind, LinkIndex};
use bunraku_document::Diagnostic;
use nalgebra::Isometry3;

use crate::camera::CameraModel;
use crate::error::SensorError;
use crate::motion::Channel;
use crate::mounting::mounting;
use crate::range::Scanner;
use crate::schedule::{SampleRate, Schedule};

/// A sensor of a body, ready to measure.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Position in [`Body::devices`].
    pub device: usize,
    /// The link it is on.
    pub link: LinkIndex,
    /// Its frame in the link frame.
    pub mounting: Isometry3<f64>,
    /// When it measures.
    pub schedule: Schedule,
    /// What it measures.
    pub kind: SensorKind,
}

/// What a sensor measures.
#[derive(Clone, Debug)]
pub enum SensorKind {
    /// See [`specific_force`](crate::specific_force).
    Acceleration(Channel),
    /// See [`angular_velocity`](crate::angular_velocity).
    RateGyro(Channel),
    /// Both.
    Imu {
        /// Of the specific force.
        acceleration: Channel,
        /// Of the angular velocity.
        angular_velocity: Channel,
    },
    /// See [`force_reading`](crate::force_reading).
    Force {
        /// Of the force.
        force: Channel,
        /// Of the torque.
        torque: Channel,
    },
    /// A scan of distances.
    Range(Box<Scanner>),
    /// A picture, depths or a cloud.
    Camera(Box<CameraModel>),
}

impl Sensor {
    /// The sensor that a device is; `None` if it is none.
    ///
    /// Sensors of motion and force measure at every step, the others at the rate of the model; all begin at time 0 if
    /// the model has them on.
    ///
    /// # Errors
    /// If it cannot be simulated as the model says.
    pub fn new(index: usize, device: &Device) -> Result<Option<Self>, SensorError> {
        let frame = || mounting(device).ok_or(SensorError::NoFrame);
        let rate = |hertz: f64| SampleRate::of_file(hertz).ok_or(SensorError::Rate(hertz));
        let (rate, kind) = match &device.kind {
            DeviceKind::AccelerationSensor(sensor) => {
                (SampleRate::EveryStep, SensorKind::Acceleration(Channel::limited(sensor.max_acceleration)))
            }
            DeviceKind::RateGyroSensor(sensor) => {
                (SampleRate::EveryStep, SensorKind::RateGyro(Channel::limited(sensor.max_angular_velocity)))
            }
            DeviceKind::Imu(sensor) => {
                let acceleration = Channel::limited(sensor.max_acceleration);
                let angular_velocity = Channel::limited(sensor.max_angular_velocity);
                (SampleRate::EveryStep, SensorKind::Imu { acceleration, angular_velocity })
            }
            DeviceKind::ForceSensor(sensor) => {
                let (force, torque) = (Channel::limited(sensor.max_force), Channel::limited(sensor.max_torque));
                (SampleRate::EveryStep, SensorKind::Force { force, torque })
            }
            DeviceKind::RangeSensor(sensor) => {
                (rate(sensor.scan_rate)?, SensorKind::Range(Box::new(Scanner::new(sensor, frame()?)?)))
            }
            DeviceKind::Camera(camera) => {
                let model = CameraModel::of_camera(camera, frame()?)?;
                (rate(camera.view.frame_rate)?, SensorKind::Camera(Box::new(model)))
            }
            DeviceKind::RangeCamera(camera) => {
                let model = CameraModel::of_range_camera(camera, frame()?)?;
                (rate(camera.view.frame_rate)?, SensorKind::Camera(Box::new(model)))
            }
            _ => return Ok(None),
        };
        let schedule = Schedule::new(rate, device.enabled);
        Ok(Some(Self { device: index, link: device.link, mounting: frame()?, schedule, kind }))
    }

    /// All sensors of a body, in the order of its devices. One that cannot be simulated is left out and told as an error.
    pub fn all_of(body: &Body) -> (Vec<Self>, Vec<Diagnostic>) {
        let (mut sensors, mut diagnostics) = (Vec::new(), Vec::new());
        for (index, device) in body.devices.iter().enumerate() {
            match Self::new(index, device) {
                Ok(sensor) => sensors.extend(sensor),
                Err(error) => diagnostics.push(diagnostic(body, index, device, &error)),
            }
        }
        (sensors, diagnostics)
    }
}

fn diagnostic(body: &Body, index: usize, device: &Device, error: &SensorError) -> Diagnostic {
    let kind = device.type_name();
    let name = if device.name.is_empty() { format!("number {index}") } else { format!("`{}`", device.name) };
    Diagnostic::error("impossible-sensor", format!("the {kind} {name} of `{}` measures nothing: {error}", body.name))
        .help("correct the device in the model file")
}
