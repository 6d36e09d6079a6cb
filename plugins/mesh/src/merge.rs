use nalgebra::{Matrix3, Vector3};

use crate::{Normals, Shape, TriangleMesh};

impl TriangleMesh {
    /// Merges the triangles of several shapes into one mesh, in the frame of the node that contains them.
    ///
    /// Colours, texture coordinates and given normals are kept if all shapes have them. The crease angle is that of the
    /// first shape.
    pub fn merged(shapes: &[Shape]) -> Self {
        let meshes: Vec<_> = shapes.iter().map(|shape| (shape.geometry.triangles(), &shape.transform)).collect();
        let mut merged = Self { solid: meshes.iter().all(|(mesh, _)| mesh.solid), ..Self::default() };
        let textured = meshes.iter().all(|(mesh, _)| mesh.texture_coordinates.len() == mesh.triangles.len());
        let colored = meshes.iter().all(|(mesh, _)| mesh.colors.len() == mesh.triangles.len());
        let mut normals = Vec::new();
        for (mesh, transform) in &meshes {
            let linear: Matrix3<f64> = transform.matrix().fixed_view::<3, 3>(0, 0).into_owned();
            let mirrored = linear.determinant() < 0.0;
            let first = u32::try_from(merged.vertices.len()).unwrap_or(u32::MAX);
            merged
                .vertices
                .extend(mesh.vertices.iter().map(|vertex| (*transform * vertex.cast::<f64>()).cast::<f32>()));
            // A mirroring transform reverses the orientation of triangles.
            merged.triangles.extend(
                mesh.triangles
                    .iter()
                    .map(|triangle| order(triangle.map(|vertex| vertex.saturating_add(first)), mirrored)),
            );
            if textured {
                merged
                    .texture_coordinates
                    .extend(mesh.texture_coordinates.iter().map(|&corners| order(corners, mirrored)));
            }
            if colored {
                merged.colors.extend(mesh.colors.iter().map(|&corners| order(corners, mirrored)));
            }
            if let Normals::Given(given) = &mesh.normals {
                let turn = linear.try_inverse().map_or_else(Matrix3::identity, |inverse| inverse.transpose());
                let turned = |normal: Vector3<f32>| (turn * normal.cast::<f64>()).normalize().cast::<f32>();
                normals.extend(given.iter().map(|corners| order(corners.map(turned), mirrored)));
            }
        }
        merged.normals = match meshes.first().map(|(mesh, _)| &mesh.normals) {
            Some(Normals::Crease(angle)) => Normals::Crease(*angle),
            Some(Normals::Given(_)) if normals.len() == merged.triangles.len() => Normals::Given(normals),
            _ => Normals::default(),
        };
        merged
    }
}

fn order<T>([a, b, c]: [T; 3], mirrored: bool) -> [T; 3] {
    if mirrored { [a, c, b] } else { [a, b, c] }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Affine3, Matrix4};

    use super::*;
    use crate::testing::volume;
    use crate::{Geometry, Primitive};

    #[test]
    fn a_mirrored_box_keeps_its_outside() {
        let cube = |x: f64, scale: [f64; 3]| {
            let translation = Matrix4::new_translation(&Vector3::new(x, 0.0, 0.0));
            Shape::new(
                Geometry::primitive(Primitive::Box { size: Vector3::repeat(1.0) }),
                Affine3::from_matrix_unchecked(translation * Matrix4::new_nonuniform_scaling(&scale.into())),
                Default::default(),
            )
        };
        let mesh = TriangleMesh::merged(&[cube(0.0, [1.0, 1.0, 1.0]), cube(5.0, [-1.0, 2.0, 1.0])]);
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (16, 24));
        assert!((volume(&mesh) - 3.0).abs() < 1e-6, "{}", volume(&mesh));
    }
}
