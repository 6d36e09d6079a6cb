use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use nalgebra::{Affine3, Point2};

use crate::{Appearance, BoundingBox, DEFAULT_DIVISIONS, DrawMesh, Primitive, TriangleMesh};

/// Geometry of a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A box, sphere, cylinder, cone or capsule.
    Primitive {
        /// Dimensions.
        primitive: Primitive,
        /// Number of segments of a full circle when it is drawn.
        divisions: u32,
    },
    /// Triangles.
    Mesh(Arc<TriangleMesh>),
}

/// A geometry with its pose and appearance.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Geometry.
    pub geometry: Geometry,
    /// Transform from the geometry's own coordinates to the frame of the parent, a [`crate::SceneNode`] or a link. It
    /// may scale and mirror. If its determinant is negative, transformed triangles are clockwise viewed from outside,
    /// and a renderer or collision detector must swap two corners.
    pub transform: Affine3<f64>,
    /// Appearance.
    pub appearance: Appearance,
    /// Mesh file that contains the shape, if any. All shapes from one reference share it.
    pub origin: Option<Arc<ShapeOrigin>>,
}

/// Reference of a model to a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeOrigin {
    /// Path of the file.
    pub file: PathBuf,
    /// Name of the node in the file; `None` for the whole file.
    pub part: Option<String>,
    /// Length unit of the file, metres.
    pub unit: f64,
    /// Whether up is +Y in the file and was rotated to +Z by (x, y, z) → (z, x, y).
    pub y_up: bool,
    /// Transform from the scene of the file (or its part), in metres with Z up, to the frame of the parent of the
    /// shapes.
    pub transform: Affine3<f64>,
    /// Whether the file is used as the geometry of one shape that has its own appearance.
    pub as_geometry: bool,
}

impl Geometry {
    /// A primitive with the default number of segments.
    pub fn primitive(primitive: Primitive) -> Self {
        Self::Primitive { primitive, divisions: DEFAULT_DIVISIONS }
    }

    /// The surface as triangles.
    pub fn triangles(&self) -> Cow<'_, TriangleMesh> {
        match self {
            Self::Primitive { primitive, divisions } => Cow::Owned(primitive.tessellate(*divisions)),
            Self::Mesh(mesh) => Cow::Borrowed(mesh),
        }
    }

    /// Number of triangles of a mesh; 0 for a primitive.
    pub fn num_mesh_triangles(&self) -> usize {
        match self {
            Self::Primitive { .. } => 0,
            Self::Mesh(mesh) => mesh.triangles.len(),
        }
    }

    /// Number of [`triangles`](Self::triangles), without computing them.
    pub fn num_triangles(&self) -> usize {
        match self {
            Self::Primitive { primitive, divisions } => primitive.num_triangles(*divisions),
            Self::Mesh(mesh) => mesh.triangles.len(),
        }
    }

    /// Bounding box of the triangles after `transform`; `None` if there are no triangles.
    pub fn bounding_box(&self, transform: &Affine3<f64>) -> Option<BoundingBox> {
        match self {
            Self::Primitive { primitive, divisions } => primitive.bounding_box(*divisions, transform),
            Self::Mesh(mesh) => mesh.bounding_box(transform),
        }
    }

    /// Texture coordinates of the corners of each of the [`triangles`](Self::triangles): those of the file, or
    /// else VRML97's defaults for this geometry.
    pub fn texture_coordinates(&self) -> Cow<'_, [[Point2<f32>; 3]]> {
        match self {
            Self::Primitive { primitive, divisions } => Cow::Owned(primitive.texture_coordinates(*divisions)),
            Self::Mesh(mesh) => mesh.texture_coordinates_or_default(),
        }
    }

    /// The surface in the layout of graphics hardware, with texture coordinates if `textured`.
    pub fn draw_mesh(&self, textured: bool) -> DrawMesh {
        let coordinates = textured.then(|| self.texture_coordinates());
        DrawMesh::new(&self.triangles(), coordinates.as_deref())
    }
}

impl Shape {
    /// A shape that was not read from a mesh file.
    pub fn new(geometry: Geometry, transform: Affine3<f64>, appearance: Appearance) -> Self {
        Self { geometry, transform, appearance, origin: None }
    }

    /// Bounding box of the triangles in the frame of the parent.
    pub fn bounding_box(&self) -> Option<BoundingBox> {
        self.geometry.bounding_box(&self.transform)
    }
}
