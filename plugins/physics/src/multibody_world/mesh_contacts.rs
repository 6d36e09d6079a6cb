//! Contact points between a mesh and a shape, or two meshes.
//!
//! Each triangle is tested alone, with the normals that its neighbours allow ([`MeshEdges`]). Points on triangles of one plane are one
//! contact patch: only its corners count, not those on the edges between its triangles.

use bevy_rapier3d::parry::bounding_volume::{Aabb, BoundingVolume};
use bevy_rapier3d::parry::query::details::NormalConstraints;
use bevy_rapier3d::parry::shape::{PackedFeatureId, Shape};
use bevy_rapier3d::rapier::geometry::{ContactManifold, ContactManifoldData};
use bevy_rapier3d::rapier::math::Pose;
use bunraku_body::ContactCulling;
use nalgebra::Vector3;

use super::faces::exact_normal;
use super::manifold::{cull, find_manifold, give_parts};
use super::round_shapes;
use super::surface_points::{Point, Side};
use crate::world::convert::{from_pose, from_vec3};
use crate::world::mesh_edges::{MeshEdges, TriangleNormals};

/// Sine of the largest angle between the normals of triangles in one plane: heights in files have six digits.
const FLAT: f64 = 3e-4;
/// Largest distance of triangles in one plane along its normal, m.
const LEVEL: f64 = 1e-4;

/// Points that are nearer to each other are one, m.
const SAME: f64 = 1e-5;

/// A patch with this many points is reduced to its corners before more are added.
const MOST_POINTS: usize = 64;

/// The contact patches of two colliders.
#[derive(Default)]
pub(super) struct MeshPatches {
    patches: Vec<Patch>,
    /// How many of them are of this pair; the others keep their memory.
    count: usize,
}

/// The points on triangles of one plane.
#[derive(Default)]
pub(super) struct Patch {
    /// Unit vector out of the first side, world axes.
    pub normal: Vector3<f64>,
    points: Vec<Point>,
    /// The parts of the two colliders that were found first.
    subshapes: [u32; 2],
}

impl MeshPatches {
    pub fn iter(&self) -> impl Iterator<Item = &Patch> {
        self.patches[..self.count].iter()
    }

