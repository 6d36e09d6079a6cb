#![expect(clippy::indexing_slicing, reason = "indices are those of rings, points and segments that are counted here")]

use nalgebra::{Const, Matrix3, OPoint, Point2, Point3, Rotation3, Unit, Vector2, Vector3};

use crate::error::single;
use crate::{MeshError, Normals, TriangleMesh, triangulate_polygon};

/// Maximum number of vertices of an extrusion, which is the number of spine points times that of section points. With
/// two textured triangles for each vertex this is about 100 MB.
pub const MAX_EXTRUSION_VERTICES: u64 = 1 << 20;

/// Bends of the spine with a smaller sine count as straight.
const STRAIGHT: f64 = 1e-9;

/// A cross section moved along a spine (Choreonoid's body format; VRML97 §6.18).
///
/// At each spine point the section, drawn in the XZ plane, is scaled, rotated by the orientation, and placed
/// perpendicular to the spine: its Y axis along the spine, its Z axis along the axis of the spine's bend. On a straight
/// spine the section is rotated by the smallest rotation from +Y to the spine. (The original shears the section there
/// unless the spine is parallel or perpendicular to +Y, and does not normalise orientation axes; both are corrected
/// here.)
///
/// A section or spine whose last point equals its first is closed. A closed section may have either orientation, its
/// front is always outside. The front of an open section is where it would be if it were closed counter-clockwise
/// viewed from +Y.
///
/// Texture coordinates run from 0 to 1 along the section (s) and along the spine (t), in proportion to the lengths. On
/// caps they run along the section's X (s) and Z (t), the larger of its extents from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Extrusion {
    /// Section as (x, z), m; at least two points.
    pub cross_section: Vec<Point2<f64>>,
    /// Points in the shape's frame, m; at least two.
    pub spine: Vec<Point3<f64>>,
    /// Rotation of the section at each spine point: axis x, y, z of any length and angle, rad. A single entry applies
    /// to all points. Missing entries are the identity, surplus ones are ignored.
    pub orientation: Vec<[f64; 4]>,
    /// Scale of the section along X and Z at each spine point. A single entry applies to all points, an empty list is
    /// 1. Missing entries are 0, as the manual specifies; surplus ones are ignored.
    pub scale: Vec<Vector2<f64>>,
    /// Whether to close the start; without effect on a closed spine.
    pub begin_cap: bool,
    /// Whether to close the end; without effect on a closed spine.
    pub end_cap: bool,
    /// Crease angle, rad: edges are smooth where faces meet at a smaller angle.
    pub crease_angle: f64,
    /// Whether the back face is culled.
    pub solid: bool,
}

