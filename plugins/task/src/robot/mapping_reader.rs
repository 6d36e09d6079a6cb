use std::path::Path;
use std::sync::Arc;

use bunraku_document::yaml::Document;
use bunraku_document::{Limits, Mapping, Reporter, SourceFile, Value, ValueKind, closest};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::{Arrival, BodyFile, GripperLaw, GripperMapping, InitialPose, RobotMapping, ToolMapping};
use crate::model::{Origin, ToolId};

/// Value of `format` in mapping files.
const FORMAT: &str = "BunrakuRobot";

const LIMITS: Limits = Limits { file_size: 1 << 20, depth: 32, nodes: 100_000, merged_keys: 10_000 };

/// Reads a mapping file. Findings go to `reporter`. `None` if at least one of them is an error.
pub fn load_mapping(path: &Path, reporter: &Reporter) -> Option<RobotMapping> {
    let source = SourceFile::read(path, &LIMITS, reporter);
    let source = source.map_err(|error| reporter.report(error.to_diagnostic())).ok()?;
    read_mapping(&source, reporter)
}

/// As [`load_mapping`], for a text in memory.
pub fn read_mapping(source: &Arc<SourceFile>, reporter: &Reporter) -> Option<RobotMapping> {
    let document = reporter.keep(Document::parse(source, &LIMITS, reporter))?;
    let root = document.root();
    let top = Mapping::new(root, "the robot", reporter)?;
    let format = top.required_or(&["format"], "is this a robot mapping? Add `format: BunrakuRobot`");
    if let Some(format) = format
        && format.text() != Some(FORMAT)
    {
        let diagnostic =
            format.error("unknown-format", format!("`{}` is not a robot mapping", format.text().unwrap_or("")));
        reporter.report(diagnostic.help(format!("write `format: {FORMAT}`")));
    }
    if let Some(version) = top.get(&["format_version"])
        && reporter.keep(version.as_number(reporter)).is_some_and(|version| version >= 2.0)
    {
        reporter.report(version.error("unknown-version", "the version is not known").help("version 1 can be read"));
    }
    let body = top.required_or(&["body"], "name the model of the robot, relative to this file");
    let body = body.and_then(|body| Some((top.keep(body.as_text())?.to_owned(), Origin::of(body))));
    let (text, origin) = body.unwrap_or_default();
    let pose = pose(&top);
    let mapping = RobotMapping {
        body: BodyFile { text, directory: source.directory().into_owned(), origin },
        translation: top.get(&["translation"]).map(|_| pose.translation),
        rotation: top.get(&["rotation"]).map(|_| pose.rotation),
        tools: list(&top, &["tools", "arms"], &read_tool),
        grippers: list(&top, &["grippers"], &read_gripper),
        initial: top.get(&["initial"]).map_or(InitialPose::StandardPose, |value| initial(value, reporter)),
        arrival: top.get(&["arrival"]).and_then(|value| arrival(value, reporter)).unwrap_or_default(),
        torso: top.get(&["torso"]).and_then(|value| Some((top.keep(value.as_text())?.to_owned(), Origin::of(value)))),
        head: top.get(&["head"]).and_then(|value| head(value, reporter)),
        origin: Origin::of(root),
    };
    top.finish();
    for (ids, what) in [
        (mapping.tools.iter().map(|tool| (tool.id, &tool.origin)).collect::<Vec<_>>(), "tool"),
        (mapping.grippers.iter().map(|gripper| (gripper.id, &gripper.origin)).collect(), "gripper"),
    ] {
        for (index, (id, origin)) in ids.iter().enumerate() {
            if ids.iter().take(index).any(|(other, _)| other == id) {
                let diagnostic = origin.error("duplicate-id", format!("there is more than one {what} {id}"));
                reporter.report(diagnostic.help("give one of them another `id`"));
            }
        }
    }
    (!reporter.has_errors()).then_some(mapping)
}

fn list<T>(of: &Mapping<'_, '_>, names: &[&'static str], read: &dyn Fn(Value<'_>, &Reporter) -> Option<T>) -> Vec<T> {
    let Some(value) = of.get(names) else { return Vec::new() };
    match value.items() {
        Some(items) => items.filter_map(|item| read(item, of.reporter())).collect(),
        None => {
            of.reporter().report(value.expected("a list"));
            Vec::new()
        }
    }
}

