//! Selection and settings of the simulated sensors of a scene.

use bunraku_body::{Device, DeviceKind};
use bunraku_document::{Mapping, Reporter, Result, Value, closest};
use bunraku_sensors::{
    BodySensors, CameraRenderer, Channel, DeviceSwitches, Sensor, SensorKind, VectorError, device_labels,
};
use nalgebra::Vector3;

use super::SceneBody;
use super::words::read_word;

/// The words for the renderer of camera images in a scene file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Renderer {
    /// The renderer with the same bytes on every machine: rays.
    Auto,
    /// Rays on the processor.
    Cpu,
    /// The graphics card.
    Gpu,
}

/// The settings for all sensors.
#[derive(Clone, Copy, Debug, Default)]
struct Settings<'a> {
    seed: u64,
    renderer: Option<Renderer>,
    devices: Option<Value<'a>>,
}

/// Reads `record.sensors` and `sensors`, and adds to the bodies the sensors that are simulated: those that are
/// recorded.
///
/// Unknown names are not reported if bodies are missing because their models could not be read.
pub(super) fn read_sensors(
    top: &Mapping<'_, '_>,
    recorded: Option<Value<'_>>,
    bodies: &mut [SceneBody],
    bodies_are_complete: bool,
) {
    let reporter = top.reporter();
    let names = Names { bodies: bodies.iter().map(Names::of_body).collect(), are_complete: bodies_are_complete };
    let settings = top.get(&["sensors"]).map_or_else(Settings::default, |value| read_settings(value, reporter));
    // The devices with the changes of the scene.
    let mut devices: Vec<Vec<Device>> = bodies.iter().map(|body| body.body.devices.clone()).collect();
    let ordinary = Said { errors: Errors::default(), renderer: renderer_of_all(settings.renderer) };
    let mut said: Vec<Vec<Said>> = devices.iter().map(|devices| vec![ordinary; devices.len()]).collect();
    for item in settings.devices.into_iter().filter_map(|value| value.items()).flatten() {
        read_device(item, &names, &mut devices, &mut said, reporter);
    }
    let chosen = recorded.map(|value| read_choice(value, &names, reporter)).unwrap_or_default();
    for (number, body) in bodies.iter_mut().enumerate() {
        if devices[number].iter().zip(&body.body.devices).any(|(ours, model)| ours.enabled != model.enabled) {
            body.switches = Some(DeviceSwitches(devices[number].iter().map(|device| device.enabled).collect()));
        }
        let mut sensors = Vec::new();
        for (index, device) in devices[number].iter().enumerate() {
            if !chosen.contains(&(number, index)) {
                continue;
            }
            match Sensor::new(index, device) {
                Ok(Some(sensor)) => sensors.push(said[number][index].on(sensor)),
                Ok(None) => {}
                Err(error) => {
                    let message =
                        format!("`{}/{}` measures nothing: {error}", body.name, names.bodies[number].labels[index]);
                    let place = recorded.unwrap_or_else(|| top.node());
                    reporter.report(place.error("impossible-sensor", message).help("correct the device in the model"));
                }
            }
        }
        if !sensors.is_empty() {
            body.sensors = Some(BodySensors { sensors, seed: settings.seed });
        }
    }
}

fn read_settings<'a>(value: Value<'a>, reporter: &Reporter) -> Settings<'a> {
    let Some(mapping) = Mapping::new(value, "`sensors`", reporter) else { return Settings::default() };
    let seed = mapping.read(&["seed"], |value, reporter| {
        let seed = value.as_integer(reporter)?;
        u64::try_from(seed).map_err(|_| Box::new(value.error("out-of-range", "a seed is not negative")))
    });
    let renderer = read_renderer(&mapping);
    let devices = mapping.get(&["devices"]);
    if let Some(value) = devices.filter(|value| value.items().is_none()) {
        reporter.report(value.expected("a list of devices"));
    }
    mapping.finish();
    Settings { seed: seed.unwrap_or(0), renderer, devices }
}

fn read_renderer(mapping: &Mapping<'_, '_>) -> Option<Renderer> {
    let words = [("auto", Renderer::Auto), ("cpu", Renderer::Cpu), ("gpu", Renderer::Gpu)];
    let renderer = mapping.read(&["renderer"], |value, _| read_word(value, "a renderer", &words));
    if let (Some(Renderer::Gpu), false, Some(place)) =
        (renderer, cfg!(feature = "graphics"), mapping.get(&["renderer"]))
    {
        let message = "this program was built without a renderer for graphics cards";
        let help = "build it with `--features viewer`, or write `renderer: cpu`, which needs no graphics driver";
        mapping.reporter().report(place.error("no-gpu", message).help(help));
    }
    renderer
}

