//! Default texture coordinates of shapes without texture coordinates in the file.

use std::borrow::Cow;
use std::f64::consts::{PI, TAU};

use nalgebra::{Affine3, Point2, Point3, Vector3};

use crate::{Primitive, TriangleMesh};

impl TriangleMesh {
    /// Texture coordinates of the corners of each triangle: those given, or else a planar projection over
    /// the bounding box (VRML97 §6.23).
    ///
    /// The longest edge of the box runs along s from 0 to 1, the second longest along t from 0 to the ratio of the two;
    /// of equal edges X comes before Y before Z.
    #[expect(clippy::indexing_slicing, reason = "axes of vectors are 0, 1 and 2")]
    #[expect(clippy::cast_possible_truncation, reason = "meshes are kept in single precision")]
    pub fn texture_coordinates_or_default(&self) -> Cow<'_, [[Point2<f32>; 3]]> {
        if self.texture_coordinates.len() == self.triangles.len() {
            return Cow::Borrowed(&self.texture_coordinates);
        }
        let Some(bounds) = self.bounding_box(&Affine3::identity()) else {
            return Cow::Owned(vec![[Point2::origin(); 3]; self.triangles.len()]);
        };
        let extent = bounds.max - bounds.min;
        let mut axes = [0, 1, 2];
        // The sort is stable, so ties keep their order.
        axes.sort_by(|&a, &b| extent[b].total_cmp(&extent[a]));
        let [s, t, _] = axes;
        let scale = if extent[s] > 0.0 { 1.0 / extent[s] } else { 0.0 };
        let uv = |index: u32| {
            let Some(vertex) = self.vertices.get(index as usize) else { return Point2::origin() };
            let offset = vertex.cast::<f64>() - bounds.min;
            Point2::new((offset[s] * scale) as f32, (offset[t] * scale) as f32)
        };
        Cow::Owned(self.triangles.iter().map(|triangle| triangle.map(uv)).collect())
    }
}

impl Primitive {
    /// Texture coordinates of the corners of each triangle of [`tessellate`](Self::tessellate).
    ///
    /// As in VRML97 §6.6, §6.10, §6.13 and §6.42:
    ///
    /// - A box shows the whole image on each face.
    /// - On spheres and on the sides of cylinders and cones, the image is wrapped around counter-clockwise viewed from
    ///   +Y. It begins at −Z, so that its middle is at +Z.
    /// - A cap shows a disc cut out of the image.
    /// - A capsule, which VRML lacks, is wrapped like a cylinder of its total length.
    ///
    /// Viewed from +Z, +X is to the right in the image and +Y up. On the top −Z is up in the image, on the bottom +Z.
    pub fn texture_coordinates(&self, divisions: u32) -> Vec<[Point2<f32>; 3]> {
        let mesh = self.tessellate(divisions);
        let corner = |index: u32| mesh.vertices.get(index as usize).map_or_else(Point3::origin, |vertex| vertex.cast());
        let texture = |triangle: &[u32; 3]| {
            let corners = triangle.map(corner);
            let has_tip = |sign: f64| corners.iter().any(|corner| on_axis(corner) && sign * corner.y > 0.0);
            let uvs = match *self {
                Self::Box { .. } => on_box(*triangle),
                Self::Sphere { .. } => {
                    around(&corners, |corner| 0.5 + libm::atan2(corner.y, libm::hypot(corner.x, corner.z)) / PI)
                }
                Self::Cylinder { radius, .. } if has_tip(1.0) => on_cap(&corners, radius, -1.0),
                Self::Cylinder { radius, .. } | Self::Cone { radius, .. } if has_tip(-1.0) => {
                    on_cap(&corners, radius, 1.0)
                }
                Self::Cylinder { height, .. } | Self::Cone { height, .. } => along_axis(&corners, height),
                Self::Capsule { radius, height } => along_axis(&corners, height + 2.0 * radius),
            };
            uvs.map(|uv| uv.cast())
        };
        mesh.triangles.iter().map(texture).collect()
    }
}

