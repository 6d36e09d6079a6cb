use bunraku_document::Result;
use nalgebra::{Point2, Point3, Vector3};

use crate::mesh_file::{Budget, DEFAULT_CREASE, MeshFile, Tally};
use crate::polygon::of_triangle;
use crate::{Normals, TriangleMesh, triangulate_polygon};

/// Corner of a face with the attributes given in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    /// Index of the vertex in [`MeshBuilder::mesh`].
    pub(crate) vertex: u32,
    pub(crate) normal: Option<Vector3<f32>>,
    pub(crate) texture: Option<Point2<f32>>,
    pub(crate) color: Option<Vector3<f32>>,
}

/// Collects the faces of one mesh. Attributes that only some corners have get default values for the others: the normal
/// of the face, white, texture coordinate zero.
#[derive(Default)]
pub(crate) struct MeshBuilder {
    mesh: TriangleMesh,
    normals: Vec<[Option<Vector3<f32>>; 3]>,
    has_normals: bool,
}

impl MeshBuilder {
    /// Adds a vertex and returns its index.
    pub(crate) fn vertex(&mut self, position: Point3<f32>) -> u32 {
        self.mesh.vertices.push(position);
        u32::try_from(self.mesh.vertices.len() - 1).unwrap_or(u32::MAX)
    }

    /// Adds a planar polygon, concave or not. Polygons with fewer than three corners or without area are counted as
    /// `skipped`.
    pub(crate) fn polygon(
        &mut self,
        corners: &[Corner],
        line: Option<u32>,
        skipped: &mut Tally,
        budget: &mut Budget,
        file: &MeshFile<'_>,
    ) -> Result<()> {
        if let Ok(triangle) = <[Corner; 3]>::try_from(corners) {
            budget.spend_triangles(1, file)?;
            self.triangle(triangle);
            return Ok(());
        }
        let position =
            |corner: &Corner| self.mesh.vertices.get(corner.vertex as usize).copied().unwrap_or_default().cast::<f64>();
        let positions: Vec<Point3<f64>> = corners.iter().map(position).collect();
        let triangles =
            triangulate_polygon(&positions).map_err(|error| file.error("bad-polygon", error.to_string(), line))?;
        if triangles.is_empty() {
            skipped.add(line);
        }
        budget.spend_triangles(triangles.len(), file)?;
        for triangle in triangles {
            self.triangle(of_triangle(triangle, corners));
        }
        Ok(())
    }

    /// Adds a triangle of existing vertices.
    pub(crate) fn triangle(&mut self, corners: [Corner; 3]) {
        let count = self.mesh.triangles.len();
        self.mesh.triangles.push(corners.map(|corner| corner.vertex));
        let normals = corners.map(|corner| corner.normal.and_then(|normal| normal.try_normalize(f32::MIN_POSITIVE)));
        if self.has_normals || corners.iter().any(|corner| corner.normal.is_some()) {
            self.has_normals = true;
            self.normals.resize(count, [None; 3]);
            self.normals.push(normals);
        }
        extend(&mut self.mesh.texture_coordinates, count, corners.map(|corner| corner.texture), Point2::origin());
        extend(&mut self.mesh.colors, count, corners.map(|corner| corner.color), Vector3::repeat(1.0));
    }

    pub(crate) fn triangle_count(&self) -> usize {
        self.mesh.triangles.len()
    }

    /// The mesh. Without normals its crease angle is [`DEFAULT_CREASE`].
    pub(crate) fn finish(self) -> TriangleMesh {
        let mut mesh = self.mesh;
        mesh.normals = if self.has_normals {
            let flat = |triangle: &[u32; 3]| {
                let [a, b, c] = triangle.map(|vertex| mesh.vertices.get(vertex as usize).copied().unwrap_or_default());
                let normal = (b - a).cast::<f64>().cross(&(c - a).cast::<f64>());
                normal.try_normalize(0.0).unwrap_or_else(Vector3::z).cast::<f32>()
            };
            let filled = mesh.triangles.iter().zip(self.normals);
            Normals::Given(
                filled
                    .map(|(triangle, normals)| normals.map(|normal| normal.unwrap_or_else(|| flat(triangle))))
                    .collect(),
            )
        } else {
            Normals::Crease(DEFAULT_CREASE)
        };
        mesh
    }
}

/// Appends the attributes of a triangle's corners to a list, which stays empty while no triangle has the attribute.
fn extend<T: Copy>(list: &mut Vec<[T; 3]>, count: usize, corners: [Option<T>; 3], fallback: T) {
    if !list.is_empty() || corners.iter().any(Option::is_some) {
        list.resize(count, [fallback; 3]);
        list.push(corners.map(|corner| corner.unwrap_or(fallback)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(vertex: u32) -> Corner {
        Corner { vertex, normal: None, texture: None, color: None }
    }

    fn builder() -> MeshBuilder {
        let mut builder = MeshBuilder::default();
        for position in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
            builder.vertex(Point3::from(position));
        }
        builder
    }

    #[test]
    fn attributes_that_no_corner_has_are_left_out() {
        let mut builder = builder();
        builder.triangle([0, 1, 2].map(corner));
        let mesh = builder.finish();
        assert_eq!(mesh.normals, Normals::Crease(DEFAULT_CREASE));
        assert!(mesh.texture_coordinates.is_empty() && mesh.colors.is_empty());
    }

    #[test]
    fn attributes_that_some_corners_have_get_defaults() {
        let mut builder = builder();
        builder.triangle([0, 1, 2].map(corner));
        let mut rich = [0, 2, 1].map(corner);
        rich[0].normal = Some(Vector3::x() * 4.0);
        rich[1].normal = Some(Vector3::zeros());
        rich[1].texture = Some(Point2::new(0.5, 0.25));
        rich[2].color = Some(Vector3::x());
        builder.triangle(rich);
        builder.triangle([0, 1, 2].map(corner));
        let mesh = builder.finish();
        let up = Vector3::z();
        assert_eq!(mesh.normals, Normals::Given(vec![[up; 3], [Vector3::x(), -up, -up], [up; 3]]));
        let zero = Point2::origin();
        assert_eq!(mesh.texture_coordinates, [[zero; 3], [zero, Point2::new(0.5, 0.25), zero], [zero; 3]]);
        let white = Vector3::repeat(1.0);
        assert_eq!(mesh.colors, [[white; 3], [white, white, Vector3::x()], [white; 3]]);
    }
}
