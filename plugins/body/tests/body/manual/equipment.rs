//! Devices that are not in the manual.

use bunraku_body::{
    Attenuation, Body, Conveyor, ConveyorMotion, DeviceKind, DigitalIo, HoldCondition, Holder, Marker, MarkerShape,
    PointLight,
};
use nalgebra::{Point3, Vector3};

use crate::manual::example::{ELEMENT, Example, all, device, key, kind, near};

pub fn examples() -> Vec<Example> {
    let mut examples = point_light();
    examples.extend(holders());
    examples.extend(conveyor());
    examples.extend(digital_io());
    examples.extend(marker());
    examples.push(key("ZmpDevice", "type", "ZmpDevice", ELEMENT, |body| kind(body, |kind| *kind == DeviceKind::Zmp)));
    examples
}

fn point_light() -> Vec<Example> {
    fn point(body: &Body, holds: impl Fn(&PointLight) -> bool) -> bool {
        kind(body, |kind| matches!(kind, DeviceKind::PointLight(light) if holds(light)))
    }
    let light = |name, value, holds| key("PointLight", name, value, ELEMENT, holds).beside("type: PointLight");
    vec![
        key("PointLight", "type", "PointLight", ELEMENT, |body| point(body, |light| *light == PointLight::default())),
        light("color", "[ 0.1, 0.2, 0.3 ]", |body| point(body, |light| light.color == Vector3::new(0.1, 0.2, 0.3))),
        light("intensity", "0.5", |body| point(body, |light| light.intensity == 0.5)),
        light("attenuation", "[ 1, 0.5, 0.01 ]", |body| {
            point(body, |light| light.attenuation == Attenuation { constant: 1.0, linear: 0.5, quadratic: 0.01 })
        }),
    ]
}

fn holders() -> Vec<Example> {
    fn is(body: &Body, holds: impl Fn(&Holder) -> bool) -> bool {
        kind(body, |kind| matches!(kind, DeviceKind::Holder(holder) if holds(holder)))
    }
    let holder = |name, value, holds| key("Holder", name, value, ELEMENT, holds).beside("type: Holder");
    vec![
        // Off until switched on.
        key("Holder", "type", "Holder", ELEMENT, |body| is(body, |_| true) && device(body, |device| !device.enabled)),
        holder("on", "true", |body| device(body, |device| device.enabled)),
        holder("categories", "[ cup, box ]", |body| is(body, |holder| holder.categories == ["cup", "box"])),
        holder("category", "cup", |body| is(body, |holder| holder.categories == ["cup"])),
        holder("hold_condition", "collision", |body| is(body, |holder| holder.condition == HoldCondition::Collision)),
        holder("max_hold_distance", "0.5", |body| is(body, |holder| holder.max_distance == 0.5)),
        holder("hold_target_name", "CUP", |body| is(body, |holder| holder.target == "CUP"))
            .beside("type: Holder, hold_condition: name"),
        key("Attachment", "type", "Attachment", ELEMENT, |body| {
            kind(body, |kind| matches!(kind, DeviceKind::Attachment(_))) && device(body, |device| !device.enabled)
        }),
        key("Attachment", "category", "cup", ELEMENT, |body| {
            kind(body, |kind| matches!(kind, DeviceKind::Attachment(attachment) if attachment.category == "cup"))
        })
        .beside("type: Attachment"),
    ]
}

fn conveyor() -> Vec<Example> {
    fn is(body: &Body, holds: impl Fn(&Conveyor) -> bool) -> bool {
        kind(body, |kind| matches!(kind, DeviceKind::Conveyor(conveyor) if holds(conveyor)))
    }
    let conveyor = |name, value, holds| key("Conveyor", name, value, ELEMENT, holds).beside("type: Conveyor");
    vec![
        key("Conveyor", "type", "Conveyor", ELEMENT, |body| is(body, |conveyor| *conveyor == Conveyor::default())),
        conveyor("conveyor_type", "rotary", |body| is(body, |conveyor| conveyor.motion == ConveyorMotion::Rotary)),
        conveyor("axis", "[ 0, 3, 4 ]", |body| is(body, |conveyor| all(*conveyor.axis, [0.0, 0.6, 0.8]))),
        // In rad/s, regardless of the angle unit.
        conveyor("speed", "0.5", |body| is(body, |conveyor| conveyor.speed == 0.5))
            .beside("type: Conveyor, conveyor_type: rotary"),
    ]
}

fn digital_io() -> Vec<Example> {
    fn is(body: &Body, holds: impl Fn(&DigitalIo) -> bool) -> bool {
        kind(body, |kind| matches!(kind, DeviceKind::DigitalIo(io) if holds(io)))
    }
    fn switches(body: &Body) -> bool {
        is(body, |io| io.switches.get(&2).map(String::as_str) == Some("LAMP"))
    }
    let io = |name, value, holds| key("DigitalIO", name, value, ELEMENT, holds).beside("type: DigitalIO");
    vec![
        key("DigitalIO", "type", "DigitalIO", ELEMENT, |body| is(body, |io| io.lines == 100)),
        io("num_signal_lines", "8", |body| is(body, |io| io.lines == 8)).also(&["numSignalLines"]),
        io("out_labels", "{ 2: lamp }", |body| is(body, |io| io.output_labels.len() == 1)),
        io("in_labels", "{ 2: lamp }", |body| is(body, |io| io.input_labels.len() == 1)),
        io("input_to_device_switch_connections", "[ [ 2, LAMP ] ]", switches),
        io("action", "{ input: { 2: [ device, LAMP, on ] } }", switches),
    ]
}

fn marker() -> Vec<Example> {
    fn is(body: &Body, holds: impl Fn(&Marker) -> bool) -> bool {
        kind(body, |kind| matches!(kind, DeviceKind::Marker(marker) if holds(marker)))
    }
    let marker = |name, value, holds| key("MarkerDevice", name, value, ELEMENT, holds).beside("type: MarkerDevice");
    vec![
        key("MarkerDevice", "type", "MarkerDevice", ELEMENT, |body| is(body, |marker| *marker == Marker::default())),
        marker("marker_type", "axes", |body| is(body, |marker| marker.shape == MarkerShape::Axes))
            .also(&["markerType"]),
        marker("size", "0.2", |body| is(body, |marker| marker.size == 0.2)),
        marker("color", "[ 0.1, 0.2, 0.3 ]", |body| is(body, |marker| marker.color == Vector3::new(0.1, 0.2, 0.3))),
        marker("emission", "0.1", |body| is(body, |marker| near(marker.emission, 0.1))),
        marker("transparency", "0.2", |body| is(body, |marker| near(marker.transparency, 0.2))),
        marker("offset_translation", "[ 1, 2, 3 ]", |body| {
            is(body, |marker| all(marker.offset * Point3::origin(), [1.0, 2.0, 3.0]))
        })
        .also(&["offsetTranslation"]),
        marker("offset_rotation", "[ 0, 0, 1, 90 ]", |body| {
            is(body, |marker| all(marker.offset * Vector3::x(), [0.0, 1.0, 0.0]))
        })
        .also(&["offsetRotation"])
        .angle(),
    ]
}
