//! Sites with sensors, cameras and lights.

use std::f64::consts::PI;

use bunraku_document::Diagnostic;
use nalgebra::{Affine3, Isometry3, UnitQuaternion, Vector3};

use super::bodies::{Mounted, Tree};
use super::findings::{short, suggest};
use super::model::ModelFile;
use super::poses::{direction, pose};
use crate::{
    AccelerationSensor, Attenuation, Camera, CameraView, Device, DeviceKind, ForceSensor, Imu, LinkIndex, PointLight,
    RangeSensor, RateGyroSensor, ScanAngles, SpotLight,
};

/// Adds the devices of sensors, cameras and lights, by link.
pub(super) fn read<'m>(tree: &mut Tree<'m>, file: &'m ModelFile<'m>) {
    let mut devices = sensors(tree, file);
    for mounted in &tree.mounted {
        devices.extend(match mounted.element.tag.as_str() {
            "camera" => camera(mounted, file),
            "light" => light(mounted, file),
            _ => None,
        });
    }
    devices.sort_by_key(|device| device.link);
    tree.body.devices = devices;
}

/// Link and frame of a site.
pub(super) fn site_frame(name: &str, tree: &Tree<'_>, file: &ModelFile<'_>) -> Option<(LinkIndex, Isometry3<f64>)> {
    let is_meant =
        |mounted: &&Mounted<'_>| mounted.element.tag == "site" && mounted.element.attribute("name") == Some(name);
    let site = tree.mounted.iter().find(is_meant)?;
    let view = file.view(site.element, site.class);
    Some((site.link, site.frame * pose(&view, &file.compiler)))
}

fn device(name: &str, link: LinkIndex, frame: &Isometry3<f64>, kind: DeviceKind) -> Device {
    Device {
        name: name.to_owned(),
        id: None,
        link,
        transform: Affine3::from_matrix_unchecked(frame.to_homogeneous()),
        enabled: true,
        kind,
        info: Vec::new(),
    }
}

/// Quantities measured by the sensors of a site.
#[derive(Default)]
struct AtSite<'m> {
    site: &'m str,
    name: &'m str,
    accelerates: bool,
    turns: bool,
    force: bool,
    range: Option<f64>,
}

/// Sensors at sites. An accelerometer and a gyroscope at the same site are one inertial measurement unit, a force and a
/// torque sensor are one device.
fn sensors<'m>(tree: &Tree<'m>, file: &'m ModelFile<'m>) -> Vec<Device> {
    let findings = file.findings;
    let mut sites: Vec<AtSite<'m>> = Vec::new();
    for element in file.root.section("sensor") {
        let tag = element.tag.as_str();
        if !matches!(tag, "accelerometer" | "gyro" | "force" | "torque" | "rangefinder") {
            let message = format!("sensors `<{tag}>` are no devices");
            let help = "poses, velocities and efforts of links and joints are in recordings without sensors";
            findings.once(&format!("sensor-{tag}"), element, Diagnostic::note("mjcf-sensor", message).help(help));
            continue;
        }
        let Some(site) = element.attribute("site") else {
            if element.attribute("camera").is_none() {
                let error = Diagnostic::error("missing-key", format!("`<{tag}>` needs the attribute `site`"));
                findings.report(element, error.help("write the name of a site"));
            } else {
                let warning = Diagnostic::warning("mjcf-unsupported", "rangefinders of a camera are left out");
                findings.once("rangefinder-camera", element, warning);
            }
            continue;
        };
        if site_frame(site, tree, file).is_none() {
            let is_of_world = !tree.has_world
                && file.root.section("worldbody").any(|own| own.tag == "site" && own.attribute("name") == Some(site));
            if is_of_world {
                continue;
            }
            let error = Diagnostic::error("unknown-site", format!("there is no site `{}`", short(site)));
            let known = tree.mounted.iter().filter(|mounted| mounted.element.tag == "site");
            let known = known.filter_map(|mounted| mounted.element.attribute("name"));
            findings.report_attribute(element, "site", suggest(error, site, known));
            continue;
        }
        if element.attribute("noise").is_some_and(|noise| noise.trim().parse() != Ok(0.0)) {
            let note = Diagnostic::note("mjcf-sensor", "noise of sensors belongs to the scene");
            findings.once_attribute("noise", element, "noise", note.help("write it at the sensor in the scene"));
        }
        let name = element.attribute("name").unwrap_or(site);
        let known = sites.iter().position(|known| known.site == site);
        let index = known.unwrap_or(sites.len());
        if known.is_none() {
            sites.push(AtSite { site, name, ..AtSite::default() });
        }
        #[expect(clippy::indexing_slicing, reason = "the index is that of a known or of the new last site")]
        let at = &mut sites[index];
        match tag {
            "accelerometer" => at.accelerates = true,
            "gyro" => at.turns = true,
            "rangefinder" => {
                let cutoff = element.attribute("cutoff").and_then(|text| text.trim().parse::<f64>().ok());
                at.range = Some(cutoff.filter(|cutoff| *cutoff > 0.0).unwrap_or(RangeSensor::default().max_distance));
            }
            _ => at.force = true,
        }
    }
    let mut devices = Vec::new();
    for at in sites {
        let Some((link, frame)) = site_frame(at.site, tree, file) else { continue };
        let both = at.accelerates && at.turns;
        let mut add = |kind| devices.push(device(if both { at.site } else { at.name }, link, &frame, kind));
        match (at.accelerates, at.turns) {
            (true, true) => add(DeviceKind::Imu(Imu::default())),
            (true, false) => add(DeviceKind::AccelerationSensor(AccelerationSensor::default())),
            (false, true) => add(DeviceKind::RateGyroSensor(RateGyroSensor::default())),
            (false, false) => {}
        }
        if at.force {
            add(DeviceKind::ForceSensor(ForceSensor::default()));
        }
        if let Some(max_distance) = at.range {
            let one = ScanAngles { min: 0.0, max: 0.0, step: 0.0 };
            // The ray of a site is along Z; that of a range sensor against it.
            let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
            let sensor =
                RangeSensor { yaw: one, pitch: one, min_distance: 0.0, max_distance, ..RangeSensor::default() };
            let frame = frame * turn;
            devices.push(device(at.name, link, &frame, DeviceKind::RangeSensor(sensor)));
        }
    }
    devices
}

