use nalgebra::{Point2, Point3};

use crate::attribute::{Attribute, Corner, Face};
use crate::error::single;
use crate::{FaceSet, FaceSetInput, MeshError, TriangleMesh};

/// Terrain: heights (+Y) over a grid that starts at the origin and spans +X and +Z (Choreonoid's body format; VRML97
/// §6.17).
#[derive(Clone, Debug, PartialEq)]
pub struct ElevationGrid {
    /// Points along X, at least 2.
    pub x_dimension: u32,
    /// Points along Z, at least 2.
    pub z_dimension: u32,
    /// Distance of neighbouring points along X, m, positive.
    pub x_spacing: f64,
    /// Distance of neighbouring points along Z, m, positive.
    pub z_spacing: f64,
    /// Heights, m: a row along X for each Z.
    pub height: Vec<f64>,
    /// Whether the front faces up (+Y) rather than down.
    pub ccw: bool,
    /// Crease angle, rad: edges are smooth where faces meet at a smaller angle.
    pub crease_angle: f64,
    /// Whether the back face is culled.
    pub solid: bool,
    /// Texture coordinates of each point. If empty, they run from 0 to 1 along X (s) and Z (t).
    pub texture_coordinates: Vec<[f64; 2]>,
    /// Red, green and blue of each point or each cell; may be empty.
    pub colors: Vec<[f64; 3]>,
    /// Whether `colors` belong to points. (The original supports only colours of cells.)
    pub color_per_vertex: bool,
}

impl Default for ElevationGrid {
    /// VRML's defaults, except that both sides are visible: no points, spacing 1 m, facing up.
    fn default() -> Self {
        Self {
            x_dimension: 0,
            z_dimension: 0,
            x_spacing: 1.0,
            z_spacing: 1.0,
            height: Vec::new(),
            ccw: true,
            crease_angle: 0.0,
            solid: false,
            texture_coordinates: Vec::new(),
            colors: Vec::new(),
            color_per_vertex: true,
        }
    }
}

impl ElevationGrid {
    /// The mesh of [`face_set`](Self::face_set) alone.
    ///
    /// # Errors
    ///
    /// As [`face_set`](Self::face_set).
    pub fn tessellate(&self) -> Result<TriangleMesh, MeshError> {
        self.face_set().map(|set| set.mesh)
    }

