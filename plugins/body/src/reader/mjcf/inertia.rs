//! Masses and inertias of bodies.

use bunraku_document::Diagnostic;
use nalgebra::{Isometry3, Matrix3, Point3, SymmetricEigen, UnitQuaternion, Vector3};

use super::compiler::{Compiler, InertiaFromGeom};
use super::element::Element;
use super::geoms::Geom;
use super::model::ModelFile;
use super::poses::orientation;
use super::view::View;
use crate::{Body, MassProperties};

/// Mass properties of a body in the frame of its link: those of its `<inertial>`, or of its geoms. `frame` is the
/// body's in that of the link; geoms are in the latter.
pub(super) fn of_body(
    inertial: Option<&Element>,
    geoms: &[Geom],
    frame: &Isometry3<f64>,
    file: &ModelFile<'_>,
) -> MassProperties {
    let compiler = &file.compiler;
    let from_geoms = match compiler.inertia_from_geom {
        InertiaFromGeom::Never => false,
        InertiaFromGeom::Always => true,
        InertiaFromGeom::Auto => inertial.is_none(),
    };
    let found = if from_geoms {
        let [first, last] = compiler.inertia_groups;
        let counts = geoms.iter().filter(|geom| (first..=last).contains(&geom.group));
        let masses: Vec<MassProperties> = counts.filter_map(|geom| geom.mass).collect();
        MassProperties::combine(&masses)
    } else {
        inertial.and_then(|inertial| read_inertial(inertial, file)).unwrap_or(MassProperties::ZERO).transformed(frame)
    };
    adjusted(found, compiler)
}

fn read_inertial(element: &Element, file: &ModelFile<'_>) -> Option<MassProperties> {
    let findings = file.findings;
    let view = View::new(element, Vec::new(), findings);
    let missing = |name: &str| {
        let error = Diagnostic::error("missing-key", format!("`<inertial>` needs the attribute `{name}`"));
        findings.report(element, error.help("write `<inertial pos=\"…\" mass=\"…\" diaginertia=\"…\"/>`"));
    };
    let Some(mass) = view.number("mass") else {
        if view.find("mass").is_none() {
            missing("mass");
        }
        return None;
    };
    if mass < 0.0 {
        let error = Diagnostic::error("negative-mass", format!("a mass of {mass} kg is negative"));
        view.report("mass", error.help("write it in kg, without a sign"));
        return None;
    }
    let center = view.array::<3>("pos");
    if center.is_none() && view.find("pos").is_none() {
        missing("pos");
    }
    let center = Point3::from(center.map_or_else(Vector3::zeros, Vector3::from));
    let inertia = if let Some([xx, yy, zz, xy, xz, yz]) = view.array::<6>("fullinertia") {
        Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    } else {
        let moments = view.array::<3>("diaginertia").map_or_else(Vector3::zeros, Vector3::from);
        Matrix3::from_diagonal(&moments)
    };
    let turn: UnitQuaternion<f64> = orientation(&view, &file.compiler);
    let turn = turn.to_rotation_matrix();
    Some(MassProperties { mass, center_of_mass: center, inertia: turn * inertia * turn.transpose() })
}

/// Bounds and balance of the compiler.
fn adjusted(mut mass: MassProperties, compiler: &Compiler) -> MassProperties {
    if compiler.bound_mass > 0.0 {
        mass.mass = mass.mass.max(compiler.bound_mass);
    }
    if compiler.bound_inertia <= 0.0 && !compiler.balance_inertia {
        return mass;
    }
    let SymmetricEigen { eigenvectors, mut eigenvalues } = SymmetricEigen::new(mass.inertia);
    if compiler.bound_inertia > 0.0 {
        eigenvalues.iter_mut().for_each(|moment| *moment = moment.max(compiler.bound_inertia));
    }
    let [a, b, c] = [eigenvalues.x, eigenvalues.y, eigenvalues.z];
    if compiler.balance_inertia && (a + b < c || a + c < b || b + c < a) {
        eigenvalues.fill((a + b + c) / 3.0);
    }
    mass.inertia = eigenvectors * Matrix3::from_diagonal(&eigenvalues) * eigenvectors.transpose();
    mass
}

/// Scales all masses so that their sum is that of the compiler. The world has no mass.
pub(super) fn set_total(body: &mut Body, has_world: bool, compiler: &Compiler) {
    let first = usize::from(has_world);
    let sum: f64 = body.links.iter().skip(first).map(|link| link.mass.mass).sum();
    let Some(total) = compiler.total_mass.filter(|_| sum > 0.0) else { return };
    let factor = total / sum;
    for link in body.links.iter_mut().skip(first) {
        link.mass.mass *= factor;
        link.mass.inertia *= factor;
    }
}
