use nalgebra::{Point2, Point3, Vector3};

use crate::attribute::{Attribute, AttributeKind, AttributeProblem, Corner, Face};
use crate::error::single;
use crate::polygon::of_triangle;
use crate::{MeshError, Normals, TriangleMesh, triangulate_polygon};

/// Face set as given in a file: geometry, shading, texture and colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceSetInput<'a> {
    /// Vertices x, y, z, … in metres in the shape's frame.
    pub vertices: &'a [f64],
    /// Vertex indices from 0. For [`indexed_face_set`]: polygons, each terminated by a negative number. For
    /// [`triangle_mesh`]: triples.
    pub faces: &'a [i32],
    /// Whether polygons are counter-clockwise viewed from outside. Otherwise each is reversed with all its attributes.
    pub ccw: bool,
    /// Whether the back face is culled.
    pub solid: bool,
    /// Crease angle without normals, rad: edges are smooth where faces meet at a smaller angle. Clamped to 0…π.
    pub crease_angle: f64,
    /// Treatment of vertex indices beyond the last vertex.
    pub unknown_vertices: UnknownVertices,
    /// Normals for shading, of any length.
    pub normals: Option<Attribute<'a, 3>>,
    /// Texture coordinates: s to the right, t up, (0, 0) in the lower left corner.
    pub texture_coordinates: Option<Attribute<'a, 2>>,
    /// Red, green and blue.
    pub colors: Option<Attribute<'a, 3>>,
}

/// Treatment of vertex indices that do not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownVertices {
    /// An error, as in body files.
    #[default]
    Refuse,
    /// Such corners are left out of their polygons, as in the original's VRML reader. [`triangle_mesh`] leaves out the
    /// whole triangle.
    Skip,
}

impl Default for FaceSetInput<'_> {
    /// Empty face set: counter-clockwise, both sides visible, flat.
    fn default() -> Self {
        Self {
            vertices: &[],
            faces: &[],
            ccw: true,
            solid: false,
            crease_angle: 0.0,
            unknown_vertices: UnknownVertices::Refuse,
            normals: None,
            texture_coordinates: None,
            colors: None,
        }
    }
}

/// Mesh of a face set, and findings about its data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceSet {
    /// The triangles, with all vertices of the file in their order.
    pub mesh: TriangleMesh,
    /// Whether the last polygon lacks its −1. It is part of the mesh, although the original drops it.
    pub unterminated: bool,
    /// Number of polygons left out because they have fewer than three corners or no area.
    pub skipped: usize,
    /// Number of corners left out because their vertex does not exist ([`UnknownVertices::Skip`]).
    pub unknown_vertices: usize,
    /// Attributes left out, with the reason.
    pub problems: Vec<AttributeProblem>,
}

/// The mesh of an `IndexedFaceSet` (Choreonoid's body format; VRML97 §6.23).
///
/// Triangles are used unchanged. Larger polygons, which should be planar and may be concave, are triangulated by
/// [`triangulate_polygon`]. Attributes follow their corners. An invalid attribute is left out, with an entry in
/// [`FaceSet::problems`].
///
/// # Errors
///
/// When there are no vertices or no usable face, when a vertex is incomplete or not finite, when a face refers to a
/// vertex that does not exist (see [`UnknownVertices`]) or has too many corners.
pub fn indexed_face_set(input: &FaceSetInput<'_>) -> Result<FaceSet, MeshError> {
    let points = points(input.vertices)?;
    let entries = entries(input, points.len())?;
    let mut set = FaceSet {
        unterminated: input.faces.last().is_some_and(|&last| last >= 0),
        unknown_vertices: unknown(&entries),
        ..FaceSet::default()
    };
    let mut faces = Vec::new();
    let mut positions = Vec::new();
    let mut polygons = entries.split(|entry| *entry == Entry::End).enumerate().peekable();
    let mut begin = 0;
    while let Some((number, polygon)) = polygons.next() {
        if polygon.is_empty() && polygons.peek().is_none() {
            // After the last −1.
            break;
        }
        let mut corners: Vec<Corner> = corners(polygon, begin).collect();
        begin += polygon.len() + 1;
        if !input.ccw {
            corners.reverse();
        }
        if let Ok(corners) = <[Corner; 3]>::try_from(corners.as_slice()) {
            faces.push(Face { corners, polygon: number });
            continue;
        }
        positions.clear();
        positions.extend(
            corners.iter().filter_map(|corner| points.get(corner.vertex as usize)).map(|point| point.cast::<f64>()),
        );
        let triangles = triangulate_polygon(&positions)?;
        if triangles.is_empty() {
            set.skipped += 1;
        }
        let face = |triangle: &[usize; 3]| Face { corners: of_triangle(*triangle, &corners), polygon: number };
        faces.extend(triangles.iter().map(face));
    }
    set.finish(input, points, &faces)
}

