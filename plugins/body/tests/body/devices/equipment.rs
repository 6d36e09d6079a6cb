//! Devices that are neither sensors nor lights.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

use bunraku_body::{Attachment, Conveyor, ConveyorMotion, DigitalIo, HoldCondition, Holder, Marker, MarkerShape};
use bunraku_document::Severity;
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use crate::devices::{data, device, finding, vector};

#[test]
fn a_holder_has_all_its_keys_and_waits_to_be_switched_on() {
    let keys = [
        "on: true",
        "categories: [ cup, hook ]",
        "hold_condition: name",
        "max_hold_distance: 0.5",
        "hold_target_name: Box",
    ];
    let holder = device("Holder", &keys);
    assert!(holder.enabled);
    let expected = Holder {
        categories: vec!["cup".to_owned(), "hook".to_owned()],
        condition: HoldCondition::Name,
        max_distance: 0.5,
        target: "Box".to_owned(),
    };
    assert_eq!(data!(holder, Holder), expected);
    assert_eq!(data!(device("Holder", &["category: cup"]), Holder).categories, ["cup"]);
    assert_eq!(data!(device("Holder", &["hold_condition: collision"]), Holder).condition, HoldCondition::Collision);

    let holder = device("Holder", &[]);
    assert!(!holder.enabled);
    let holder = data!(holder, Holder);
    assert_eq!((holder.condition, holder.max_distance), (HoldCondition::Distance, 0.1));
    assert!(holder.categories.is_empty() && holder.target.is_empty());
}

#[test]
fn an_attachment_has_a_category() {
    let attachment = device("Attachment", &["category: cup"]);
    assert!(!attachment.enabled);
    assert_eq!(data!(attachment, Attachment), Attachment { category: "cup".to_owned() });
    assert_eq!(data!(device("Attachment", &[]), Attachment).category, "");
}

#[test]
fn a_conveyor_has_all_its_keys() {
    let keys = ["conveyor_type: rotary", "axis: [ 0, 0, -2 ]", "speed: -0.5"];
    let expected =
        Conveyor { motion: ConveyorMotion::Rotary, axis: Unit::new_unchecked(vector(0.0, 0.0, -1.0)), speed: -0.5 };
    assert_eq!(data!(device("Conveyor", &keys), Conveyor), expected);
    let default = data!(device("Conveyor", &[]), Conveyor);
    assert_eq!((default.motion, default.axis, default.speed), (ConveyorMotion::Linear, Vector3::x_axis(), 0.0));
}

fn map(entries: &[(usize, &str)]) -> BTreeMap<usize, String> {
    entries.iter().map(|&(line, text)| (line, text.to_owned())).collect()
}

#[test]
fn signal_lines_have_labels_and_switch_devices() {
    let keys = [
        "num_signal_lines: 4",
        "out_labels: { 0: lamp, 3: horn }",
        "in_labels: { 1: key }",
        "input_to_device_switch_connections: [ [ 0, Cup ], [ 2, Light ] ]",
    ];
    let expected = DigitalIo {
        lines: 4,
        output_labels: map(&[(0, "lamp"), (3, "horn")]),
        input_labels: map(&[(1, "key")]),
        switches: map(&[(0, "Cup"), (2, "Light")]),
    };
    assert_eq!(data!(device("DigitalIO", &keys), DigitalIo), expected);

    let older = ["numSignalLines: 1", "action: { input: { 0: [ device, SuctionCup, on ] } }"];
    let older = data!(device("DigitalIO", &older), DigitalIo);
    assert_eq!((older.lines, older.switches), (1, map(&[(0, "SuctionCup")])));
    assert_eq!(data!(device("DigitalIO", &[]), DigitalIo).lines, 100);
}