    /// Finds where two colliders touch that are within `prediction`, m. The manifolds say which triangles may touch.
    pub fn find(
        &mut self,
        sides: &[Side<'_>; 2],
        meshes: [Option<&MeshEdges>; 2],
        manifolds: &[ContactManifold],
        prediction: f32,
    ) {
        self.count = 0;
        let colliders = [sides[0].collider, sides[1].collider];
        for manifold in manifolds {
            let subshapes = [manifold.subshape1, manifold.subshape2];
            give_parts(colliders, subshapes, &mut |parts, shapes, own| {
                let poses: [Pose; 2] = std::array::from_fn(|side| *colliders[side].position() * parts[side]);
                let boxes: [Aabb; 2] = std::array::from_fn(|side| shapes[side].compute_aabb(&poses[side]));
                if !boxes[0].loosened(prediction).intersects(&boxes[1]) {
                    return;
                }
                let normals: [Option<Option<TriangleNormals>>; 2] = std::array::from_fn(|side| {
                    let center = colliders[side].position().inverse_transform_point(boxes[1 - side].center());
                    meshes[side].map(|mesh| mesh.normals(subshapes[side], center))
                });
                // A triangle without area has no normal; its neighbours are found without it.
                if normals.iter().any(|normals| matches!(normals, Some(None))) {
                    return;
                }
                let constraints: [Option<&dyn NormalConstraints>; 2] = std::array::from_fn(|side| {
                    normals[side].as_ref().and_then(Option::as_ref).map_or(own[side], |normals| Some(normals as _))
                });
                let mut found = ContactManifold::with_data(0, 0, ContactManifoldData::default());
                if find_manifold(&poses, shapes, constraints, prediction, &mut found) && !found.points.is_empty() {
                    let is_mesh = meshes.map(|mesh| mesh.is_some());
                    let features =
                        |ids: [PackedFeatureId; 2]| [0, 1].map(|side| feature(side, ids, shapes, is_mesh, subshapes));
                    self.add(sides, &found, (subshapes, poses), &features, prediction);
                }
            });
        }
    }

    fn add(
        &mut self,
        sides: &[Side<'_>; 2],
        found: &ContactManifold,
        (subshapes, poses): ([u32; 2], [Pose; 2]),
        features: &dyn Fn([PackedFeatureId; 2]) -> [u32; 2],
        prediction: f32,
    ) {
        let normal = exact_normal(poses[0].rotation * found.local_n1, sides);
        for point in found.points.iter().filter(|point| point.dist < prediction) {
            let [on_first, on_second] = [poses[0] * point.local_p1, poses[1] * point.local_p2].map(from_vec3);
            let gap = f64::from(point.dist);
            // Both a gap apart, whatever rounding has made of it.
            let position = (on_first + on_second + normal * ((on_second - on_first).dot(&normal) - gap)) * 0.5;
            let point = Point { position, gap, features: features([point.fid1, point.fid2]), share: 1.0 };
            let belongs = |patch: &Patch| {
                let of_patch = patch.points.first().map_or(Vector3::zeros(), |point| point.position);
                patch.normal.cross(&normal).norm() < FLAT
                    && patch.normal.dot(&normal) > 0.0
                    && (of_patch - position).dot(&normal).abs() < LEVEL + gap.abs()
            };
            let patch = self.patches[..self.count].iter().position(belongs).unwrap_or_else(|| {
                if self.count == self.patches.len() {
                    self.patches.push(Patch::default());
                }
                let patch = &mut self.patches[self.count];
                (patch.normal, patch.subshapes) = (normal, subshapes);
                patch.points.clear();
                self.count += 1;
                self.count - 1
            });
            let points = &mut self.patches[patch].points;
            if points.iter().all(|known| (known.position - position).norm() > SAME) {
                points.push(point);
            }
            if points.len() == MOST_POINTS {
                keep_corners(points, &normal);
            }
        }
    }
}

impl Patch {
    /// Gives the points that count.
    pub fn tell(&self, sides: &[Side<'_>; 2], culling: &ContactCulling, points: &mut Vec<Point>) {
        points.clear();
        points.extend_from_slice(&self.points);
        let colliders = [sides[0].collider, sides[1].collider];
        let is_on_ground = sides.iter().any(|side| !side.moves);
        if is_on_ground && colliders.iter().any(|collider| round_shapes::may_be_round(collider.shape())) {
            give_parts(colliders, self.subshapes, &mut |parts, shapes, _| {
                let poses = std::array::from_fn(|side| sides[side].pose * from_pose(&parts[side]));
                round_shapes::refine(&poses, shapes, &self.normal, points);
            });
        }
        keep_corners(points, &self.normal);
        cull(culling, points);
    }

    /// What tells a point from others of the pair, from step to step: what of the shapes meets there, and where to the patch looks.
    pub fn numbers(&self, point: &Point) -> [u32; 4] {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let facing = self.normal.iter().fold(0, |facing, component| 5 * facing + (2.0 * component + 2.5) as u32);
        [facing, 0, point.features[0], point.features[1]]
    }
}

/// Which feature of a side meets the other, so that what slides over a mesh keeps its numbers: what counts of a mesh are only its own corners.
fn feature(
    side: usize,
    ids: [PackedFeatureId; 2],
    shapes: [&dyn Shape; 2],
    is_mesh: [bool; 2],
    subshapes: [u32; 2],
) -> u32 {
    let other = 1 - side;
    let is_own_corner = ids[other].is_face() && shapes[other].as_ball().is_none();
    if is_mesh[side] && !is_mesh[other] && !is_own_corner { 0 } else { ids[side].0 ^ subshapes[side].rotate_left(8) }
}

/// Leaves four points at most: the farthest apart, and of the others the farthest to either side of the line between these.
fn keep_corners(points: &mut Vec<Point>, normal: &Vector3<f64>) {
    if points.len() <= 4 {
        return;
    }
    #[allow(clippy::cast_precision_loss)]
    let middle = points.iter().map(|point| point.position).sum::<Vector3<f64>>() / points.len() as f64;
    let far = |measure: &dyn Fn(&Vector3<f64>) -> f64| {
        points.iter().copied().max_by(|one, other| measure(&one.position).total_cmp(&measure(&other.position)))
    };
    let Some(first) = far(&|position| (position - middle).norm()) else { return };
    let Some(second) = far(&|position| (position - first.position).norm()) else { return };
    let across = normal.cross(&(second.position - first.position));
    let aside = |position: &Vector3<f64>| across.dot(&(position - first.position));
    let [third, fourth] = [far(&aside), far(&|position| -aside(position))];
    let mut kept = vec![first, second];
    for point in [third, fourth].into_iter().flatten() {
        if kept.iter().all(|known: &Point| (known.position - point.position).norm() > SAME) {
            kept.push(point);
        }
    }
    *points = kept;
}
