//! Triangle meshes in the layout of graphics hardware.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use nalgebra::Point2;

use crate::TriangleMesh;

/// Vertices with one normal, one texture coordinate and one colour each, and an index list of triangles.
///
/// Each list except `indices` is as long as `positions`, or empty where documented.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawMesh {
    /// Positions, m.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates, s to the right and t **up** from the lower left corner of the image; empty if there are
    /// none.
    pub texture_coordinates: Vec<[f32; 2]>,
    /// Red, green and blue as written in the file (sRGB); may be empty.
    pub colors: Vec<[f32; 3]>,
    /// Three vertex indices for each triangle, counter-clockwise viewed from outside.
    pub indices: Vec<u32>,
}

/// Normals are equal if their coordinates agree after rounding to multiples of 1/`NORMAL_STEPS`.
const NORMAL_STEPS: f32 = 65536.0;

/// All attributes of a vertex as bits, for hashing.
type Key = [u32; 11];

impl DrawMesh {
    /// The mesh with its corner normals and colours and, if given, with these texture coordinates of the corners of
    /// each triangle; see [`crate::Geometry::texture_coordinates`].
    ///
    /// Corners with equal attributes become one vertex. Unused vertices and triangles with invalid vertex indices are
    /// left out.
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
                let normal = normals.get(number).and_then(|normals| normals.get(corner));
                let normal = normal.map_or([0.0, 0.0, 1.0], |normal| (*normal).into());
                let uv = textured.and_then(|all| all.get(number)?.get(corner)).map(|uv| <[f32; 2]>::from(*uv));
                let color = colors.and_then(|all| all.get(number)?.get(corner)).map(|color| <[f32; 3]>::from(*color));
                let index = match known.entry(key(position, normal, uv, color)) {
                    Entry::Occupied(entry) => *entry.get(),
                    Entry::Vacant(entry) => {
                        let index = u32::try_from(draw.positions.len()).unwrap_or(u32::MAX);
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
    // Normals are computed; invisible rounding differences must not create separate vertices.
    let normal = normal.map(|value| (value * NORMAL_STEPS).round());
    let numbers = [&position[..], &normal, &uv.unwrap_or_default(), &color.unwrap_or_default()];
    let mut key = [0; 11];
    for (slot, &number) in key.iter_mut().zip(numbers.into_iter().flatten()) {
        // −0 and +0 are the same position.
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
    fn corners_that_differ_become_separate_vertices() {
        let cube = Geometry::primitive(Primitive::Box { size: Vector3::repeat(1.0) });
        for textured in [false, true] {
            let draw = cube.draw_mesh(textured);
            // Four vertices for each side.
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
    fn triangles_are_unchanged() {
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
