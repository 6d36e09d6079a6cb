//! Shading: a normal for each corner of each triangle.

use std::borrow::Cow;
use std::f64::consts::PI;

use nalgebra::Vector3;

use crate::{Normals, TriangleMesh};

/// Angles that differ by less are the same, rad: vertices are in single precision.
const SAME_ANGLE: f64 = 1e-4;

/// Sines of triangle corners below this mean no area.
const NO_AREA: f64 = 1e-9;

/// Most different face normals that are looked at around one vertex, so that the tip of a huge fan does not cost the
/// square of its faces; with more, an even selection of them. A power of two.
const MAX_NORMALS_AT_VERTEX: usize = 256;

impl TriangleMesh {
    /// A unit normal for each corner of each triangle.
    ///
    /// Given normals are made unit vectors; where one is zero or missing the triangle's own normal stands in. Otherwise
    /// a corner's normal is the sum of its triangle's normal and the normals of the other triangles at the same vertex
    /// that meet it at less than the crease angle; equal ones count once, whatever their number and area, as in the
    /// original. Triangles are at the same vertex if they share its index, so that vertices in the same place with
    /// different indices keep an edge sharp. Triangles without area influence no others.
    pub fn corner_normals(&self) -> Cow<'_, [[Vector3<f32>; 3]]> {
        match &self.normals {
            Normals::Given(given) => self.given_normals(given),
            &Normals::Crease(angle) => Cow::Owned(self.crease_normals(angle.max(0.0).min(PI))),
        }
    }

    fn given_normals<'a>(&self, given: &'a [[Vector3<f32>; 3]]) -> Cow<'a, [[Vector3<f32>; 3]]> {
        let is_unit = |normal: &Vector3<f32>| (normal.norm_squared() - 1.0).abs() < 1e-5;
        if given.len() == self.triangles.len() && given.iter().flatten().all(is_unit) {
            return Cow::Borrowed(given);
        }
        let normals = self.triangles.iter().enumerate().map(|(number, &triangle)| {
            let own = || self.face_normal(triangle).unwrap_or_else(Vector3::z);
            let normals =
                given.get(number).map_or([Vector3::zeros(); 3], |normals| normals.map(|normal| normal.cast()));
            normals.map(|normal| unit(normal).unwrap_or_else(own).cast())
        });
        Cow::Owned(normals.collect())
    }

    fn crease_normals(&self, crease: f64) -> Vec<[Vector3<f32>; 3]> {
        let faces: Vec<Option<Vector3<f64>>> =
            self.triangles.iter().map(|&triangle| self.face_normal(triangle)).collect();
        let mut around = vec![NormalsAtVertex::default(); self.vertices.len()];
        for (triangle, normal) in self.triangles.iter().zip(&faces) {
            if let Some(normal) = normal {
                for &vertex in triangle {
                    if let Some(around) = around.get_mut(vertex as usize) {
                        around.add(*normal);
                    }
                }
            }
        }
        // Cosines fall as angles grow.
        let (least, most) = ((crease - SAME_ANGLE).max(0.0).cos(), SAME_ANGLE.cos());
        let corner = |own: Option<Vector3<f64>>, vertex: u32| {
            let others = around.get(vertex as usize).map_or(&[][..], |around| &around.normals);
            let Some(own) = own else {
                return unit(others.iter().sum()).or(others.first().copied()).unwrap_or_else(Vector3::z).cast();
            };
            let near = others.iter().filter(|other| {
                let cosine = own.dot(other);
                cosine > least && cosine < most
            });
            unit(own + near.sum::<Vector3<f64>>()).unwrap_or(own).cast()
        };
        self.triangles.iter().zip(&faces).map(|(triangle, &own)| triangle.map(|vertex| corner(own, vertex))).collect()
    }

    /// The direction a triangle faces; `None` if it has no area or names a vertex that does not exist.
    fn face_normal(&self, triangle: [u32; 3]) -> Option<Vector3<f64>> {
        let corner = |index: u32| self.vertices.get(index as usize).map(|vertex| vertex.cast::<f64>());
        let [a, b, c] = [corner(triangle[0])?, corner(triangle[1])?, corner(triangle[2])?];
        let (first, second) = (unit(b - a)?, unit(c - a)?);
        let normal = first.cross(&second);
        if normal.norm() > NO_AREA { unit(normal) } else { None }
    }
}

/// In the same direction with length 1; `None` if it has none.
fn unit(vector: Vector3<f64>) -> Option<Vector3<f64>> {
    vector.try_normalize(0.0).filter(|unit| unit.iter().all(|value| value.is_finite()))
}

/// Different face normals around a vertex.
#[derive(Clone, Debug, Default)]
struct NormalsAtVertex {
    normals: Vec<Vector3<f64>>,
    /// Different normals met so far, as far as can be told.
    met: usize,
    /// Every how many of them one is kept is 2 to this power.
    thinning: u32,
}

impl NormalsAtVertex {
    fn add(&mut self, normal: Vector3<f64>) {
        let same = |known: &Vector3<f64>| (known - normal).norm_squared() < SAME_ANGLE * SAME_ANGLE;
        if self.normals.iter().any(same) {
            return;
        }
        self.met += 1;
        if !(self.met - 1).is_multiple_of(1 << self.thinning) {
            return;
        }
        if self.normals.len() == MAX_NORMALS_AT_VERTEX {
            let mut number = 0;
            self.normals.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.thinning += 1;
            // As many as that have been met at an even place, so this one stays in step.
        }
        self.normals.push(normal);
    }
}