/// `translation` in m and `rotation` as an axis and an angle in degrees.
fn pose(entry: &Mapping<'_, '_>) -> Isometry3<f64> {
    let [x, y, z] = entry.array::<3>(&["translation"]).unwrap_or_default();
    let rotation = entry.array::<4>(&["rotation"]).map_or(UnitQuaternion::identity(), |[x, y, z, angle]| {
        let axis = Unit::try_new(Vector3::new(x, y, z), 1e-12);
        if axis.is_none() {
            let node = entry.get(&["rotation"]).unwrap_or(entry.node());
            let diagnostic = node.error("no-axis", "the axis of the rotation has no direction");
            entry.reporter().report(diagnostic.help("write `[x, y, z, degrees]`, such as `[0, 0, 1, 90]`"));
        }
        UnitQuaternion::from_axis_angle(&axis.unwrap_or(Vector3::z_axis()), angle.to_radians())
    });
    Isometry3::from_parts(Translation3::new(x, y, z), rotation)
}

fn read_tool(node: Value<'_>, reporter: &Reporter) -> Option<ToolMapping> {
    let mut entry = Mapping::new(node, "a tool", reporter)?;
    let id = id(&entry)?;
    entry.rename(format!("tool {id}"));
    let link = entry.required_or(&["link"], "name the link at the end of the arm");
    let link = link.and_then(|link| entry.keep(link.as_text()));
    let base = entry.text(&["base"]).map(str::to_owned);
    let offset = pose(&entry);
    entry.finish();
    Some(ToolMapping { id, link: link?.to_owned(), base, offset, origin: Origin::of(node) })
}

fn id(entry: &Mapping<'_, '_>) -> Option<ToolId> {
    let id = entry.required_or(&["id"], "0 is the left or only one, 1 the right one")?;
    entry.keep(id.as_integer(entry.reporter())).map(ToolId)
}

fn read_gripper(node: Value<'_>, reporter: &Reporter) -> Option<GripperMapping> {
    const TYPES: [&str; 3] = ["linear", "asin", "table"];
    let mut entry = Mapping::new(node, "a gripper", reporter)?;
    let id = id(&entry)?;
    entry.rename(format!("gripper {id}"));
    let kind = entry.get(&["type"]);
    let kind_text = kind.map_or(Some("linear"), Value::text).unwrap_or_default();
    if !TYPES.contains(&kind_text) {
        let diagnostic =
            kind.unwrap_or(node).error("unknown-gripper", format!("`{kind_text}` is not a type of gripper"));
        reporter.report(diagnostic.help(match closest(kind_text, TYPES) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {}", TYPES.join(", ")),
        }));
    }
    let widths = entry.required_or(&["range"], "smallest and largest distance between the fingers, m: `[0, 0.1]`");
    let widths = widths.and_then(|value| entry.keep(value.as_array::<2>(reporter)));
    if let Some([least, most]) = widths
        && (least > most || least.is_nan())
    {
        let node = entry.get(&["range"]).unwrap_or(node);
        reporter
            .report(node.error("empty-range", "the range of widths is empty").help("the smaller width comes first"));
    }
    let (length, offset) = (entry.number(&["length"]), entry.number(&["offset"]).unwrap_or(0.0));
    let length = length.filter(|length| *length > 0.0);
    if kind_text == "asin" && length.is_none() {
        let diagnostic = node.error("missing-key", format!("gripper {id} has no `length` of its fingers"));
        reporter.report(diagnostic.help("asin(({width} / 2 - offset) / length), both in m: add `length: …`"));
    }
    let table = entry.get(&["widths"]).and_then(|value| entry.keep(value.as_numbers(reporter)));
    if kind_text == "table" && table.as_ref().is_none_or(|table| table.is_empty() || !table.is_sorted_by(|a, b| a < b))
    {
        let diagnostic = node.error("bad-table", format!("gripper {id} has no `widths` that increase"));
        reporter.report(diagnostic.help("write the widths of the table, m: `widths: [0, 0.05, 0.1]`"));
    }
    let law = Law { kind: kind_text, offset, length: length.unwrap_or(1.0), widths: table.unwrap_or_default() };
    let joints = list(&entry, &["joints"], &|node, reporter| read_finger(node, &law, reporter));
    if joints.is_empty() {
        let diagnostic = node.error("missing-key", format!("gripper {id} has no `joints`"));
        reporter.report(diagnostic.help("add `joints: [{ name: FINGER, scale: 0.5 }]`"));
    }
    let widths_origin = entry.get(&["range"]).map(Origin::of).unwrap_or_default();
    entry.finish();
    Some(GripperMapping { id, widths: widths?, widths_origin, joints, origin: Origin::of(node) })
}