impl Default for Extrusion {
    /// VRML's defaults: a square of side 2 m extruded 1 m along +Y, with both caps.
    fn default() -> Self {
        let section = [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
        Self {
            cross_section: section.map(Point2::from).to_vec(),
            spine: vec![Point3::origin(), Point3::new(0.0, 1.0, 0.0)],
            orientation: Vec::new(),
            scale: Vec::new(),
            begin_cap: true,
            end_cap: true,
            crease_angle: 0.0,
            solid: false,
        }
    }
}

impl Extrusion {
    /// The surface. Triangles that degenerate through a zero scale or repeated points are left out.
    ///
    /// # Errors
    ///
    /// When section or spine have fewer than two distinct points, a number is not finite, or the surface would have
    /// more than [`MAX_EXTRUSION_VERTICES`] vertices.
    pub fn tessellate(&self) -> Result<TriangleMesh, MeshError> {
        self.check_numbers()?;
        let Section { points: section, closed: section_closed, along } = self.section()?;
        let spine_closed = self.spine_closed()?;
        let last = self.spine.len() - 1;
        let scale = |point: usize| match self.scale.as_slice() {
            [] => Vector2::repeat(1.0),
            &[only] => only,
            scales => scales.get(point).copied().unwrap_or_else(Vector2::zeros),
        };
        let turn = |point: usize| match self.orientation.as_slice() {
            &[only] => only,
            turns => turns.get(point).copied().unwrap_or([0.0, 0.0, 1.0, 0.0]),
        };
        // The last ring is joined to the first if both are equal. Otherwise the ends only touch.
        let joined = spine_closed && scale(0) == scale(last) && turn(0) == turn(last);
        let rings = if joined { last } else { last + 1 };
        let vertices = (rings as u64).saturating_mul(section.len() as u64);
        if vertices > MAX_EXTRUSION_VERTICES {
            return Err(MeshError::TooManyVertices { vertices, limit: MAX_EXTRUSION_VERTICES });
        }

        let mut mesh = TriangleMesh::default();
        let frames = frames(&self.spine, spine_closed);
        for (position, (origin, frame)) in self.spine.iter().zip(&frames).take(rings).enumerate() {
            let frame = frame * rotation(turn(position));
            let scale = scale(position);
            for point in &section {
                let offset = frame * Vector3::new(point.x * scale.x, 0.0, point.y * scale.y);
                mesh.vertices.push(single(origin + offset, "extrusion point near spine point", position)?);
            }
        }

        #[expect(clippy::cast_possible_truncation, reason = "it is less than `MAX_EXTRUSION_VERTICES`")]
        let index = |ring: usize, point: usize| ((ring % rings) * section.len() + point % section.len()) as u32;
        let spine_along = fractions(&self.spine);
        let vertices = &mesh.vertices;
        let mut faces = (Vec::new(), Vec::new());
        let mut push = |triangle: [u32; 3], uvs: [Point2<f64>; 3]| {
            let [a, b, c] = triangle.map(|index| vertices[index as usize]);
            if a != b && b != c && c != a {
                faces.0.push(triangle);
                faces.1.push(uvs.map(|uv| uv.cast()));
            }
        };
        for ring in 0..last {
            for point in 0..if section_closed { section.len() } else { section.len() - 1 } {
                let [a, b] = [index(ring, point), index(ring, point + 1)];
                let [c, d] = [index(ring + 1, point + 1), index(ring + 1, point)];
                let uv = |ring: usize, point: usize| Point2::new(along[point], spine_along[ring]);
                let [at_a, at_b] = [uv(ring, point), uv(ring, point + 1)];
                let [at_c, at_d] = [uv(ring + 1, point + 1), uv(ring + 1, point)];
                push([a, b, c], [at_a, at_b, at_c]);
                push([a, c, d], [at_a, at_c, at_d]);
            }
        }
        if !spine_closed && (self.begin_cap || self.end_cap) {
            let flat: Vec<_> = section.iter().map(|point| Point3::new(point.x, 0.0, point.y)).collect();
            let uvs = cap_coordinates(&section);
            for triangle @ [a, b, c] in triangulate_polygon(&flat)? {
                if self.begin_cap {
                    push([a, c, b].map(|point| index(0, point)), [a, c, b].map(|point| uvs[point]));
                }
                if self.end_cap {
                    push(triangle.map(|point| index(last, point)), triangle.map(|point| uvs[point]));
                }
            }
        }
        (mesh.triangles, mesh.texture_coordinates) = faces;
        mesh.normals = Normals::crease(self.crease_angle);
        mesh.solid = self.solid;
        Ok(mesh)
    }

    fn check_numbers(&self) -> Result<(), MeshError> {
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let bad = [
            ("cross section point", self.cross_section.iter().position(|point| !finite(point.coords.as_slice()))),
            ("orientation", self.orientation.iter().position(|turn| !finite(turn))),
            ("scale", self.scale.iter().position(|scale| !finite(scale.as_slice()))),
        ];
        for (what, position) in bad {
            if let Some(position) = position {
                return Err(MeshError::NotFinite { what, position });
            }
        }
        self.spine.iter().enumerate().try_for_each(|(at, &point)| single(point, "spine point", at).map(drop))
    }

    fn section(&self) -> Result<Section, MeshError> {
        let mut points = self.cross_section.clone();
        let closed = points.len() > 2 && points.first() == points.last();
        let distinct = points.first().map_or(0, |first| 1 + usize::from(points.iter().any(|point| point != first)));
        if distinct < 2 {
            return Err(MeshError::SectionTooShort { distinct });
        }
        let following = points.iter().cycle().skip(1);
        let origin = points[0];
        let area: f64 = points.iter().zip(following).map(|(point, next)| (point - origin).perp(&(next - origin))).sum();
        let mut along = fractions(&points);
        // With X to the right and Z up, Y points away from the viewer; hence the sign.
        if closed && area > 0.0 {
            points.reverse();
            along.reverse();
        }
        if closed {
            points.pop();
        }
        Ok(Section { points, closed, along })
    }