impl Primitive {
    /// Texture coordinates of a point of the exact surface with this outward normal, by the same mapping as
    /// [`texture_coordinates`](Self::texture_coordinates).
    pub fn texture_coordinate_at(&self, point: &Point3<f64>, normal: &Vector3<f64>) -> Point2<f64> {
        let wrapped = |t: f64| Point2::new(0.5 + libm::atan2(point.x, point.z) / TAU, t);
        let on_cap = normal.x == 0.0 && normal.z == 0.0;
        match *self {
            Self::Box { size } => on_box_face(&size, point, normal),
            Self::Sphere { .. } => wrapped(0.5 + libm::atan2(point.y, libm::hypot(point.x, point.z)) / PI),
            Self::Cylinder { radius, .. } | Self::Cone { radius, .. } if on_cap => {
                let up = -normal.y.signum();
                Point2::new(0.5 + ratio(point.x, 2.0 * radius), 0.5 + up * ratio(point.z, 2.0 * radius))
            }
            Self::Cylinder { height, .. } | Self::Cone { height, .. } => wrapped(0.5 + ratio(point.y, height)),
            Self::Capsule { radius, height } => wrapped(0.5 + ratio(point.y, height + 2.0 * radius)),
        }
    }
}

/// The whole image on each face of a box; the same layout as [`on_box`].
fn on_box_face(size: &Vector3<f64>, point: &Point3<f64>, normal: &Vector3<f64>) -> Point2<f64> {
    let along = |axis: usize, sign: f64| 0.5 + sign * ratio(point[axis], size[axis]);
    match normal.iamax() {
        0 => Point2::new(along(2, -normal.x.signum()), along(1, 1.0)),
        1 => Point2::new(along(0, 1.0), along(2, -normal.y.signum())),
        _ => Point2::new(along(0, normal.z.signum()), along(1, 1.0)),
    }
}

/// The whole image on a face of a box whose corners are numbered x + 2·y + 4·z with 0 for the negative side.
fn on_box(triangle: [u32; 3]) -> [Point2<f64>; 3] {
    const X: u32 = 1;
    const Y: u32 = 2;
    const Z: u32 = 4;
    let [a, b, c] = triangle;
    // The axis perpendicular to the face: its corners agree in that bit.
    let axis = !(a ^ b) & !(b ^ c) & (X | Y | Z);
    let positive = a & axis != 0;
    // Axes of the image, and whether they point in the negative direction.
    let (right, left_is_positive) = match axis {
        X => (Z, positive),
        Z => (X, !positive),
        _ => (X, false),
    };
    let (up, down_is_positive) = if axis == Y { (Z, positive) } else { (Y, false) };
    let coordinate = |corner: u32, axis: u32, flipped: bool| if (corner & axis != 0) != flipped { 1.0 } else { 0.0 };
    triangle.map(|corner| {
        Point2::new(coordinate(corner, right, left_is_positive), coordinate(corner, up, down_is_positive))
    })
}

/// A disc cut out of the image; `up` is the sign of Z upwards in the image.
fn on_cap(corners: &[Point3<f64>; 3], radius: f64, up: f64) -> [Point2<f64>; 3] {
    corners.map(|corner| Point2::new(0.5 + ratio(corner.x, 2.0 * radius), 0.5 + up * ratio(corner.z, 2.0 * radius)))
}

/// Coordinates wrapped around the axis, with t from 0 to 1 over a length centred on the origin.
fn along_axis(corners: &[Point3<f64>; 3], length: f64) -> [Point2<f64>; 3] {
    around(corners, |corner| 0.5 + ratio(corner.y, length))
}

