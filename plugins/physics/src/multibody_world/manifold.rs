//! The points in which two colliders touch, and the normal there, as the shapes are now.
//!
//! As long as two shapes turn against each other by less than 1°, rapier keeps the points that it found first, and the normal rides on the
//! first shape. What a box bears that rocks by half a degree would push it aside by 1 %: such a manifold is found anew.

use std::num::NonZeroUsize;

use bevy_rapier3d::parry::query::details::NormalConstraints;
use bevy_rapier3d::parry::query::{DefaultQueryDispatcher, PersistentQueryDispatcher};
use bevy_rapier3d::parry::shape::Shape;
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bevy_rapier3d::rapier::geometry::{Collider, ContactManifold, ContactManifoldData};
use bevy_rapier3d::rapier::math::{Pose, Vector};
use bunraku_body::ContactCulling;
use nalgebra::Vector3;

use super::faces::exact_normal;
use super::ground_faces::OnGround;
use super::round_shapes;
use super::shape_parts::give_part;
use super::surface_points::{Point, Side};
use crate::world::convert::{from_pose, from_vec3, to_vec3};
use crate::world::culling;

/// How far shapes may have turned since the manifold was found, rad.
const TURNED: f32 = 1e-4;

/// The most points of a manifold that count.
const MOST_POINTS: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// Finds where two colliders touch that are within `prediction`, m. Gives the normal: a unit vector out of the first, world axes.
pub(super) fn find_points(
    sides: &[Side<'_>; 2],
    on_ground: Option<&OnGround>,
    manifold: &ContactManifold,
    bodies: &RigidBodySet,
    culling: &ContactCulling,
    prediction: f32,
    points: &mut Vec<Point>,
) -> Vector3<f64> {
    points.clear();
    let colliders = [sides[0].collider, sides[1].collider];
    let subshapes = [manifold.subshape1, manifold.subshape2];
    let on_ground = on_ground.copied().or_else(|| OnGround::find(sides, subshapes, prediction));
    let normal = if let Some(on_ground) = on_ground {
        let normal = on_ground.tell(sides, points);
        cull(culling, points);
        normal
    } else {
        // Of the points within a margin rapier keeps the deepest alone.
        let has_margin = sides.iter().any(|side| side.margin > 0.0);
        let anew = if has_margin || is_stale(colliders, manifold) {
            find_anew(colliders, manifold, prediction, points)
        } else {
            None
        };
        if anew.is_some() {
            cull(culling, points);
        }
        let normal = anew.unwrap_or_else(|| {
            take_kept(manifold, bodies, points);
            manifold.data.normal
        });
        exact_normal(normal, sides)
    };
    let is_on_ground = sides.iter().any(|side| !side.moves);
    if is_on_ground && colliders.iter().any(|collider| round_shapes::may_be_round(collider.shape())) {
        give_parts(colliders, subshapes, &mut |parts, shapes, _| {
            let poses = std::array::from_fn(|side| sides[side].pose * from_pose(&parts[side]));
            round_shapes::refine(&poses, shapes, &normal, points);
        });
    }
    points.retain(|point| point.gap < f64::from(prediction));
    normal
}

/// Leaves as many points as rapier would.
pub(super) fn cull(culling: &ContactCulling, points: &mut Vec<Point>) {
    let culling = if points.len() > MOST_POINTS.get() && culling.max_points.is_none_or(|most| most > MOST_POINTS) {
        ContactCulling { max_points: Some(MOST_POINTS), ..*culling }
    } else {
        *culling
    };
    if culling == ContactCulling::default() {
        return;
    }
    #[allow(clippy::cast_possible_truncation)]
    let as_seen = |point: &Point| culling::Point { position: to_vec3(&point.position), depth: -point.gap as f32 };
    let kept = culling::kept(&culling, &points.iter().map(as_seen).collect::<Vec<_>>());
    let mut index = 0;
    points.retain(|_| {
        index += 1;
        kept.contains(&(index - 1))
    });
}

/// Whether the two shapes have turned against each other since the manifold was found.
fn is_stale(colliders: [&Collider; 2], manifold: &ContactManifold) -> bool {
    let parts = [manifold.subshape_pos1(), manifold.subshape_pos2()];
    let normals = [manifold.local_n1, manifold.local_n2];
    let [first, second]: [Vector; 2] = std::array::from_fn(|side| {
        let normal = parts[side].map_or(normals[side], |part| part.rotation * normals[side]);
        colliders[side].position().rotation * normal
    });
    first.cross(second).length() > TURNED
}

/// What rapier has.
fn take_kept(manifold: &ContactManifold, bodies: &RigidBodySet, points: &mut Vec<Point>) {
    let data = &manifold.data;
    // The first side's arm is that of its centre of mass, but for one that other bodies do not move at all.
    let anchor = data.rigid_body1.filter(|_| data.relative_dominance <= 0).and_then(|body| bodies.get(body));
    let center = anchor.map_or(Vector::ZERO, |body| body.center_of_mass());
    points.extend(data.solver_contacts.iter().filter_map(|contact| {
        let [index] = contact.contact_indices();
        let tracked = manifold.points.get(index as usize)?;
        let features = [tracked.fid1.0, tracked.fid2.0];
        let position = from_vec3(center) + from_vec3(tracked.data.solver_dp1);
        Some(Point { position, gap: contact.dist.into(), features, share: 1.0 })
    }));
}

/// The same from the shapes themselves; `None` of shapes that parry cannot tell about.
fn find_anew(
    colliders: [&Collider; 2],
    manifold: &ContactManifold,
    prediction: f32,
    points: &mut Vec<Point>,
) -> Option<Vector> {
    let subshapes = [manifold.subshape1, manifold.subshape2];
    let mut fresh = ContactManifold::with_data(manifold.subshape1, manifold.subshape2, ContactManifoldData::default());
    // Where the search begins.
    (fresh.local_n1, fresh.local_n2) = (manifold.local_n1, manifold.local_n2);
    let mut found = None;
    give_parts(colliders, subshapes, &mut |parts, [shape1, shape2], [constraints1, constraints2]| {
        let poses = [colliders[0].position() * parts[0], colliders[1].position() * parts[1]];
        found = find_manifold(&poses, [shape1, shape2], [constraints1, constraints2], prediction, &mut fresh)
            .then_some(poses);
    });
    let [pose1, pose2] = found?;
    let normal = pose1.rotation * fresh.local_n1;
    points.extend(fresh.points.iter().map(|point| {
        let [on_first, on_second] = [pose1 * point.local_p1, pose2 * point.local_p2];
        let reached = on_first + normal * ((on_second - on_first).dot(normal) - point.dist);
        let position = (from_vec3(reached) + from_vec3(on_second)) * 0.5;
        Point { position, gap: point.dist.into(), features: [point.fid1.0, point.fid2.0], share: 1.0 }
    }));
    Some(normal)
}

/// Finds the points in which two convex shapes touch that are within `prediction`, m. False for shapes that parry cannot test.
pub(super) fn find_manifold(
    poses: &[Pose; 2],
    [shape1, shape2]: [&dyn Shape; 2],
    [constraints1, constraints2]: [Option<&dyn NormalConstraints>; 2],
    prediction: f32,
    manifold: &mut ContactManifold,
) -> bool {
    let between = poses[0].inv_mul(&poses[1]);
    DefaultQueryDispatcher
        .contact_manifold_convex_convex(&between, shape1, shape2, constraints1, constraints2, prediction, manifold)
        .is_ok()
}

/// Takes the parts of two shapes that touch: their poses in their shapes, themselves, and what bounds their normals.
type TakeParts<'a> = dyn FnMut([Pose; 2], [&dyn Shape; 2], [Option<&dyn NormalConstraints>; 2]) + 'a;

/// Gives parts of two colliders, by their numbers.
pub(super) fn give_parts(colliders: [&Collider; 2], subshapes: [u32; 2], take: &mut TakeParts<'_>) {
    let [first, second] = colliders;
    give_part(first.shape(), subshapes[0], &mut |pose1, shape1, constraints1| {
        give_part(second.shape(), subshapes[1], &mut |pose2, shape2, constraints2| {
            take([*pose1, *pose2], [shape1, shape2], [constraints1, constraints2]);
        });
    });
}