/// The renderer for cameras without a setting of their own: distances are always calculated with rays.
fn renderer_of_all(said: Option<Renderer>) -> CameraRenderer {
    match said {
        Some(Renderer::Gpu) => CameraRenderer::PaintedColors,
        Some(Renderer::Auto | Renderer::Cpu) | None => CameraRenderer::Rays,
    }
}

/// The renderer for one camera; it applies to all its images, including distances.
fn renderer_of_one(said: Renderer) -> CameraRenderer {
    match said {
        Renderer::Gpu => CameraRenderer::Painted,
        Renderer::Auto | Renderer::Cpu => CameraRenderer::Rays,
    }
}

/// The names of bodies and their devices.
struct Names {
    bodies: Vec<BodyNames>,
    are_complete: bool,
}

struct BodyNames {
    name: String,
    /// The names of the logs of its devices.
    labels: Vec<String>,
    /// The names of its devices in the model.
    devices: Vec<String>,
}

impl Names {
    fn of_body(body: &SceneBody) -> BodyNames {
        let devices = body.body.devices.iter().map(|device| device.name.clone()).collect();
        BodyNames { name: body.name.clone(), labels: device_labels(&body.body), devices }
    }

    /// The devices named by `body/device`, or by a body alone.
    fn find(&self, value: Value<'_>, reporter: &Reporter) -> Option<Vec<(usize, usize)>> {
        let text = reporter.keep(value.as_text())?;
        let (body, device) = text.split_once('/').map_or((text, None), |(body, device)| (body, Some(device)));
        let Some(number) = self.bodies.iter().position(|known| known.name == body) else {
            if self.are_complete {
                let diagnostic = value.error("unknown-body", format!("there is no body `{body}`"));
                let meant = closest(body, self.bodies.iter().map(|known| known.name.as_str()));
                reporter.report(match meant {
                    Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                    None => diagnostic,
                });
            }
            return None;
        };
        let BodyNames { labels, devices, .. } = &self.bodies[number];
        let Some(device) = device else { return Some((0..labels.len()).map(|index| (number, index)).collect()) };
        let index = labels.iter().position(|label| label == device);
        let Some(index) = index.or_else(|| devices.iter().position(|name| name == device)) else {
            let diagnostic = value.error("unknown-device", format!("`{body}` has no device `{device}`"));
            let known = labels.iter().map(String::as_str);
            reporter.report(match closest(device, known.clone()) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None if labels.is_empty() => diagnostic.help("it has no devices at all"),
                None => diagnostic.help(format!("it has {}", known.collect::<Vec<_>>().join(", "))),
            });
            return None;
        };
        Some(vec![(number, index)])
    }
}

/// All devices, or those of a list.
fn read_choice(value: Value<'_>, names: &Names, reporter: &Reporter) -> Vec<(usize, usize)> {
    if let Some(items) = value.items() {
        return items.filter_map(|item| names.find(item, reporter)).flatten().collect();
    }
    let is_all = match value.text() {
        Some("all") => Some(true),
        _ => value.as_bool().ok(),
    };
    match is_all {
        Some(true) => {
            let all = names.bodies.iter().enumerate();
            all.flat_map(|(number, body)| (0..body.labels.len()).map(move |index| (number, index))).collect()
        }
        Some(false) => Vec::new(),
        None => {
            reporter.report(value.expected("`true`, `false` or a list of devices such as `Rover/IMU`"));
            Vec::new()
        }
    }
}

/// Errors of the vectors that a sensor measures.
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    acceleration: VectorError,
    angular_velocity: VectorError,
    force: VectorError,
    torque: VectorError,
}

/// The settings of a device in a scene.
#[derive(Clone, Copy, Debug)]
struct Said {
    errors: Errors,
    renderer: CameraRenderer,
}

impl Said {
    fn on(&self, mut sensor: Sensor) -> Sensor {
        if let SensorKind::Camera(camera) = &mut sensor.kind {
            **camera = (**camera).clone().drawn_by(self.renderer);
        }
        self.errors.on(sensor)
    }
}

impl Errors {
    fn on(&self, mut sensor: Sensor) -> Sensor {
        let set = |channel: &mut Channel, error: VectorError| channel.error = error;
        match &mut sensor.kind {
            SensorKind::Acceleration(channel) => set(channel, self.acceleration),
            SensorKind::RateGyro(channel) => set(channel, self.angular_velocity),
            SensorKind::Imu { acceleration, angular_velocity } => {
                set(acceleration, self.acceleration);
                set(angular_velocity, self.angular_velocity);
            }
            SensorKind::Force { force, torque } => {
                set(force, self.force);
                set(torque, self.torque);
            }
            SensorKind::Range(_) | SensorKind::Camera(_) => {}
        }
        sensor
    }
}

