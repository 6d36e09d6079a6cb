//! Hostile files: aliases of aliases, endless nesting, garbage. The reader refuses them without failing.

use bunraku_body::{Body, DeviceKind, kinematics};
use bunraku_document::Severity;
use bunraku_test_support::{MODEL_HEAD, Random, model_text, read_model};
use nalgebra::Isometry3;

use crate::common;
use crate::common::list;

// --- attacks

/// Asserts that a text is refused quickly, with one error of this code and few findings.
#[track_caller]
fn assert_refused_at_once(text: &str, code: &str) {
    // Without a limit this would take hours or exhaust the memory.
    let (body, findings) = read_model(text);
    assert!(body.is_none());
    assert_eq!(findings.iter().filter(|finding| finding.code == code).count(), 1, "{} findings", findings.len());
}

/// Aliases of aliases: `levels` definitions, each of which contains the one below ten times.
fn bomb(innermost: &str, levels: usize, level: impl Fn(&str) -> String) -> String {
    let mut text = format!("a0: &a0 {innermost}\n");
    for number in 1..=levels {
        let below = format!("*a{}, ", number - 1).repeat(10);
        text += &format!("a{number}: &a{number} {}\n", level(&below));
    }
    text
}

#[test]
fn elements_that_are_aliases_of_aliases_are_refused_at_once() {
    let bomb = bomb("{ type: Group }", 30, |below| format!("{{ type: Group, elements: [ {below} ] }}"));
    assert_refused_at_once(&format!("{bomb}{MODEL_HEAD}  - name: BASE\n    elements: [ *a30 ]\n"), "limit-elements");
}

#[test]
fn the_limit_of_elements_counts_all_links_together() {
    let bomb = bomb("{ type: Group }", 5, |below| format!("{{ type: Group, elements: [ {below} ] }}"));
    let mut text = format!("{bomb}{MODEL_HEAD}  - name: BASE\n");
    for number in 0..2000 {
        text += &format!("  - {{ name: L{number}, parent: BASE, elements: [ *a4 ] }}\n");
    }
    assert_refused_at_once(&text, "limit-elements");
}

#[test]
fn invalid_elements_count_towards_the_limit() {
    let words = "x, ".repeat(1000);
    let groups = bomb(&format!("{{ type: Group, elements: [ {words} ] }}"), 6, |below| {
        format!("{{ type: Group, elements: [ {below} ] }}")
    });
    assert_refused_at_once(&format!("{groups}{MODEL_HEAD}  - name: BASE\n    elements: [ *a6 ]\n"), "limit-elements");
}

#[test]
fn elements_nested_by_aliases_do_not_overflow_the_stack() {
    let mut text = "a0: &a0 { type: Group }\n".to_owned();
    for number in 1..20_000 {
        text += &format!("a{number}: &a{number} {{ type: Group, elements: [ *a{} ] }}\n", number - 1);
    }
    text += &format!("{MODEL_HEAD}  - name: BASE\n    elements: [ *a19999 ]\n");
    assert_refused_at_once(&text, "limit-elements");
}

#[test]
fn device_keys_that_are_aliases_of_aliases_are_refused_at_once() {
    let bomb = bomb("[ 1 ]", 30, |below| format!("[ {below} ]"));
    let text = format!("{bomb}{MODEL_HEAD}  - name: BASE\n    elements: [ {{ type: ForceSensor, data: *a30 }} ]\n");
    assert_refused_at_once(&text, "limit-properties");
}

#[test]
fn the_limit_of_device_keys_counts_all_devices_together() {
    let numbers = "1, ".repeat(5000);
    let devices = "*device, ".repeat(50_000);
    let text = format!(
        "device: &device {{ type: ForceSensor, data: [ {numbers} ] }}\n{MODEL_HEAD}  - name: BASE\n    elements: [ {devices} ]\n"
    );
    assert_refused_at_once(&text, "limit-properties");
}

#[test]
fn labels_of_signal_lines_count_as_device_keys() {
    let labels: String = (0..90).map(|line| format!("{line}: a, ")).collect();
    let devices = "*device, ".repeat(50_000);
    let text = format!(
        "device: &device {{ type: DigitalIO, in_labels: {{ {labels} }} }}\n{MODEL_HEAD}  - name: BASE\n    elements: [ {devices} ]\n"
    );
    assert_refused_at_once(&text, "limit-properties");
}

#[test]
fn device_keys_nested_by_aliases_do_not_overflow_the_stack() {
    let mut text = "a0: &a0 [ 1 ]\n".to_owned();
    for number in 1..50_000 {
        text += &format!("a{number}: &a{number} [ *a{} ]\n", number - 1);
    }
    text += &format!("{MODEL_HEAD}  - name: BASE\n    elements: [ {{ type: ForceSensor, data: *a49999 }} ]\n");
    assert_refused_at_once(&text, "limit-properties");
}

