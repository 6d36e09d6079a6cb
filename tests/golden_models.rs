//! `info --json` gives what Choreonoid itself holds after loading the same model.

// A test that cannot go on should say so loudly.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)]

mod common;

use common::{bunraku, golden, share, stderr};
use serde_json::Value;

/// Golden numbers have nine digits, and Choreonoid keeps vertices in single precision.
const TOLERANCE: f64 = 1e-6;

/// The first difference between two documents as a path and what is there; extra keys of `found` do not count.
fn difference(path: &str, golden: &Value, found: Option<&Value>) -> Option<String> {
    let found = match found {
        Some(found) => found,
        None => return Some(format!("{path}: missing, golden has {golden}")),
    };
    match (golden, found) {
        (Value::Object(golden), Value::Object(found)) => {
            golden.iter().find_map(|(key, value)| difference(&format!("{path}.{key}"), value, found.get(key)))
        }
        (Value::Array(golden), Value::Array(found)) => {
            if golden.len() != found.len() {
                return Some(format!("{path}: {} items, golden has {}", found.len(), golden.len()));
            }
            let items = golden.iter().zip(found).enumerate();
            items
                .into_iter()
                .find_map(|(index, (golden, found))| difference(&format!("{path}[{index}]"), golden, Some(found)))
        }
        (Value::Number(golden), Value::Number(found)) => {
            let (golden, found) = (golden.as_f64()?, found.as_f64()?);
            let error = (golden - found).abs();
            (error > TOLERANCE && error > TOLERANCE * golden.abs())
                .then(|| format!("{path}: {found:?}, golden has {golden:?}"))
        }
        // The default contact material has two names, and Choreonoid shows one or the other by chance of what was
        // loaded before.
        (Value::String(golden), Value::String(found))
            if golden.is_empty() && found == "default" && path.ends_with(".material") =>
        {
            None
        }
        _ => (golden != found).then(|| format!("{path}: {found}, golden has {golden}")),
    }
}

fn check(model: &str) {
    let (Some(share), Some(golden)) = (share(), golden()) else { return };
    let output = bunraku().arg("info").arg(share.join("model").join(model)).arg("--json").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let file = golden.join("models/share/model").join(format!("{model}.json"));
    let golden: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    if let Some(difference) = difference(model, &golden, Some(&found)) {
        panic!("{difference}");
    }
}

#[test]
fn sr1() {
    check("SR1/SR1.body");
}

#[test]
fn floor() {
    check("misc/floor.body");
}

#[test]
fn pendulum() {
    check("misc/pendulum.body");
}

#[test]
fn boxes() {
    for number in ["", "1", "2", "3", "4", "5"] {
        check(&format!("misc/box{number}.body"));
    }
}

#[test]
fn models_made_of_other_models() {
    for model in ["SR1/SR1-floor-box.body", "misc/BoxesOnFloor.body"] {
        check(model);
    }
}

#[test]
fn models_whose_shapes_are_all_in_the_file() {
    for model in [
        "SR1/SR1-2D.body",
        "SR1/SR1DH.body",
        "SR1/SR1Hand.body",
        "Tank/SimpleTank.body",
        "house/cassette.body",
        "misc/Torus.body",
        "misc/bumpyfloor.body",
        "misc/crawler.body",
        "misc/slope.body",
        "misc/ClosedLinkSample.body",
        "misc/ContinuousTrackVehicle.body",
        "misc/CustomizedSpringModel.body",
        "misc/FourWheelCar.body",
        "misc/HandyRockDrill.body",
        "misc/SpringModel.body",
        "misc/ball.body",
        "misc/conveyor.body",
        "misc/ellipsoid1.body",
        "misc/fencedfloor.body",
        "misc/floor2.body",
        "misc/grayfloor.body",
        "misc/longtable.body",
        "misc/minitable.body",
        "misc/plane.body",
        "misc/pyramid.body",
        "misc/ragdoll.body",
        "misc/rod.body",
        "misc/smallfloor.body",
        "misc/stand.body",
        "misc/submersible.body",
        "misc/suctioncup.body",
    ] {
        check(model);
    }
}

#[test]
fn the_comparison_finds_the_first_difference() {
    let golden = serde_json::json!({ "links": [ { "mass": 1.0 }, { "mass": 2.0, "range": [null, 3.0] } ] });
    let change = |pointer: &str, value: Value| {
        let mut found = golden.clone();
        *found.pointer_mut(pointer).unwrap() = value;
        difference("m", &golden, Some(&found))
    };
    assert_eq!(change("/links/1/mass", 2.000_001.into()), None);
    assert_eq!(change("/links/1/mass", 2.000_01.into()).unwrap(), "m.links[1].mass: 2.00001, golden has 2.0");
    assert_eq!(change("/links/1/range/0", 0.0.into()).unwrap(), "m.links[1].range[0]: 0.0, golden has null");
    assert_eq!(difference("m", &golden, Some(&serde_json::json!({}))).unwrap().split(':').next(), Some("m.links"));
}