/// Coordinates wrapped around the axis. A corner on the axis gets the mean of the other two.
fn around(corners: &[Point3<f64>; 3], t: impl Fn(&Point3<f64>) -> f64) -> [Point2<f64>; 3] {
    let mut s = corners.map(|corner| (!on_axis(&corner)).then(|| 0.5 + libm::atan2(corner.x, corner.z) / TAU));
    let known = || s.iter().flatten().copied();
    let (least, most) = (known().fold(1.0, f64::min), known().fold(0.0, f64::max));
    // Coordinates of triangles at the seam continue beyond 1 instead of running back through the whole image.
    if most - least > 0.5 {
        s = s.map(|s| s.map(|s| if s < 0.5 { s + 1.0 } else { s }));
    }
    let (sum, count) = s.iter().flatten().fold((0.0, 0.0), |(sum, count), s| (sum + s, count + 1.0));
    let middle = ratio(sum, count);
    let [a, b, c] = s.map(|s| s.unwrap_or(middle));
    [Point2::new(a, t(&corners[0])), Point2::new(b, t(&corners[1])), Point2::new(c, t(&corners[2]))]
}

fn on_axis(point: &Point3<f64>) -> bool {
    point.x == 0.0 && point.z == 0.0
}

/// Quotient `part / whole`; 0 if `whole` is 0.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All corners: position (m), texture coordinate and centre of their triangle.
    fn corners(primitive: Primitive) -> Vec<(Point3<f64>, Point2<f64>, Vector3<f64>)> {
        let (mesh, uvs) = (primitive.tessellate(20), primitive.texture_coordinates(20));
        assert_eq!(mesh.triangles.len(), uvs.len());
        let corner = |(triangle, uvs): (&[u32; 3], &[Point2<f32>; 3])| {
            let corners = triangle.map(|index| mesh.vertices[index as usize].cast::<f64>());
            let middle = (corners[0].coords + corners[1].coords + corners[2].coords) / 3.0;
            [0, 1, 2].map(|number| (corners[number], uvs[number].cast(), middle))
        };
        mesh.triangles.iter().zip(&uvs).flat_map(corner).collect()
    }

    fn assert_near(found: Point2<f64>, expected: Point2<f64>, at: Point3<f64>) {
        assert!((found - expected).norm() < 1e-5, "{found} instead of {expected} at {at}");
    }

    #[test]
    fn a_box_shows_the_image_upright_on_each_face() {
        for (at, uv, middle) in corners(Primitive::Box { size: Vector3::repeat(2.0) }) {
            let axis = middle.iamax();
            // Right and up in the image, viewed from outside (VRML97 §6.6).
            let (right, up) = match (axis, middle[axis] > 0.0) {
                (0, true) => (-at.z, at.y),
                (0, false) => (at.z, at.y),
                (1, true) => (at.x, -at.z),
                (1, false) => (at.x, at.z),
                (_, true) => (at.x, at.y),
                (_, false) => (-at.x, at.y),
            };
            assert_near(uv, Point2::new((right + 1.0) / 2.0, (up + 1.0) / 2.0), at);
        }
    }

    #[test]
    fn round_sides_are_wrapped_from_the_back() {
        let round = [
            Primitive::Sphere { radius: 0.5 },
            Primitive::Cylinder { radius: 0.5, height: 2.0, top: false, bottom: false },
            Primitive::Cone { radius: 0.5, height: 2.0, bottom: false },
            Primitive::Capsule { radius: 0.5, height: 1.0 },
        ];
        for primitive in round {
            for (at, uv, middle) in corners(primitive) {
                let t = match primitive {
                    Primitive::Sphere { .. } => 0.5 + (at.y / 0.5).clamp(-1.0, 1.0).asin() / PI,
                    _ => 0.5 + at.y / 2.0,
                };
                // A quarter for each of −X, +Z and +X; at the seam and on the axis the triangle's own side decides.
                let angle = |x: f64, z: f64| 0.5 + x.atan2(z) / TAU;
                let own = angle(middle.x, middle.z);
                let s = if on_axis(&at) { own } else { angle(at.x, at.z) };
                let s = s + (own - s).round();
                let tolerance = if on_axis(&at) { 0.5 / 20.0 } else { 1e-5 };
                assert!((uv.x - s).abs() < tolerance, "{primitive:?} {at}: {} instead of {s}", uv.x);
                assert!((uv.y - t).abs() < 1e-3, "{primitive:?} {at}: {} instead of {t}", uv.y);
                assert!((-1e-6..=1.0 + 1e-6).contains(&uv.x));
            }
        }
    }

    #[test]
    fn the_mapping_of_exact_surfaces_is_that_of_their_triangles() {
        let primitives = [
            Primitive::Box { size: Vector3::new(1.0, 2.0, 3.0) },
            Primitive::Sphere { radius: 0.5 },
            Primitive::Cylinder { radius: 0.5, height: 2.0, top: true, bottom: true },
            Primitive::Cone { radius: 0.5, height: 2.0, bottom: true },
            Primitive::Capsule { radius: 0.5, height: 1.0 },
        ];
        for primitive in primitives {
            for (at, uv, middle) in corners(primitive) {
                let half_height = match primitive {
                    Primitive::Cylinder { height, .. } | Primitive::Cone { height, .. } => height / 2.0,
                    _ => f64::INFINITY,
                };
                let normal = match primitive {
                    Primitive::Box { .. } => Vector3::ith(middle.iamax(), middle[middle.iamax()].signum()),
                    _ if middle.y.abs() > 0.999 * half_height => Vector3::y() * middle.y.signum(),
                    _ => Vector3::new(middle.x, 0.1, middle.z),
                };
                let found = primitive.texture_coordinate_at(&at, &normal);
                // Triangles at the seam continue beyond 1; on the axis any angle will do.
                let around = (found.x - uv.x).abs();
                let turned = if on_axis(&at) { 0.0 } else { around.min((around - 1.0).abs()) };
                assert!(turned < 1e-6 && (found.y - uv.y).abs() < 1e-6, "{primitive:?} {at}: {found} instead of {uv}");
            }
        }
    }

    #[test]
    fn caps_are_cut_out_of_the_image() {
        let mut caps = 0;
        for primitive in [
            Primitive::Cylinder { radius: 0.5, height: 2.0, top: true, bottom: true },
            Primitive::Cone { radius: 0.5, height: 2.0, bottom: true },
        ] {
            for (at, uv, middle) in corners(primitive) {
                if middle.y.abs() > 0.99 {
                    caps += 1;
                    assert_near(uv, Point2::new(0.5 + at.x, 0.5 - at.z * middle.y.signum()), at);
                }
            }
        }
        assert_eq!(caps, 3 * 20 * 3);
    }

    #[test]
    fn other_meshes_get_a_planar_projection() {
        let cases = [
            ([1.0, 4.0, 2.0], [1, 2]),
            ([2.0, 2.0, 2.0], [0, 1]),
            ([1.0, 2.0, 2.0], [1, 2]),
            ([3.0, 1.0, 1.0], [0, 1]),
        ];
        for (size, [s, t]) in cases {
            let mesh = Primitive::Box { size: size.into() }.tessellate(4);
            let uvs = mesh.texture_coordinates_or_default();
            for (&index, uv) in mesh.triangles.iter().flatten().zip(uvs.iter().flatten()) {
                let offset = mesh.vertices[index as usize].coords.cast::<f64>() + Vector3::from(size) / 2.0;
                assert_near(uv.cast(), Point2::new(offset[s], offset[t]) / size[s], Point3::origin());
            }
        }
    }

    #[test]
    fn extreme_dimensions_give_finite_coordinates() {
        for primitive in [
            Primitive::Box { size: Vector3::zeros() },
            Primitive::Sphere { radius: 0.0 },
            Primitive::Cylinder { radius: 0.0, height: 0.0, top: true, bottom: true },
            Primitive::Cone { radius: 1e-300, height: 1.0, bottom: true },
        ] {
            let uvs = primitive.texture_coordinates(0);
            assert!(uvs.iter().flatten().flat_map(|uv| uv.iter()).all(|value| value.is_finite()));
            assert_eq!(uvs.len(), primitive.tessellate(0).triangles.len());
        }
    }
}
