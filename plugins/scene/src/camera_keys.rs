//! Keys of cameras, and of the light that they see.

use bunraku_document::{Mapping, Reporter, Value};
use bunraku_render::{Intrinsics, Lens, Light, LightSource, Lighting, Linear, Sky};
use bunraku_sensors::{CameraOptions, TruthKinds};
use nalgebra::Vector3;

use super::allowed::{self, Allowed};
use super::words::read_word;

/// The keys of a camera.
pub(super) const KEYS: [&str; 8] =
    ["lens", "samples", "exposure_time", "readout_time", "exposure_value", "image_noise", "shot_noise", "truth"];

/// The words for laws of lenses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Law {
    RadialTangential,
    KannalaBrandt,
}

/// Reads the keys of a camera; those that are absent have their defaults.
pub(super) fn read(mapping: &Mapping<'_, '_>) -> CameraOptions {
    let default = CameraOptions::default();
    let number = |key: &'static str, default: f64| mapping.number(&[key]).unwrap_or(default);
    CameraOptions {
        lens: mapping.get(&["lens"]).and_then(|value| read_lens(value, mapping.reporter())),
        // A negative number is out of range, like 0.
        samples: mapping.integer(&["samples"]).map_or(default.samples, |count| u32::try_from(count).unwrap_or(0)),
        exposure_time: number("exposure_time", default.exposure_time),
        readout_time: number("readout_time", default.readout_time),
        exposure_value: number("exposure_value", default.exposure_value),
        noise: number("image_noise", default.noise),
        shot_noise: number("shot_noise", default.shot_noise),
        truth: mapping.get(&["truth"]).map_or(default.truth, |value| read_truth(value, mapping.reporter())),
    }
}

fn read_lens(value: Value<'_>, reporter: &Reporter) -> Option<Lens> {
    const LAWS: [(&str, Law); 2] =
        [("radial_tangential", Law::RadialTangential), ("kannala_brandt", Law::KannalaBrandt)];
    let mapping = Mapping::new(value, "`lens`", reporter)?;
    let law = mapping.required(&["model"]).and_then(|value| reporter.keep(read_word(value, "a lens", &LAWS)));
    let number =
        |key: &'static str| mapping.required(&[key]).and_then(|value| reporter.keep(value.as_number(reporter)));
    let (fx, fy, cx, cy) = (number("fx"), number("fy"), number("cx"), number("cy"));
    for key in ["fx", "fy"] {
        allowed::check(&mapping, key, Allowed::Positive);
    }
    let written = mapping.get(&["coefficients"]);
    let coefficients = written.map_or(Some(Vec::new()), |value| reporter.keep(value.as_numbers(reporter)));
    mapping.finish();
    let intrinsics = Intrinsics { fx: fx.filter(|fx| *fx > 0.0)?, fy: fy.filter(|fy| *fy > 0.0)?, cx: cx?, cy: cy? };
    let (law, coefficients) = (law?, coefficients?);
    let lengths: &[usize] = match law {
        Law::RadialTangential => &[0, 4, 5, 8],
        Law::KannalaBrandt => &[0, 4],
    };
    if !lengths.contains(&coefficients.len()) {
        let message = format!("a lens has not {} coefficients", coefficients.len());
        let help = match law {
            Law::RadialTangential => {
                "write k1, k2, p1, p2, then k3, then k4, k5, k6: 4, 5 or 8 numbers, as OpenCV has them"
            }
            Law::KannalaBrandt => "write k1, k2, k3, k4, as OpenCV's `fisheye` has them",
        };
        reporter.report(written.unwrap_or(value).error("wrong-length", message).help(help));
        return None;
    }
    Some(match law {
        Law::RadialTangential => Lens::RadialTangential { intrinsics, coefficients: filled(&coefficients) },
        Law::KannalaBrandt => Lens::KannalaBrandt { intrinsics, coefficients: filled(&coefficients) },
    })
}

/// The numbers, and 0 for those that are absent.
fn filled<const N: usize>(numbers: &[f64]) -> [f64; N] {
    std::array::from_fn(|index| numbers.get(index).copied().unwrap_or(0.0))
}

fn read_truth(value: Value<'_>, reporter: &Reporter) -> TruthKinds {
    type Kind = fn(&mut TruthKinds) -> &mut bool;
    const WORDS: [(&str, Kind); 3] = [
        ("labels", |kinds| &mut kinds.labels),
        ("normals", |kinds| &mut kinds.normals),
        ("flow", |kinds| &mut kinds.flow),
    ];
    let mut wanted = TruthKinds::default();
    let Some(items) = value.items() else {
        reporter.report(value.expected("a list of `labels`, `normals` and `flow`"));
        return TruthKinds::default();
    };
    for item in items {
        if let Some(kind) = reporter.keep(read_word(item, "a kind of ground truth", &WORDS)) {
            *kind(&mut wanted) = true;
        }
    }
    wanted
}

/// Reads `lighting`: the light of the surroundings, without that of the lamps on bodies.
pub(super) fn read_lighting(value: Value<'_>, reporter: &Reporter) -> Lighting {
    let default = Lighting::default();
    let Some(mapping) = Mapping::new(value, "`lighting`", reporter) else { return default };
    let color = |key: &'static str| mapping.read(&[key], read_color);
    let sun = mapping.get(&["sun"]).and_then(|value| {
        let sun = Mapping::new(value, "`sun`", reporter)?;
        let direction = sun.array::<3>(&["direction"]).map_or(Vector3::new(0.3, 0.2, -1.0), Vector3::from);
        let color = sun.read(&["color"], read_color).unwrap_or(Linear([0.5; 3]));
        let direction = bunraku_mesh::unit_vector(direction, 1e-9);
        if let (None, Some(place)) = (direction, sun.get(&["direction"])) {
            reporter.report(place.error("zero-axis", "the direction of the sun is zero"));
        }
        sun.finish();
        Some(Light { color, source: LightSource::Directional { direction: direction? } })
    });
    let sky = mapping.get(&["sky"]).and_then(|value| {
        let sky = Mapping::new(value, "`sky`", reporter)?;
        let part = |key: &'static str, default: [f32; 3]| sky.read(&[key], read_color).unwrap_or(Linear(default));
        let read = Sky {
            zenith: part("zenith", [0.1, 0.25, 0.6]),
            horizon: part("horizon", [0.6, 0.7, 0.8]),
            ground: part("ground", [0.15, 0.14, 0.13]),
        };
        sky.finish();
        Some(read)
    });
    let lighting = Lighting {
        ambient: color("ambient").unwrap_or(default.ambient),
        head: color("camera").unwrap_or(default.head),
        lights: sun.map_or(default.lights, |sun| vec![sun]),
        background: color("background").unwrap_or(default.background),
        sky,
        shadows: mapping.bool(&["shadows"]).unwrap_or(default.shadows),
    };
    mapping.finish();
    lighting
}

/// Linear light: a number for white, or red, green and blue; 1 is full light.
fn read_color(value: Value<'_>, reporter: &Reporter) -> bunraku_document::Result<Linear> {
    let parts = match value.items() {
        Some(_) => value.as_array::<3>(reporter)?,
        None => [value.as_number(reporter)?; 3],
    };
    if parts.iter().any(|part| *part < 0.0) {
        return Err(Box::new(value.error("out-of-range", "light is not negative")));
    }
    #[allow(clippy::cast_possible_truncation)]
    let parts = parts.map(|part| part as f32);
    Ok(Linear(parts))
}
