use nalgebra::Point3;

use crate::error::single;
use crate::{MeshError, TriangleMesh, triangulate_polygon};

/// The mesh of an `IndexedFaceSet` and what about the file deserves a remark.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceSet {
    /// The triangles, with all the vertices of the file in its order.
    pub mesh: TriangleMesh,
    /// Whether the last polygon had no −1 behind it. It is part of the mesh, though the original leaves it out.
    pub unterminated: bool,
    /// Polygons left out because they have fewer than three corners or no area.
    pub skipped: usize,
}

/// The mesh of an `IndexedFaceSet` (Choreonoid's body format; VRML97 §6.23).
///
/// `vertices` are x, y, z, … in metres in the shape's frame; `faces` are polygons of vertex numbers from 0,
/// counter-clockwise seen from outside, each ended by a negative number. Triangles are taken as they are; larger
/// polygons, which should be flat and may be concave, are cut up by [`triangulate_polygon`].
///
/// # Errors
///
/// When there are no vertices or no usable face, when a vertex is incomplete or not finite, and when a face names a
/// vertex that does not exist or has too many corners.
pub fn indexed_face_set(vertices: &[f64], faces: &[i32]) -> Result<FaceSet, MeshError> {
    let points = points(vertices)?;
    let indices = checked(faces, points.len())?;
    let mut set = FaceSet { unterminated: faces.last().is_some_and(|&last| last >= 0), ..FaceSet::default() };
    let mut corners = Vec::new();
    let mut polygons = indices.split(Option::is_none).peekable();
    while let Some(polygon) = polygons.next() {
        if polygon.is_empty() && polygons.peek().is_none() {
            // Behind the last −1.
            break;
        }
        let polygon: Vec<u32> = polygon.iter().copied().flatten().collect();
        if let Ok(triangle) = <[u32; 3]>::try_from(polygon.as_slice()) {
            set.mesh.triangles.push(triangle);
            continue;
        }
        corners.clear();
        corners.extend(polygon.iter().map(|&index| points[index as usize].cast::<f64>()));
        let triangles = triangulate_polygon(&corners)?;
        if triangles.is_empty() {
            set.skipped += 1;
        }
        set.mesh.triangles.extend(triangles.iter().map(|triangle| triangle.map(|corner| polygon[corner])));
    }
    if set.mesh.triangles.is_empty() {
        return Err(MeshError::NoFaces);
    }
    set.mesh.vertices = points;
    Ok(set)
}

/// The mesh of a `TriangleMesh` node, whose faces are plain triples of vertex numbers; the rest is as in
/// [`indexed_face_set`].
///
/// # Errors
///
/// When there are no vertices or triangles, when one of them is incomplete, when a vertex is not finite, and when a
/// triangle names a vertex that does not exist; a negative number is no terminator here.
pub fn triangle_mesh(vertices: &[f64], triangles: &[i32]) -> Result<TriangleMesh, MeshError> {
    let vertices = points(vertices)?;
    let indices = checked(triangles, vertices.len())?;
    if let Some(position) = indices.iter().position(Option::is_none) {
        return Err(MeshError::IndexOutOfRange { position, index: triangles[position], last: vertices.len() - 1 });
    }
    if triangles.is_empty() {
        return Err(MeshError::NoFaces);
    }
    if !triangles.len().is_multiple_of(3) {
        return Err(MeshError::IncompleteTriangle { count: triangles.len() });
    }
    let indices: Vec<u32> = indices.into_iter().flatten().collect();
    let triangles = indices.as_chunks::<3>().0.to_vec();
    Ok(TriangleMesh { vertices, triangles, ..TriangleMesh::default() })
}

/// At least one point.
fn points(coordinates: &[f64]) -> Result<Vec<Point3<f32>>, MeshError> {
    if coordinates.is_empty() {
        return Err(MeshError::NoVertices);
    }
    let (triples, rest) = coordinates.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(MeshError::IncompleteVertex { count: coordinates.len() });
    }
    triples.iter().enumerate().map(|(position, &triple)| single(Point3::from(triple), "vertex", position)).collect()
}

