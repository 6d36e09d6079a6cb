//! Contact points of two boxes, by separating axes.

use nalgebra::Vector3;
use parry3d_f64::math::{Mat3, Vector};
use parry3d_f64::shape::{Cuboid, PolygonalFeature};

use super::contact_point::ContactPoint;
use super::manifold::{Manifold, Parts, from_parry};

/// An axis across two edges must separate the boxes better than any face by this, m: rounding must not choose.
const ROUNDING: f64 = 1e-9;
/// Squared sine of the angle between edges that are parallel.
const PARALLEL: f64 = 1e-10;

/// An axis that separates two boxes, or along which they are the least deep in each other.
#[derive(Clone, Copy)]
enum Axis {
    /// Across a face of the first or the second box.
    Face { of_second: bool, axis: usize },
    /// Across an edge of each: the normal out of the first, in its frame.
    Edges(Vector),
}

/// Finds the points of two boxes that are nearer than `prediction`, m. Returns the normal: a unit vector out of the first, world axes. `None` if
/// they are farther apart.
pub(super) fn find(
    parts: &Parts<'_>,
    [first, second]: [&Cuboid; 2],
    prediction: f64,
    manifold: &mut Manifold,
    points: &mut Vec<ContactPoint>,
) -> Option<Vector3<f64>> {
    let halves = [first.half_extents, second.half_extents];
    let between = parts.poses[0].inv_mul(&parts.poses[1]);
    let turn = Mat3::from_quat(between.rotation);
    let axis = separating_axis(halves, &turn, between.translation, prediction)?;
    points.clear();
    let (normal, frame) = match axis {
        Axis::Face { of_second: false, axis } => {
            let (out, offset) = (Vector::AXES[axis] * between.translation[axis].signum(), between.translation);
            clip(halves, &turn, offset, (axis, out), |number| [axis as u32, number], points);
            (out, &parts.poses[0])
        }
        Axis::Face { of_second: true, axis } => {
            let back = turn.transpose();
            let offset = -(back * between.translation);
            let out = Vector::AXES[axis] * offset[axis].signum();
            let halves = [halves[1], halves[0]];
            clip(halves, &back, offset, (axis, out), |number| [number, axis as u32], points);
            (-out, &parts.poses[1])
        }
        Axis::Edges(normal) => {
            // The faces beside the edges: two that are nearly parallel touch in more than one point.
            let (of_first, of_second) = (normal, between.rotation.inverse() * -normal);
            let faces = [first.support_feature(of_first), second.support_feature(of_second)];
            manifold.clear();
            PolygonalFeature::contacts(
                &between,
                &between.inverse(),
                of_first,
                of_second,
                &faces[0],
                &faces[1],
                manifold,
                false,
            );
            let normal = from_parry(parts.poses[0].rotation * normal);
            points.extend(parts.points(manifold, &normal));
            return Some(normal);
        }
    };
    for point in points.iter_mut() {
        let [x, y, z] = point.position.into();
        point.position = from_parry(*frame * Vector::new(x, y, z));
    }
    Some(from_parry(frame.rotation * normal))
}

/// The second box is turned by `turn` and moved by `offset`, m, against the first.
fn separating_axis(halves: [Vector; 2], turn: &Mat3, offset: Vector, prediction: f64) -> Option<Axis> {
    let columns = [turn.x_axis, turn.y_axis, turn.z_axis];
    let reach = columns.map(|column| column.abs());
    let (mut best, mut found) = (f64::NEG_INFINITY, Axis::Face { of_second: false, axis: 0 });
    let of_first =
        offset.abs() - halves[0] - (reach[0] * halves[1].x + reach[1] * halves[1].y + reach[2] * halves[1].z);
    for axis in 0..3 {
        if of_first[axis] > best {
            (best, found) = (of_first[axis], Axis::Face { of_second: false, axis });
        }
    }
    if best > prediction {
        return None;
    }
    for axis in 0..3 {
        let apart = columns[axis].dot(offset).abs() - halves[1][axis] - reach[axis].dot(halves[0]);
        if apart > best + ROUNDING {
            (best, found) = (apart, Axis::Face { of_second: true, axis });
        }
    }
    if best > prediction {
        return None;
    }
    best += ROUNDING;
    for two in 0..3 {
        let (column, [j1, j2]) = (columns[two], others(two));
        for one in 0..3 {
            let [i1, i2] = others(one);
            let squared = 1.0 - column[one] * column[one];
            if squared < PARALLEL {
                continue;
            }
            let along = offset[i2] * column[i1] - offset[i1] * column[i2];
            let own = halves[0][i1] * reach[two][i2] + halves[0][i2] * reach[two][i1];
            let other = halves[1][j1] * reach[j2][one] + halves[1][j2] * reach[j1][one];
            let apart = along.abs() - own - other;
            // Compared without the square root while that decides nothing.
            if apart > best * squared.sqrt() {
                let length = squared.sqrt();
                let mut normal = Vector::ZERO;
                (normal[i1], normal[i2]) = (-column[i2], column[i1]);
                normal *= along.signum() / length;
                (best, found) = (apart / length, Axis::Edges(normal));
            }
        }
    }
    (best <= prediction + ROUNDING).then_some(found)
}

