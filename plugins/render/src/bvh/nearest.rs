//! The nearest hit of a ray.

use crate::quadric::Face;

/// Bit that marks a surface as a primitive; the other bits are its index.
const SOLID: u32 = 1 << 31;

/// The nearest surface so far, independent of the order of tests: of equally near ones that of the lower model, there
/// triangles before primitives, and then the lower index.
///
/// A surface counts as no nearer than its bounding box, so one that is skipped with its box could not have been the
/// nearest.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// Distance; the end of the ray if there is no hit.
    pub end: f32,
    /// Weights of the second and third corner of a triangle at the hit point.
    pub weights: [f32; 2],
    /// Model in the upper bits and surface in the lower ones; the maximum if there is no hit.
    key: u64,
    /// Index among the four triangles of a leaf.
    pub lane: usize,
    /// Leaf of a triangle.
    pub leaf: u32,
    /// Distance in double precision, m, and face of a primitive.
    pub on_solid: (f64, Face),
}

/// Surface of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// Index of a triangle.
    Triangle(u32),
    /// Index of a primitive.
    Solid(u32),
}

impl Nearest {
    /// No hit up to a distance.
    pub fn none(end: f32) -> Self {
        Self { end, weights: [0.0; 2], key: u64::MAX, lane: 0, leaf: 0, on_solid: (f64::INFINITY, Face::Round) }
    }

    /// Index of the model, and its surface, if there is a hit.
    pub fn found(&self) -> Option<(u32, Surface)> {
        let [model, surface] = [self.key >> 32, self.key & u64::from(u32::MAX)].map(|half| u32::try_from(half).ok());
        let surface = surface.map(|surface| match surface & SOLID {
            0 => Surface::Triangle(surface),
            _ => Surface::Solid(surface & !SOLID),
        });
        model.zip(surface).filter(|_| self.key != u64::MAX)
    }

    /// Takes a triangle if it is nearer; returns whether it is.
    pub fn offer(&mut self, distance: f32, model: u32, triangle: u32) -> bool {
        let key = u64::from(model) << 32 | u64::from(triangle);
        let nearer = distance < self.end || (distance <= self.end && key < self.key);
        if nearer {
            (self.end, self.key) = (distance, key);
        }
        nearer
    }

    /// Takes a primitive if it is nearer. `enter` is the entry distance of its bounding box, and `hit` the distance in
    /// double precision with the face.
    pub fn offer_solid(&mut self, hit: (f64, Face), enter: f32, model: u32, solid: u32) {
        if self.offer((hit.0 as f32).max(enter), model, solid | SOLID) {
            self.on_solid = hit;
        }
    }
}