/// Common data of the joints of a gripper.
struct Law<'a> {
    kind: &'a str,
    offset: f64,
    length: f64,
    widths: Vec<f64>,
}

fn read_finger(node: Value<'_>, gripper: &Law<'_>, reporter: &Reporter) -> Option<(String, GripperLaw)> {
    let entry = Mapping::new(node, "a joint of the gripper", reporter)?;
    let name = entry.required_or(&["name"], "name a joint of the model")?;
    let name = entry.keep(name.as_text())?.to_owned();
    let law = match gripper.kind {
        "asin" => {
            let sign = if entry.number(&["sign"]).unwrap_or(1.0) < 0.0 { -1.0 } else { 1.0 };
            GripperLaw::Asin { sign, offset: gripper.offset, length: gripper.length }
        }
        "table" => {
            let value = entry.required_or(&["displacements"], "one for each of `widths`, rad or m")?;
            let displacements = entry.keep(value.as_numbers(reporter))?;
            if displacements.len() != gripper.widths.len() {
                let (found, wanted) = (displacements.len(), gripper.widths.len());
                let diagnostic = value.error("wrong-length", format!("{found} displacements for {wanted} widths"));
                reporter.report(diagnostic.help("give one for each width"));
            }
            GripperLaw::Table(gripper.widths.iter().copied().zip(displacements).collect())
        }
        _ => {
            let (scale, offset) = (entry.number(&["scale"]).unwrap_or(1.0), entry.number(&["offset"]).unwrap_or(0.0));
            GripperLaw::Linear { scale, offset }
        }
    };
    entry.finish();
    Some((name, law))
}

fn initial(value: Value<'_>, reporter: &Reporter) -> InitialPose {
    match value.kind() {
        ValueKind::Sequence => {
            let numbers = reporter.keep(value.as_numbers(reporter));
            InitialPose::List(numbers.unwrap_or_default(), Origin::of(value))
        }
        ValueKind::Mapping => {
            let entry = |(name, _, value): (&str, _, Value<'_>)| {
                Some((name.to_owned(), reporter.keep(value.as_number(reporter))?, Origin::of(value)))
            };
            InitialPose::ByJoint(value.entries().into_iter().flatten().filter_map(entry).collect())
        }
        _ => {
            if !matches!(value.text(), Some("standard_pose" | "standardPose")) {
                let diagnostic = value.error("unknown-pose", "this is not a pose to begin from");
                reporter.report(diagnostic.help("write `standard_pose`, a list, or a mapping by joint; degrees or m"));
            }
            InitialPose::StandardPose
        }
    }
}

fn arrival(value: Value<'_>, reporter: &Reporter) -> Option<Arrival> {
    let entry = Mapping::new(value, "`arrival`", reporter)?;
    let usual = Arrival::default();
    let positive = |key: &'static str, usual: f64| {
        let Some(given) = entry.number(&[key]) else { return usual };
        if given <= 0.0 {
            let node = entry.get(&[key]).unwrap_or(value);
            let diagnostic = node.error("not-positive", format!("`{key}` of `arrival` is not positive"));
            reporter.report(diagnostic.help("m, degrees and s: `{ position: 0.001, rotation: 0.5, time: 1 }`"));
        }
        given
    };
    let arrival = Arrival {
        position: positive("position", usual.position),
        rotation: positive("rotation", usual.rotation.to_degrees()).to_radians(),
        time: positive("time", usual.time),
    };
    entry.finish();
    Some(arrival)
}

fn head(value: Value<'_>, reporter: &Reporter) -> Option<([String; 2], Origin)> {
    let names: Option<Vec<String>> =
        value.items().and_then(|items| items.map(|item| item.text().map(str::to_owned)).collect());
    match names.and_then(|names| <[String; 2]>::try_from(names).ok()) {
        Some(names) => Some((names, Origin::of(value))),
        None => {
            let diagnostic = value.error("wrong-type", "the head has two joints");
            reporter.report(diagnostic.help("write `head: [YAW, PITCH]`"));
            None
        }
    }
}
