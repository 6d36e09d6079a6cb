//! Where boxes and wheels touch a face of the ground, in double precision.
//!
//! The corners of a box above one face of a box that does not move, and the ends of a wheel's lowest line, are all there is to find as long as they
//! are above that face and not near its edges. Rapier's own points are as old as its manifold, and a millionth of the size of the shapes off; it need
//! not look at such a pair at all, so that its own pairs tell nothing of it.
//!
//! Bodies with closed loops are left to rapier. Wheels that are jammed in a ring of track links drive by what the links happen to touch in: with these
//! points the eight wheels of Choreonoid's sample vehicle differ by twice as much.

use bevy_rapier3d::parry::shape::{Shape, TypedShape};
use nalgebra::{Isometry3, Point3, Vector3};

use super::shape_parts::give_part;
use super::surface_points::{Point, Side};
use crate::world::convert::{from_pose, from_vec3};

/// Sine of the largest angle between a wheel's axis and the ground at which it touches with its side.
const SIDE: f64 = 0.2;

/// Corners of a face, or the ends of a line.
const MOST_POINTS: usize = 4;

/// Points of a shape in its own frame, with numbers that are theirs.
type Features = [Option<(Vector3<f64>, u32)>; MOST_POINTS];

/// How a shape is above a face of a box that does not move.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnGround {
    /// Of the box, in its own frame, outwards.
    normal: Vector3<f64>,
    /// In the frame of the box.
    features: Features,
    /// m, below zero within the box.
    gaps: [f64; MOST_POINTS],
    /// Whether the box is the first side.
    is_first: bool,
}

