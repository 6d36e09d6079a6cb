//! `<inertial>`: mass, centre of mass and inertia.

use bunraku_document::Diagnostic;
use nalgebra::{Matrix3, Point3};

use super::xml::{Element, Xml, child};
use crate::MassProperties;

const MOMENTS: [&str; 6] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];

/// Mass properties of a `<link>`; zero without an `<inertial>`. The file gives the inertia about the centre of mass in
/// axes of the `<inertial>`, which are rotated to those of the link.
pub(super) fn read_inertial<'a>(link: Element<'a>, xml: &Xml<'a>) -> MassProperties {
    let Some(inertial) = child(link, "inertial") else { return MassProperties::ZERO };
    xml.check(inertial, &[], &["origin", "mass", "inertia"]);
    let mass = child(inertial, "mass").and_then(|mass| {
        xml.check(mass, &["value"], &[]);
        xml.required(mass, "value")?;
        xml.number(mass, "value")
    });
    if child(inertial, "mass").is_none() {
        let error = Diagnostic::error("missing-key", "`<inertial>` needs a `<mass value=\"…\"/>`");
        xml.report(inertial, error.help("write it in kg"));
    }
    if let (Some(negative), Some(element)) = (mass.filter(|mass| *mass < 0.0), child(inertial, "mass")) {
        let error = Diagnostic::error("negative-mass", format!("a mass of {negative} kg is negative"));
        xml.report_attribute(element, "value", error.help("write it in kg, without a sign"));
    }
    let moments = child(inertial, "inertia").map(|inertia| {
        xml.check(inertia, &MOMENTS, &[]);
        MOMENTS.map(|name| xml.number(inertia, name).unwrap_or(0.0))
    });
    if moments.is_none() && mass.is_some_and(|mass| mass > 0.0) {
        let message = "without an `<inertia>` the inertia is 0, and the mass does not resist rotation";
        xml.report(
            inertial,
            Diagnostic::warning("no-inertia", message).help("write `<inertia ixx=\"…\" …/>` in kg·m²"),
        );
    }
    let [xx, xy, xz, yy, yz, zz] = moments.unwrap_or_default();
    let inertia = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let own = MassProperties { mass: mass.unwrap_or(0.0), center_of_mass: Point3::origin(), inertia };
    own.transformed(&xml.origin(inertial))
}
