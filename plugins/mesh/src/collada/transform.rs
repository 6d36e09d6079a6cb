use bunraku_document::Result;
use nalgebra::{Affine3, Matrix3, Matrix4, Point3, Rotation3, Vector3};

use super::xml::{Element, Xml, numbers_of};
use crate::mesh_file::MeshFile;

/// Transform from the frame of a node to that of its parent: the product of its transformation elements in document
/// order, so that the last is applied first. The result may mirror; users of the triangles detect that from its
/// determinant.
pub(super) fn node_transform(node: Element<'_>, xml: &Xml<'_>, file: &MeshFile<'_>) -> Result<Affine3<f64>> {
    let mut matrix = Matrix4::identity();
    for element in node.children().filter(|child| child.is_element()) {
        matrix *= match element.tag_name().name() {
            "matrix" => Matrix4::from_row_slice(&numbers_of::<16>(element, xml, file)?),
            "translate" => Matrix4::new_translation(&Vector3::from(numbers_of::<3>(element, xml, file)?)),
            "scale" => Matrix4::new_nonuniform_scaling(&Vector3::from(numbers_of::<3>(element, xml, file)?)),
            "rotate" => {
                let [x, y, z, angle] = numbers_of(element, xml, file)?;
                turn(Vector3::new(x, y, z), angle)
            }
            "lookat" => look_at(numbers_of(element, xml, file)?),
            "skew" => skew(numbers_of(element, xml, file)?),
            _ => continue,
        };
    }
    affine(matrix, xml.line(node), file)
}

/// Converts a matrix to an affine transform; its last row is assumed to be 0 0 0 1.
pub(super) fn affine(mut matrix: Matrix4<f64>, line: u32, file: &MeshFile<'_>) -> Result<Affine3<f64>> {
    matrix.set_row(3, &Vector3::zeros().push(1.0).transpose());
    if !matrix.iter().all(|value| value.is_finite()) {
        return Err(file.error("not-finite", "the transformation of a node is not finite", line));
    }
    Ok(Affine3::from_matrix_unchecked(matrix))
}

/// Rotation about an axis through the origin, angle in degrees. Identity if the axis has no length.
fn turn(axis: Vector3<f64>, angle: f64) -> Matrix4<f64> {
    match crate::unit_vector(axis, 0.0) {
        Some(axis) => Rotation3::from_axis_angle(&axis, angle.to_radians()).to_homogeneous(),
        None => Matrix4::identity(),
    }
}

/// Frame of a viewer, from eye, target and upward direction. The viewer looks along −Z.
fn look_at([ex, ey, ez, x, y, z, ux, uy, uz]: [f64; 9]) -> Matrix4<f64> {
    let eye = Point3::new(ex, ey, ez);
    let back = eye - Point3::new(x, y, z);
    let up = Vector3::new(ux, uy, uz);
    if back.cross(&up).norm() > 0.0 {
        let turn = Rotation3::face_towards(&back, &up);
        Matrix4::new_translation(&eye.coords) * turn.to_homogeneous()
    } else {
        Matrix4::new_translation(&eye.coords)
    }
}

/// Shear as defined by RenderMan. The angle, degrees, is that by which the second direction is turned towards the first
/// one, `along`. Distances across stay the same.
fn skew([angle, ax, ay, az, bx, by, bz]: [f64; 7]) -> Matrix4<f64> {
    let along = Vector3::new(bx, by, bz);
    let turned = Vector3::new(ax, ay, az);
    let Some(along) = along.try_normalize(0.0) else { return Matrix4::identity() };
    let Some(across) = (turned - along * along.dot(&turned)).try_normalize(0.0) else { return Matrix4::identity() };
    let Some(turned) = turned.try_normalize(0.0) else { return Matrix4::identity() };
    // `turned` is (cos a, sin a) in the plane of `along` and `across`; its image is rotated by the angle towards
    // `along`.
    let before = turned.dot(&along) / turned.dot(&across);
    let after = 1.0 / libm::tan(libm::atan2(turned.dot(&across), turned.dot(&along)) - angle.to_radians());
    (Matrix3::identity() + (after - before) * along * across.transpose()).to_homogeneous()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_in_degrees_and_counter_clockwise() {
        let point = turn(Vector3::z() * 5.0, 90.0).transform_point(&Point3::new(1.0, 0.0, 0.0));
        assert!((point - Point3::new(0.0, 1.0, 0.0)).norm() < 1e-12);
        assert_eq!(turn(Vector3::zeros(), 90.0), Matrix4::identity());
    }

    #[test]
    fn a_viewer_looks_along_its_negative_z() {
        let view = look_at([2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert!((view.transform_point(&Point3::new(0.0, 0.0, -2.0)) - Point3::origin()).norm() < 1e-12);
        assert!((view.transform_vector(&Vector3::y()) - Vector3::z()).norm() < 1e-12);
        assert!((view.determinant() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_skew_turns_one_direction_towards_another_and_keeps_the_volume() {
        let matrix = skew([45.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        assert!((matrix.transform_vector(&Vector3::y()) - Vector3::new(1.0, 1.0, 0.0)).norm() < 1e-12);
        assert!((matrix.transform_vector(&Vector3::x()) - Vector3::x()).norm() < 1e-12);
        assert!((matrix.determinant() - 1.0).abs() < 1e-12);
        assert_eq!(skew([45.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]), Matrix4::identity());
    }
}
