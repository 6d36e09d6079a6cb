use std::f64::consts::PI;

use nalgebra::{Affine3, Point2, Point3, Vector3};

/// Triangles over shared vertices, counter-clockwise viewed from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertex positions, m. Single precision, as renderers and the original store them.
    pub vertices: Vec<Point3<f32>>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Shading of the corners.
    pub normals: Normals,
    /// Texture coordinates (s to the right, t up; (0, 0) is the lower left corner of the image) of the corners of each
    /// triangle; may be empty.
    pub texture_coordinates: Vec<[Point2<f32>; 3]>,
    /// Colours of the corners of each triangle, multiplied with the material; may be empty.
    pub colors: Vec<[Vector3<f32>; 3]>,
    /// Whether the back face is culled.
    pub solid: bool,
}

/// Shading of the corners of triangles.
#[derive(Clone, Debug, PartialEq)]
pub enum Normals {
    /// Crease angle, rad: edges are sharp where faces meet at this angle or a larger one, and smooth elsewhere. 0 is
    /// flat shading.
    Crease(f64),
    /// A normal for each corner of each triangle.
    Given(Vec<[Vector3<f32>; 3]>),
}

impl Default for Normals {
    fn default() -> Self {
        Self::Crease(0.0)
    }
}

impl Normals {
    /// Shading with a crease angle, rad; clamped to 0…π.
    pub fn crease(angle: f64) -> Self {
        Self::Crease(if angle.is_nan() { 0.0 } else { angle.clamp(0.0, PI) })
    }
}

/// An axis-aligned box, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingBox {
    /// Smallest coordinates.
    pub min: Point3<f64>,
    /// Largest coordinates.
    pub max: Point3<f64>,
}

impl TriangleMesh {
    /// Bounding box of the mesh after `transform`; `None` if there are no vertices.
    pub fn bounding_box(&self, transform: &Affine3<f64>) -> Option<BoundingBox> {
        BoundingBox::around(self.vertices.iter().map(|vertex| transform * vertex.cast::<f64>()))
    }
}

impl BoundingBox {
    /// Bounding box of points; `None` without points.
    pub fn around(points: impl IntoIterator<Item = Point3<f64>>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = points.next()?;
        Some(points.fold(Self { min: first, max: first }, |bounds, point| Self {
            min: bounds.min.inf(&point),
            max: bounds.max.sup(&point),
        }))
    }

    /// Bounding box of both boxes.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }
}