fn others(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

/// A corner of a clipped face: in the frame of the other box, with a number of its own.
type Corner = (Vector, u32);

/// Clips the face of the second box that looks against `out`, the normal of a face of the first across `axis`, to that face. Points are in the frame
/// of the first.
fn clip(
    halves: [Vector; 2],
    turn: &Mat3,
    offset: Vector,
    (axis, out): (usize, Vector),
    features: impl Fn(u32) -> [u32; 2],
    points: &mut Vec<ContactPoint>,
) {
    let facing = turn.transpose() * -out;
    let across = facing.abs().max_position();
    let [one, two] = others(across);
    let center = offset + *turn * (Vector::AXES[across] * (facing[across].signum() * halves[1][across]));
    let [u, v] = [one, two].map(|axis| *turn * (Vector::AXES[axis] * halves[1][axis]));
    let first = if facing[across] > 0.0 { 4 * across as u32 } else { 4 * across as u32 + 12 };
    // Eight corners at most: each of four cuts adds one.
    let (mut polygon, mut next) = ([(Vector::ZERO, 0); 8], [(Vector::ZERO, 0); 8]);
    let mut count = 4;
    for (corner, (number, [a, b])) in
        polygon.iter_mut().zip([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].into_iter().enumerate())
    {
        *corner = (center + u * a + v * b, first + number as u32);
    }
    for (side, axis) in others(axis).into_iter().enumerate() {
        for sign in [1.0, -1.0] {
            let beyond = |corner: &Corner| sign * corner.0[axis] - halves[0][axis];
            if polygon[..count].iter().all(|corner| beyond(corner) <= 0.0) {
                continue;
            }
            let cut = 2 * side as u32 + u32::from(sign > 0.0) + 1;
            let mut kept = 0;
            for index in 0..count {
                let (here, after) = (polygon[index], polygon[(index + 1) % count]);
                let (one, other) = (beyond(&here), beyond(&after));
                if one <= 0.0 {
                    next[kept] = here;
                    kept += 1;
                }
                if (one <= 0.0) != (other <= 0.0) && kept < next.len() {
                    let share = one / (one - other);
                    // The same whichever way round the edge is cut.
                    let number =
                        (here.1.min(after.1) * 31 + here.1.max(after.1)).wrapping_mul(7).wrapping_add(cut << 16);
                    next[kept] = (here.0 + (after.0 - here.0) * share, number);
                    kept += 1;
                }
            }
            (polygon, count) = (next, kept);
            if count == 0 {
                return;
            }
        }
    }
    points.extend(polygon[..count].iter().map(|&(corner, number)| {
        let gap = corner.dot(out) - halves[0][axis];
        ContactPoint { position: from_parry(corner - out * (0.5 * gap)), gap, features: features(number), share: 1.0 }
    }));
}

#[cfg(test)]
mod tests {
    use bunraku_test_support::Random;
    use parry3d_f64::math::Pose;
    use parry3d_f64::query;

    use super::*;

    fn found(halves: [Vector; 2], poses: [Pose; 2]) -> (Option<Vector3<f64>>, Vec<ContactPoint>) {
        let boxes = halves.map(Cuboid::new);
        let mut points = Vec::new();
        let parts = Parts { numbers: [0; 2], poses, shapes: [&boxes[0], &boxes[1]], normals: [None; 2] };
        let normal = find(&parts, [&boxes[0], &boxes[1]], 0.01, &mut Manifold::new(), &mut points);
        (normal, points)
    }

    #[test]
    fn a_box_across_the_edge_of_another_touches_in_the_corners_of_the_common_area() {
        let poses = [Pose::IDENTITY, Pose::translation(0.5, 0.25, 0.999)];
        let (normal, points) = found([Vector::splat(0.5); 2], poses);
        assert_eq!(normal, Some(Vector3::z()));
        let mut corners: Vec<[f64; 2]> = points.iter().map(|point| [point.position.x, point.position.y]).collect();
        corners.sort_by(|one, other| one.partial_cmp(other).unwrap());
        assert_eq!(corners, [[0.0, -0.25], [0.0, 0.5], [0.5, -0.25], [0.5, 0.5]]);
        assert!(
            points.iter().all(|point| (point.gap + 0.001).abs() < 1e-15 && (point.position.z - 0.4995).abs() < 1e-15)
        );
        let mut features: Vec<_> = points.iter().map(|point| point.features).collect();
        features.sort_unstable();
        features.dedup();
        assert_eq!(features.len(), 4, "{features:?}");
    }

    #[test]
    fn boxes_at_random_have_the_normal_that_parry_finds_by_iteration() {
        let mut random = Random::new(7);
        let mut vector = |size: f64| Vector::new(random.within(size), random.within(size), random.within(size));
        let mut count = 0;
        for _ in 0..20_000 {
            let halves = [vector(0.4).abs() + 0.1, vector(0.4).abs() + 0.1];
            let poses = [Pose::new(vector(1.0), vector(3.0)), Pose::new(vector(1.0), vector(3.0))];
            let contact = query::contact(&poses[0], &Cuboid::new(halves[0]), &poses[1], &Cuboid::new(halves[1]), 0.0);
            let (normal, points) = found(halves, poses);
            let Some((contact, normal)) = contact.unwrap().zip(normal) else { continue };
            let deepest = points.iter().map(|point| point.gap).fold(f64::INFINITY, f64::min);
            count += 1;
            assert!(deepest < contact.dist + 1e-6, "{deepest} {}", contact.dist);
            assert!((normal - from_parry(contact.normal1)).norm() < 1e-3, "{normal} {:?}", contact.normal1);
        }
        println!("{count} pairs");
        assert!(count > 1000);
    }
}
