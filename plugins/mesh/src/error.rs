use nalgebra::Point3;
use thiserror::Error;

/// Why numbers from a model file do not make a mesh.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// The list of coordinates is empty.
    #[error("the mesh has no vertices")]
    NoVertices,
    /// No polygon with at least three corners is left.
    #[error("the mesh has no face with three or more corners")]
    NoFaces,
    /// The list of coordinates breaks off within a point.
    #[error("there are {count} vertex coordinates, which is not a multiple of three")]
    IncompleteVertex {
        /// Numbers in the list.
        count: usize,
    },
    /// The list of triangles breaks off within a triangle.
    #[error("there are {count} vertex indices, which is not a multiple of three, so the last triangle is incomplete")]
    IncompleteTriangle {
        /// Numbers in the list.
        count: usize,
    },
    /// A face names a vertex that does not exist.
    #[error("entry {position} of the faces is vertex {index}, but the vertices are numbered 0 to {last}")]
    IndexOutOfRange {
        /// Where in the list of faces, from 0.
        position: usize,
        /// The index found there.
        index: i32,
        /// Largest valid index.
        last: usize,
    },
    /// A number is infinite, not a number, or too large for single precision.
    #[error("{what} {position} is not a usable number (infinite, not a number or too large)")]
    NotFinite {
        /// What the number belongs to, such as "vertex".
        what: &'static str,
        /// Which one, from 0.
        position: usize,
    },
    /// A polygon has so many corners that cutting it into triangles would take unreasonably long.
    #[error("a polygon has {corners} corners; at most {limit} are supported")]
    TooManyCorners {
        /// Corners found.
        corners: usize,
        /// Corners allowed.
        limit: usize,
    },
    /// The mesh would be too large.
    #[error("the mesh would have {vertices} vertices; at most {limit} are supported")]
    TooManyVertices {
        /// Vertices the mesh would have.
        vertices: u64,
        /// Vertices allowed.
        limit: u64,
    },
    /// An extrusion's section is a single point or nothing.
    #[error("the cross section has {distinct} distinct points; at least two are needed")]
    SectionTooShort {
        /// Points found, the closing one left out.
        distinct: usize,
    },
    /// An extrusion's spine is a single point or nothing.
    #[error("the spine has {points} points; at least two are needed")]
    SpineTooShort {
        /// Points found.
        points: usize,
    },
    /// All points of an extrusion's spine are the same.
    #[error("all points of the spine are the same, so it has no direction")]
    SpineWithoutLength,
    /// An elevation grid has fewer than two points along an axis.
    #[error("the grid is {x} by {z} points; at least 2 by 2 are needed")]
    GridTooSmall {
        /// Points along X.
        x: u32,
        /// Points along Z.
        z: u32,
    },
    /// An elevation grid's spacing is not a positive length.
    #[error("the grid spacing is {x} m by {z} m; both must be positive")]
    BadSpacing {
        /// Spacing along X, m.
        x: f64,
        /// Spacing along Z, m.
        z: f64,
    },
    /// An elevation grid's heights do not fill it.
    #[error("the grid has {expected} points, but {found} heights are given")]
    WrongHeightCount {
        /// Points of the grid.
        expected: u64,
        /// Heights given.
        found: usize,
    },
}

/// The point in single precision, if that can hold it; `what` and `position` name it in the error.
pub(crate) fn single(point: Point3<f64>, what: &'static str, position: usize) -> Result<Point3<f32>, MeshError> {
    let point = point.cast::<f32>();
    if point.iter().all(|coordinate| coordinate.is_finite()) {
        Ok(point)
    } else {
        Err(MeshError::NotFinite { what, position })
    }
}
