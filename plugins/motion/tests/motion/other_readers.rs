//! Independent readers of YAML and JSON find the same values in written files.

use std::process::Command;

use bunraku_document::Reporter;
use bunraku_motion::{
    BodyMotion, OtherFrames, SeqVersion, Sequence, WriteOptions, Zmp, write_json_to, write_seq_to_with,
};
use nalgebra::{Isometry3, Vector3};
use serde_json::Value;

use crate::common::motions::features;

/// The motions, each in the versions that can express it, with a name for messages.
fn texts() -> Vec<(String, BodyMotion, SeqVersion, String)> {
    let mut texts = Vec::new();
    for (name, motion) in features() {
        for version in [SeqVersion::One, SeqVersion::Two, SeqVersion::Four] {
            let mut out = Vec::new();
            if write_seq_to_with(&motion, &WriteOptions { version }, &mut out).is_ok() {
                let text = String::from_utf8(out).unwrap();
                texts.push((format!("{name}, {version:?}"), motion.clone(), version, text));
            }
        }
    }
    assert!(texts.len() > 30);
    texts
}

/// Expected data of one component: content, labels, and the numbers of all frames as bits, times first.
#[derive(Debug, PartialEq)]
struct Found {
    content: String,
    labels: Vec<String>,
    frames: Vec<Vec<String>>,
}

fn bits(number: f64) -> String {
    format!("{:016x}", number.to_bits())
}

fn expected(motion: &BodyMotion, version: SeqVersion) -> Vec<Found> {
    fn of<T>(content: &str, frames: &Sequence<T>, numbers: impl Fn(&T) -> Vec<f64>) -> Found {
        let line = |(index, frame): (usize, &[T])| {
            let time = frames.times().map(|times| times[index]);
            time.into_iter().chain(frame.iter().flat_map(&numbers)).map(bits).collect()
        };
        Found {
            content: content.to_owned(),
            labels: frames.part_labels().to_vec(),
            frames: frames.frames().enumerate().map(line).collect(),
        }
    }
    let pose = |pose: &Isometry3<f64>| {
        let (t, q) = (&pose.translation.vector, &pose.rotation);
        vec![t.x, t.y, t.z, q.w, q.i, q.j, q.k]
    };
    let vector = |vector: &Vector3<f64>| vec![vector.x, vector.y, vector.z];
    let value = |value: &f64| vec![*value];
    let old = version == SeqVersion::One;
    let mut found = Vec::new();
    found.extend(motion.link_positions.as_ref().map(|frames| of("LinkPosition", frames, pose)));
    let joints = if old { "JointPosition" } else { "JointDisplacement" };
    found.extend(motion.joint_displacements.as_ref().map(|frames| of(joints, frames, value)));
    if let Some(Zmp { root_relative, frames }) = &motion.zmp {
        found.push(of(if old && *root_relative { "RelativeZMP" } else { "ZMP" }, frames, vector));
    }
    found.extend(motion.others.iter().map(|other| match &other.frames {
        OtherFrames::Values(frames) => of(&other.content, frames, value),
        OtherFrames::Poses(frames) => of(&other.content, frames, pose),
        OtherFrames::Vectors(frames) => of(&other.content, frames, vector),
    }));
    found
}

/// All values of nested lists in one list.
fn flat(value: &Value, leaf: &impl Fn(&Value) -> String) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(|item| flat(item, leaf)).collect(),
        _ => vec![leaf(value)],
    }
}

fn component(keys: &Value, frames: &Value, leaf: impl Fn(&Value) -> String) -> Found {
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("not a text: {value}")).to_owned();
    let labels = keys.get("partLabels").or(keys.get("part_labels")).and_then(Value::as_array);
    Found {
        content: text(&keys["content"]),
        labels: labels.into_iter().flatten().map(text).collect(),
        frames: frames.as_array().unwrap().iter().map(|frame| flat(frame, &leaf)).collect(),
    }
}

fn number(value: &Value) -> String {
    bits(value.as_f64().unwrap_or_else(|| panic!("not a number: {value}")))
}

fn components(root: &Value) -> Vec<Found> {
    let components = root["components"].as_array().unwrap();
    components.iter().map(|one| component(one, &one["frames"], number)).collect()
}

#[test]
fn yaml_serde_reads_the_same_values() {
    for (name, motion, version, text) in texts() {
        let root: Value = yaml_serde::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert_eq!(components(&root), expected(&motion, version), "{name}\n{text}");
    }
}

#[test]
fn serde_json_reads_the_same_values() {
    for (name, motion) in features() {
        let mut text = Vec::new();
        write_json_to(&motion, &mut text, &Reporter::new()).unwrap();
        let root: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(components(&root), expected(&motion, SeqVersion::Two), "{name}");
        assert_eq!(root["frameRate"].as_f64().map(f64::to_bits), Some(motion.frame_rate.to_bits()), "{name}");
    }
}

#[test]
fn pyyaml_reads_the_same_values() {
    let has_yaml = Command::new("python3").args(["-c", "import yaml"]).output();
    if !has_yaml.is_ok_and(|output| output.status.success()) {
        return bunraku_test_support::skip(bunraku_test_support::Needed::Python, "there is no python3 with PyYAML");
    }
    let directory = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/motion/reference/pyyaml_check.py");
    let texts = texts();
    let path = |index: usize| directory.path().join(format!("{index}.seq"));
    for (index, (.., text)) in texts.iter().enumerate() {
        std::fs::write(path(index), text).unwrap();
    }
    let output = Command::new("python3").arg(script).args((0..texts.len()).map(path)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.lines().count(), texts.len());
    for ((name, motion, version, text), line) in texts.iter().zip(output.lines()) {
        let root: Value = serde_json::from_str(line).unwrap();
        assert_eq!(root["top"]["content"], "BodyMotion", "{name}");
        let found: Vec<_> = root["components"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| component(&one["keys"], &one["frames"], |leaf| leaf.as_str().unwrap().to_owned()))
            .collect();
        assert_eq!(found, expected(motion, *version), "{name}\n{text}");
    }
}
