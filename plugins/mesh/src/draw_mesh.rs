//! Triangles as graphics hardware takes them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use nalgebra::Point2;

use crate::TriangleMesh;

/// Vertices with one normal, one texture coordinate and one colour each, and the triangles between them.
///
/// All lists but `indices` are as long as `positions`, or empty where said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawMesh {
    /// Positions, m.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates, s to the right and t **up** from the lower left corner of the picture; empty without any.
    pub texture_coordinates: Vec<[f32; 2]>,
    /// Red, green and blue as written in the file (sRGB); empty without any.
    pub colors: Vec<[f32; 3]>,
    /// Three vertex numbers for each triangle, counter-clockwise seen from outside.
    pub indices: Vec<u32>,
}

/// Normals whose coordinates round to the same multiple of the inverse of this are the same.
const NORMAL_STEPS: f32 = 65536.0;

/// All that tells vertices apart, as bits, so that it can be hashed.
type Key = [u32; 11];

impl DrawMesh {
    /// The mesh with its corner normals and colours and with these texture coordinates of the corners of each triangle,
    /// if any; see [`crate::Geometry::texture_coordinates`].
    ///
    /// Corners that are the same in all respects become one vertex; vertices that no triangle names are left out, and so
    /// are triangles that name vertices that do not exist.
    pub fn new(mesh: &TriangleMesh, texture_coordinates: Option<&[[Point2<f32>; 3]]>) -> Self {
        let textured = texture_coordinates.filter(|coordinates| coordinates.len() == mesh.triangles.len());
        let colors = Some(mesh.colors.as_slice()).filter(|colors| colors.len() == mesh.triangles.len());
        let normals = mesh.corner_normals();
        let mut draw = Self::default();
        let mut known: HashMap<Key, u32> = HashMap::new();
        for (number, triangle) in mesh.triangles.iter().enumerate() {
            let [Some(a), Some(b), Some(c)] = triangle.map(|index| mesh.vertices.get(index as usize)) else {
                continue;
            };
            // Indices are 32 bits wide.
            if u32::try_from(draw.positions.len() + 3).is_err() {
                break;
            }
            for (corner, position) in [a, b, c].into_iter().enumerate() {
                let position = <[f32; 3]>::from(*position);
                let normal = normals.get(number).map_or([0.0, 0.0, 1.0], |normals| normals[corner].into());
                let uv = textured.and_then(|all| all.get(number)).map(|corners| <[f32; 2]>::from(corners[corner]));
                let color = colors.and_then(|all| all.get(number)).map(|corners| <[f32; 3]>::from(corners[corner]));
                let index = match known.entry(key(position, normal, uv, color)) {
                    Entry::Occupied(entry) => *entry.get(),
                    Entry::Vacant(entry) => {
                        let index = draw.positions.len() as u32;
                        draw.positions.push(position);
                        draw.normals.push(normal);
                        draw.texture_coordinates.extend(uv);
                        draw.colors.extend(color);
                        *entry.insert(index)
                    }
                };
                draw.indices.push(index);
            }
        }
        draw
    }
}

fn key(position: [f32; 3], normal: [f32; 3], uv: Option<[f32; 2]>, color: Option<[f32; 3]>) -> Key {
    // Normals are computed; what cannot be seen must not tell them apart.
    let normal = normal.map(|value| (value * NORMAL_STEPS).round());
    let numbers = [&position[..], &normal, &uv.unwrap_or_default(), &color.unwrap_or_default()];
    let mut key = [0; 11];
    for (slot, &number) in key.iter_mut().zip(numbers.into_iter().flatten()) {
        // Both zeros are the same position.
        *slot = (number + 0.0).to_bits();
    }
    key
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nalgebra::{Point3, Vector3};

    use super::*;
    use crate::{Geometry, Primitive};

    #[test]
    fn corners_that_differ_are_vertices_of_their_own() {
        let cube = Geometry::primitive(Primitive::Box { size: Vector3::repeat(1.0) });
        for textured in [false, true] {
            let draw = cube.draw_mesh(textured);
            // Four for each side.
            assert_eq!((draw.positions.len(), draw.normals.len(), draw.indices.len()), (24, 24, 36));
            assert_eq!(draw.texture_coordinates.len(), if textured { 24 } else { 0 });
            assert!(draw.colors.is_empty());
        }
        let sphere = Geometry::primitive(Primitive::Sphere { radius: 1.0 });
        assert_eq!(sphere.draw_mesh(false).positions.len(), 182);
        // The nine rings have a second vertex at the seam, the poles one for each of the 20 triangles.
        assert_eq!(sphere.draw_mesh(true).positions.len(), 9 * 21 + 2 * 20);
    }

    #[test]
    fn triangles_stay_what_they_are() {
        let mesh = TriangleMesh {
            vertices: vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)],
            triangles: vec![[0, 1, 2], [0, 1, 7], [2, 0, 1]],
            colors: vec![[Vector3::x(); 3], [Vector3::x(); 3], [Vector3::x(), Vector3::x(), Vector3::y()]],
            ..TriangleMesh::default()
        };
        let draw = Geometry::Mesh(Arc::new(mesh)).draw_mesh(true);
        assert_eq!(draw.indices, [0, 1, 2, 2, 0, 3]);
        assert_eq!(draw.positions, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
        assert_eq!(draw.normals, [[0.0, 0.0, 1.0]; 4]);
        assert_eq!(draw.colors[3], [0.0, 1.0, 0.0]);
        assert_eq!(draw.texture_coordinates, [[0.0; 2], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]);
    }
}