    /// The surface with two triangles for each cell and the problems of its texture coordinates and colours. Its
    /// vertices are in the order of the heights. Invalid texture coordinates are replaced by the default ones.
    ///
    /// # Errors
    ///
    /// When the grid is smaller than 2 by 2 points, the number of heights does not match, a spacing is not positive, or
    /// a number is not finite.
    pub fn face_set(&self) -> Result<FaceSet, MeshError> {
        let (x, z) = (self.x_dimension, self.z_dimension);
        if x < 2 || z < 2 {
            return Err(MeshError::GridTooSmall { x, z });
        }
        if !(self.x_spacing > 0.0 && self.z_spacing > 0.0) {
            return Err(MeshError::BadSpacing { x: self.x_spacing, z: self.z_spacing });
        }
        let expected = u64::from(x) * u64::from(z);
        if u64::try_from(self.height.len()) != Ok(expected) {
            return Err(MeshError::WrongHeightCount { expected, found: self.height.len() });
        }
        if expected > u64::from(u32::MAX) {
            return Err(MeshError::TooManyVertices { vertices: expected, limit: u64::from(u32::MAX) });
        }
        let corners = (0..z).flat_map(|row| (0..x).map(move |column| (column, row)));
        let vertices = corners.zip(&self.height).enumerate().map(|(position, ((column, row), &height))| {
            let point = Point3::new(f64::from(column) * self.x_spacing, height, f64::from(row) * self.z_spacing);
            single(point, "grid point", position)
        });
        let vertices = vertices.collect::<Result<Vec<_>, _>>()?;
        let mut faces = Vec::new();
        for row in 0..z - 1 {
            for column in 0..x - 1 {
                let near = row * x + column;
                let far = near + x;
                let polygon = row as usize * (x as usize - 1) + column as usize;
                let cell = [[near, far, far + 1], [near, far + 1, near + 1]];
                let cell = if self.ccw { cell } else { cell.map(|[a, b, c]| [a, c, b]) };
                let corner = |vertex| Corner { vertex, position: vertex as usize };
                faces.extend(cell.map(|triangle| Face { corners: triangle.map(corner), polygon }));
            }
        }
        let uvs = Attribute { values: &self.texture_coordinates, indices: None, per_vertex: true };
        let colors = Attribute { values: &self.colors, indices: None, per_vertex: self.color_per_vertex };
        let input = FaceSetInput {
            solid: self.solid,
            crease_angle: self.crease_angle,
            texture_coordinates: Some(uvs).filter(|uvs| !uvs.values.is_empty()),
            colors: Some(colors).filter(|colors| !colors.values.is_empty()),
            ..FaceSetInput::default()
        };
        let mut set = FaceSet::default().finish(&input, vertices, &faces)?;
        if set.mesh.texture_coordinates.is_empty() {
            let uv = |vertex: u32| {
                let (column, row) = (f64::from(vertex % x), f64::from(vertex / x));
                Point2::new(column / f64::from(x - 1), row / f64::from(z - 1)).cast()
            };
            set.mesh.texture_coordinates = set.mesh.triangles.iter().map(|triangle| triangle.map(uv)).collect();
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::{AttributeKind, AttributeProblem, Normals};

    fn grid() -> ElevationGrid {
        let height = vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        ElevationGrid {
            x_dimension: 3,
            z_dimension: 2,
            x_spacing: 0.5,
            z_spacing: 2.0,
            height,
            ..ElevationGrid::default()
        }
    }

    /// Sum of the triangles' area vectors, m².
    fn facing(grid: &ElevationGrid) -> Vector3<f32> {
        let mesh = grid.tessellate().unwrap();
        let corner = |index: u32| mesh.vertices[index as usize];
        let area = |&[a, b, c]: &[u32; 3]| (corner(b) - corner(a)).cross(&(corner(c) - corner(a))) / 2.0;
        mesh.triangles.iter().map(area).sum()
    }

    #[test]
    fn heights_run_along_x_first() {
        let mesh = grid().tessellate().unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (6, 4));
        assert_eq!(mesh.vertices[2], Point3::new(1.0, 2.0, 0.0));
        assert_eq!(mesh.vertices[3], Point3::new(0.0, 3.0, 2.0));
    }

    #[test]
    fn the_front_is_up_or_down() {
        assert!((facing(&grid()).y - 2.0).abs() < 1e-6);
        assert!((facing(&ElevationGrid { ccw: false, ..grid() }).y + 2.0).abs() < 1e-6);
    }

    #[test]
    fn the_image_covers_the_ground_plan() {
        let mesh = ElevationGrid { crease_angle: 1.0, solid: true, ..grid() }.tessellate().unwrap();
        assert_eq!((&mesh.normals, mesh.solid), (&Normals::Crease(1.0), true));
        assert_eq!(mesh.texture_coordinates.len(), 4);
        for (triangle, uvs) in mesh.triangles.iter().zip(&mesh.texture_coordinates) {
            for (&index, uv) in triangle.iter().zip(uvs) {
                let vertex = mesh.vertices[index as usize];
                assert_eq!(*uv, Point2::new(vertex.x, vertex.z / 2.0));
            }
        }
        let own = (0..6).map(|number| [f64::from(number), 0.5]).collect();
        let mesh = ElevationGrid { texture_coordinates: own, ccw: false, ..grid() }.tessellate().unwrap();
        for (triangle, uvs) in mesh.triangles.iter().zip(&mesh.texture_coordinates) {
            assert_eq!(triangle.map(|index| Point2::new(index as f32, 0.5)), *uvs);
        }
    }

    #[test]
    fn colours_belong_to_points_or_cells() {
        let red = |number: u32| [f64::from(number), 0.0, 0.0];
        let cells = ElevationGrid { colors: (0..2).map(red).collect(), color_per_vertex: false, ..grid() };
        let reds = |mesh: &TriangleMesh| mesh.colors.iter().map(|corners| corners.map(|color| color.x)).collect();
        let found: Vec<[f32; 3]> = reds(&cells.tessellate().unwrap());
        assert_eq!(found, [[0.0; 3], [0.0; 3], [1.0; 3], [1.0; 3]]);
        let points = ElevationGrid { colors: (0..6).map(red).collect(), ..grid() }.tessellate().unwrap();
        let found: Vec<[f32; 3]> = reds(&points);
        assert_eq!(found[3], points.triangles[3].map(|index| index as f32));
        let few = ElevationGrid { color_per_vertex: true, ..cells }.face_set().unwrap();
        let missing = |missing| AttributeProblem::TooFewValues { kind: AttributeKind::Colors, missing, found: 2 };
        assert!(few.mesh.colors.is_empty() && few.mesh.triangles.len() == 4);
        assert_eq!(few.problems, [missing(3)]);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |change: fn(&mut ElevationGrid)| {
            let mut grid = grid();
            change(&mut grid);
            grid.tessellate().unwrap_err()
        };
        assert_eq!(error(|grid| grid.x_dimension = 1), MeshError::GridTooSmall { x: 1, z: 2 });
        assert_eq!(error(|grid| grid.z_dimension = 0), MeshError::GridTooSmall { x: 3, z: 0 });
        assert_eq!(error(|grid| grid.x_spacing = 0.0), MeshError::BadSpacing { x: 0.0, z: 2.0 });
        assert!(matches!(error(|grid| grid.z_spacing = f64::NAN), MeshError::BadSpacing { .. }));
        assert_eq!(error(|grid| grid.height.truncate(5)), MeshError::WrongHeightCount { expected: 6, found: 5 });
        let expected = u64::from(u32::MAX) * u64::from(u32::MAX);
        let huge = error(|grid| (grid.x_dimension, grid.z_dimension) = (u32::MAX, u32::MAX));
        assert_eq!(huge, MeshError::WrongHeightCount { expected, found: 6 });
        let not_finite = |position| MeshError::NotFinite { what: "grid point", position };
        assert_eq!(error(|grid| grid.height[4] = f64::NAN), not_finite(4));
        assert_eq!(error(|grid| grid.x_spacing = f64::INFINITY), not_finite(0));
    }
}