#[test]
fn a_marker_has_all_its_keys_under_both_spellings() {
    let keys = [
        "marker_type: axes",
        "size: 0.2",
        "color: [ 0, 0, 1 ]",
        "emission: 0.1",
        "transparency: 0.2",
        "offset_translation: [ 1, 2, 3 ]",
        "offset_rotation: [ 0, 0, 1, 90 ]",
    ];
    let camel = keys.map(|key| {
        key.replace("marker_type", "markerType")
            .replace("offset_translation", "offsetTranslation")
            .replace("offset_rotation", "offsetRotation")
    });
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), FRAC_PI_2);
    let expected = Marker {
        shape: MarkerShape::Axes,
        size: 0.2,
        color: Vector3::z(),
        emission: 0.1,
        transparency: 0.2,
        offset: Isometry3::from_parts(Translation3::new(1.0, 2.0, 3.0), turn),
    };
    for keys in [keys, camel.each_ref().map(String::as_str)] {
        assert_eq!(data!(device("MarkerDevice", &keys), Marker), expected);
    }
    let default = data!(device("MarkerDevice", &[]), Marker);
    assert_eq!((default.shape, default.size, default.color), (MarkerShape::Sphere, 0.01, Vector3::x()));
    assert_eq!((default.emission, default.transparency, default.offset), (0.5, 0.7, Isometry3::identity()));
    assert_eq!(data!(device("MarkerDevice", &["marker_type: cross"]), Marker).shape, MarkerShape::Cross);
}

#[test]
fn invalid_equipment_is_reported() {
    let holder = finding("Holder", &["hold_condition: near"], Severity::Warning, "unknown-word", (0, 25)).unwrap();
    assert_eq!(data!(holder, Holder).condition, HoldCondition::Distance);
    finding("Holder", &["max_hold_distance: -1"], Severity::Warning, "out-of-range", (0, 28));
    finding("Holder", &["hold_condition: name"], Severity::Warning, "no-target", (0, 25));
    finding("Holder", &["categories: [ a ]", "category: b"], Severity::Warning, "same-key-twice", (0, 21));
    finding("Holder", &["categories: { a: b }"], Severity::Warning, "wrong-type", (0, 21));
    finding("Conveyor", &["conveyor_type: belt"], Severity::Warning, "unknown-word", (0, 24));
    finding("Conveyor", &["axis: [ 0, 0, 0 ]"], Severity::Warning, "zero-axis", (0, 15));
    finding("MarkerDevice", &["marker_type: box"], Severity::Warning, "unknown-word", (0, 22));
    finding("MarkerDevice", &["size: 0"], Severity::Warning, "out-of-range", (0, 15));
    finding("MarkerDevice", &["transparency: 2"], Severity::Warning, "out-of-range", (0, 23));
}

#[test]
fn invalid_signal_lines_are_reported() {
    let io = |keys: &[&str], severity, code, place| finding("DigitalIO", keys, severity, code, place);
    io(&["num_signal_lines: -1"], Severity::Warning, "out-of-range", (0, 27));
    io(&["num_signal_lines: 1e9"], Severity::Warning, "out-of-range", (0, 27));
    io(&["in_labels: { a: b }"], Severity::Warning, "not-a-number", (0, 22));
    io(&["in_labels: [ a ]"], Severity::Warning, "wrong-type", (0, 20));
    io(&["num_signal_lines: 1", "in_labels: { 1: b }"], Severity::Warning, "no-such-line", (1, 25));
    io(&["input_to_device_switch_connections: [ [ 0 ] ]"], Severity::Warning, "wrong-type", (0, 47));
    io(&["input_to_device_switch_connections: [ [ -1, a ] ]"], Severity::Warning, "out-of-range", (0, 49));
    io(&["action: { input: { 0: [ device, a, off ] } }"], Severity::Warning, "unknown-action", (0, 31));
    io(&["action: { output: {} }"], Severity::Warning, "unknown-key", (0, 19));
    let both = ["input_to_device_switch_connections: [ [ 0, a ] ]", "action: { input: { 1: [ device, b, on ] } }"];
    let found = io(&both, Severity::Warning, "same-key-twice", (1, 17)).unwrap();
    assert_eq!(data!(found, DigitalIo).switches, map(&[(0, "a")]));
}
