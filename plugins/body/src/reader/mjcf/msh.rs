//! MuJoCo's own binary mesh files (`.msh`): four counts, then positions, normals and texture coordinates of vertices in
//! single precision, then the vertices of each triangle.

use std::sync::Arc;

use bunraku_document::Diagnostic;
use bunraku_mesh::{Appearance, Geometry, Normals, Shape, TriangleMesh};
use nalgebra::{Affine3, Point3};

/// Edges are sharp where faces meet at this angle or a larger one, rad, as with other mesh files without normals.
const CREASE: f64 = std::f64::consts::FRAC_PI_6;

/// The mesh of a file.
///
/// # Errors
/// If the file has another size than its counts say, a face without a vertex, or a position that is not finite.
pub(super) fn read(bytes: &[u8]) -> Result<Shape, Diagnostic> {
    let refuse = |code, message: String| {
        Err(Diagnostic::error(code, message).help("convert it to OBJ with MuJoCo's `msh2obj.py`"))
    };
    let (words, rest) = bytes.as_chunks::<4>();
    let (Some(counts), Some(body)) = (words.first_chunk::<4>(), words.get(4..)) else {
        return refuse("msh-malformed", format!("{} bytes are too few for a mesh file of MuJoCo", bytes.len()));
    };
    let counts = counts.map(|word| usize::try_from(i32::from_le_bytes(word)).ok());
    let [Some(vertices), Some(normals), Some(coordinates), Some(faces)] = counts else {
        return refuse("msh-malformed", "a count of the mesh file is negative".to_owned());
    };
    let sizes = [vertices.checked_mul(3), normals.checked_mul(3), coordinates.checked_mul(2), faces.checked_mul(3)];
    let total = sizes.iter().try_fold(0_usize, |sum, size| sum.checked_add((*size)?));
    if total != Some(body.len()) || !rest.is_empty() {
        let message = format!("the mesh file has {} bytes, which its counts do not say", bytes.len());
        return refuse("msh-malformed", message);
    }
    let (positions, others) = body.split_at(3 * vertices);
    let positions: Vec<f32> = positions.iter().map(|word| f32::from_le_bytes(*word)).collect();
    if let Some(place) = positions.iter().position(|number| !number.is_finite()) {
        return refuse("not-finite", format!("vertex {} of the mesh file is not finite", place / 3));
    }
    let indices = others.iter().skip(others.len() - 3 * faces).map(|word| u32::from_le_bytes(*word));
    let indices: Vec<u32> = indices.collect();
    if indices.iter().any(|index| usize::try_from(*index).is_ok_and(|index| index >= vertices)) {
        return refuse("face-index", "a face of the mesh file refers to a vertex that does not exist".to_owned());
    }
    let mesh = TriangleMesh {
        vertices: positions.as_chunks().0.iter().map(|position: &[f32; 3]| Point3::from(*position)).collect(),
        triangles: indices.as_chunks().0.to_vec(),
        normals: Normals::Crease(CREASE),
        ..TriangleMesh::default()
    };
    Ok(Shape::new(Geometry::Mesh(Arc::new(mesh)), Affine3::identity(), Appearance::default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a tetrahedron, with these indices of the first face.
    fn tetrahedron(first: [u32; 3]) -> Vec<u8> {
        let mut bytes: Vec<u8> = [4_i32, 0, 4, 4].iter().flat_map(|count| count.to_le_bytes()).collect();
        let positions = [0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        bytes.extend(positions.iter().chain(&[0.5; 8]).flat_map(|number| number.to_le_bytes()));
        let faces = [first, [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        bytes.extend(faces.iter().flatten().flat_map(|index| index.to_le_bytes()));
        bytes
    }

    #[test]
    fn a_mesh_has_its_vertices_and_faces() {
        let shape = read(&tetrahedron([0, 2, 1])).unwrap();
        assert_eq!(shape.bounding_box().map(|bounds| bounds.max), Some(Point3::new(1.0, 1.0, 1.0)));
        assert_eq!(shape.geometry.num_mesh_triangles(), 4);
    }

    #[test]
    fn malformed_files_are_refused() {
        let whole = tetrahedron([0, 2, 1]);
        for end in 0..whole.len() {
            assert_eq!(read(&whole[..end]).unwrap_err().code, "msh-malformed");
        }
        assert_eq!(read(&tetrahedron([0, 2, 4])).unwrap_err().code, "face-index");
        let mut negative = whole.clone();
        negative[3] = 0x80;
        assert_eq!(read(&negative).unwrap_err().code, "msh-malformed");
        let mut infinite = whole;
        infinite[16..20].copy_from_slice(&f32::INFINITY.to_le_bytes());
        assert_eq!(read(&infinite).unwrap_err().code, "not-finite");
    }
}