/// The mesh of a `TriangleMesh` node, whose faces are triples of vertex indices; otherwise as [`indexed_face_set`].
///
/// # Errors
///
/// When there are no vertices or triangles, when one of them is incomplete, when a vertex is not finite, and when a
/// triangle refers to a vertex that does not exist. A negative number is an error, not a terminator.
pub fn triangle_mesh(input: &FaceSetInput<'_>) -> Result<FaceSet, MeshError> {
    let points = points(input.vertices)?;
    let entries = entries(input, points.len())?;
    let ends = entries.iter().zip(input.faces).enumerate().find(|&(_, (&entry, _))| entry == Entry::End);
    if let Some((position, (_, &index))) = ends {
        return Err(MeshError::IndexOutOfRange { position, index, last: points.len() - 1 });
    }
    if entries.is_empty() {
        return Err(MeshError::NoFaces);
    }
    let (triples, rest) = entries.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(MeshError::IncompleteTriangle { count: entries.len() });
    }
    let face = |(polygon, triple): (usize, &[Entry; 3])| {
        let corners: Vec<Corner> = corners(triple, 3 * polygon).collect();
        let [a, b, c] = <[Corner; 3]>::try_from(corners).ok()?;
        Some(Face { corners: if input.ccw { [a, b, c] } else { [c, b, a] }, polygon })
    };
    let faces: Vec<Face> = triples.iter().enumerate().filter_map(face).collect();
    FaceSet { unknown_vertices: unknown(&entries), ..FaceSet::default() }.finish(input, points, &faces)
}

impl FaceSet {
    /// Completes a face set whose faces are known; only shading, texture and colours of `input` are used.
    pub(crate) fn finish(
        mut self,
        input: &FaceSetInput<'_>,
        vertices: Vec<Point3<f32>>,
        faces: &[Face],
    ) -> Result<Self, MeshError> {
        if faces.is_empty() {
            return Err(MeshError::NoFaces);
        }
        let normals = self.attribute(input.normals, AttributeKind::Normals, faces);
        let texture_coordinates = self.attribute(input.texture_coordinates, AttributeKind::TextureCoordinates, faces);
        let colors = self.attribute(input.colors, AttributeKind::Colors, faces);
        self.mesh = TriangleMesh {
            vertices,
            triangles: faces.iter().map(|face| face.corners.map(|corner| corner.vertex)).collect(),
            normals: match normals {
                Some(normals) => Normals::Given(of_corners(normals, Vector3::from)),
                None => Normals::crease(input.crease_angle),
            },
            texture_coordinates: of_corners(texture_coordinates.unwrap_or_default(), Point2::from),
            colors: of_corners(colors.unwrap_or_default(), Vector3::from),
            solid: input.solid,
        };
        Ok(self)
    }

    /// Values of an attribute, unless it is absent or invalid.
    fn attribute<const N: usize>(
        &mut self,
        attribute: Option<Attribute<'_, N>>,
        kind: AttributeKind,
        faces: &[Face],
    ) -> Option<Vec<[[f32; N]; 3]>> {
        match attribute?.of_corners(kind, faces) {
            Ok(values) => Some(values),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }
}

fn of_corners<const N: usize, T>(values: Vec<[[f32; N]; 3]>, make: impl Fn([f32; N]) -> T) -> Vec<[T; 3]> {
    values.into_iter().map(|corners| corners.map(&make)).collect()
}

/// An entry of the list of faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Vertex(u32),
    /// Negative number: end of a polygon.
    End,
    /// Index of a vertex that does not exist.
    Unknown,
}

