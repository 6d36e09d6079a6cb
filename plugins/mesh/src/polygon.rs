#![expect(clippy::indexing_slicing, reason = "indices are those of corners of the same polygon, and of axes")]

use std::collections::BTreeSet;

use nalgebra::{Point2, Point3, Vector3};

use crate::MeshError;
use crate::corner_tree::{CornerTree, area};

/// Maximum number of corners of a polygon. A polygon of this size, whatever its shape, is triangulated within some
/// hundredths of a second.
pub const MAX_POLYGON_CORNERS: usize = 1 << 14;

/// Corner angles with a smaller sine count as straight.
const STRAIGHT: f64 = 1e-12;

/// Triangulates a planar polygon, concave or not. The triangles are triples of corner indices with the orientation of
/// the polygon.
///
/// The method is ear clipping. The normal is that of the signed area (Newell), so a concave first corner has no effect
/// on it. Corners on a straight edge are kept, so that neighbouring faces still fit. A polygon that is not planar is
/// treated as its projection. A polygon without area gives no triangles; a self-intersecting one gives triangles that
/// do not cover it exactly.
///
/// # Errors
///
/// [`MeshError::TooManyCorners`] above [`MAX_POLYGON_CORNERS`], [`MeshError::NotFinite`].
pub fn triangulate_polygon(corners: &[Point3<f64>]) -> Result<Vec<[usize; 3]>, MeshError> {
    if corners.len() > MAX_POLYGON_CORNERS {
        return Err(MeshError::TooManyCorners { corners: corners.len(), limit: MAX_POLYGON_CORNERS });
    }
    if let Some(position) = corners.iter().position(|corner| !corner.iter().all(|value| value.is_finite())) {
        return Err(MeshError::NotFinite { what: "polygon corner", position });
    }
    Ok(project(corners).map(|plane| Clipper::new(plane).run()).unwrap_or_default())
}

/// Values of a triangle's corners, given those of the polygon that was triangulated.
pub(crate) fn of_triangle<T: Copy>(triangle: [usize; 3], polygon: &[T]) -> [T; 3] {
    triangle.map(|corner| polygon[corner])
}

/// Projection of the polygon to the most parallel coordinate plane, counter-clockwise and scaled to about one unit.
/// `None` if it has no area.
fn project(corners: &[Point3<f64>]) -> Option<Vec<Point2<f64>>> {
    let first = corners.first()?;
    // Halved before the subtraction, so that the largest numbers do not overflow.
    let offsets = || corners.iter().map(|corner| corner.coords * 0.5 - first.coords * 0.5);
    let extent = offsets().map(|offset| offset.amax()).fold(0.0, f64::max);
    if !extent.is_normal() {
        return None;
    }
    let points: Vec<Vector3<f64>> = offsets().map(|offset| offset / extent).collect();
    let following = points.iter().cycle().skip(1);
    let normal: Vector3<f64> = points.iter().zip(following).map(|(point, next)| point.cross(next)).sum();
    let axis = normal.iamax();
    if normal[axis] == 0.0 {
        return None;
    }
    let (first, second) = if normal[axis] > 0.0 { (axis + 1, axis + 2) } else { (axis + 2, axis + 1) };
    Some(points.iter().map(|point| Point2::new(point[first % 3], point[second % 3])).collect())
}

#[derive(Clone, Copy, PartialEq)]
enum Turn {
    Left,
    Straight,
    Right,
}

fn turn(a: Point2<f64>, b: Point2<f64>, c: Point2<f64>) -> Turn {
    let area = area(a, b, c);
    let tolerance = STRAIGHT * (b - a).norm() * (c - b).norm();
    if area > tolerance {
        Turn::Left
    } else if area < -tolerance {
        Turn::Right
    } else {
        Turn::Straight
    }
}

/// Remaining polygon, as a ring of corners, and the triangles cut from it.
struct Clipper {
    points: Vec<Point2<f64>>,
    next: Vec<usize>,
    previous: Vec<usize>,
    turns: Vec<Turn>,
    /// Enabled points are the non-convex corners of the ring. If any corner is inside a triangle, one of these is.
    blocking: CornerTree,
    /// Corners that can be cut off.
    cuttable: BTreeSet<usize>,
    /// Whether only ears are cut. A polygon that touches or crosses itself may have none left.
    careful: bool,
    left: usize,
    triangles: Vec<[usize; 3]>,
}

