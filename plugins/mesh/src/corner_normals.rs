//! Shading: a normal for each corner of each triangle.

use std::borrow::Cow;
use std::f64::consts::PI;

use nalgebra::Vector3;

use crate::{Normals, TriangleMesh};

/// Tolerance for equal angles, rad: vertices are in single precision.
const SAME_ANGLE: f64 = 1e-4;

/// A triangle with a smaller sine of a corner angle has no area.
const NO_AREA: f64 = 1e-9;

/// Maximum number of distinct face normals that are examined around one vertex; with more, an even selection of them.
/// It avoids a cost quadratic in the number of faces at the tip of a huge fan. A power of two.
const MAX_NORMALS_AT_VERTEX: usize = 256;

impl TriangleMesh {
    /// A unit normal for each corner of each triangle.
    ///
    /// Given normals are normalized; where one is zero or missing, the triangle's own normal is used. Otherwise a
    /// corner's normal is the sum of two parts: its triangle's normal, and the normals of other triangles at the same
    /// vertex whose angle to it is less than the crease angle. Equal normals count once, whatever their number and
    /// area, as in the original.
    ///
    /// Triangles are at the same vertex if they share its index. Vertices at the same position with different indices
    /// therefore keep an edge sharp. Triangles without area have no influence on others.
    pub fn corner_normals(&self) -> Cow<'_, [[Vector3<f32>; 3]]> {
        match &self.normals {
            Normals::Given(given) => self.given_normals(given),
            &Normals::Crease(angle) => {
                Cow::Owned(self.crease_normals(if angle.is_nan() { 0.0 } else { angle.clamp(0.0, PI) }))
            }
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
        // Flat shading needs no neighbours, except for triangles without a normal.
        let needed = crease > SAME_ANGLE || faces.contains(&None);
        for (triangle, normal) in self.triangles.iter().zip(&faces).filter(|_| needed) {
            if let Some(normal) = normal {
                for &vertex in triangle {
                    if let Some(around) = around.get_mut(vertex as usize) {
                        around.add(*normal);
                    }
                }
            }
        }
        // Cosines decrease as angles grow.
        let (least, most) = (libm::cos((crease - SAME_ANGLE).max(0.0)), libm::cos(SAME_ANGLE));
        let corner = |own: Option<Vector3<f64>>, vertex: u32| {
            let others = around.get(vertex as usize).map_or(&[][..], |around| &around.normals);
            let Some(own) = own else {
                return unit(others.iter().sum()).or(others.first().copied()).unwrap_or_else(Vector3::z).cast();
            };
            // One of the others may be the normal of this face. The order of summation is fixed, so that corners with
            // the same set of faces get bit-identical normals.
            let (mut sum, mut included) = (Vector3::zeros(), false);
            for other in others {
                let cosine = own.dot(other);
                included |= cosine >= most;
                if cosine >= most || cosine > least {
                    sum += other;
                }
            }
            unit(if included { sum } else { sum + own }).unwrap_or(own).cast()
        };
        self.triangles.iter().zip(&faces).map(|(triangle, &own)| triangle.map(|vertex| corner(own, vertex))).collect()
    }

    /// Unit normal of a triangle; `None` if it has no area or refers to a vertex that does not exist.
    fn face_normal(&self, triangle: [u32; 3]) -> Option<Vector3<f64>> {
        let corner = |index: u32| self.vertices.get(index as usize).map(|vertex| vertex.cast::<f64>());
        let [a, b, c] = [corner(triangle[0])?, corner(triangle[1])?, corner(triangle[2])?];
        let (first, second) = (unit(b - a)?, unit(c - a)?);
        let normal = first.cross(&second);
        if normal.norm() > NO_AREA { unit(normal) } else { None }
    }
}

/// The normalized vector; `None` if its length is zero.
fn unit(vector: Vector3<f64>) -> Option<Vector3<f64>> {
    vector.try_normalize(0.0).filter(|unit| unit.iter().all(|value| value.is_finite()))
}