    /// Whether the spine is closed. On success the spine has two distinct points.
    fn spine_closed(&self) -> Result<bool, MeshError> {
        let points = self.spine.len();
        match self.spine.as_slice() {
            [first, .., last] if self.spine.iter().any(|point| point != first) => Ok(first == last),
            [_, _, ..] => Err(MeshError::SpineWithoutLength),
            _ => Err(MeshError::SpineTooShort { points }),
        }
    }
}

/// A cross section.
struct Section {
    /// Its points without the closing one; counter-clockwise viewed from +Y if it is closed.
    points: Vec<Point2<f64>>,
    closed: bool,
    /// Position of each point along the section, 0…1; the closing point has its own entry.
    along: Vec<f64>,
}

/// Position of each point along a polyline, from 0 to 1. At least two points.
fn fractions<const N: usize>(points: &[OPoint<f64, Const<N>>]) -> Vec<f64> {
    let mut length = 0.0;
    let mut fractions = vec![0.0];
    fractions.extend(points.array_windows().map(|[from, to]| {
        length += (to - from).norm();
        length
    }));
    let last = fractions.len() - 1;
    for (position, fraction) in fractions.iter_mut().enumerate() {
        let ratio = *fraction / length;
        // Lengths may overflow.
        *fraction = if ratio.is_finite() { ratio } else { position as f64 / last.max(1) as f64 };
    }
    fractions
}

/// Texture coordinates of the section's points on a cap.
fn cap_coordinates(section: &[Point2<f64>]) -> Vec<Point2<f64>> {
    let corner = |choose: fn(&Point2<f64>, &Point2<f64>) -> Point2<f64>| {
        section.iter().copied().reduce(|a, b| choose(&a, &b)).unwrap_or_default()
    };
    let (min, max) = (corner(Point2::inf), corner(Point2::sup));
    let extent = (max - min).amax();
    let uv = |point: &Point2<f64>| {
        let uv = Point2::from((point - min) / extent);
        if uv.iter().all(|value| value.is_finite()) { uv } else { Point2::origin() }
    };
    section.iter().map(uv).collect()
}

fn rotation([x, y, z, angle]: [f64; 4]) -> Matrix3<f64> {
    let axis = Vector3::new(x, y, z);
    // Scaled first, so that squares of extreme lengths neither overflow nor underflow.
    match Unit::try_new(axis / axis.amax(), 0.0) {
        Some(axis) => Rotation3::from_axis_angle(&axis, angle).into_inner(),
        None => Matrix3::identity(),
    }
}

/// The nearest spine segments of nonzero length at a point.
#[derive(Clone, Copy)]
struct Neighbours {
    /// Segment that ends at the point.
    from: Option<Vector3<f64>>,
    /// Segment that starts at the point.
    to: Option<Vector3<f64>>,
}

/// The section's frame at each spine point: its X, Y and Z axes as columns.
fn frames(spine: &[Point3<f64>], closed: bool) -> Vec<Matrix3<f64>> {
    let neighbours = neighbours(spine, closed);
    let bends: Vec<Option<Vector3<f64>>> = neighbours.iter().map(bend).collect();
    let Some(mut axis) = bends.iter().copied().flatten().next() else {
        return vec![straight_frame(spine, &neighbours); spine.len()];
    };
    let frame = |(neighbours, bend): (&Neighbours, &Option<Vector3<f64>>)| {
        if let &Some(bend) = bend {
            axis = if bend.dot(&axis) < 0.0 { -bend } else { bend };
        }
        let along = tangent(neighbours);
        let x = along.cross(&axis).try_normalize(0.0).unwrap_or_else(|| any_normal(along));
        Matrix3::from_columns(&[x, along, x.cross(&along)])
    };
    neighbours.iter().zip(&bends).map(frame).collect()
}

fn neighbours(spine: &[Point3<f64>], closed: bool) -> Vec<Neighbours> {
    // The closing point repeats the first one.
    let points = if closed { &spine[..spine.len() - 1] } else { spine };
    let segment = |index: usize| {
        let (from, to) = (points[index % points.len()], points[(index + 1) % points.len()]);
        Some(to - from).filter(|segment| segment.norm() > 0.0)
    };
    let mut found = vec![Neighbours { from: None, to: None }; spine.len()];
    // Two rounds on a closed spine, so that directions propagate across its seam.
    let (turns, segments) = if closed { (2, points.len()) } else { (1, points.len() - 1) };
    let mut direction = None;
    for step in 0..turns * segments {
        let index = step % segments;
        found[index].from = direction;
        direction = segment(index).or(direction);
        found[index + 1].from = direction;
    }
    direction = None;
    for step in (0..turns * segments).rev() {
        let index = step % segments;
        found[index + 1].to = direction;
        direction = segment(index).or(direction);
        found[index].to = direction;
    }
    if closed {
        let from = found[segments].from;
        found[0].from = from;
        found[segments] = found[0];
    }
    found
}

/// Axis of the spine's bend at a point, if the spine bends there.
fn bend(neighbours: &Neighbours) -> Option<Vector3<f64>> {
    // (next − this) × (previous − this)
    let bend = neighbours.from?.try_normalize(0.0)?.cross(&neighbours.to?.try_normalize(0.0)?);
    if bend.norm() > STRAIGHT { bend.try_normalize(0.0) } else { None }
}

/// Unit tangent of the spine at a point.
fn tangent(neighbours: &Neighbours) -> Vector3<f64> {
    let (from, to) = (neighbours.from, neighbours.to);
    // next − previous, unless the spine reverses.
    let both = from.zip(to).map(|(from, to)| from + to);
    [both, from, to].into_iter().flatten().find_map(|along| along.try_normalize(0.0)).unwrap_or_else(Vector3::y)
}

/// Smallest rotation from +Y to a straight spine.
fn straight_frame(spine: &[Point3<f64>], neighbours: &[Neighbours]) -> Matrix3<f64> {
    let overall = spine.first().zip(spine.last()).and_then(|(first, last)| (last - first).try_normalize(0.0));
    let along = overall
        .or_else(|| neighbours.first().and_then(|first| first.to?.try_normalize(0.0)))
        .unwrap_or_else(Vector3::y);
    match Rotation3::rotation_between(&Vector3::y(), &along) {
        Some(rotation) => rotation.into_inner(),
        // Straight down: a rotation by 180° about X.
        None => Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, -1.0)),
    }
}

