//! Positions and orientations.

use bunraku_document::Diagnostic;
use nalgebra::{Isometry3, Matrix3, Quaternion, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};

use super::compiler::Compiler;
use super::view::View;

/// Shortest vector that has a direction.
const SHORTEST: f64 = 1e-14;
/// Ways to write an orientation.
const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// Pose of an element in the frame around it.
pub(super) fn pose(view: &View<'_>, compiler: &Compiler) -> Isometry3<f64> {
    let translation = view.array::<3>("pos").map_or_else(Vector3::zeros, Vector3::from);
    Isometry3::from_parts(Translation3::from(translation), orientation(view, compiler))
}

/// Orientation of an element: one of several attributes gives it, those of the element before those of its class.
pub(super) fn orientation(view: &View<'_>, compiler: &Compiler) -> UnitQuaternion<f64> {
    let own = ORIENTATIONS.iter().find(|name| view.is_own(name));
    let name = own.or_else(|| ORIENTATIONS.iter().rev().find(|name| view.find(name).is_some()));
    let rotation = match name {
        Some(&"quat") => view.array::<4>("quat").map(|[w, x, y, z]| unit(view, "quat", Quaternion::new(w, x, y, z))),
        Some(&"axisangle") => view.array::<4>("axisangle").map(|[x, y, z, angle]| {
            let axis = direction(view, "axisangle", Vector3::new(x, y, z))?;
            Some(UnitQuaternion::from_axis_angle(&axis, compiler.angle(angle)))
        }),
        Some(&"euler") => view.array::<3>("euler").map(|angles| Some(euler(&angles, compiler))),
        Some(&"xyaxes") => view.array::<6>("xyaxes").map(|numbers| xyaxes(view, &numbers)),
        Some(&"zaxis") => {
            view.array::<3>("zaxis").map(|axis| direction(view, "zaxis", Vector3::from(axis)).map(|axis| from_z(&axis)))
        }
        _ => None,
    };
    rotation.flatten().unwrap_or_else(UnitQuaternion::identity)
}

fn unit(view: &View<'_>, name: &str, quaternion: Quaternion<f64>) -> Option<UnitQuaternion<f64>> {
    let found = bunraku_mesh::unit_quaternion(quaternion, SHORTEST);
    if found.is_none() {
        let error = Diagnostic::error("zero-axis", "a quaternion of zeros is no rotation");
        view.report(name, error.help("write `1 0 0 0` for none"));
    }
    found.map(|unit| UnitQuaternion::new_unchecked(unit.into_inner()))
}

/// A vector of length 1; `None` after the error that it is zero.
pub(super) fn direction(view: &View<'_>, name: &str, vector: Vector3<f64>) -> Option<Unit<Vector3<f64>>> {
    let found = bunraku_mesh::unit_vector(vector, SHORTEST);
    if found.is_none() {
        let error = Diagnostic::error("zero-axis", format!("the direction in `{name}` is zero"));
        view.report(name, error.help("write a direction such as `0 0 1`"));
    }
    found
}

/// Rotations about the axes of a sequence: small letters turn with the frame, capital ones do not.
fn euler(angles: &[f64; 3], compiler: &Compiler) -> UnitQuaternion<f64> {
    compiler.euler.iter().zip(angles).fold(UnitQuaternion::identity(), |rotation, (letter, angle)| {
        let axis = match letter.to_ascii_lowercase() {
            'x' => Vector3::x_axis(),
            'y' => Vector3::y_axis(),
            _ => Vector3::z_axis(),
        };
        let turn = UnitQuaternion::from_axis_angle(&axis, compiler.angle(*angle));
        if letter.is_ascii_uppercase() { turn * rotation } else { rotation * turn }
    })
}

/// The axes X and Y, the second made perpendicular to the first.
fn xyaxes(view: &View<'_>, &[a, b, c, d, e, f]: &[f64; 6]) -> Option<UnitQuaternion<f64>> {
    let x = direction(view, "xyaxes", Vector3::new(a, b, c))?.into_inner();
    let y = Vector3::new(d, e, f);
    let y = direction(view, "xyaxes", y - x * x.dot(&y))?.into_inner();
    let matrix = Matrix3::from_columns(&[x, y, x.cross(&y)]);
    Some(UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix)))
}

/// The smallest rotation that turns Z into a direction.
pub(super) fn from_z(direction: &Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    let cross = Vector3::z().cross(direction);
    let sine = cross.norm();
    // Opposite to Z, any perpendicular axis will do; MuJoCo takes X.
    let axis = bunraku_mesh::unit_vector(cross, 1e-10).unwrap_or_else(Vector3::x_axis);
    UnitQuaternion::from_axis_angle(&axis, libm::atan2(sine, direction.z))
}
