use nalgebra::Point3;
use thiserror::Error;

/// Reason why the data of a model file gives no mesh.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// The list of coordinates is empty.
    #[error("the mesh has no vertices")]
    NoVertices,
    /// No polygon with at least three corners is left.
    #[error("the mesh has no face with three or more corners")]
    NoFaces,
    /// The list of coordinates ends within a point.
    #[error("there are {count} vertex coordinates, which is not a multiple of three")]
    IncompleteVertex {
        /// Numbers in the list.
        count: usize,
    },
    /// The list of triangles ends within a triangle.
    #[error("there are {count} vertex indices, which is not a multiple of three, so the last triangle is incomplete")]
    IncompleteTriangle {
        /// Numbers in the list.
        count: usize,
    },
    /// A face refers to a vertex that does not exist.
    #[error("entry {position} of the faces is vertex {index}, but the vertices are numbered 0 to {last}")]
    IndexOutOfRange {
        /// Position in the list of faces, from 0.
        position: usize,
        /// The invalid index.
        index: i32,
        /// Largest valid index.
        last: usize,
    },
    /// A number is infinite, NaN, or too large for single precision.
    #[error("{what} {position} is not a usable number (infinite, NaN or too large)")]
    NotFinite {
        /// Object that contains the number, such as "vertex".
        what: &'static str,
        /// Index of the object, from 0.
        position: usize,
    },
    /// A polygon has so many corners that its triangulation would take unreasonably long.
    #[error("a polygon has {corners} corners; at most {limit} are supported")]
    TooManyCorners {
        /// Number of corners.
        corners: usize,
        /// Maximum.
        limit: usize,
    },
    /// The mesh would be too large.
    #[error("the mesh would have {vertices} vertices; at most {limit} are supported")]
    TooManyVertices {
        /// Number of vertices of the mesh.
        vertices: u64,
        /// Maximum.
        limit: u64,
    },
    /// An extrusion's section has fewer than two distinct points.
    #[error("the cross section has {distinct} distinct points; at least two are needed")]
    SectionTooShort {
        /// Number of distinct points, without the closing one.
        distinct: usize,
    },
    /// An extrusion's spine has fewer than two points.
    #[error("the spine has {points} points; at least two are needed")]
    SpineTooShort {
        /// Number of points.
        points: usize,
    },
    /// All points of an extrusion's spine coincide.
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
    /// A spacing of an elevation grid is not positive.
    #[error("the grid spacing is {x} m by {z} m; both must be positive")]
    BadSpacing {
        /// Spacing along X, m.
        x: f64,
        /// Spacing along Z, m.
        z: f64,
    },
    /// The number of heights of an elevation grid does not match its dimensions.
    #[error("the grid has {expected} points, but {found} heights are given")]
    WrongHeightCount {
        /// Number of points of the grid.
        expected: u64,
        /// Number of heights.
        found: usize,
    },
}

/// The point in single precision. Fails if it does not fit; `what` and `position` identify it in the error.
pub(crate) fn single(point: Point3<f64>, what: &'static str, position: usize) -> Result<Point3<f32>, MeshError> {
    let point = point.cast::<f32>();
    if point.iter().all(|coordinate| coordinate.is_finite()) {
        Ok(point)
    } else {
        Err(MeshError::NotFinite { what, position })
    }
}
