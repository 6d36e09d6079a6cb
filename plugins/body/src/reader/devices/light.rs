//! Lights.

use std::f64::consts::PI;

use super::keys::{Allowed, Keys};
use crate::{Attenuation, PointLight, SpotLight};

const UP_TO_HALF_TURN: Allowed = Allowed::new(|angle| (0.0..=PI).contains(&angle), "from 0 to a half turn");

pub(super) fn read_point_light(keys: &Keys<'_, '_, '_>) -> PointLight {
    let default = PointLight::default();
    PointLight {
        color: keys.color(default.color),
        intensity: keys.number(&["intensity"], Allowed::NOT_NEGATIVE, default.intensity),
        attenuation: attenuation(keys).unwrap_or(default.attenuation),
    }
}

pub(super) fn read_spot_light(keys: &Keys<'_, '_, '_>) -> SpotLight {
    let PointLight { color, intensity, attenuation } = read_point_light(keys);
    note_of_intensity(keys, intensity);
    let default = SpotLight::default();
    SpotLight {
        color,
        intensity,
        attenuation,
        direction: keys.direction(&["direction"], default.direction),
        beam_width: keys.angle(&["beam_width", "beamWidth"], UP_TO_HALF_TURN, default.beam_width),
        cut_off_angle: keys.angle(&["cut_off_angle", "cutOffAngle"], UP_TO_HALF_TURN, default.cut_off_angle),
        cut_off_exponent: keys.number(
            &["cut_off_exponent", "cutOffExponent"],
            Allowed::NOT_NEGATIVE,
            default.cut_off_exponent,
        ),
    }
}

/// In the manual the intensity is from 0 to 1. The original accepts more, and real lights are brighter.
fn note_of_intensity(keys: &Keys<'_, '_, '_>, intensity: f64) {
    if intensity > 1.0 {
        let message = format!("the manual has `intensity` from 0 to 1; {intensity} is used unchanged");
        let note = keys.place(&["intensity"]).note("bright-light", message);
        keys.report(note.help("Choreonoid takes it, too: write 1 or less if other programs read the file"));
    }
}

fn attenuation(keys: &Keys<'_, '_, '_>) -> Option<Attenuation> {
    let value = keys.mapping.get(&["attenuation"])?;
    let [constant, linear, quadratic] = keys.keep(value.as_array::<3>(keys.reporter()))?;
    let parts = [constant, linear, quadratic];
    if parts.iter().any(|&part| part < 0.0) || parts.iter().all(|&part| part == 0.0) {
        let message = "an attenuation has no negative part, and not only zeros: it is ignored";
        keys.report(value.warning("out-of-range", message));
        return None;
    }
    Some(Attenuation { constant, linear, quadratic })
}