/// An arbitrary unit vector perpendicular to another.
fn any_normal(direction: Vector3<f64>) -> Vector3<f64> {
    let mut axis = Vector3::zeros();
    axis[direction.iamin()] = 1.0;
    direction.cross(&axis).try_normalize(0.0).unwrap_or_else(Vector3::x)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, TAU};

    use super::*;
    use crate::testing::{Random, volume};

    fn points(section: &[[f64; 2]]) -> Vec<Point2<f64>> {
        section.iter().copied().map(Point2::from).collect()
    }

    fn spine(points: &[[f64; 3]]) -> Vec<Point3<f64>> {
        points.iter().copied().map(Point3::from).collect()
    }

    fn assert_volume(extrusion: &Extrusion, expected: f64) {
        let found = volume(&extrusion.tessellate().unwrap());
        assert!((found - expected).abs() < 1e-5 * expected.abs(), "{found} instead of {expected}");
    }

    #[test]
    fn a_square_has_its_volume_along_every_straight_spine() {
        assert_volume(&Extrusion::default(), 4.0);
        for end in [[0.0, -2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, -2.0], [1.0, 2.0, 3.0], [-3.0, -1.0, 0.5]] {
            let length = Vector3::from(end).norm();
            let line = spine(&[[0.0; 3], end.map(|value| value / 4.0), end.map(|value| value / 4.0), end]);
            let mut extrusion = Extrusion { spine: line, ..Extrusion::default() };
            assert_volume(&extrusion, 4.0 * length);
            extrusion.cross_section.reverse();
            assert_volume(&extrusion, 4.0 * length);
        }
    }

    #[test]
    fn a_concave_section_has_its_volume() {
        let section = points(&[[0.0, 0.0], [0.0, 3.0], [1.0, 3.0], [1.0, 1.0], [2.0, 1.0], [2.0, 0.0], [0.0, 0.0]]);
        let extrusion = Extrusion { cross_section: section, ..Extrusion::default() };
        assert_volume(&extrusion, 4.0);
        assert_eq!(extrusion.tessellate().unwrap().triangles.len(), 6 * 2 + 2 * 4);
        let open = Extrusion { begin_cap: false, end_cap: false, ..extrusion };
        assert_eq!(open.tessellate().unwrap().triangles.len(), 6 * 2);
    }

    #[test]
    fn a_closed_spine_makes_a_ring() {
        let circle: Vec<[f64; 2]> = (0..=60)
            .map(|step| {
                let (sin, cos) = (TAU * f64::from(step % 60) / 60.0).sin_cos();
                [0.2 * cos, 0.2 * sin]
            })
            .collect();
        let around: Vec<[f64; 3]> = (0..=300)
            .map(|step| {
                let (sin, cos) = (TAU * f64::from(step % 300) / 300.0).sin_cos();
                [cos, sin, 0.5]
            })
            .collect();
        let mut torus = Extrusion { cross_section: points(&circle), spine: spine(&around), ..Extrusion::default() };
        let mesh = torus.tessellate().unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (300 * 60, 300 * 60 * 2));
        // Pappus: area of the regular 60-gon times the path length of its centroid.
        let exact = 30.0 * 0.04 * (TAU / 60.0).sin() * TAU;
        assert!((volume(&mesh) - exact).abs() < 1e-3 * exact, "{} instead of {exact}", volume(&mesh));
        // Ends that differ are not joined.
        torus.orientation = (0..=300).map(|step| [0.0, 2.0, 0.0, f64::from(step) * 0.001]).collect();
        assert_eq!(torus.tessellate().unwrap().vertices.len(), 301 * 60);
    }

    #[test]
    fn a_right_angle_is_mitred_as_in_vrml() {
        let bent = Extrusion { spine: spine(&[[0.0; 3], [0.0, 4.0, 0.0], [4.0, 4.0, 0.0]]), ..Extrusion::default() };
        let mesh = bent.tessellate().unwrap();
        assert!(volume(&mesh) > 0.0);
        // At the start Y points up, and Z is (next − this) × (previous − this) of the bend, −Z.
        assert!(mesh.vertices[..4].iter().all(|vertex| vertex.y.abs() < 1e-6));
        assert!(mesh.vertices[8..].iter().all(|vertex| (vertex.x - 4.0).abs() < 1e-6));
        assert_eq!(mesh.vertices[0].map(f32::round), Point3::new(-1.0, 0.0, -1.0));
    }

    #[test]
    fn scales_and_orientations() {
        let with = |scale: &[[f64; 2]], orientation: &[[f64; 4]]| Extrusion {
            scale: scale.iter().copied().map(Vector2::from).collect(),
            orientation: orientation.to_vec(),
            ..Extrusion::default()
        };
        assert_volume(&with(&[[2.0, 3.0]], &[]), 24.0);
        assert_volume(&with(&[[2.0, 3.0]; 5], &[[0.0; 4]; 7]), 24.0);
        assert_volume(&with(&[], &[[0.0, 5.0, 0.0, 1.0]]), 4.0);
        // A pyramid: the missing scale of the second point is 0.
        let line = spine(&[[0.0; 3], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]]);
        let pyramid = Extrusion { spine: line, ..with(&[[1.0, 1.0], [0.0, 0.0]], &[]) };
        assert_volume(&pyramid, 4.0 / 3.0);
        assert_eq!(pyramid.tessellate().unwrap().triangles.len(), 2 + 4);
        // Only the first orientation is given; the axis need not be a unit vector.
        let tilted = with(&[], &[[0.0, 3.0, 0.0, FRAC_PI_2], [0.0, 1.0, 0.0, 0.0]]).tessellate().unwrap();
        assert_eq!(tilted.vertices[0].map(f32::round), Point3::new(1.0, 0.0, -1.0));
        assert_eq!(tilted.vertices[4].map(f32::round), Point3::new(1.0, 1.0, 1.0));
    }

    #[test]
    fn the_image_covers_the_side_and_each_cap() {
        // The square with its corners in both orders. On the side, s is proportional to the distance along the section
        // from its first point, and t to the height. The caps follow X and Z.
        for reversed in [false, true] {
            let mut bar = Extrusion {
                spine: spine(&[[0.0; 3], [0.0, 1.0, 0.0], [0.0, 4.0, 0.0]]),
                crease_angle: 0.5,
                solid: true,
                ..Extrusion::default()
            };
            if reversed {
                bar.cross_section.reverse();
            }
            let mesh = bar.tessellate().unwrap();
            assert_eq!((&mesh.normals, mesh.solid), (&Normals::Crease(0.5), true));
            assert_eq!((mesh.triangles.len(), mesh.texture_coordinates.len()), (16 + 4, 16 + 4));
            let mut covered = 0.0;
            for (triangle, uvs) in mesh.triangles.iter().zip(&mesh.texture_coordinates) {
                let corners = triangle.map(|index| mesh.vertices[index as usize]);
                let cap = corners.iter().all(|corner| corner.y == corners[0].y);
                for (corner, uv) in corners.iter().zip(uvs) {
                    if cap {
                        assert_eq!(*uv, Point2::new((corner.x + 1.0) / 2.0, (corner.z + 1.0) / 2.0));
                        continue;
                    }
                    let way = 4.0 * uv.x;
                    let (leg, rest) = ((way.floor() as usize).min(3), way - way.floor().min(3.0));
                    let [from, to] = [bar.cross_section[leg], bar.cross_section[leg + 1]].map(|point| point.cast());
                    let expected = from + (to - from) * rest;
                    assert!((expected - Point2::new(corner.x, corner.z)).norm() < 1e-6, "{corner} {uv}");
                    assert_eq!(uv.y, corner.y / 4.0);
                }
                if !cap {
                    covered += (uvs[1] - uvs[0]).perp(&(uvs[2] - uvs[0])).abs() / 2.0;
                }
            }
            assert!((covered - 1.0).abs() < 1e-6, "{covered}");
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |change: fn(&mut Extrusion)| {
            let mut extrusion = Extrusion::default();
            change(&mut extrusion);
            extrusion.tessellate().unwrap_err()
        };
        assert_eq!(error(|it| it.cross_section.clear()), MeshError::SectionTooShort { distinct: 0 });
        assert_eq!(error(|it| it.cross_section.truncate(1)), MeshError::SectionTooShort { distinct: 1 });
        assert_eq!(
            error(|it| it.cross_section = vec![Point2::origin(); 4]),
            MeshError::SectionTooShort { distinct: 1 }
        );
        assert_eq!(error(|it| it.spine.truncate(1)), MeshError::SpineTooShort { points: 1 });
        assert_eq!(error(|it| it.spine = vec![Point3::origin(); 3]), MeshError::SpineWithoutLength);
        let not_finite = |what, position| MeshError::NotFinite { what, position };
        assert_eq!(error(|it| it.spine[1].x = 1e39), not_finite("spine point", 1));
        assert_eq!(error(|it| it.cross_section[2].x = f64::NAN), not_finite("cross section point", 2));
        assert_eq!(error(|it| it.scale = vec![Vector2::repeat(f64::INFINITY)]), not_finite("scale", 0));
        assert_eq!(error(|it| it.orientation = vec![[f64::NAN; 4]]), not_finite("orientation", 0));
        let vertices = error(|it| {
            it.cross_section = (0..4000).map(|step| Point2::new(f64::from(step), 0.0)).collect();
            it.spine = (0..4000).map(|step| Point3::new(f64::from(step), 0.0, 0.0)).collect();
        });
        assert_eq!(vertices, MeshError::TooManyVertices { vertices: 16_000_000, limit: MAX_EXTRUSION_VERTICES });
    }

    #[test]
    fn garbage_does_not_panic() {
        let mut random = Random::new(3);
        for _ in 0..3000 {
            let section = (0..random.below(8)).map(|_| Point2::new(random.odd(), random.odd())).collect();
            let spine = (0..random.below(8)).map(|_| Point3::from([(); 3].map(|()| random.odd()))).collect();
            let mut extrusion = Extrusion {
                cross_section: section,
                spine,
                orientation: (0..random.below(4)).map(|_| [(); 4].map(|()| random.odd())).collect(),
                scale: (0..random.below(4)).map(|_| Vector2::new(random.odd(), random.odd())).collect(),
                ..Extrusion::default()
            };
            if random.below(2) == 0 {
                extrusion.spine.extend(extrusion.spine.first().copied());
            }
            if let Ok(mesh) = extrusion.tessellate() {
                assert!(mesh.vertices.iter().all(|vertex| vertex.iter().all(|value| value.is_finite())));
                assert!(mesh.triangles.iter().flatten().all(|&index| (index as usize) < mesh.vertices.len()));
                assert_eq!(mesh.triangles.len(), mesh.texture_coordinates.len());
                let numbers = mesh.texture_coordinates.iter().flatten().flat_map(|uv| uv.iter());
                assert!(numbers.into_iter().all(|value| value.is_finite()));
            }
        }
    }
}
