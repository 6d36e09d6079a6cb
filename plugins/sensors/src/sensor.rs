//! Sensors of a body.

use bunraku_body::{Body, Device, DeviceKind, LinkIndex};
use bunraku_document::Diagnostic;
use nalgebra::Isometry3;

use crate::camera::CameraModel;
use crate::channel::Channel;
use crate::encoder::Encoder;
use crate::environment::Environment;
use crate::error::SensorError;
use crate::range::{ScanOptions, Scanner};
use crate::schedule::{SampleRate, Schedule};
use crate::values::ValuesKind;

/// A sensor of a body, ready to measure.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Index in [`Body::devices`].
    pub device: usize,
    /// Link it is mounted on.
    pub link: LinkIndex,
    /// Sensor frame in the link frame.
    pub mounting: Isometry3<f64>,
    /// Sampling times.
    pub schedule: Schedule,
    /// Time from a measurement to its sample, s.
    pub latency: f64,
    /// Kind of the sensor, with its data.
    pub kind: SensorKind,
}

/// Kind of a sensor.
#[derive(Clone, Debug)]
pub enum SensorKind {
    /// See [`specific_force`](crate::specific_force).
    Acceleration(Channel),
    /// See [`angular_velocity`](crate::angular_velocity).
    RateGyro(Channel),
    /// Specific force and angular velocity.
    Imu {
        /// Channel of the specific force.
        acceleration: Channel,
        /// Channel of the angular velocity.
        angular_velocity: Channel,
    },
    /// See [`force_reading`](crate::force_reading).
    Force {
        /// Channel of the force.
        force: Channel,
        /// Channel of the torque.
        torque: Channel,
    },
    /// Range sensor.
    Range(Box<Scanner>),
    /// Camera or range camera.
    Camera(Box<CameraModel>),
    /// Displacement and velocity of a joint; the kind of its numbers.
    Encoder(Encoder, ValuesKind),
    /// Magnetic flux density, T.
    Magnetometer {
        /// The field.
        environment: Environment,
        /// Channel of the flux density.
        field: Channel,
    },
    /// Receiver of satellites: geodetic position, and velocity along world axes.
    Gnss {
        /// Place of the world on the earth.
        environment: Environment,
        /// Channel of the position in the world, m.
        position: Channel,
        /// Channel of the velocity along world axes, m/s.
        velocity: Channel,
    },
    /// Static air pressure, Pa.
    Barometer {
        /// Place of the world on the earth.
        environment: Environment,
        /// Channel of the pressure; its first component counts.
        pressure: Channel,
    },
    /// Contact of a link.
    Touch {
        /// Force from which there is contact, N.
        threshold: f64,
        /// Channel of the contact force, N.
        force: Channel,
    },
}

impl SensorKind {
    /// Channels of the at most two vectors it measures.
    pub fn channels(&self) -> [Option<&Channel>; 2] {
        match self {
            Self::Acceleration(channel) | Self::RateGyro(channel) => [Some(channel), None],
            Self::Imu { acceleration, angular_velocity } => [Some(acceleration), Some(angular_velocity)],
            Self::Force { force, torque } => [Some(force), Some(torque)],
            Self::Magnetometer { field, .. } => [Some(field), None],
            Self::Gnss { position, velocity, .. } => [Some(position), Some(velocity)],
            Self::Barometer { pressure, .. } => [Some(pressure), None],
            Self::Touch { force, .. } => [Some(force), None],
            Self::Range(_) | Self::Camera(_) | Self::Encoder(..) => [None, None],
        }
    }

    /// Whether it measures what happens in a step, so that there is nothing to measure before the first.
    pub fn is_of_step(&self) -> bool {
        !matches!(self, Self::Range(_) | Self::Camera(_))
    }

    /// Whether it measures velocities, accelerations or joint loads of its link.
    pub fn needs_motion(&self) -> bool {
        matches!(
            self,
            Self::Acceleration(_) | Self::RateGyro(_) | Self::Imu { .. } | Self::Force { .. } | Self::Gnss { .. }
        )
    }
}

impl Sensor {
    /// The sensor for a device; `None` if the device is not a sensor.
    ///
    /// Motion and force sensors measure in every step, the others at the rate of the model. All begin at time 0 if they
    /// are on in the model.
    ///
    /// # Errors
    /// If it cannot be simulated with the data of the model.
    pub fn new(index: usize, device: &Device) -> Result<Option<Self>, SensorError> {
        let frame = || device.mounting().ok_or(SensorError::NoFrame);
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
        Ok(Some(Self { device: index, link: device.link, mounting: frame()?, schedule, latency: 0.0, kind }))
    }

    /// A sensor that model files do not have, at the place of a device of unknown kind.
    ///
    /// # Errors
    /// If the frame of the device is degenerate.
    pub fn added(index: usize, device: &Device, rate: SampleRate, kind: SensorKind) -> Result<Self, SensorError> {
        let mounting = device.mounting().ok_or(SensorError::NoFrame)?;
        let schedule = Schedule::new(rate, device.enabled);
        Ok(Self { device: index, link: device.link, mounting, schedule, latency: 0.0, kind })
    }

    /// The same range sensor with properties that model files do not have; another sensor is unchanged.
    ///
    /// # Errors
    /// If it cannot be simulated with these data.
    pub fn scanning(self, device: &Device, options: &ScanOptions) -> Result<Self, SensorError> {
        let DeviceKind::RangeSensor(sensor) = &device.kind else { return Ok(self) };
        let scanner = Scanner::with_options(sensor, self.mounting, options)?;
        Ok(Self { kind: SensorKind::Range(Box::new(scanner)), ..self })
    }

    /// All sensors of a body, in the order of its devices. Sensors that cannot be simulated are left out and reported
    /// as errors.
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
