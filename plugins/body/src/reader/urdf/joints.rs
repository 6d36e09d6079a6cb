//! `<joint>`: the connection of a link to its parent.

use std::collections::HashMap;

use bunraku_document::{Diagnostic, closest};
use nalgebra::{Isometry3, Vector3};

use super::super::per_entry::EntryIndex;
use super::xml::{Element, Xml, child, children, short, suggest};
use crate::{Joint, JointId, JointKind, Range, SuggestedDynamics};

const JOINT_CHILDREN: &[&str] =
    &["origin", "parent", "child", "axis", "calibration", "dynamics", "limit", "mimic", "safety_controller"];

/// Type of a `<joint>`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UrdfJoint {
    Revolute,
    /// Revolute without limits.
    Continuous,
    Prismatic,
    Fixed,
    Floating,
    /// Two prismatic joints in the plane and a hinge about its normal.
    Planar,
}

const TYPES: &[(&str, UrdfJoint)] = &[
    ("revolute", UrdfJoint::Revolute),
    ("continuous", UrdfJoint::Continuous),
    ("prismatic", UrdfJoint::Prismatic),
    ("fixed", UrdfJoint::Fixed),
    ("floating", UrdfJoint::Floating),
    ("planar", UrdfJoint::Planar),
];

/// A `<joint>` as given in the file.
pub(super) struct JointEntry<'a> {
    pub(super) element: Element<'a>,
    pub(super) name: String,
    pub(super) kind: UrdfJoint,
    /// The link that carries it.
    pub(super) parent: EntryIndex,
    pub(super) child: EntryIndex,
    /// Pose of the joint and of the child in the parent.
    pub(super) origin: Isometry3<f64>,
    pub(super) joint: Joint,
    /// Damping, N·m·s/rad or N·s/m.
    damping: f64,
    /// Friction, N·m or N.
    friction: f64,
}

/// Joints in file order; `None` after an error in one of them.
pub(super) fn read_joints<'a>(
    robot: Element<'a>,
    links: &HashMap<String, EntryIndex>,
    xml: &Xml<'a>,
) -> Option<Vec<JointEntry<'a>>> {
    let mut joints: Vec<JointEntry<'a>> = Vec::new();
    let mut lines: HashMap<&str, u32> = HashMap::new();
    let mut failed = false;
    // `<joint>` elements of transmissions are not direct children of the robot.
    for element in children(robot, "joint") {
        let entry = read_joint(element, links, xml);
        let Some(entry) = entry else {
            failed = true;
            continue;
        };
        if let Some(line) = element.attribute("name").and_then(|name| lines.insert(name, xml.line(element))) {
            let message = format!("joint name `{}` is already taken on line {line}", short(&entry.name));
            let error = Diagnostic::error("duplicate-joint-name", message);
            xml.report_attribute(element, "name", error.help("give one of the two another name"));
            failed = true;
        }
        joints.push(entry);
    }
    if failed {
        return None;
    }
    let moves = |joint: &&mut JointEntry<'_>| !matches!(joint.kind, UrdfJoint::Fixed | UrdfJoint::Floating);
    for (id, joint) in joints.iter_mut().filter(moves).enumerate() {
        joint.joint.id = Some(JointId(id));
    }
    Some(joints)
}

