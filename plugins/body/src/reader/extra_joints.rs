//! The `extra_joints` of a model.

use bunraku_document::{Mapping, Result, Value, closest};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::pose::{AngleUnit, read_rotation};
use crate::{Body, ExtraJoint, ExtraJointKind, LinkIndex, MOST_HELD};

/// Names of the types. `point_on_line` and `point_on_plane` are our extensions: OpenHRP has such joints, the format has
/// not.
const KINDS: &[&str] = &["ball", "hinge", "piston", "fixed", "point_on_line", "point_on_plane"];

/// Reason for the limit, in messages.
const DENSE: &str = "they are solved by a dense matrix with a row for each direction (a ball holds 3): use fewer";

/// Reads the list; an invalid joint is reported and left out.
pub(super) fn read_extra_joints(
    value: Value<'_>,
    body: &Body,
    unit: AngleUnit,
    top: &Mapping<'_, '_>,
) -> Vec<ExtraJoint> {
    let Some(items) = value.items() else {
        top.reporter().report(value.expected("a list of extra joints"));
        return Vec::new();
    };
    let mut held = 0_usize;
    let joints = items.map_while(|item| {
        let Some(mapping) = Mapping::new(item, "an extra joint", top.reporter()) else { return Some(None) };
        let joint = read_extra_joint(&mapping, body, unit);
        mapping.finish_except(&["name"]);
        held += joint.map_or(0, |joint| joint.kind.num_held());
        if held > MOST_HELD {
            let message =
                format!("the extra joints of the model constrain more than {MOST_HELD} directions from here on");
            top.reporter().report(item.error("limit-extra-joints", message).help(DENSE));
            return None;
        }
        Some(joint)
    });
    joints.flatten().collect()
}

/// Real files use the newer spellings, the manual the older ones; both are read.
fn read_extra_joint(mapping: &Mapping<'_, '_>, body: &Body, unit: AngleUnit) -> Option<ExtraJoint> {
    let first = read_link(mapping, &["link1_name", "link1Name"], body);
    let second = read_link(mapping, &["link2_name", "link2Name"], body);
    let form = read_form(mapping, &["joint_type", "jointType"], unit);
    let ExtraJointForm { kind, frames } = form?;
    Some(ExtraJoint { kind, links: [first?, second?], frames })
}

/// Constraint and frames of an extra joint, without the links it connects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExtraJointForm {
    /// Constraint.
    pub kind: ExtraJointKind,
    /// Pose of the joint frame in the frame of either link.
    pub frames: [Isometry3<f64>; 2],
}

impl ExtraJointForm {
    /// Reads the keys of an extra joint that are common to all of our file formats, angles in degrees. `type_names` are
    /// the keys of the type. `None`, after a report, if one is invalid.
    pub fn read(mapping: &Mapping<'_, '_>, type_names: &[&'static str]) -> Option<Self> {
        read_form(mapping, type_names, AngleUnit::Degree)
    }
}

fn read_form(mapping: &Mapping<'_, '_>, type_names: &[&'static str], unit: AngleUnit) -> Option<ExtraJointForm> {
    let name = type_names.first().copied().unwrap_or_default();
    let kind = mapping
        .required_or(type_names, &format!("write `{name}:` and one of ball, hinge, piston, fixed"))
        .and_then(|value| {
            let axis = mapping.read(&["axis", "joint_axis", "jointAxis"], |value, reporter| {
                let axis = Vector3::from(value.as_array::<3>(reporter)?);
                bunraku_mesh::unit_vector(axis, 1e-6).ok_or_else(|| {
                    let diagnostic = value.error("zero-axis", "the axis of the extra joint is zero");
                    Box::new(diagnostic.help("write the direction of the axis, such as `[ 0, 0, 1 ]`"))
                })
            });
            mapping.reporter().keep(read_kind(value, axis.unwrap_or_else(Vector3::x_axis)))
        });
    let rotation = |names| {
        let read = mapping.read(names, |value, reporter| read_rotation(value, unit, reporter));
        read.unwrap_or_else(UnitQuaternion::identity)
    };
    let frame = |translation, rotation| Isometry3::from_parts(translation, rotation);
    let anchor = |names| Translation3::from(Vector3::from(mapping.array::<3>(names).unwrap_or_default()));
    let frames = [
        frame(anchor(&["translation_in_link1", "link1_local_pos", "link1LocalPos"]), rotation(&["rotation_in_link1"])),
        frame(anchor(&["translation_in_link2", "link2_local_pos", "link2LocalPos"]), rotation(&["rotation_in_link2"])),
    ];
    Some(ExtraJointForm { kind: kind?, frames })
}

fn read_kind(value: Value<'_>, axis: Unit<Vector3<f64>>) -> Result<ExtraJointKind> {
    match value.as_text()? {
        "fixed" => Ok(ExtraJointKind::Fixed),
        "ball" => Ok(ExtraJointKind::Ball),
        "hinge" => Ok(ExtraJointKind::Hinge { axis }),
        "piston" => Ok(ExtraJointKind::Piston { axis }),
        "point_on_line" => Ok(ExtraJointKind::PointOnLine { axis }),
        "point_on_plane" => Ok(ExtraJointKind::PointOnPlane { axis }),
        word => {
            let diagnostic = value.error("unknown-joint-type", format!("`{word}` is not a type of extra joint"));
            Err(Box::new(match closest(word, KINDS.iter().copied()) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic.help(format!("the types are {}", KINDS.join(", "))),
            }))
        }
    }
}

fn read_link(mapping: &Mapping<'_, '_>, names: &[&'static str], body: &Body) -> Option<LinkIndex> {
    let value = mapping.required(names)?;
    let name = mapping.reporter().keep(value.as_text())?;
    let found = body.find_link(name);
    if found.is_none() {
        let diagnostic = value.error("unknown-link", format!("the link `{name}` does not exist"));
        let known = body.links().iter().map(|link| link.name.as_str());
        mapping.reporter().report(match closest(name, known) {
            Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
            None => diagnostic.help("it must be the name of a link of this model"),
        });
    }
    found
}
