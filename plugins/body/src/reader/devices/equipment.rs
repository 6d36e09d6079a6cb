//! Devices that are neither sensors nor lights.

use std::collections::BTreeMap;

use bunraku_document::{Diagnostic, Mapping, Value};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::super::property::admit;
use super::keys::{Allowed, Keys};
use crate::reader::pose::{read_rotation, read_translation};
use crate::{Attachment, Conveyor, ConveyorMotion, DigitalIo, HoldCondition, Holder, Marker, MarkerShape};

/// Maximum number of signal lines of a device; real ones have a few hundred at most.
const MOST_LINES: i32 = 65_536;
/// Remedy for an invalid line number.
const LINES: &str = "signal lines are numbered 0, 1, 2 and so on";

pub(super) fn read_holder(keys: &Keys<'_, '_, '_>, budget: &mut usize) -> Holder {
    const CONDITIONS: &[(&str, HoldCondition)] = &[
        ("distance", HoldCondition::Distance),
        ("collision", HoldCondition::Collision),
        ("name", HoldCondition::Name),
    ];
    let default = Holder::default();
    let holder = Holder {
        categories: keys.mapping.get(&["categories", "category"]).map_or_else(Vec::new, |value| {
            let one = value.text().map(|_| value).into_iter();
            let many = value.items().into_iter().flatten();
            if value.text().is_none() && value.items().is_none() {
                keys.report(value.expected("a list of categories"));
            }
            let admitted = one.chain(many).filter(|item| admit(*item, keys.reporter(), budget, 1));
            admitted.filter_map(|item| keys.keep(item.as_text())).map(str::to_owned).collect()
        }),
        condition: keys.word(&["hold_condition"], CONDITIONS).unwrap_or(default.condition),
        max_distance: keys.number(&["max_hold_distance"], Allowed::NOT_NEGATIVE, default.max_distance),
        target: keys.mapping.text(&["hold_target_name"]).unwrap_or_default().to_owned(),
    };
    if holder.condition == HoldCondition::Name
        && holder.target.is_empty()
        && let Some(value) = keys.mapping.get(&["hold_condition"])
    {
        let message = "a holder that goes by the name needs a `hold_target_name`: it holds nothing";
        keys.report(value.warning("no-target", message).help("add `hold_target_name: …`"));
    }
    holder
}

pub(super) fn read_attachment(keys: &Keys<'_, '_, '_>) -> Attachment {
    Attachment { category: keys.mapping.text(&["category"]).unwrap_or_default().to_owned() }
}

pub(super) fn read_conveyor(keys: &Keys<'_, '_, '_>) -> Conveyor {
    const MOTIONS: &[(&str, ConveyorMotion)] =
        &[("linear", ConveyorMotion::Linear), ("rotary", ConveyorMotion::Rotary)];
    let default = Conveyor::default();
    Conveyor {
        motion: keys.word(&["conveyor_type"], MOTIONS).unwrap_or(default.motion),
        axis: keys.direction(&["axis"], default.axis),
        speed: keys.mapping.number(&["speed"]).unwrap_or(default.speed),
    }
}

pub(super) fn read_marker(keys: &Keys<'_, '_, '_>) -> Marker {
    const SHAPES: &[(&str, MarkerShape)] =
        &[("cross", MarkerShape::Cross), ("sphere", MarkerShape::Sphere), ("axes", MarkerShape::Axes)];
    let default = Marker::default();
    let translation = keys.mapping.read(&["offset_translation", "offsetTranslation"], read_translation);
    let rotation = keys
        .mapping
        .read(&["offset_rotation", "offsetRotation"], |value, reporter| read_rotation(value, keys.unit, reporter));
    Marker {
        shape: keys.word(&["marker_type", "markerType"], SHAPES).unwrap_or(default.shape),
        size: keys.number(&["size"], Allowed::POSITIVE, default.size),
        color: keys.color(default.color),
        emission: keys.number(&["emission"], Allowed::SHARE, default.emission),
        transparency: keys.number(&["transparency"], Allowed::SHARE, default.transparency),
        offset: Isometry3::from_parts(
            Translation3::from(translation.unwrap_or_else(Vector3::zeros)),
            rotation.unwrap_or_else(UnitQuaternion::identity),
        ),
    }
}

pub(super) fn read_digital_io(keys: &Keys<'_, '_, '_>, budget: &mut usize) -> DigitalIo {
    let mut lines = Lines { keys, count: read_line_count(keys), budget };
    let output_labels = lines.read_labels("out_labels", keys.mapping.get(&["out_labels"]));
    let input_labels = lines.read_labels("in_labels", keys.mapping.get(&["in_labels"]));
    let connections = keys.mapping.get(&["input_to_device_switch_connections"]);
    let action = keys.mapping.get(&["action"]);
    let switches = match (connections, action) {
        (Some(value), action) => {
            if let Some(action) = action {
                let message = "`action` is ignored because `input_to_device_switch_connections` is given too";
                keys.report(action.warning("same-key-twice", message).help("keep one of the two"));
            }
            lines.read_connections(value)
        }
        (None, Some(action)) => lines.read_action(action),
        (None, None) => BTreeMap::new(),
    };
    DigitalIo { lines: lines.count, output_labels, input_labels, switches }
}