fn read_joint<'a>(element: Element<'a>, links: &HashMap<String, EntryIndex>, xml: &Xml<'a>) -> Option<JointEntry<'a>> {
    xml.check(element, &["name", "type"], JOINT_CHILDREN);
    let name = xml.required(element, "name");
    let kind = read_type(element, xml);
    let parent = read_end(element, "parent", links, xml);
    let below = read_end(element, "child", links, xml);
    let (name, kind, parent, below) = (name?, kind?, parent?, below?);
    let mut joint = Joint {
        name: Some(name.to_owned()),
        kind: match kind {
            UrdfJoint::Revolute | UrdfJoint::Continuous | UrdfJoint::Planar => JointKind::Revolute,
            UrdfJoint::Prismatic => JointKind::Prismatic,
            UrdfJoint::Fixed => JointKind::Fixed,
            UrdfJoint::Floating => JointKind::Free,
        },
        ..Joint::default()
    };
    if matches!(kind, UrdfJoint::Revolute | UrdfJoint::Continuous | UrdfJoint::Prismatic | UrdfJoint::Planar) {
        joint.axis = read_axis(element, xml);
        read_limit(element, kind, &mut joint, xml);
    }
    let dynamics = child(element, "dynamics");
    if let Some(dynamics) = dynamics {
        xml.check(dynamics, &["damping", "friction", "spring_reference", "spring_stiffness"], &[]);
    }
    let loss = |name| dynamics.and_then(|dynamics| xml.number(dynamics, name)).unwrap_or(0.0);
    let (damping, friction) = (loss("damping"), loss("friction"));
    joint.suggested = SuggestedDynamics { damping, friction, ..SuggestedDynamics::default() };
    Some(JointEntry {
        element,
        name: name.to_owned(),
        kind,
        parent,
        child: below,
        origin: xml.origin(element),
        joint,
        damping,
        friction,
    })
}

fn read_type(element: Element<'_>, xml: &Xml<'_>) -> Option<UrdfJoint> {
    let word = element.attribute("type").unwrap_or_default();
    if let Some((_, kind)) = TYPES.iter().find(|(known, _)| *known == word) {
        return Some(*kind);
    }
    let words: Vec<&str> = TYPES.iter().map(|(word, _)| *word).collect();
    let error = match word {
        "" => Diagnostic::error("missing-key", "`<joint>` needs the attribute `type`"),
        _ => Diagnostic::error("unknown-joint-type", format!("`{}` is not a joint type", short(word))),
    };
    xml.report_attribute(
        element,
        "type",
        match closest(word, words.iter().copied()) {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => error.help(format!("the types are {}", words.join(", "))),
        },
    );
    None
}

/// Link that `<parent>` or `<child>` refers to.
fn read_end<'a>(
    joint: Element<'a>,
    tag: &'static str,
    links: &HashMap<String, EntryIndex>,
    xml: &Xml<'a>,
) -> Option<EntryIndex> {
    let Some(element) = child(joint, tag) else {
        let error = Diagnostic::error("missing-key", format!("`<joint>` needs a `<{tag} link=\"…\"/>`"));
        xml.report(joint, error);
        return None;
    };
    xml.check(element, &["link"], &[]);
    let name = xml.required(element, "link")?;
    let found = links.get(name).copied();
    if found.is_none() {
        let error = Diagnostic::error("unknown-link", format!("the {tag} link `{}` does not exist", short(name)));
        let mut known: Vec<&str> = links.keys().map(String::as_str).collect();
        known.sort_unstable();
        xml.report_attribute(element, "link", suggest(error, name, &known));
    }
    found
}

/// A unit vector in the joint's frame; X by default.
fn read_axis<'a>(joint: Element<'a>, xml: &Xml<'a>) -> Vector3<f64> {
    let Some(element) = child(joint, "axis") else { return Vector3::x() };
    xml.check(element, &["xyz"], &[]);
    let Some(axis) = xml.numbers::<3>(element, "xyz") else { return Vector3::x() };
    match bunraku_mesh::unit_vector(Vector3::from(axis), 1e-9) {
        Some(axis) => axis.into_inner(),
        None => {
            let error = Diagnostic::error("zero-axis", "the joint axis is zero");
            xml.report_attribute(element, "xyz", error.help("write a unit vector, such as `0 0 1`"));
            Vector3::x()
        }
    }
}

