//! Selection and settings of the simulated sensors of a scene.

use bunraku_body::{Device, DeviceKind};
use bunraku_document::{Mapping, Reporter, Value, closest};
use bunraku_render::Lighting;
use bunraku_sensors::{
    BodySensors, CameraOptions, CameraRenderer, Channel, DeviceSwitches, Environment, SampleRate, ScanOptions, Sensor,
    SensorError, SensorKind, VectorError, device_labels,
};

use super::SceneBody;
use super::added_sensors::{self, AddedSensor};
use super::allowed::{self, Allowed};
use super::camera_keys;
use super::context::SceneContext;
use super::scan_keys;
use super::sensor_errors::{self, ErrorKeys};
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
    /// Sensors that the models do not have.
    added: Option<Value<'a>>,
    /// Place of the world on the earth.
    environment: Option<Value<'a>>,
    /// Light of the surroundings.
    lighting: Option<Value<'a>>,
}

/// Reads `record.sensors` and `sensors`, and adds to the bodies the sensors that are simulated: those that are
/// recorded. Returns the light of the surroundings, if the scene sets it.
///
/// Unknown names are not reported if bodies are missing because their models could not be read.
pub(super) fn read_sensors(
    top: &Mapping<'_, '_>,
    recorded: Option<Value<'_>>,
    bodies: &mut [SceneBody],
    bodies_are_complete: bool,
    context: &SceneContext<'_>,
) -> Option<Lighting> {
    let reporter = top.reporter();
    let settings = top.get(&["sensors"]).map_or_else(Settings::default, |value| read_settings(value, reporter));
    let environment =
        settings.environment.map_or_else(Environment::default, |value| added_sensors::read_environment(value, context));
    let added = settings
        .added
        .map_or_else(Vec::new, |value| added_sensors::read(value, &environment, bodies, bodies_are_complete, context));
    let names = Names { bodies: bodies.iter().map(Names::of_body).collect(), are_complete: bodies_are_complete };
    // The devices with the changes of the scene.
    let mut devices: Vec<Vec<Device>> = bodies.iter().map(|body| body.body.devices.clone()).collect();
    let ordinary = Said {
        errors: Errors::default(),
        renderer: renderer_of_all(settings.renderer),
        scan: ScanOptions::default(),
        camera: CameraOptions::default(),
        filter: None,
        latency: 0.0,
        rate: None,
    };
    let mut said: Vec<Vec<Said>> = devices.iter().map(|devices| vec![ordinary.clone(); devices.len()]).collect();
    for item in settings.devices.into_iter().filter_map(|value| value.items()).flatten() {
        read_device(item, &names, &mut devices, &mut said, context);
    }
    let chosen = recorded.map(|value| read_choice(value, &names, reporter)).unwrap_or_default();
    let of_bodies = devices.iter().zip(&said).zip(&names.bodies);
    for (number, (body, ((devices, said), names))) in bodies.iter_mut().zip(of_bodies).enumerate() {
        if devices.iter().zip(&body.body.devices).any(|(ours, model)| ours.enabled != model.enabled) {
            body.switches = Some(DeviceSwitches(devices.iter().map(|device| device.enabled).collect()));
        }
        let mut sensors = Vec::new();
        for (index, ((device, said), label)) in devices.iter().zip(said).zip(&names.labels).enumerate() {
            if !chosen.contains(&(number, index)) {
                continue;
            }
            let is_this = |added: &&AddedSensor| added.body == number && added.sensor.device == index;
            if let Some(AddedSensor { sensor, .. }) = added.iter().find(is_this) {
                sensors.push(sensor.clone());
                continue;
            }
            let sensor = Sensor::new(index, device);
            match sensor.and_then(|sensor| sensor.map(|sensor| said.on(sensor, device)).transpose()) {
                Ok(Some(sensor)) => sensors.push(sensor),
                Ok(None) => {}
                Err(error) => {
                    let message = format!("`{}/{label}` measures nothing: {error}", body.name);
                    let place = recorded.unwrap_or_else(|| top.node());
                    reporter.report(place.error("impossible-sensor", message).help("correct the device in the model"));
                }
            }
        }
        if !sensors.is_empty() {
            body.sensors = Some(BodySensors { sensors, seed: settings.seed });
        }
    }
    settings.lighting.map(|value| camera_keys::read_lighting(value, reporter))
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
    let (added, environment) = (mapping.get(&["add"]), mapping.get(&["environment"]));
    let lighting = mapping.get(&["lighting"]);
    mapping.finish();
    Settings { seed: seed.unwrap_or(0), renderer, devices, added, environment, lighting }
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
        let Some((number, BodyNames { labels, devices, .. })) =
            self.bodies.iter().enumerate().find(|(_, known)| known.name == body)
        else {
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
#[derive(Clone, Debug)]
struct Said {
    errors: Errors,
    renderer: CameraRenderer,
    scan: ScanOptions,
    camera: CameraOptions,
    /// Cut-off frequency, Hz.
    filter: Option<f64>,
    /// s
    latency: f64,
    /// Rate of sensors of motion and force.
    rate: Option<SampleRate>,
}

impl Said {
    fn on(&self, sensor: Sensor, device: &Device) -> Result<Sensor, SensorError> {
        let mut sensor =
            if self.scan == ScanOptions::default() { sensor } else { sensor.scanning(device, &self.scan)? };
        if let SensorKind::Camera(camera) = &mut sensor.kind {
            **camera = (**camera).clone().drawn_by(self.renderer).with_options(&self.camera)?;
        }
        sensor.latency = self.latency;
        if let (Some(rate), true) = (self.rate, sensor.kind.is_of_step()) {
            sensor.schedule = sensor.schedule.at_rate(rate);
        }
        Ok(self.errors.on(sensor, self.filter))
    }
}

impl Errors {
    fn on(&self, mut sensor: Sensor, cut_off: Option<f64>) -> Sensor {
        let set = |channel: &mut Channel, error: VectorError| (channel.error, channel.cut_off) = (error, cut_off);
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
            _ => {}
        }
        sensor
    }
}

fn read_device(
    value: Value<'_>,
    names: &Names,
    devices: &mut [Vec<Device>],
    said: &mut [Vec<Said>],
    context: &SceneContext<'_>,
) {
    let reporter = context.reporter;
    let Some(mapping) = Mapping::new(value, "a device", reporter) else { return };
    let found = mapping.required(&["device"]).and_then(|value| names.find(value, reporter)).unwrap_or_default();
    let own = Errors {
        acceleration: sensor_errors::read(&mapping, sensor_errors::ACCELERATION),
        angular_velocity: sensor_errors::read(&mapping, sensor_errors::ANGULAR_VELOCITY),
        force: sensor_errors::read(&mapping, sensor_errors::FORCE),
        torque: sensor_errors::read(&mapping, sensor_errors::TORQUE),
    };
    let filter = mapping.number(&["filter"]);
    let latency = added_sensors::read_latency(&mapping);
    let on = mapping.bool(&["on"]);
    let sample_rate = added_sensors::read_rate(&mapping, "rate");
    let rate = mapping.number(&["rate"]).filter(|_| sample_rate.is_some());
    let (detection_rate, deviation) = (mapping.number(&["detection_rate"]), mapping.number(&["error_deviation"]));
    let reach = [mapping.number(&["min_distance"]), mapping.number(&["max_distance"])];
    let renderer = read_renderer(&mapping);
    let scan = checked(&mapping, scan_keys::read(&mapping, context), ScanOptions::check);
    let camera = checked(&mapping, camera_keys::read(&mapping), CameraOptions::check);
    for (key, numbers) in RANGES {
        allowed::check(&mapping, key, numbers);
    }
    report_idle(&mapping, &found, devices);
    for (body, index) in found {
        #[expect(clippy::indexing_slicing, reason = "devices that are found are those of `devices` and `said`")]
        let (device, said) = (&mut devices[body][index], &mut said[body][index]);
        said.errors = own;
        (said.filter, said.latency, said.rate) = (filter, latency, sample_rate);
        (said.scan, said.camera) = (scan.clone(), camera.clone());
        said.renderer = renderer.map_or(said.renderer, renderer_of_one);
        device.enabled = on.unwrap_or(device.enabled);
        let put = |target: &mut f64, value: Option<f64>| *target = value.unwrap_or(*target);
        match &mut device.kind {
            DeviceKind::Camera(camera) => put(&mut camera.view.frame_rate, rate),
            DeviceKind::RangeCamera(camera) => {
                put(&mut camera.view.frame_rate, rate);
                put(&mut camera.min_distance, reach[0]);
                put(&mut camera.max_distance, reach[1]);
                put(&mut camera.detection_rate, detection_rate);
                put(&mut camera.error_deviation, deviation);
            }
            DeviceKind::RangeSensor(sensor) => {
                put(&mut sensor.scan_rate, rate);
                put(&mut sensor.min_distance, reach[0]);
                put(&mut sensor.max_distance, reach[1]);
                put(&mut sensor.detection_rate, detection_rate);
                put(&mut sensor.error_deviation, deviation);
            }
            _ => {}
        }
    }
    mapping.finish();
}

/// Allowed numbers of keys of devices.
const RANGES: [(&str, Allowed); 5] = [
    ("filter", Allowed::Positive),
    ("detection_rate", Allowed::Fraction),
    ("error_deviation", Allowed::NotNegative),
    ("min_distance", Allowed::NotNegative),
    ("max_distance", Allowed::Positive),
];

/// The options; their defaults after an error, which is reported at its key.
fn checked<T: Default>(mapping: &Mapping<'_, '_>, options: T, check: impl Fn(&T) -> Result<(), SensorError>) -> T {
    let Err(error) = check(&options) else { return options };
    if let SensorError::Option { name, range, .. } = error
        && let Some(place) = mapping.get(&[name])
    {
        mapping.reporter().report(place.error("out-of-range", format!("`{name}` must be {range}")));
    }
    T::default()
}

/// Warns of keys that none of the devices uses.
fn report_idle(mapping: &Mapping<'_, '_>, found: &[(usize, usize)], devices: &[Vec<Device>]) {
    type IsOfKind = fn(&DeviceKind) -> bool;
    const KEYS: [(&str, IsOfKind); 8] = [
        ("min_distance", has_distances),
        ("max_distance", has_distances),
        ("detection_rate", has_distances),
        ("error_deviation", has_distances),
        ("rate", is_sensor),
        ("latency", is_sensor),
        ("filter", has_channels),
        ("renderer", is_camera),
    ];
    const ERRORS: [(ErrorKeys, IsOfKind); 4] = [
        (sensor_errors::ACCELERATION, has_acceleration),
        (sensor_errors::ANGULAR_VELOCITY, has_angular_velocity),
        (sensor_errors::FORCE, is_force_sensor),
        (sensor_errors::TORQUE, is_force_sensor),
    ];
    if found.is_empty() {
        return;
    }
    let scans = scan_keys::KEYS.map(|key| (key, is_range_sensor as IsOfKind));
    let cameras = camera_keys::KEYS.map(|key| (key, is_camera as IsOfKind));
    let errors = ERRORS.into_iter().flat_map(|(keys, is_used)| keys.map(|key| (key, is_used)));
    for (key, is_used) in KEYS.into_iter().chain(scans).chain(cameras).chain(errors) {
        let Some(place) = mapping.get(&[key]) else { continue };
        #[expect(clippy::indexing_slicing, reason = "devices that are found are those of `devices`")]
        let is_used = found.iter().any(|&(body, index)| is_used(&devices[body][index].kind));
        if !is_used {
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

fn is_range_sensor(kind: &DeviceKind) -> bool {
    matches!(kind, DeviceKind::RangeSensor(_))
}

fn has_channels(kind: &DeviceKind) -> bool {
    has_acceleration(kind) || has_angular_velocity(kind) || is_force_sensor(kind)
}

fn is_sensor(kind: &DeviceKind) -> bool {
    has_distances(kind) || has_channels(kind) || matches!(kind, DeviceKind::Camera(_))
}

fn is_camera(kind: &DeviceKind) -> bool {
    matches!(kind, DeviceKind::Camera(_) | DeviceKind::RangeCamera(_))
}