/// Entries of the list of faces. There is at least one vertex.
fn entries(input: &FaceSetInput<'_>, vertices: usize) -> Result<Vec<Entry>, MeshError> {
    let check = |(position, &index): (usize, &i32)| match u32::try_from(index) {
        Ok(number) if (number as usize) < vertices => Ok(Entry::Vertex(number)),
        Ok(_) if input.unknown_vertices == UnknownVertices::Skip => Ok(Entry::Unknown),
        Ok(_) => Err(MeshError::IndexOutOfRange { position, index, last: vertices - 1 }),
        Err(_) => Ok(Entry::End),
    };
    input.faces.iter().enumerate().map(check).collect()
}

/// Valid corners among entries, of which the first is at position `begin` of the list of faces.
fn corners(entries: &[Entry], begin: usize) -> impl Iterator<Item = Corner> {
    entries.iter().zip(begin..).filter_map(|(&entry, position)| match entry {
        Entry::Vertex(vertex) => Some(Corner { vertex, position }),
        Entry::End | Entry::Unknown => None,
    })
}

fn unknown(entries: &[Entry]) -> usize {
    entries.iter().filter(|&&entry| entry == Entry::Unknown).count()
}

/// The vertices; at least one.
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

#[cfg(test)]
// In tests, a failed assumption may panic.
#[allow(clippy::panic)]
mod tests {
    use super::*;
    use crate::testing::{Random, volume};

    const CUBE: [f64; 24] =
        [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0., 0., 0., 1., 1., 0., 1., 1., 1., 1., 0., 1., 1.];
    const SIDES: [i32; 30] =
        [0, 3, 2, 1, -1, 4, 5, 6, 7, -1, 0, 1, 5, 4, -1, 3, 7, 6, 2, -1, 0, 4, 7, 3, -1, 1, 2, 6, 5, -1];

    fn plain<'a>(vertices: &'a [f64], faces: &'a [i32]) -> FaceSetInput<'a> {
        FaceSetInput { vertices, faces, ..FaceSetInput::default() }
    }

    #[test]
    fn a_cube_is_closed() {
        let set = indexed_face_set(&plain(&CUBE, &SIDES)).unwrap();
        assert_eq!((set.mesh.vertices.len(), set.mesh.triangles.len()), (8, 12));
        assert!((volume(&set.mesh) - 1.0).abs() < 1e-9);
        assert!(!set.unterminated);
        assert_eq!(set.skipped, 0);
    }

    #[test]
    fn an_unterminated_polygon_is_kept() {
        let set = indexed_face_set(&plain(&CUBE, &SIDES[..29])).unwrap();
        assert_eq!(set.mesh.triangles.len(), 12);
        assert!(set.unterminated);
    }

    #[test]
    fn polygons_without_area_are_counted() {
        let set = indexed_face_set(&plain(&CUBE, &[0, 1, -1, -7, 0, 0, 0, 0, -1, 0, 1, 2, -1])).unwrap();
        assert_eq!((set.mesh.triangles, set.skipped), (vec![[0, 1, 2]], 3));
    }

    #[test]
    fn triples_are_used_unchanged() {
        let mesh = triangle_mesh(&plain(&CUBE, &[0, 1, 2, 5, 6, 7])).unwrap().mesh;
        assert_eq!((mesh.vertices.len(), mesh.triangles), (8, vec![[0, 1, 2], [5, 6, 7]]));
    }

    /// A concave arrow head and a triangle beside it.
    const ARROW: [f64; 15] = [0., 0., 5., 2., 2., 5., 0., 1., 5., -2., 2., 5., 4., 0., 5.];
    const ARROW_FACES: [i32; 9] = [0, 1, 2, 3, -1, 0, 4, 1, -1];

    fn attribute<'a, const N: usize>(values: &'a [[f64; N]], indices: Option<&'a [i32]>) -> Attribute<'a, N> {
        Attribute { values, indices, per_vertex: true }
    }

