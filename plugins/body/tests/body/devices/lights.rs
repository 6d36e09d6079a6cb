//! Lights.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, FRAC_PI_4, PI};

use bunraku_body::{Attenuation, PointLight, SpotLight};
use bunraku_document::Severity;
use bunraku_test_support::{assert_all_close, assert_close};
use nalgebra::Unit;

use crate::devices::{clean, data, device, finding, vector};

#[test]
fn a_spot_light_has_all_its_keys_under_both_spellings() {
    let keys = [
        "on: false",
        "color: [ 0.1, 0.2, 0.3 ]",
        "intensity: 0.5",
        "direction: [ 0, 3, 4 ]",
        "beam_width: 30",
        "cut_off_angle: 60",
        "cut_off_exponent: 2",
        "attenuation: [ 1, 0.5, 0.01 ]",
    ];
    let camel = keys.map(|key| {
        key.replace("beam_width", "beamWidth")
            .replace("cut_off_angle", "cutOffAngle")
            .replace("cut_off_exponent", "cutOffExponent")
    });
    for keys in [keys, camel.each_ref().map(String::as_str)] {
        let light = device("SpotLight", &keys);
        assert!(!light.enabled);
        let light = data!(light, SpotLight);
        assert_eq!((light.color, light.intensity), (vector(0.1, 0.2, 0.3), 0.5));
        assert_all_close(light.direction.iter(), [0.0, 0.6, 0.8]);
        assert_all_close(&[light.beam_width, light.cut_off_angle], [PI / 6.0, FRAC_PI_3]);
        assert_eq!(light.cut_off_exponent, 2.0);
        assert_eq!(light.attenuation, Attenuation { constant: 1.0, linear: 0.5, quadratic: 0.01 });
    }
    let light = data!(clean("radian", "SpotLight", &["beam_width: 0.5", "cut_off_angle: 1.5"]), SpotLight);
    assert_eq!((light.beam_width, light.cut_off_angle), (0.5, 1.5));
}

#[test]
fn a_spot_light_without_keys_has_the_defaults_of_the_manual() {
    let light = device("SpotLight", &[]);
    assert!(light.enabled);
    let expected = SpotLight {
        color: vector(1.0, 1.0, 1.0),
        intensity: 1.0,
        attenuation: Attenuation { constant: 1.0, linear: 0.0, quadratic: 0.0 },
        direction: Unit::new_unchecked(vector(0.0, 0.0, -1.0)),
        beam_width: FRAC_PI_2,
        cut_off_angle: FRAC_PI_4,
        cut_off_exponent: 1.0,
    };
    assert_eq!(data!(light, SpotLight), expected);
}

#[test]
fn a_point_light_has_all_its_keys() {
    let keys = ["color: [ 0, 1, 0 ]", "intensity: 1.2", "attenuation: [ 0, 1, 2 ]"];
    let expected = PointLight {
        color: vector(0.0, 1.0, 0.0),
        intensity: 1.2,
        attenuation: Attenuation { constant: 0.0, linear: 1.0, quadratic: 2.0 },
    };
    assert_eq!(data!(device("PointLight", &keys), PointLight), expected);
    assert_eq!(data!(device("PointLight", &[]), PointLight), PointLight::default());
}

#[test]
fn a_light_fades_with_the_distance() {
    assert_eq!(Attenuation::default().factor(7.0), 1.0);
    assert_close(Attenuation { constant: 1.0, linear: 0.5, quadratic: 0.25 }.factor(2.0), 1.0 / 3.0);
    assert_eq!(Attenuation { constant: 0.0, linear: 1.0, quadratic: 0.0 }.factor(0.0), 1.0);
}

#[test]
fn an_invalid_light_is_reported() {
    let light = |key: &str, severity, code, column| finding("SpotLight", &[key], severity, code, (0, column));
    light("direction: [ 0, 0, 0 ]", Severity::Warning, "zero-axis", 20);
    light("color: red", Severity::Warning, "wrong-type", 16);
    let found = light("color: [ 2, 0.5, -1 ]", Severity::Warning, "out-of-range", 16).unwrap();
    assert_eq!(data!(found, SpotLight).color, vector(1.0, 0.5, 0.0));
    let found = light("intensity: -1", Severity::Warning, "out-of-range", 20).unwrap();
    assert_eq!(data!(found, SpotLight).intensity, 1.0);
    light("beam_width: 181", Severity::Warning, "out-of-range", 21);
    light("cut_off_angle: -1", Severity::Warning, "out-of-range", 24);
    light("cut_off_exponent: -1", Severity::Warning, "out-of-range", 27);
    for key in ["attenuation: [ 0, 0, 0 ]", "attenuation: [ 1, -1, 0 ]"] {
        let found = light(key, Severity::Warning, "out-of-range", 22).unwrap();
        assert_eq!(data!(found, SpotLight).attenuation, Attenuation::default());
    }
}
