use nalgebra::Point3;

use crate::error::single;
use crate::{MeshError, TriangleMesh};

/// A terrain: heights (+Y) over a grid that starts at the origin and spans +X and +Z (Choreonoid's body format; VRML97
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
}

impl ElevationGrid {
    /// The surface, two triangles a cell, with a vertex for each height in the same order.
    ///
    /// # Errors
    ///
    /// When the grid is smaller than 2 by 2 points, its heights do not fill it, a spacing is not positive, or a
    /// number is not finite.
    pub fn tessellate(&self) -> Result<TriangleMesh, MeshError> {
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
        let places = (0..z).flat_map(|row| (0..x).map(move |column| (column, row)));
        let vertices = places.zip(&self.height).enumerate().map(|(position, ((column, row), &height))| {
            let point = Point3::new(f64::from(column) * self.x_spacing, height, f64::from(row) * self.z_spacing);
            single(point, "grid point", position)
        });
        let mut mesh = TriangleMesh { vertices: vertices.collect::<Result<_, _>>()?, ..TriangleMesh::default() };
        for row in 0..z - 1 {
            for column in 0..x - 1 {
                let near = row * x + column;
                let far = near + x;
                let cell = [[near, far, far + 1], [near, far + 1, near + 1]];
                mesh.triangles.extend(if self.ccw { cell } else { cell.map(|[a, b, c]| [a, c, b]) });
            }
        }
        Ok(mesh)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    fn grid() -> ElevationGrid {
        let height = vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        ElevationGrid { x_dimension: 3, z_dimension: 2, x_spacing: 0.5, z_spacing: 2.0, height, ccw: true }
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
