//! `ExtraJoint` nodes, which close loops.

use std::rc::Rc;

use bunraku_document::{Diagnostic, closest};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::fields::Fields;
use super::links::Origin;
use super::place::{Findings, LONGEST_NAME, Place, shortened};
use crate::{Body, ExtraJoint, ExtraJointKind, LinkIndex};

/// Names in the manual (`xyz`, `xy`, `z`) and in the original.
const KINDS: &[&str] = &["xyz", "xy", "z", "ball", "piston", "hinge", "fixed"];

/// Minimum length of an axis.
const SHORTEST_AXIS: f64 = 1e-6;

/// Reads a joint; `None`, after a report, if it is invalid.
pub(super) fn read_extra_joint(
    place: &Rc<Place>,
    body: &Body,
    origins: &[Origin],
    findings: &Findings<'_>,
) -> Option<ExtraJoint> {
    let fields = Fields { place, findings };
    fields.expect(&["link1Name", "link2Name", "link1LocalPos", "link2LocalPos", "jointType", "jointAxis"]);
    let links = ["link1Name", "link2Name"].map(|name| read_link(fields, name, body));
    let frames = ["link1LocalPos", "link2LocalPos"].map(|name| {
        let anchor = fields.vector(name).unwrap_or_default();
        Isometry3::from_parts(Translation3::from(anchor), UnitQuaternion::identity())
    });
    let kind = read_kind(fields)?;
    let [Some(first), Some(second)] = links else { return None };
    // Frames are given relative to the nodes; their origins differ from those of links that rotate about a `center`.
    let in_link = |link: LinkIndex, frame: Isometry3<f64>| match origins.get(link.0) {
        Some(origin) => origin.center.inverse() * frame,
        None => frame,
    };
    let frames = [in_link(first, frames[0]), in_link(second, frames[1])];
    Some(ExtraJoint { kind, links: [first, second], frames })
}

/// `xyz` constrains the anchors along three axes and is a ball joint, `xy` along the two perpendicular to `jointAxis`,
/// `z` only along it. Choreonoid's `piston` also keeps the links parallel, as in `.body` files.
fn read_kind(fields: Fields<'_>) -> Option<ExtraJointKind> {
    let word = fields.text("jointType").unwrap_or_else(|| "xyz".into());
    match &*word {
        "xyz" | "ball" => Some(ExtraJointKind::Ball),
        "xy" => Some(ExtraJointKind::PointOnLine { axis: read_axis(fields)? }),
        "z" => Some(ExtraJointKind::PointOnPlane { axis: read_axis(fields)? }),
        "piston" => Some(ExtraJointKind::Piston { axis: read_axis(fields)? }),
        "hinge" => Some(ExtraJointKind::Hinge { axis: read_axis(fields)? }),
        "fixed" => Some(ExtraJointKind::Fixed),
        _ => {
            let message = format!("`{}` is not a type of extra joint", shortened(&word));
            let error = Diagnostic::error("unknown-joint-type", message);
            fields.report(
                "jointType",
                match closest(&shortened(&word), KINDS.iter().copied()) {
                    Some(meant) => error.help(format!("did you mean `{meant}`?")),
                    None => error.help(format!("the types are {}", KINDS.join(", "))),
                },
            );
            None
        }
    }
}

fn read_axis(fields: Fields<'_>) -> Option<Unit<Vector3<f64>>> {
    let Some(axis) = fields.vector("jointAxis") else { return Some(Vector3::x_axis()) };
    let unit = bunraku_mesh::unit_vector(axis, SHORTEST_AXIS);
    if unit.is_none() {
        let help = "write a unit vector such as 0 0 1";
        fields.error("jointAxis", "zero-axis", "the axis of the extra joint is zero", help);
    }
    unit
}

fn read_link(fields: Fields<'_>, name: &str, body: &Body) -> Option<LinkIndex> {
    let link = fields.text(name).unwrap_or_default();
    let found = body.find_link(&link);
    if found.is_none() {
        let message = format!("`{name}`: the link `{}` does not exist", shortened(&link));
        let error = Diagnostic::error("unknown-link", message);
        // Comparisons take time: long names are skipped, and so are names for a message that will not be reported.
        let known = body.links().iter().map(|link| link.name.as_str());
        let known = known.filter(|name| fields.findings.has_room() && name.len() <= 2 * LONGEST_NAME);
        fields.report(
            name,
            match closest(&shortened(&link), known) {
                Some(meant) => error.help(format!("did you mean `{}`?", shortened(meant))),
                None => error.help("it must be the name behind `DEF` of a joint of this model"),
            },
        );
    }
    found
}
