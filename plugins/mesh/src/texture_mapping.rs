//! Texture coordinates of shapes for which the file gives none.

use std::borrow::Cow;

use nalgebra::{Affine3, Point2};

use crate::{Primitive, TriangleMesh};

impl TriangleMesh {
    /// The texture coordinates of the corners of each triangle: those given or, without any, a picture laid flat over
    /// the bounding box (VRML97 §6.23).
    ///
    /// The longest edge of the box runs along s from 0 to 1, the second longest along t from 0 to the ratio of the two;
    /// of equal edges X comes before Y before Z.
    pub fn texture_coordinates_or_default(&self) -> Cow<'_, [[Point2<f32>; 3]]> {
        if self.texture_coordinates.len() == self.triangles.len() {
            return Cow::Borrowed(&self.texture_coordinates);
        }
        let Some(bounds) = self.bounding_box(&Affine3::identity()) else {
            return Cow::Owned(vec![[Point2::origin(); 3]; self.triangles.len()]);
        };
        let extent = bounds.max - bounds.min;
        let mut axes = [0, 1, 2];
        // A stable sort, so that ties stay in order.
        axes.sort_by(|&a, &b| extent[b].total_cmp(&extent[a]));
        let [s, t, _] = axes;
        let scale = if extent[s] > 0.0 { 1.0 / extent[s] } else { 0.0 };
        let place = |index: u32| {
            let Some(vertex) = self.vertices.get(index as usize) else { return Point2::origin() };
            let offset = vertex.cast::<f64>() - bounds.min;
            Point2::new((offset[s] * scale) as f32, (offset[t] * scale) as f32)
        };
        Cow::Owned(self.triangles.iter().map(|triangle| triangle.map(place)).collect())
    }
}

impl Primitive {
    /// Texture coordinates of the corners of each triangle of [`tessellate`](Self::tessellate).
    pub fn texture_coordinates(&self, divisions: u32) -> Vec<[Point2<f32>; 3]> {
        self.tessellate(divisions).texture_coordinates_or_default().into_owned()
    }
}