impl OnGround {
    /// Of two colliders; `None` if it is not as simple as that within `margin`, m, of the surface.
    pub fn find(sides: &[Side<'_>; 2], subshapes: [u32; 2], margin: f32) -> Option<Self> {
        let (ground, other, subshape, is_first) = match sides {
            [ground, other] if !ground.moves => (ground, other, subshapes[1], true),
            [other, ground] if !ground.moves => (ground, other, subshapes[0], false),
            _ => return None,
        };
        if other.is_in_loop {
            return None;
        }
        let half = from_vec3(ground.collider.shape().as_cuboid()?.half_extents);
        let has_skin = sides.iter().any(|side| side.collider.contact_skin() != side.margin);
        if has_skin {
            return None;
        }
        let between = ground.pose.inv_mul(&other.pose);
        let mut found = None;
        if other.collider.shape().as_composite_shape().is_none() {
            found = find_on_box(&half, &between, other.collider.shape(), f64::from(margin));
        } else {
            give_part(other.collider.shape(), subshape, &mut |pose, shape, _| {
                found = find_on_box(&half, &(between * from_pose(pose)), shape, f64::from(margin));
            });
        }
        found.map(|found| Self { is_first, ..found })
    }

    /// Whether any of the points is within a gap, m.
    pub fn is_within(&self, gap: f32) -> bool {
        self.features.iter().zip(&self.gaps).any(|(feature, own)| feature.is_some() && *own < f64::from(gap))
    }

    /// Gives the points, and the normal: a unit vector out of the first side, world axes.
    pub fn tell(&self, sides: &[Side<'_>; 2], points: &mut Vec<Point>) -> Vector3<f64> {
        let Self { normal, features, gaps, is_first } = self;
        let ground = &sides[usize::from(!is_first)].pose;
        points.extend(features.iter().zip(gaps).filter_map(|(feature, &gap)| {
            let (point, number) = (*feature)?;
            let position = (ground * Point3::from(point - normal * (0.5 * gap))).coords;
            let features = if *is_first { [0, number] } else { [number, 0] };
            Some(Point { position, gap, features, share: 1.0 })
        }));
        let normal = ground.rotation * normal;
        if *is_first { normal } else { -normal }
    }
}

fn find_on_box(half: &Vector3<f64>, pose: &Isometry3<f64>, shape: &dyn Shape, margin: f64) -> Option<OnGround> {
    let center = pose.translation.vector;
    let outside = center.abs() - half;
    let axis = outside.imax();
    if outside[axis] <= 0.0 {
        return None;
    }
    let normal = Vector3::ith(axis, center[axis].signum());
    let mut features = lowest(shape, &(pose.rotation.inverse() * -normal))?;
    let (mut gaps, mut deepest) = ([0.0; MOST_POINTS], 0.0_f64);
    for ((point, _), gap) in features.iter_mut().flatten().zip(&mut gaps) {
        *point = (pose * Point3::from(*point)).coords;
        *gap = point.dot(&normal) - half[axis];
        deepest = deepest.min(*gap);
    }
    let margin = margin - deepest;
    let is_above =
        |point: &Vector3<f64>| (0..3).all(|other| other == axis || point[other].abs() < half[other] - margin);
    features.iter().flatten().all(|(point, _)| is_above(point)).then_some(OnGround {
        normal,
        features,
        gaps,
        is_first: true,
    })
}

/// The face of a box or the line of a cylinder that is the farthest in a direction.
fn lowest(shape: &dyn Shape, direction: &Vector3<f64>) -> Option<Features> {
    let mut features = [None; MOST_POINTS];
    match shape.as_typed_shape() {
        TypedShape::Cuboid(cuboid) => {
            let half = from_vec3(cuboid.half_extents);
            let axis = direction.iamax();
            let [one, two] = [(axis + 1) % 3, (axis + 2) % 3];
            for (index, feature) in features.iter_mut().enumerate() {
                let mut signs = Vector3::repeat(direction[axis].signum());
                signs[one] = if index & 1 == 0 { -1.0 } else { 1.0 };
                signs[two] = if index & 2 == 0 { -1.0 } else { 1.0 };
                let number = (0..3).map(|axis| u32::from(signs[axis] > 0.0) << axis).sum();
                *feature = Some((half.component_mul(&signs), number));
            }
        }
        TypedShape::Cylinder(cylinder) if direction.y.abs() < SIDE => {
            let across = Vector3::new(direction.x, 0.0, direction.z).normalize() * f64::from(cylinder.radius);
            let end = Vector3::y() * f64::from(cylinder.half_height);
            features[0] = Some((across - end, 0));
            features[1] = Some((across + end, 1));
        }
        _ => return None,
    }
    Some(features)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_rapier3d::rapier::geometry::{Collider, ColliderBuilder};

    const MARGIN: f32 = 0.002;

    fn ground() -> (Collider, Isometry3<f64>) {
        let pose = Isometry3::new(Vector3::new(1.0, -2.0, 0.3), Vector3::new(0.2, -0.1, 0.4));
        (ColliderBuilder::cuboid(5.0, 4.0, 0.5).build(), pose)
    }

    /// Of a collider at a pose in the frame of the ground, told second or first.
    fn points_on_ground(other: &Collider, pose: &Isometry3<f64>, is_first: bool) -> Option<(Vec<Point>, Vector3<f64>)> {
        let (collider, ground) = ground();
        let still = Side { collider: &collider, pose: ground, moves: false, margin: 0.0, is_in_loop: false };
        let side = Side { collider: other, pose: ground * pose, moves: true, margin: 0.0, is_in_loop: false };
        let sides = if is_first { [still, side] } else { [side, still] };
        let found = OnGround::find(&sides, [0; 2], MARGIN)?;
        let mut points = Vec::new();
        let normal = found.tell(&sides, &mut points);
        Some((points, ground.inverse() * normal))
    }

    #[test]
    fn the_lowest_corners_of_a_box_are_told_in_double_precision() {
        let foot = ColliderBuilder::cuboid(0.125, 0.0625, 0.25).build();
        let pose = Isometry3::new(Vector3::new(0.3, 1.2, 0.5 + 0.0615), Vector3::new(1.57, 0.02, 0.0));
        for (is_first, up) in [(true, 1.0), (false, -1.0)] {
            let (points, normal) = points_on_ground(&foot, &pose, is_first).unwrap();
            assert!((normal - Vector3::z() * up).norm() < 1e-15, "{normal}");
            assert_eq!(points.len(), 4);
            let mut gaps: Vec<f64> = points.iter().map(|point| point.gap).collect();
            let corner = |x: f64, z: f64| (pose * Point3::new(x, -0.0625, z)).z - 0.5;
            let mut expected =
                [[-0.125, -0.25], [-0.125, 0.25], [0.125, -0.25], [0.125, 0.25]].map(|[x, z]| corner(x, z));
            gaps.sort_by(f64::total_cmp);
            expected.sort_by(f64::total_cmp);
            for (gap, expected) in gaps.iter().zip(expected) {
                assert!((gap - expected).abs() < 1e-15, "{gap} {expected}");
            }
        }
    }

    #[test]
    fn a_wheel_touches_along_its_lowest_line() {
        let wheel = ColliderBuilder::cylinder(0.0625, 0.25).build();
        let rolled = Isometry3::new(Vector3::new(-2.0, 0.0, 0.75), Vector3::new(0.0, 1.3, 0.0));
        let (points, _) = points_on_ground(&wheel, &rolled, true).unwrap();
        assert_eq!(points.len(), 2);
        for point in &points {
            assert!(point.gap.abs() < 1e-15, "{point:?}");
        }
        assert!(((points[0].position - points[1].position).norm() - 0.125).abs() < 1e-15);
        let standing = Isometry3::new(Vector3::new(-2.0, 0.0, 0.5625), Vector3::new(1.57, 0.0, 0.0));
        assert!(points_on_ground(&wheel, &standing, true).is_none());
    }

    #[test]
    fn what_is_not_so_simple_is_left_to_rapier() {
        let cube = ColliderBuilder::cuboid(0.1, 0.1, 0.1).build();
        let at = |x: f64, z: f64| Isometry3::translation(x, 0.0, z);
        assert!(points_on_ground(&cube, &at(4.89, 0.6), true).is_some());
        assert!(points_on_ground(&cube, &at(4.9, 0.6), true).is_none(), "at an edge of the ground");
        assert!(points_on_ground(&cube, &at(4.88, 0.58), true).is_none(), "so deep that the edge may be nearer");
        assert!(points_on_ground(&cube, &at(0.0, 0.5), true).is_none(), "in the ground");
        let ball = ColliderBuilder::ball(0.1).build();
        assert!(points_on_ground(&ball, &at(0.0, 0.6), true).is_none());
        let thick = ColliderBuilder::cuboid(0.1, 0.1, 0.1).contact_skin(0.01).build();
        assert!(points_on_ground(&thick, &at(0.0, 0.6), true).is_none());
        let (collider, pose) = ground();
        let still = Side { collider: &collider, pose, moves: false, margin: 0.0, is_in_loop: false };
        let side = Side { collider: &cube, pose: pose * at(0.0, 0.6), moves: true, margin: 0.0, is_in_loop: true };
        assert!(OnGround::find(&[still, side], [0; 2], MARGIN).is_none(), "of a body with closed loops");
    }
}
