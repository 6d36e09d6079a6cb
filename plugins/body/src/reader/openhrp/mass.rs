//! Mass properties of `Segment`s.

use bunraku_document::Diagnostic;
use nalgebra::{Affine3, Matrix3, Point3};

use super::fields::{FINITE, Fields};
use crate::MassProperties;

/// Mass properties of a `Segment` in the frame of its link; `transform` is the frame of the segment's parent.
///
/// `momentsOfInertia` are nine numbers, row by row, about the centre of mass of the segment and along the axes of the
/// parent's frame.
pub(super) fn read_mass(fields: Fields<'_>, transform: &Affine3<f64>) -> MassProperties {
    fields.expect(&["mass", "centerOfMass", "momentsOfInertia", "children"]);
    let mass = fields.number("mass").unwrap_or(0.0);
    if mass < 0.0 {
        fields.error("mass", "negative-mass", format!("the mass {mass} kg is negative"), "write 0 or more");
    }
    let center_of_mass = Point3::from(fields.vector("centerOfMass").unwrap_or_default());
    let linear = transform.matrix().fixed_view::<3, 3>(0, 0).into_owned();
    MassProperties {
        mass,
        center_of_mass: transform * center_of_mass,
        inertia: linear * read_inertia(fields) * linear.transpose(),
    }
}

fn read_inertia(fields: Fields<'_>) -> Matrix3<f64> {
    const NAME: &str = "momentsOfInertia";
    let Some(numbers) = fields.numbers(NAME) else { return Matrix3::zeros() };
    let Some(nine) = numbers.get(..9) else {
        let message = format!("`{NAME}` has 9 numbers, row by row, not {}", numbers.len());
        fields.report(NAME, Diagnostic::error("wrong-length", message).help("write [ xx xy xz yx yy yz zx zy zz ]"));
        return Matrix3::zeros();
    };
    if numbers.len() > 9 {
        let message = format!("`{NAME}` has 9 numbers, not {}; the others are left out", numbers.len());
        fields.warning(NAME, "wrong-length", message, "remove the others");
    }
    if nine.iter().any(|number| !number.is_finite()) {
        fields.error(NAME, "not-finite", format!("`{NAME}` is not finite"), FINITE);
        return Matrix3::zeros();
    }
    Matrix3::from_row_slice(nine)
}

/// Combined mass properties of the segments of a link. Unlike links of `.body` files, segments without mass keep their
/// inertia, as in the original.
pub(super) fn combine(parts: &[MassProperties]) -> MassProperties {
    let mut combined = MassProperties::combine(parts);
    if combined.mass <= 0.0 {
        combined.inertia = parts.iter().map(|part| part.inertia).sum();
    }
    combined
}
