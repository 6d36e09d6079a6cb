use std::borrow::Cow;
use std::sync::Arc;

use bunraku_mesh::{BoundingBox, DEFAULT_DIVISIONS, Primitive, TriangleMesh};
use nalgebra::{Affine3, Vector3};

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

/// How a surface looks. Colours are linear factors 0…1 of red, green and blue, as written in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Appearance {
    /// Diffuse reflection: the colour of the thing.
    pub diffuse: Vector3<f64>,
    /// Light it gives off.
    pub emissive: Vector3<f64>,
    /// Colour of the highlight.
    pub specular: Vector3<f64>,
    /// Sharpness of the highlight (Phong exponent).
    pub specular_exponent: f64,
    /// Factor for ambient light.
    pub ambient: f64,
    /// 0 is opaque, 1 invisible.
    pub transparency: f64,
}

impl Default for Appearance {
    fn default() -> Self {
        Self {
            diffuse: Vector3::repeat(1.0),
            emissive: Vector3::zeros(),
            specular: Vector3::zeros(),
            specular_exponent: 25.0,
            ambient: 1.0,
            transparency: 0.0,
        }
    }
}

/// A form at a place of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Its form.
    pub geometry: Geometry,
    /// From the form's own coordinates to the link frame; may scale.
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
    /// The smallest box around its triangles, in the link frame.
    pub fn bounding_box(&self) -> Option<BoundingBox> {
        self.geometry.triangles().bounding_box(&self.transform)
    }
}
