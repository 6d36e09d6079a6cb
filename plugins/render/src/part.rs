//! Models in the form needed by renderers other than ray casting.

use std::collections::BTreeMap;

use nalgebra::{Point2, Point3, Vector3};

use crate::color::Linear;
use crate::model::{Material, Model, add};

/// The triangles of a model that have the same material.
#[derive(Clone, Debug)]
pub struct Part<'m> {
    /// Material.
    pub material: &'m Material,
    /// Whether their backs are visible, too, and lit like fronts.
    pub two_sided: bool,
    /// Three corners for each triangle, counter-clockwise viewed from the front.
    pub corners: Vec<Corner>,
}

/// A corner of a triangle, in the frame of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// Position, m.
    pub position: Point3<f32>,
    /// Unit normal of the surface.
    pub normal: Vector3<f32>,
    /// Texture coordinates: s to the right, t up.
    pub texture: Point2<f32>,
    /// Colour, multiplied with the diffuse colour of the material.
    pub color: Linear,
}

impl Model {
    /// The triangles, grouped by material, with those of primitives.
    pub fn parts(&self) -> Vec<Part<'_>> {
        let mut parts: BTreeMap<(u32, bool), Vec<Corner>> = BTreeMap::new();
        let mut of_primitives = Vec::new();
        for solid in self.solids.solids() {
            add(&solid.shape, solid.material, &mut of_primitives);
        }
        for triangle in self.triangles.iter().chain(&of_primitives) {
            let corners = parts.entry((triangle.material, triangle.two_sided)).or_default();
            let colors = triangle.colors.unwrap_or([Linear([1.0; 3]); 3]);
            corners.extend([0, 1, 2].map(|corner| Corner {
                position: triangle.corners[corner],
                normal: triangle.normals[corner],
                texture: triangle.texture[corner],
                color: colors[corner],
            }));
        }
        let part = |((material, two_sided), corners)| {
            Some(Part { material: self.materials.get(material as usize)?, two_sided, corners })
        };
        parts.into_iter().filter_map(part).collect()
    }
}