#[test]
fn a_hundred_thousand_brackets_are_refused_at_once() {
    for bracket in ["[", "{ a: ", "- "] {
        assert_refused_at_once(&bracket.repeat(100_000), "limit-depth");
    }
    let text = format!("{MODEL_HEAD}  - name: BASE\n    elements: {}", "[".repeat(100_000));
    assert_refused_at_once(&text, "limit-depth");
}

// --- garbage

/// A small model with many features.
const SMALL: &str = "\
format: ChoreonoidBody
format_version: 1.0
angleUnit: degree
name: Small
rootLink: A
links:
  - &A
    name: A
    translation: [ 0, 0, 1 ]
    jointType: free
    mass: 2
    elements:
      RigidBody: { mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ] }
      Visual: &V
        rotation: [ 1, 0, 0, 90 ]
        elements:
          - type: Shape
            geometry: { type: Capsule, radius: 0.1, height: 0.5 }
            appearance: { material: { diffuse: [ 1, 0, 0 ] } }
  - <<: *A
    name: B
    parent: A
    jointId: 0
    jointType: revolute
    jointAxis: -Z
    jointRange: [ -90, unlimited ]
    max_joint_velocity: 3
    rotation: [ [ 1, 0, 0, 90 ], [ 0, 1, 0, 90 ] ]
    elements:
      - { type: Skip }
      - { type: Camera, format: COLOR, id: 1, width: 4 }
      - { type: RangeSensor, yaw_range: 90, yaw_step: 1 }
      - { type: DigitalIO, in_labels: { 1: a }, action: { input: { 0: [ device, a, on ] } } }
      - { type: Transform, scale: [ 1, 2, 3 ], elements: { Collision: *V } }
";

/// Reads a text and uses the resulting body.
fn survive(text: &str) -> Option<Body> {
    let (body, findings) = read_model(text);
    let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
    assert_eq!(body.is_none(), failed, "a body comes out exactly if there is no error:\n{}{text}", list(&findings));
    let body = body?;
    let poses = kinematics::link_poses(&body, &Isometry3::identity(), &body.initial_displacements());
    assert_eq!(poses.len(), body.links().len());
    for (link, pose) in body.links().iter().zip(&poses) {
        if let Some(parent) = link.parent {
            kinematics::measured_displacement(link, &poses[parent.0], pose);
        }
        assert!(!link.visual.iter().chain(&link.collision).any(|shape| shape.bounding_box().is_none()));
    }
    body.center_of_mass(&poses);
    for device in &body.devices {
        if let DeviceKind::RangeSensor(sensor) = &device.kind {
            assert!(sensor.samples() >= 1 && sensor.yaw.angle(sensor.yaw.samples()).is_finite());
        }
    }
    Some(body)
}

#[test]
fn the_small_model_is_sound() {
    let body = common::read_clean(SMALL);
    assert_eq!((body.links().len(), body.num_joints(), body.devices.len()), (2, 1, 3));
    assert_eq!((body.link(bunraku_body::LinkIndex(1)).collision.len(), body.root().visual.len()), (1, 1));
}

#[test]
fn no_byte_left_out_makes_the_reader_panic() {
    let mut sound = 0;
    for index in 0..SMALL.len() {
        sound += usize::from(survive(&format!("{}{}", &SMALL[..index], &SMALL[index + 1..])).is_some());
    }
    // Some characters and blanks are insignificant, most are not.
    assert!((1..SMALL.len()).contains(&sound), "{sound} of {}", SMALL.len());
}

#[test]
fn no_byte_replaced_makes_the_reader_panic() {
    let mut sound = 0;
    for index in 0..SMALL.len() {
        for other in ["0", "-", "[", "}", ":", " ", "\n", "\t", "*", "&", "x", "\"", "|", "\0", "\u{fffd}", "界"] {
            sound += usize::from(survive(&format!("{}{other}{}", &SMALL[..index], &SMALL[index + 1..])).is_some());
        }
    }
    assert!(sound > 0);
}

#[test]
fn no_file_cut_short_makes_the_reader_panic() {
    for length in 0..SMALL.len() {
        survive(&SMALL[..length]);
    }
}

#[test]
fn no_line_left_out_or_given_twice_makes_the_reader_panic() {
    let lines: Vec<&str> = SMALL.lines().collect();
    for index in 0..lines.len() {
        let without: Vec<&str> = lines.iter().enumerate().filter(|&(i, _)| i != index).map(|(_, &l)| l).collect();
        survive(&without.join("\n"));
        let mut twice = lines.clone();
        twice.insert(index, lines[index]);
        survive(&twice.join("\n"));
    }
}

#[test]
fn random_bytes_are_refused_without_panic() {
    let mut random = Random::new(1);
    let words = ["links:", "\n", "  ", "- ", "name: ", "[", "]", "{", "}", ", ", "*a", "&a ", "type: ", "Shape", "1"];
    for _ in 0..5_000 {
        let length = random.below(60);
        let bytes = random.bytes(length);
        assert!(survive(&String::from_utf8_lossy(&bytes)).is_none());
        let text: String = (0..random.below(40)).map(|_| random.of(&words)).collect();
        assert!(survive(&text).is_none());
        survive(&model_text(&text));
    }
}