impl Clipper {
    fn new(points: Vec<Point2<f64>>) -> Self {
        let left = points.len();
        Self {
            next: (0..left).map(|corner| (corner + 1) % left).collect(),
            previous: (0..left).map(|corner| (corner + left - 1) % left).collect(),
            turns: vec![Turn::Straight; left],
            blocking: CornerTree::new(points.clone()),
            cuttable: BTreeSet::new(),
            careful: true,
            left,
            triangles: Vec::with_capacity(left.saturating_sub(2)),
            points,
        }
    }

    fn run(mut self) -> Vec<[usize; 3]> {
        for corner in 0..self.left {
            self.find_turn(corner);
        }
        self.find_all_cuttable(0);
        let mut corner = 0;
        while self.left >= 3 {
            // Next such corner around the ring; corners are in the order of their indices.
            let next = self.cuttable.range(corner..).next().or_else(|| self.cuttable.first());
            let Some(&cut) = next else {
                if !self.careful {
                    break;
                }
                self.careful = false;
                self.find_all_cuttable(corner);
                continue;
            };
            let (previous, next) = (self.previous[cut], self.next[cut]);
            if self.careful || self.turns[cut] != Turn::Straight {
                self.triangles.push([previous, cut, next]);
            }
            self.remove(cut);
            // Advances by two corners: cutting neighbours in turn would give a fan of slivers.
            corner = self.next[next];
        }
        self.triangles
    }

    fn remove(&mut self, corner: usize) {
        let (previous, next) = (self.previous[corner], self.next[corner]);
        self.next[previous] = next;
        self.previous[next] = previous;
        self.left -= 1;
        self.cuttable.remove(&corner);
        self.blocking.set(corner, false);
        for neighbour in [previous, next] {
            self.find_turn(neighbour);
        }
        for neighbour in [previous, next] {
            self.find_cuttable(neighbour);
        }
    }

    fn triangle_at(&self, corner: usize) -> [Point2<f64>; 3] {
        [self.points[self.previous[corner]], self.points[corner], self.points[self.next[corner]]]
    }

    fn find_turn(&mut self, corner: usize) {
        let [a, b, c] = self.triangle_at(corner);
        let turn = turn(a, b, c);
        self.turns[corner] = turn;
        self.blocking.set(corner, turn != Turn::Left);
    }

    /// Evaluates all corners of the ring, starting with `corner`.
    fn find_all_cuttable(&mut self, mut corner: usize) {
        for _ in 0..self.left {
            self.find_cuttable(corner);
            corner = self.next[corner];
        }
    }

    fn find_cuttable(&mut self, corner: usize) {
        let can_be_cut = if self.careful { self.is_ear(corner) } else { self.turns[corner] != Turn::Right };
        if can_be_cut {
            self.cuttable.insert(corner);
        } else {
            self.cuttable.remove(&corner);
        }
    }