fn read_device(
    value: Value<'_>,
    names: &Names,
    devices: &mut [Vec<Device>],
    said: &mut [Vec<Said>],
    reporter: &Reporter,
) {
    let Some(mapping) = Mapping::new(value, "a device", reporter) else { return };
    let found = mapping.required(&["device"]).and_then(|value| names.find(value, reporter)).unwrap_or_default();
    let vector = |key: &'static str| mapping.read(&[key], read_vector);
    let error = |bias: &'static str, noise: &'static str| VectorError {
        bias: vector(bias).unwrap_or_default(),
        deviation: vector(noise).unwrap_or_default(),
    };
    let own = Errors {
        acceleration: error("acceleration_bias", "acceleration_noise"),
        angular_velocity: error("angular_velocity_bias", "angular_velocity_noise"),
        force: error("force_bias", "force_noise"),
        torque: error("torque_bias", "torque_noise"),
    };
    let (on, rate) = (mapping.bool(&["on"]), mapping.number(&["rate"]));
    let (detection_rate, deviation) = (mapping.number(&["detection_rate"]), mapping.number(&["error_deviation"]));
    let renderer = read_renderer(&mapping);
    report_idle(&mapping, &found, devices);
    for (body, index) in found {
        let device = &mut devices[body][index];
        let said = &mut said[body][index];
        said.errors = own;
        said.renderer = renderer.map_or(said.renderer, renderer_of_one);
        device.enabled = on.unwrap_or(device.enabled);
        let put = |target: &mut f64, value: Option<f64>| *target = value.unwrap_or(*target);
        match &mut device.kind {
            DeviceKind::Camera(camera) => put(&mut camera.view.frame_rate, rate),
            DeviceKind::RangeCamera(camera) => {
                put(&mut camera.view.frame_rate, rate);
                put(&mut camera.detection_rate, detection_rate);
                put(&mut camera.error_deviation, deviation);
            }
            DeviceKind::RangeSensor(sensor) => {
                put(&mut sensor.scan_rate, rate);
                put(&mut sensor.detection_rate, detection_rate);
                put(&mut sensor.error_deviation, deviation);
            }
            _ => {}
        }
    }
    mapping.finish();
}

/// A number for all axes, or one for each.
fn read_vector(value: Value<'_>, reporter: &Reporter) -> Result<Vector3<f64>> {
    if value.items().is_some() {
        return value.as_array::<3>(reporter).map(Vector3::from);
    }
    value.as_number(reporter).map(Vector3::repeat)
}

/// Warns of keys that none of the devices uses.
fn report_idle(mapping: &Mapping<'_, '_>, found: &[(usize, usize)], devices: &[Vec<Device>]) {
    type IsOfKind = fn(&DeviceKind) -> bool;
    const KEYS: [(&str, IsOfKind); 12] = [
        ("acceleration_bias", has_acceleration),
        ("acceleration_noise", has_acceleration),
        ("angular_velocity_bias", has_angular_velocity),
        ("angular_velocity_noise", has_angular_velocity),
        ("force_bias", is_force_sensor),
        ("force_noise", is_force_sensor),
        ("torque_bias", is_force_sensor),
        ("torque_noise", is_force_sensor),
        ("detection_rate", has_distances),
        ("error_deviation", has_distances),
        ("rate", has_rate),
        ("renderer", is_camera),
    ];
    if found.is_empty() {
        return;
    }
    for (key, is_used) in KEYS {
        let Some(place) = mapping.get(&[key]) else { continue };
        if !found.iter().any(|&(body, index)| is_used(&devices[body][index].kind)) {
            let message = format!("`{key}` does nothing: the device measures nothing of the kind");
            mapping.reporter().report(place.warning("idle-sensor-key", message));
        }
    }
}

fn has_acceleration(kind: &DeviceKind) -> bool {
    matches!(kind, DeviceKind::AccelerationSensor(_) | DeviceKind::Imu(_))
}

fn has_angular_velocity(kind: &DeviceKind) -> bool {
    matches!(kind, DeviceKind::RateGyroSensor(_) | DeviceKind::Imu(_))
}

fn is_force_sensor(kind: &DeviceKind) -> bool {
    matches!(kind, DeviceKind::ForceSensor(_))
}

fn has_distances(kind: &DeviceKind) -> bool {
    matches!(kind, DeviceKind::RangeCamera(_) | DeviceKind::RangeSensor(_))
}

fn has_rate(kind: &DeviceKind) -> bool {
    has_distances(kind) || matches!(kind, DeviceKind::Camera(_))
}

fn is_camera(kind: &DeviceKind) -> bool {
    matches!(kind, DeviceKind::Camera(_) | DeviceKind::RangeCamera(_))
}