fn read_limit<'a>(element: Element<'a>, kind: UrdfJoint, joint: &mut Joint, xml: &Xml<'a>) {
    let is_bounded = matches!(kind, UrdfJoint::Revolute | UrdfJoint::Prismatic);
    let Some(limit) = child(element, "limit") else {
        if is_bounded {
            let message = "a revolute or prismatic joint needs a `<limit>`: this one is not limited";
            let help = "write `<limit lower=\"…\" upper=\"…\" effort=\"…\" velocity=\"…\"/>`, or `type=\"continuous\"`";
            xml.report(element, Diagnostic::warning("no-limit", message).help(help));
        }
        return;
    };
    xml.check(limit, &["lower", "upper", "effort", "velocity", "acceleration", "jerk", "deceleration"], &[]);
    if is_bounded {
        let bound = |name| xml.number(limit, name).unwrap_or(0.0);
        joint.displacement_range = Range { lower: bound("lower"), upper: bound("upper") };
        if kind == UrdfJoint::Revolute {
            report_degrees(limit, joint.displacement_range, xml);
        }
        if joint.displacement_range == (Range { lower: 0.0, upper: 0.0 }) {
            let message = "the limits leave no room to move: both are 0";
            let help = "write `lower` and `upper` in rad or m; a bound that is left out is 0";
            xml.report(limit, Diagnostic::warning("no-room", message).help(help));
        }
    }
    for (name, what) in [("velocity", "does not follow a motion"), ("effort", "is never driven")] {
        let Some(bound) = xml.number(limit, name) else { continue };
        if bound < 0.0 {
            // Gazebo writes −1 for unlimited.
            continue;
        }
        if bound == 0.0 {
            let message = format!("with a limit of 0 for its {name} the joint {what}");
            let help = format!("write what its motor can do, or leave `{name}` out for no limit");
            xml.report_attribute(limit, name, Diagnostic::warning("zero-limit", message).help(help));
        }
        let range = if name == "velocity" { &mut joint.velocity_range } else { &mut joint.effort_range };
        *range = Range::symmetric(bound);
    }
}

/// Limits of a revolute joint beyond this, rad, are probably in degrees: a full turn, with room for its rounding in files.
const FULL_TURN: f64 = std::f64::consts::TAU + 0.01;
/// Limits beyond this, rad, mean no limit: files write such numbers as 1e6 and 1e16.
const NO_LIMIT: f64 = 1e4;

/// Warns of limits that are probably in degrees.
fn report_degrees(limit: Element<'_>, range: Range, xml: &Xml<'_>) {
    let bounds = [("lower", range.lower), ("upper", range.upper)];
    let found = bounds.into_iter().find(|(_, bound)| (FULL_TURN..NO_LIMIT).contains(&bound.abs()));
    let Some((name, bound)) = found else { return };
    let turns = bound.abs() / std::f64::consts::TAU;
    let message = format!("`{name}` is {bound} rad, which is {turns:.1} turns of a revolute joint");
    let help = format!(
        "URDF has radians: {bound}° would be {:.4}; a joint without limits has `type=\"continuous\"`",
        bound.to_radians()
    );
    xml.report_attribute(limit, name, Diagnostic::warning("angle-range", message).help(help));
}

/// Notes damping and friction: joint losses are specified in the scene.
pub(super) fn report_losses(joints: &[JointEntry<'_>], xml: &Xml<'_>) {
    const MOST: usize = 12;
    let entries = |loss: fn(&JointEntry<'_>) -> f64| {
        let with = joints.iter().filter(|joint| loss(joint) != 0.0 && joint.joint.kind.has_displacement());
        let mut texts: Vec<String> = with.map(|joint| format!("{}: {}", joint.name, loss(joint))).collect();
        if texts.len() > MOST {
            texts.truncate(MOST);
            texts.push("…".to_owned());
        }
        texts.join(", ")
    };
    let (damping, friction) = (entries(|joint| joint.damping), entries(|joint| joint.friction));
    let keys: Vec<String> = [("joint_damping", damping), ("joint_friction", friction)]
        .into_iter()
        .filter(|(_, entries)| !entries.is_empty())
        .map(|(key, entries)| format!("`{key}: {{ {entries} }}`"))
        .collect();
    let with_loss = joints.iter().find_map(|joint| child(joint.element, "dynamics"));
    if let (Some(element), false) = (with_loss, keys.is_empty()) {
        let message = "damping and friction of joints belong to the scene, not to the model";
        let help = format!("write {} at the body of the scene", keys.join(" and "));
        xml.report(element, Diagnostic::note("joint-losses", message).help(help));
    }
}