    /// Signed area towards +Z of each triangle, m².
    fn areas(mesh: &TriangleMesh) -> Vec<f32> {
        let corner = |index: u32| mesh.vertices[index as usize];
        mesh.triangles
            .iter()
            .map(|&[a, b, c]| (corner(b) - corner(a)).cross(&(corner(c) - corner(a))).z / 2.0)
            .collect()
    }

    #[test]
    fn texture_coordinates_and_normals_follow_the_corners() {
        // s and t are linear in x and y, for all index schemes and both orientations.
        let uv = |vertex: i32| [0.5 * ARROW[3 * vertex as usize] + 1.0, 0.25 * ARROW[3 * vertex as usize + 1]];
        let by_vertex: Vec<[f64; 2]> = (0..5).map(uv).collect();
        let backwards: Vec<[f64; 2]> = (0..5).rev().map(uv).collect();
        let indices = ARROW_FACES.map(|vertex| if vertex < 0 { -1 } else { 4 - vertex });
        for ccw in [true, false] {
            for coordinates in [attribute(&by_vertex, None), attribute(&backwards, Some(&indices))] {
                let normals: Vec<[f64; 3]> = by_vertex.iter().map(|&[s, t]| [s, t, 1.0]).collect();
                let set = indexed_face_set(&FaceSetInput {
                    ccw,
                    solid: true,
                    texture_coordinates: Some(coordinates),
                    normals: Some(attribute(&normals, None)),
                    ..plain(&ARROW, &ARROW_FACES)
                })
                .unwrap();
                assert!(set.problems.is_empty() && set.mesh.solid);
                assert_eq!((set.mesh.triangles.len(), set.mesh.texture_coordinates.len()), (3, 3));
                let Normals::Given(normals) = &set.mesh.normals else { panic!("no normals") };
                for (number, triangle) in set.mesh.triangles.iter().enumerate() {
                    for (corner, &index) in triangle.iter().enumerate() {
                        let vertex = set.mesh.vertices[index as usize];
                        let expected = Point2::new(0.5 * vertex.x + 1.0, 0.25 * vertex.y);
                        assert_eq!(set.mesh.texture_coordinates[number][corner], expected);
                        assert_eq!(normals[number][corner], Vector3::new(expected.x, expected.y, 1.0));
                    }
                }
                let sign = if ccw { 1.0 } else { -1.0 };
                let areas = areas(&set.mesh);
                assert!(areas.iter().all(|area| area * sign > 0.0), "{areas:?}");
                assert!((areas[..2].iter().sum::<f32>() - sign * 2.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn polygons_have_colours_by_number_or_by_index() {
        let colors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let found = |indices: Option<&[i32]>| {
            let colors = Attribute { values: &colors, indices, per_vertex: false };
            let set = indexed_face_set(&FaceSetInput { colors: Some(colors), ..plain(&ARROW, &ARROW_FACES) }).unwrap();
            assert!(set.problems.is_empty());
            set.mesh.colors
        };
        let (red, green) = ([Vector3::x(); 3], [Vector3::y(); 3]);
        assert_eq!(found(None), [red, red, green]);
        assert_eq!(found(Some(&[1, 0])), [green, green, red]);
        let colors = Attribute { values: &colors, indices: None, per_vertex: false };
        let triples = triangle_mesh(&FaceSetInput { colors: Some(colors), ..plain(&ARROW, &[0, 1, 2, 0, 2, 3]) });
        assert_eq!(triples.unwrap().mesh.colors, [red, green]);
    }

    #[test]
    fn only_an_invalid_attribute_is_left_out() {
        let kind = AttributeKind::TextureCoordinates;
        let coordinates = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, f64::NAN]];
        let problem = |values: &[[f64; 2]], indices: Option<&[i32]>| {
            let input = FaceSetInput {
                crease_angle: 9.0,
                texture_coordinates: Some(attribute(values, indices)),
                ..plain(&ARROW, &ARROW_FACES)
            };
            let set = indexed_face_set(&input).unwrap();
            assert_eq!((set.mesh.triangles.len(), set.problems.len()), (3, 1));
            assert!(set.mesh.texture_coordinates.is_empty());
            assert_eq!(set.mesh.normals, Normals::Crease(std::f64::consts::PI));
            set.problems[0]
        };
        assert_eq!(problem(&coordinates[..1], Some(&[0; 7])), AttributeProblem::TooFewIndices { kind, found: 7 });
        let range = |position, index| AttributeProblem::IndexOutOfRange { kind, position, index, found: 3 };
        assert_eq!(problem(&coordinates[..3], Some(&[0, 0, 0, 0, -1, 0, 3, 0])), range(6, 3));
        assert_eq!(problem(&coordinates[..3], Some(&[0, 0, 0, 0, 0, -1, 0, 0])), range(5, -1));
        assert_eq!(problem(&[[0.0; 2]; 4], None), AttributeProblem::TooFewValues { kind, missing: 4, found: 4 });
        assert_eq!(problem(&coordinates, Some(&[3; 8])), AttributeProblem::NotFinite { kind, position: 3 });
        assert_eq!(
            range(6, 3).to_string(),
            "the texture coordinates are left out: entry 6 of their index list is 3, but there are 3 values"
        );
    }

    #[test]
    fn unknown_vertices_may_be_skipped() {
        let faces = [0, 1, 77, 2, -1, 9, 0, 1, -1, 0, 4, 1, -1];
        let input = FaceSetInput { unknown_vertices: UnknownVertices::Skip, ..plain(&ARROW, &faces) };
        let numbers: Vec<[f64; 2]> = (0..faces.len()).map(|number| [number as f64, 0.0]).collect();
        let indices: Vec<i32> = (0..13).collect();
        let set =
            indexed_face_set(&FaceSetInput { texture_coordinates: Some(attribute(&numbers, Some(&indices))), ..input })
                .unwrap();
        assert_eq!((set.unknown_vertices, set.skipped), (2, 1));
        assert_eq!(set.mesh.triangles, [[0, 1, 2], [0, 4, 1]]);
        // Each corner has the value at its own position in the list.
        let found: Vec<_> = set.mesh.texture_coordinates.iter().map(|corners| corners.map(|uv| uv.x)).collect();
        assert_eq!(found, [[0.0, 1.0, 3.0], [9.0, 10.0, 11.0]]);
        let triples = triangle_mesh(&FaceSetInput { faces: &[0, 1, 2, 0, 1, 77], ..input }).unwrap();
        assert_eq!((triples.mesh.triangles.len(), triples.unknown_vertices), (1, 1));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let range = |position, index| MeshError::IndexOutOfRange { position, index, last: 7 };
        let both = |vertices: &[f64], faces: &[i32]| {
            let error = indexed_face_set(&plain(vertices, faces)).unwrap_err();
            assert_eq!(triangle_mesh(&plain(vertices, faces)).unwrap_err(), error);
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
        assert_eq!(indexed_face_set(&plain(&CUBE, &[0, 1, -1])), Err(MeshError::NoFaces));
        let many = vec![0; crate::MAX_POLYGON_CORNERS + 1];
        assert!(matches!(indexed_face_set(&plain(&CUBE, &many)), Err(MeshError::TooManyCorners { .. })));
        assert_eq!(triangle_mesh(&plain(&CUBE, &[0, 1, -1])), Err(range(2, -1)));
        assert_eq!(triangle_mesh(&plain(&CUBE, &[0, 1, 2, 3])), Err(MeshError::IncompleteTriangle { count: 4 }));
        assert_eq!(range(2, 8).to_string(), "entry 2 of the faces is vertex 8, but the vertices are numbered 0 to 7");
    }

    #[test]
    fn garbage_does_not_panic() {
        let mut random = Random::new(4);
        for _ in 0..5000 {
            let vertices: Vec<_> = (0..3 * random.below(8)).map(|_| random.odd().clamp(-9.0, 9.0)).collect();
            let faces: Vec<_> = (0..random.below(30)).map(|_| random.below(9) as i32 - 1).collect();
            let input = plain(&vertices, &faces);
            for mesh in [indexed_face_set(&input), triangle_mesh(&input)].map(|set| set.map(|set| set.mesh)) {
                let in_range = |mesh: TriangleMesh| {
                    mesh.triangles.iter().flatten().all(|&index| (index as usize) < mesh.vertices.len())
                };
                assert!(mesh.is_err() || mesh.is_ok_and(in_range));
            }
        }
    }
}