fn camera<'m>(mounted: &Mounted<'m>, file: &'m ModelFile<'m>) -> Option<Device> {
    let view = file.view(mounted.element, mounted.class);
    let findings = file.findings;
    if let Some((element, _)) = view.find("mode").filter(|(_, mode)| *mode != "fixed") {
        let note = Diagnostic::note("mjcf-camera", "cameras that track or target something are fixed to their body");
        findings.once_attribute("camera-mode", element, "mode", note);
    }
    for name in ["focal", "focalpixel", "principal", "principalpixel", "sensorsize"] {
        if let Some((element, _)) = view.find(name) {
            let message = format!("`{name}` of cameras is not read: the field of view is that of `fovy`");
            findings.once_attribute(name, element, name, Diagnostic::warning("mjcf-unsupported", message));
        }
    }
    let mut image = CameraView::default();
    if let Some([width, height]) = view.array::<2>("resolution") {
        let size = |pixels: f64| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let pixels = pixels.clamp(0.0, 16384.0) as u32;
            pixels
        };
        let (width, height) = (size(width), size(height));
        // One pixel is MuJoCo's default.
        if width > 1 && height > 1 {
            (image.width, image.height) = (width, height);
        }
    }
    let fovy = view.number("fovy").unwrap_or(45.0).clamp(1.0, 179.0).to_radians();
    // The shorter side counts here.
    let ratio = f64::from(image.width) / f64::from(image.height);
    image.field_of_view = if ratio < 1.0 { 2.0 * libm::atan(libm::tan(0.5 * fovy) * ratio) } else { fovy };
    let frame = mounted.frame * pose(&view, &file.compiler);
    let name = mounted.element.attribute("name").unwrap_or_default();
    let camera = Camera { view: image, ..Camera::default() };
    Some(device(name, mounted.link, &frame, DeviceKind::Camera(camera)))
}

fn light<'m>(mounted: &Mounted<'m>, file: &'m ModelFile<'m>) -> Option<Device> {
    let view = file.view(mounted.element, mounted.class);
    let findings = file.findings;
    let is_directional =
        view.flag("directional") == Some(true) || matches!(view.text("type"), Some("directional" | "image"));
    if is_directional {
        let note = Diagnostic::note("mjcf-light", "directional lights and images of the sky are left out");
        findings.once("light", mounted.element, note.help("give the scene a light"));
        return None;
    }
    let color = view.array::<3>("diffuse").unwrap_or([0.7; 3]).map(|part| part.clamp(0.0, 1.0));
    let [constant, linear, quadratic] = view.array::<3>("attenuation").unwrap_or([1.0, 0.0, 0.0]);
    let attenuation = Attenuation { constant, linear, quadratic };
    let frame = mounted.frame * pose(&view, &file.compiler);
    let name = mounted.element.attribute("name").unwrap_or_default();
    let color = Vector3::from(color);
    let kind = if view.text("type") == Some("point") {
        DeviceKind::PointLight(PointLight { color, intensity: 1.0, attenuation })
    } else {
        let towards = view.array::<3>("dir").unwrap_or([0.0, 0.0, -1.0]);
        let direction = direction(&view, "dir", Vector3::from(towards))?;
        let angle = view.number("cutoff").unwrap_or(45.0).clamp(0.0, 180.0).to_radians();
        let exponent = view.number("exponent").unwrap_or(10.0);
        DeviceKind::SpotLight(SpotLight {
            color,
            intensity: 1.0,
            attenuation,
            direction,
            beam_width: 0.0,
            cut_off_angle: angle,
            cut_off_exponent: exponent,
        })
    };
    let device = device(name, mounted.link, &frame, kind);
    Some(Device { enabled: view.flag("active").unwrap_or(true), ..device })
}