/// The indices, `None` for negative ones; there is at least one vertex.
fn checked(indices: &[i32], vertices: usize) -> Result<Vec<Option<u32>>, MeshError> {
    let check = |(position, &index): (usize, &i32)| match u32::try_from(index) {
        Ok(number) if (number as usize) < vertices => Ok(Some(number)),
        Ok(_) => Err(MeshError::IndexOutOfRange { position, index, last: vertices - 1 }),
        Err(_) => Ok(None),
    };
    indices.iter().enumerate().map(check).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, volume};

    const CUBE: [f64; 24] =
        [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0., 0., 0., 1., 1., 0., 1., 1., 1., 1., 0., 1., 1.];
    const SIDES: [i32; 30] =
        [0, 3, 2, 1, -1, 4, 5, 6, 7, -1, 0, 1, 5, 4, -1, 3, 7, 6, 2, -1, 0, 4, 7, 3, -1, 1, 2, 6, 5, -1];

    #[test]
    fn a_cube_is_closed() {
        let set = indexed_face_set(&CUBE, &SIDES).unwrap();
        assert_eq!((set.mesh.vertices.len(), set.mesh.triangles.len()), (8, 12));
        assert!((volume(&set.mesh) - 1.0).abs() < 1e-9);
        assert!(!set.unterminated);
        assert_eq!(set.skipped, 0);
    }

    #[test]
    fn an_unterminated_polygon_is_kept() {
        let set = indexed_face_set(&CUBE, &SIDES[..29]).unwrap();
        assert_eq!(set.mesh.triangles.len(), 12);
        assert!(set.unterminated);
    }

    #[test]
    fn polygons_without_area_are_counted() {
        let set = indexed_face_set(&CUBE, &[0, 1, -1, -7, 0, 0, 0, 0, -1, 0, 1, 2, -1]).unwrap();
        assert_eq!((set.mesh.triangles, set.skipped), (vec![[0, 1, 2]], 3));
    }

    #[test]
    fn triples_are_taken_as_they_are() {
        let mesh = triangle_mesh(&CUBE, &[0, 1, 2, 5, 6, 7]).unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles), (8, vec![[0, 1, 2], [5, 6, 7]]));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let range = |position, index| MeshError::IndexOutOfRange { position, index, last: 7 };
        let both = |vertices: &[f64], faces: &[i32]| {
            let error = indexed_face_set(vertices, faces).unwrap_err();
            assert_eq!(triangle_mesh(vertices, faces).unwrap_err(), error);
            error
        };
        assert_eq!(both(&[], &[0, 1, 2]), MeshError::NoVertices);
        assert_eq!(both(&CUBE[..7], &[0, 1, 2]), MeshError::IncompleteVertex { count: 7 });
        assert_eq!(both(&CUBE, &[0, 1, 8]), range(2, 8));
        assert_eq!(both(&CUBE, &[]), MeshError::NoFaces);
        for bad in [f64::NAN, f64::INFINITY, 1e39] {
            let error = MeshError::NotFinite { what: "vertex", position: 1 };
            assert_eq!(both(&[0.0, 0.0, 0.0, 0.0, bad, 0.0], &[0, 1, 1]), error);
        }
        assert_eq!(indexed_face_set(&CUBE, &[0, 1, -1]), Err(MeshError::NoFaces));
        let many = vec![0; crate::MAX_POLYGON_CORNERS + 1];
        assert!(matches!(indexed_face_set(&CUBE, &many), Err(MeshError::TooManyCorners { .. })));
        assert_eq!(triangle_mesh(&CUBE, &[0, 1, -1]), Err(range(2, -1)));
        assert_eq!(triangle_mesh(&CUBE, &[0, 1, 2, 3]), Err(MeshError::IncompleteTriangle { count: 4 }));
        assert_eq!(range(2, 8).to_string(), "entry 2 of the faces is vertex 8, but the vertices are numbered 0 to 7");
    }

    #[test]
    fn garbage_does_not_panic() {
        let mut random = Random(4);
        for _ in 0..5000 {
            let vertices: Vec<_> = (0..3 * random.below(8)).map(|_| random.odd().clamp(-9.0, 9.0)).collect();
            let faces: Vec<_> = (0..random.below(30)).map(|_| random.below(9) as i32 - 1).collect();
            for mesh in [indexed_face_set(&vertices, &faces).map(|set| set.mesh), triangle_mesh(&vertices, &faces)] {
                let in_range = |mesh: TriangleMesh| {
                    mesh.triangles.iter().flatten().all(|&index| (index as usize) < mesh.vertices.len())
                };
                assert!(mesh.is_err() || mesh.is_ok_and(in_range));
            }
        }
    }
}
