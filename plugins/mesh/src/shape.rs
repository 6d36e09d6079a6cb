use std::borrow::Cow;
use std::sync::Arc;

use nalgebra::Affine3;

use crate::{Appearance, BoundingBox, DEFAULT_DIVISIONS, Primitive, TriangleMesh};

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

/// A form at a place.
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
}

impl Shape {
    /// The smallest box around its triangles, in the frame of what holds it.
    pub fn bounding_box(&self) -> Option<BoundingBox> {
        self.geometry.triangles().bounding_box(&self.transform)
    }
}