/// Distinct face normals around a vertex.
#[derive(Clone, Debug, Default)]
struct NormalsAtVertex {
    normals: Vec<Vector3<f64>>,
    /// Number of distinct normals so far; approximate once normals are skipped.
    met: usize,
    /// One in 2^`thinning` normals is kept.
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
            // The number of normals so far is even here, so the selection stays even.
        }
        self.normals.push(normal);
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use nalgebra::Point3;

    use super::*;
    use crate::Primitive;

    fn corners(mesh: &TriangleMesh) -> Vec<(Point3<f32>, Vector3<f32>)> {
        let normals = mesh.corner_normals();
        assert_eq!(normals.len(), mesh.triangles.len());
        let positions = mesh.triangles.iter().flatten().map(|&index| mesh.vertices[index as usize]);
        let corners: Vec<_> = positions.zip(normals.iter().flatten().copied()).collect();
        assert!(corners.iter().all(|(_, normal)| (normal.norm() - 1.0).abs() < 1e-5));
        corners
    }

    /// A fan of ridges: triangles around the origin, which is vertex 0, facing about +Z.
    fn fan(faces: u32) -> TriangleMesh {
        let spoke = |step: u32| {
            let angle = f64::from(step) * 2.0 * PI / f64::from(faces);
            Point3::new(angle.cos(), angle.sin(), -0.5).cast::<f32>()
        };
        let vertices = std::iter::once(Point3::origin()).chain((0..faces).map(spoke)).collect();
        let triangles = (0..faces).map(|step| [0, 1 + step, 1 + (step + 1) % faces]).collect();
        TriangleMesh { vertices, triangles, normals: Normals::Crease(PI), ..TriangleMesh::default() }
    }

    #[test]
    fn a_box_is_flat() {
        let mesh = Primitive::Box { size: Vector3::new(1.0, 2.0, 3.0) }.tessellate(20);
        for (triangle, normals) in mesh.triangles.iter().zip(mesh.corner_normals().iter()) {
            let middle: Vector3<f32> = triangle.iter().map(|&index| mesh.vertices[index as usize].coords).sum();
            let middle = middle.component_div(&Vector3::new(1.0, 2.0, 3.0));
            let axis = Vector3::ith(middle.iamax(), middle[middle.iamax()].signum());
            assert_eq!(normals, &[axis; 3]);
        }
    }

    #[test]
    fn a_sphere_is_smooth() {
        for (position, normal) in corners(&Primitive::Sphere { radius: 2.0 }.tessellate(60)) {
            assert!((normal - position.coords / 2.0).norm() < 0.05, "{position} {normal}");
        }
    }

    #[test]
    fn a_cylinder_is_round_with_sharp_rims() {
        let cylinder = Primitive::Cylinder { radius: 0.5, height: 2.0, top: true, bottom: true };
        let mesh = cylinder.tessellate(20);
        assert_eq!(mesh.normals, Normals::Crease(FRAC_PI_2));
        let (mut caps, mut sides) = (0, 0);
        for (triangle, normals) in mesh.triangles.iter().zip(mesh.corner_normals().iter()) {
            let positions = triangle.map(|index| mesh.vertices[index as usize]);
            let cap = positions.iter().all(|position| position.y == positions[0].y);
            for (position, normal) in positions.iter().zip(normals) {
                let radial = Vector3::new(position.x, 0.0, position.z) * 2.0;
                let expected = if cap { Vector3::y() * position.y } else { radial };
                assert!((normal - expected).norm() < 1e-5, "{position} {normal}");
            }
            *(if cap { &mut caps } else { &mut sides }) += 1;
        }
        assert_eq!((caps, sides), (40, 40));
    }

    #[test]
    fn edges_are_sharp_at_or_above_the_crease_angle() {
        // Two triangles that meet at the Y axis at an angle of 60°.
        let roof = |crease: f64| TriangleMesh {
            vertices: [[0., 0., 0.], [0., 1., 0.], [-3f32.sqrt(), 0., -1.], [3f32.sqrt(), 0., -1.]]
                .map(Point3::from)
                .into(),
            triangles: vec![[0, 1, 2], [0, 3, 1]],
            normals: Normals::crease(crease.to_radians()),
            ..TriangleMesh::default()
        };
        let left = Vector3::new(-0.5, 0.0, 0.75_f32.sqrt());
        for (crease, expected) in [(0.0, left), (59.0, left), (60.0, left), (61.0, Vector3::z()), (999.0, Vector3::z())]
        {
            let found = roof(crease).corner_normals()[0];
            assert!((found[0] - expected).norm() < 1e-6 && (found[1] - expected).norm() < 1e-6, "{crease} {found:?}");
            assert!((found[2] - left).norm() < 1e-6);
        }
        // Separate vertices at the same position keep the edge sharp.
        let mut split = roof(61.0);
        split.vertices.extend_from_within(..2);
        split.triangles[1] = [4, 3, 5];
        assert!((split.corner_normals()[0][0] - left).norm() < 1e-6);
    }

    #[test]
    fn equal_normals_count_once() {
        // At the corner of a cube, one side of which is cut into many triangles.
        let mut mesh = Primitive::Box { size: Vector3::repeat(1.0) }.tessellate(4);
        mesh.triangles.extend([mesh.triangles[0]; 9]);
        mesh.normals = Normals::Crease(PI);
        for (position, normal) in corners(&mesh) {
            assert!((normal - position.coords.normalize()).norm() < 1e-5);
        }
    }

    #[test]
    fn the_normal_at_the_tip_of_a_huge_fan_is_vertical() {
        let mesh = fan(100_000);
        for normals in mesh.corner_normals().iter().step_by(1000) {
            // The selection is not quite even, because nearly equal normals are skipped. The normal of a side deviates
            // by 0.46.
            assert!((normals[0] - Vector3::z()).norm() < 0.1, "{}", normals[0]);
        }
    }

    #[test]
    fn degenerate_triangles_do_not_affect_others() {
        let mut mesh = fan(8);
        let before = mesh.corner_normals().into_owned();
        mesh.triangles.extend([[0, 0, 1], [1, 1, 1], [0, 1, 99]]);
        for normals in [Normals::Crease(PI), Normals::Crease(0.0), Normals::Crease(f64::NAN)] {
            mesh.normals = normals;
            assert!(mesh.corner_normals().iter().flatten().all(|normal| (normal.norm() - 1.0).abs() < 1e-5));
        }
        mesh.normals = Normals::Crease(PI);
        assert_eq!(mesh.corner_normals()[..8], before);
        assert!((mesh.corner_normals()[8][0] - Vector3::z()).norm() < 1e-5);
    }

    #[test]
    fn given_normals_become_unit_vectors() {
        let mut mesh = fan(3);
        let flat = TriangleMesh { normals: Normals::Crease(0.0), ..mesh.clone() }.corner_normals().into_owned();
        mesh.normals = Normals::Given(vec![[Vector3::x(), Vector3::y() * 5.0, Vector3::zeros()]; 2]);
        let found = mesh.corner_normals();
        assert_eq!(found[0], [Vector3::x(), Vector3::y(), flat[0][2]]);
        assert_eq!(found[2], flat[2]);
        mesh.normals = Normals::Given(flat);
        assert!(matches!(mesh.corner_normals(), Cow::Borrowed(_)));
    }
}