    /// Whether the corner can be cut off: it is convex, and no other corner lies in or on its triangle. Coincident
    /// corners, as at a slit to a hole, are allowed.
    fn is_ear(&self, corner: usize) -> bool {
        self.turns[corner] == Turn::Left && !self.blocking.any_in(self.triangle_at(corner))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use nalgebra::Rotation3;

    use super::*;
    use crate::testing::Random;

    /// Signed area of the polygon (shoelace formula) and of each triangle; the polygon lies in the XY plane.
    fn areas(corners: &[Point3<f64>], triangles: &[[usize; 3]]) -> (f64, Vec<f64>) {
        let following = corners.iter().cycle().skip(1);
        let shoelace: f64 = corners.iter().zip(following).map(|(a, b)| a.x * b.y - b.x * a.y).sum();
        let flat = |index: usize| corners[index].xy();
        (shoelace / 2.0, triangles.iter().map(|&[a, b, c]| area(flat(a), flat(b), flat(c)) / 2.0).collect())
    }

    fn assert_cut(corners: &[Point3<f64>]) {
        let triangles = triangulate_polygon(corners).unwrap();
        assert_eq!(triangles.len(), corners.len() - 2);
        let (whole, parts) = areas(corners, &triangles);
        assert!((parts.iter().sum::<f64>() - whole).abs() < 1e-12 * corners.len() as f64, "{corners:?}");
        assert!(parts.iter().all(|part| part * whole > 0.0), "{corners:?}: {parts:?}");
    }

    fn flat(corners: &[[f64; 2]]) -> Vec<Point3<f64>> {
        corners.iter().map(|&[x, y]| Point3::new(x, y, 0.0)).collect()
    }

    #[test]
    fn star_shaped_polygons_keep_their_area() {
        let mut random = Random::new(1);
        for round in 0..500 {
            let count = 3 + random.below(40);
            let mut corners: Vec<_> = (0..count)
                .map(|step| {
                    let (sin, cos) = (TAU * (f64::from(step) + 0.8 * random.unit()) / f64::from(count)).sin_cos();
                    let radius = 0.05 + random.unit();
                    Point3::new(radius * cos, radius * sin, 0.0)
                })
                .collect();
            if round % 2 == 1 {
                corners.reverse();
            }
            assert_cut(&corners);
            let triangles = triangulate_polygon(&corners).unwrap();
            let tilt = Rotation3::from_euler_angles(random.unit(), 6.0 * random.unit(), 6.0 * random.unit());
            let tilted: Vec<_> = corners.iter().map(|corner| tilt * corner).collect();
            let normal = |corners: &[Point3<f64>], triangles: &[[usize; 3]]| -> Vector3<f64> {
                triangles.iter().map(|&[a, b, c]| (corners[b] - corners[a]).cross(&(corners[c] - corners[a]))).sum()
            };
            let turned = tilt * normal(&corners, &triangles);
            let found = normal(&tilted, &triangulate_polygon(&tilted).unwrap());
            assert!((turned - found).norm() < 1e-9, "{turned} {found}");
        }
    }

    #[test]
    fn straight_corners_are_kept() {
        assert_cut(&flat(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0], [0.0, 2.0], [0.0, 1.0]]));
        assert_cut(&flat(&[[1.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.0, 0.0]]));
    }

    #[test]
    fn a_slit_leads_to_a_hole() {
        let frame = flat(&[
            [0.0, 0.0],
            [3.0, 0.0],
            [3.0, 3.0],
            [0.0, 3.0],
            [0.0, 0.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [2.0, 2.0],
            [2.0, 1.0],
            [1.0, 1.0],
        ]);
        assert_cut(&frame);
    }

    #[test]
    fn polygons_without_area_give_no_triangles() {
        for corners in [&[] as &[[f64; 2]], &[[1.0, 1.0]], &[[0.0, 0.0], [1.0, 0.0]], &[[1.0, 2.0]; 6]] {
            assert_eq!(triangulate_polygon(&flat(corners)), Ok(Vec::new()));
        }
        let line = flat(&[[0.0, 0.0], [1.0, 1.0], [3.0, 3.0], [2.0, 2.0]]);
        assert_eq!(triangulate_polygon(&line), Ok(Vec::new()));
    }

    #[test]
    fn limits() {
        let mut corners = vec![Point3::origin(); MAX_POLYGON_CORNERS + 1];
        let error = MeshError::TooManyCorners { corners: MAX_POLYGON_CORNERS + 1, limit: MAX_POLYGON_CORNERS };
        assert_eq!(triangulate_polygon(&corners), Err(error));
        corners.truncate(5);
        corners[3].y = f64::NAN;
        assert_eq!(triangulate_polygon(&corners), Err(MeshError::NotFinite { what: "polygon corner", position: 3 }));
    }

    #[test]
    fn garbage_terminates() {
        let mut random = Random::new(2);
        for _ in 0..5000 {
            let corners: Vec<_> = (0..random.below(12)).map(|_| Point3::from([(); 3].map(|()| random.odd()))).collect();
            if let Ok(triangles) = triangulate_polygon(&corners) {
                assert!(triangles.len() <= corners.len().saturating_sub(2));
            }
        }
        let tangle: Vec<_> = (0..MAX_POLYGON_CORNERS).map(|_| Point3::new(random.unit(), random.unit(), 0.0)).collect();
        assert!(triangulate_polygon(&tangle).unwrap().len() <= MAX_POLYGON_CORNERS - 2);
    }

    #[test]
    fn a_spiral_that_has_two_ears_at_a_time_keeps_its_area() {
        let ring = |side: f64| {
            move |step: usize| {
                let angle = step as f64 * 0.02;
                let radius = 1.0 + angle + side;
                Point3::new(radius * angle.cos(), radius * angle.sin(), 0.0)
            }
        };
        let half = MAX_POLYGON_CORNERS / 2;
        assert_cut(&(0..half).map(ring(1.0)).chain((0..half).rev().map(ring(0.0))).collect::<Vec<_>>());
    }

    #[test]
    fn the_largest_zigzag_is_cut_in_reasonable_time() {
        // A comb: every second corner is concave.
        let teeth = MAX_POLYGON_CORNERS - 2;
        let mut corners: Vec<_> =
            (0..teeth).map(|step| Point3::new(-(step as f64) / 1e4, f64::from(step as u32 % 2), 0.0)).collect();
        corners.extend([Point3::new(-2.0, -1.0, 0.0), Point3::new(0.0, -1.0, 0.0)]);
        assert_cut(&corners);
    }
}
