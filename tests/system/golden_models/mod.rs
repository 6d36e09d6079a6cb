//! `info --json` gives the same data that Choreonoid has after loading the same model.

mod turned_boxes;

use bunraku::mesh::BoundingBox;
use bunraku_test_support::{files_below, golden, share};
use nalgebra::Point3;
use serde_json::Value;

use crate::common::{bunraku, stderr};

/// Golden numbers have nine digits, and Choreonoid keeps vertices in single precision.
const TOLERANCE: f64 = 1e-6;
/// Box corners may differ by this much, m: a box around a rotated box is slightly too large.
const BOX_TOLERANCE: f64 = 1e-4;

/// The first difference between two documents, as a path and the values; extra keys of `found` are ignored.
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
            let allowed = if path.contains(".visual_bbox") { BOX_TOLERANCE } else { TOLERANCE };
            (error > allowed && error > TOLERANCE * golden.abs())
                .then(|| format!("{path}: {found:?}, golden has {golden:?}"))
        }
        // The default contact material has two names; which of them Choreonoid shows depends on what was loaded before.
        (Value::String(golden), Value::String(found))
            if golden.is_empty() && found == "default" && path.ends_with(".material") =>
        {
            None
        }
        _ => (golden != found).then(|| format!("{path}: {found}, golden has {golden}")),
    }
}

/// Models whose boxes Choreonoid makes too large, and why; everything else about them is equal.
///
/// Choreonoid does not use the vertices of a rotated shape, but rotates the shape's own box and puts a box around that.
/// Its boxes are compared with boxes calculated in the same way.
const TURNED_BOXES: &[&str] = &[
    "AizuSpider/AizuSpiderDS.body",
    "AizuSpider/AizuSpiderSS.body",
    "AizuWheel/AizuWheel.body",
    "JACO2/JACO2.body",
    "Labo1/Labo1.body",
    "Labo1/Labo1v2.body",
    "misc/unevenfloor.wrl",
    "misc/unevenground.body",
];

/// OpenHRP models with crawlers. Choreonoid drops their `jointAxis`, without which a crawler has no direction to move
/// in. The manual takes precedence, and the axis is left out of the comparison.
const DROPPED_AXES: &[&str] = &["misc/conveyor.wrl", "misc/crawler.wrl"];

/// Asserts that only the axes of crawlers are dropped, and removes them from the comparison.
fn compare_axes(model: &str, golden: &mut Value, found: &Value) {
    for (link, found) in golden["links"].as_array_mut().unwrap().iter_mut().zip(found["links"].as_array().unwrap()) {
        if link["joint_type"] == "pseudo_continuous_track" {
            assert_eq!(link["joint_axis"], serde_json::json!([0.0, 0.0, 0.0]), "{model}");
            assert_eq!(found["joint_axis"], serde_json::json!([0.0, 1.0, 0.0]), "{model}");
            link.as_object_mut().unwrap().remove("joint_axis");
        }
    }
}

/// Compares the boxes of links and removes them from the comparison.
fn compare_boxes(model: &str, golden: &mut Value, boxes: &[Option<BoundingBox>]) {
    for (link, own) in golden["links"].as_array_mut().unwrap().iter_mut().zip(boxes) {
        let bounds = link.as_object_mut().unwrap().remove("visual_bbox").unwrap();
        assert_eq!(bounds.is_null(), own.is_none(), "{model}: {}", link["name"]);
        let Some(own) = own else { continue };
        let corner = |end: usize| Point3::from([0, 1, 2].map(|axis| bounds[end][axis].as_f64().unwrap()));
        let difference = (own.min - corner(0)).amax().max((own.max - corner(1)).amax());
        assert!(difference < BOX_TOLERANCE, "{model}: the box of {} is {own:?}, golden has {bounds}", link["name"]);
    }
}

#[test]
fn every_model_equals_that_of_choreonoid() {
    let (Some(share), Some(golden)) = (share(), golden()) else { return };
    let directory = golden.join("models/share/model");
    let files = files_below(&directory, &["body.json", "wrl.json"]);
    let mut differences = Vec::new();
    for file in &files {
        let model = file.strip_prefix(&directory).unwrap().with_extension("").display().to_string();
        let output = bunraku().arg("info").arg(share.join("model").join(&model)).arg("--json").output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut golden: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let mut remark = "";
        if TURNED_BOXES.contains(&model.as_str()) {
            remark = ", boxes as turned boxes";
            let boxes = turned_boxes::of_model(&share.join("model").join(&model), &share);
            compare_boxes(&model, &mut golden, &boxes);
        }
        if DROPPED_AXES.contains(&model.as_str()) {
            remark = ", but for the axes of crawlers";
            compare_axes(&model, &mut golden, &found);
        }
        match difference(&model, &golden, Some(&found)) {
            None => println!("{model:<44} equal{remark}"),
            Some(difference) => differences.push(difference),
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(files.len() >= 84, "{} models", files.len());
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