fn read_line_count(keys: &Keys<'_, '_, '_>) -> usize {
    let default = DigitalIo::default().lines;
    let Some(value) = keys.mapping.get(&["num_signal_lines", "numSignalLines"]) else { return default };
    let Some(count) = keys.keep(value.as_integer(keys.reporter())) else { return default };
    match usize::try_from(count) {
        Ok(lines) if count <= MOST_LINES => lines,
        _ => {
            let message = format!("`num_signal_lines` must be from 0 to {MOST_LINES}, not {count}");
            keys.report(value.warning("out-of-range", message).help("write how many signal lines there are"));
            default
        }
    }
}

/// Reads the keys that refer to single signal lines.
struct Lines<'l, 'k, 'a, 'r> {
    keys: &'l Keys<'k, 'a, 'r>,
    count: usize,
    budget: &'l mut usize,
}

impl<'a> Lines<'_, '_, 'a, '_> {
    /// A mapping from the number of a line to its label.
    fn read_labels(&mut self, name: &str, value: Option<Value<'a>>) -> BTreeMap<usize, String> {
        let mut labels = BTreeMap::new();
        let Some(value) = value else { return labels };
        let Some(entries) = value.entries() else {
            self.keys.report(value.expected(&format!("a mapping from lines to labels for `{name}`")));
            return labels;
        };
        for (key, span, label) in entries {
            let place = Diagnostic::warning("not-a-number", format!("`{key}` is not the number of a signal line"));
            let line = self.check(key.parse().ok(), place.at(value.source(), span).help(LINES), label);
            if let (Some(line), Some(label)) = (line, self.keys.keep(label.as_text())) {
                labels.insert(line, label.to_owned());
            }
        }
        labels
    }

    /// A list of pairs of an input and the name of the device it switches.
    fn read_connections(&mut self, value: Value<'a>) -> BTreeMap<usize, String> {
        let mut switches = BTreeMap::new();
        let Some(items) = value.items() else {
            self.keys.report(value.expected("a list of pairs of an input and a device"));
            return switches;
        };
        for item in items {
            let mut parts = item.items().into_iter().flatten();
            let (Some(input), Some(device), None) = (parts.next(), parts.next(), parts.next()) else {
                self.keys.report(item.expected("a pair of an input and a device"));
                continue;
            };
            let Some(number) = self.keys.keep(input.as_integer(self.keys.reporter())) else { continue };
            let wrong = input.warning("out-of-range", format!("{number} is not the number of a signal line"));
            let wrong = wrong.help(LINES);
            let line = self.check(usize::try_from(number).ok(), wrong, input);
            if let (Some(line), Some(device)) = (line, self.keys.keep(device.as_text())) {
                switches.insert(line, device.to_owned());
            }
        }
        switches
    }

    /// The older form of a connection: `input: { LINE: [ device, NAME, on ] }`.
    fn read_action(&mut self, action: Value<'a>) -> BTreeMap<usize, String> {
        let mut switches = BTreeMap::new();
        let Some(mapping) = Mapping::forgiving(action, "`action`", self.keys.reporter()) else { return switches };
        let input = mapping.get(&["input"]);
        mapping.finish();
        let Some(input) = input else { return switches };
        let Some(entries) = input.entries() else {
            self.keys.report(input.expected("a mapping from inputs to actions"));
            return switches;
        };
        for (key, span, target) in entries {
            let wrong = Diagnostic::warning("not-a-number", format!("`{key}` is not the number of a signal line"));
            let line = self.check(key.parse().ok(), wrong.at(input.source(), span).help(LINES), target);
            let words: Vec<_> = target.items().into_iter().flatten().take(4).map(Value::text).collect();
            match (line, words.as_slice()) {
                (Some(line), [Some("device"), Some(device), Some("on")]) => {
                    switches.insert(line, (*device).to_owned());
                }
                (None, _) => {}
                _ => {
                    let message = "this action is ignored: only `[ device, NAME, on ]` is known";
                    self.keys.report(target.warning("unknown-action", message).help("write `[ device, NAME, on ]`"));
                }
            }
        }
        switches
    }

    /// Checks that the line exists and may be stored; `wrong` is the finding if it is not a number.
    fn check(&mut self, line: Option<usize>, wrong: Diagnostic, value: Value<'a>) -> Option<usize> {
        let Some(line) = line else {
            self.keys.report(wrong);
            return None;
        };
        if line >= self.count {
            let message =
                format!("there is no signal line {line}: they are counted from 0, and there are {}", self.count);
            self.keys.report(
                value.warning("no-such-line", message).help("add lines with `num_signal_lines`, or take another"),
            );
        }
        admit(value, self.keys.reporter(), self.budget, 1).then_some(line)
    }
}
