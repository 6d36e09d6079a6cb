use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use nalgebra::{Affine3, Point2};

use crate::{Appearance, BoundingBox, DEFAULT_DIVISIONS, DrawMesh, Primitive, TriangleMesh};

/// The form of a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A box, sphere, cylinder, cone or capsule.
    Primitive {
        /// Its measures.
        primitive: Primitive,
        /// Segments around a full turn when it is drawn.
        divisions: u32,
    },
    /// Triangles.
    Mesh(Arc<TriangleMesh>),
}

/// A form with its pose and look.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Its form.
    pub geometry: Geometry,
    /// From the form's own coordinates to the frame of what holds it, a [`crate::SceneNode`] or a link. It may scale, and
    /// mirror: where its determinant is negative, triangles turn clockwise seen from outside once it is applied, and
    /// whoever shows or touches them swaps two corners.
    pub transform: Affine3<f64>,
    /// How it looks.
    pub appearance: Appearance,
    /// The mesh file it is a part of, if it was read from one; all shapes that one reference brought share it.
    pub origin: Option<Arc<ShapeOrigin>>,
}

/// How a model refers to a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeOrigin {
    /// The file.
    pub file: PathBuf,
    /// The node of the file that is meant; `None` for all of it.
    pub part: Option<String>,
    /// Metres in a unit of length of the file.
    pub unit: f64,
    /// Whether up is +Y in the file and was turned to +Z by (x, y, z) → (z, x, y).
    pub y_up: bool,
    /// From the scene of the file (or its part), in metres with Z up, to the frame of what holds the shapes.
    pub transform: Affine3<f64>,
    /// Whether the file is the form of one shape that has its own appearance.
    pub as_geometry: bool,
}

impl Geometry {
    /// A primitive drawn with the usual number of segments.
    pub fn primitive(primitive: Primitive) -> Self {
        Self::Primitive { primitive, divisions: DEFAULT_DIVISIONS }
    }

    /// Its surface as triangles.
    pub fn triangles(&self) -> Cow<'_, TriangleMesh> {
        match self {
            Self::Primitive { primitive, divisions } => Cow::Owned(primitive.tessellate(*divisions)),
            Self::Mesh(mesh) => Cow::Borrowed(mesh),
        }
    }

    /// How many triangles its mesh has; 0 for a primitive, which is none.
    pub fn num_mesh_triangles(&self) -> usize {
        match self {
            Self::Primitive { .. } => 0,
            Self::Mesh(mesh) => mesh.triangles.len(),
        }
    }

    /// How many [`triangles`](Self::triangles) it is drawn with, without making them.
    pub fn num_triangles(&self) -> usize {
        match self {
            Self::Primitive { primitive, divisions } => primitive.num_triangles(*divisions),
            Self::Mesh(mesh) => mesh.triangles.len(),
        }
    }

    /// The smallest box around its triangles after `transform`; `None` without any.
    pub fn bounding_box(&self, transform: &Affine3<f64>) -> Option<BoundingBox> {
        match self {
            Self::Primitive { primitive, divisions } => primitive.bounding_box(*divisions, transform),
            Self::Mesh(mesh) => mesh.bounding_box(transform),
        }
    }

    /// Texture coordinates of the corners of each of its [`triangles`](Self::triangles): those of the file or, without
    /// any, VRML97's for this form.
    pub fn texture_coordinates(&self) -> Cow<'_, [[Point2<f32>; 3]]> {
        match self {
            Self::Primitive { primitive, divisions } => Cow::Owned(primitive.texture_coordinates(*divisions)),
            Self::Mesh(mesh) => mesh.texture_coordinates_or_default(),
        }
    }

    /// Its surface as graphics hardware takes it, with texture coordinates if it is `textured`.
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

    /// The smallest box around its triangles, in the frame of what holds it.
    pub fn bounding_box(&self) -> Option<BoundingBox> {
        self.geometry.bounding_box(&self.transform)
    }
}
