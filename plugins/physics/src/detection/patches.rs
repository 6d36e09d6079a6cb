//! Contact patches of a pair of colliders: the points that have one normal.
//!
//! Each pair of convex parts is a patch. The triangles of a mesh are no such parts: each is tested alone, with the normals that its
//! neighbours allow ([`MeshEdges`]), and points on triangles of one plane are one patch, of which only the corners count, not those on the
//! edges between its triangles.

use std::num::NonZeroUsize;

use bunraku_body::ContactCulling;
use nalgebra::{Isometry3, Vector3};
use parry3d_f64::query::details::NormalConstraints;
use parry3d_f64::shape::{PackedFeatureId, SharedShape};

use super::contact_point::ContactPoint;
use super::manifold::{Manifold, Parts, for_near_parts, from_parry};
use super::{box_box, over_face};
use crate::world::convert::{to_f64_pose, to_vec3};
use crate::world::culling;
use crate::world::mesh_edges::{MeshEdges, TriangleNormals};

/// Sine of the largest angle between the normals of triangles in one plane: heights in files have six digits.
const FLAT: f64 = 3e-4;
/// Largest distance of triangles in one plane along its normal, m.
const LEVEL: f64 = 1e-4;

/// Points of a mesh that are nearer to each other are one, m.
const SAME: f64 = 1e-5;

/// The most points of a patch that become contacts.
const MOST_POINTS: NonZeroUsize = NonZeroUsize::new(4).unwrap();
/// A patch of a mesh with this many points is reduced to its corners before more are added.
const MOST_ON_MESH: usize = 64;

/// One of two colliders that may touch.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub shape: &'a SharedShape,
    /// In the world, in the middle of the step.
    pub pose: Isometry3<f64>,
    pub moves: bool,
}

/// The contact patches of two colliders.
#[derive(Default)]
pub(super) struct Patches {
    patches: Vec<Patch>,
    /// Number of patches of this pair; the others keep their memory.
    count: usize,
    manifold: Manifold,
}

/// Contact points with one normal.
#[derive(Default)]
pub(super) struct Patch {
    /// Unit vector out of the first side, world axes.
    pub normal: Vector3<f64>,
    pub points: Vec<ContactPoint>,
    /// Indices of the parts within the two shapes; of a mesh those of the first point.
    parts: [u32; 2],
    is_on_mesh: bool,
}

impl Patches {
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Patch> {
        self.patches[..self.count].iter_mut()
    }

    /// Finds where two colliders are nearer than `prediction`, m.
    pub fn find(&mut self, sides: &[Side<'_>; 2], meshes: [Option<&MeshEdges>; 2], prediction: f64) {
        self.count = 0;
        let is_on_mesh = meshes.iter().any(Option::is_some);
        let (poses, shapes) = (sides.map(|side| to_f64_pose(&side.pose)), sides.map(|side| &*side.shape.0));
        let moves = sides.map(|side| side.moves);
        let mut manifold = std::mem::take(&mut self.manifold);
        for_near_parts(poses, shapes, prediction, &mut |parts| {
            if is_on_mesh {
                self.find_on_mesh(sides, meshes, &parts, prediction, &mut manifold);
                return;
            }
            let patch = self.add(Vector3::zeros(), parts.numbers, false);
            let boxes = parts.shapes.map(|shape| shape.as_cuboid());
            if let Some(normal) = over_face::find(&parts, moves, prediction, &mut patch.points) {
                patch.normal = normal;
            } else if let [Some(first), Some(second)] = boxes {
                let normal = box_box::find(&parts, [first, second], prediction, &mut manifold, &mut patch.points);
                match normal {
                    Some(normal) => patch.normal = normal,
                    None => self.count -= 1,
                }
            } else if parts.find(prediction, &mut manifold) {
                patch.normal = from_parry(parts.poses[0].rotation * manifold.local_n1);
                patch.points.extend(parts.points(&manifold, &patch.normal));
            } else {
                self.count -= 1;
            }
        });
        self.manifold = manifold;
    }

    fn add(&mut self, normal: Vector3<f64>, parts: [u32; 2], is_on_mesh: bool) -> &mut Patch {
        if self.count == self.patches.len() {
            self.patches.push(Patch::default());
        }
        self.count += 1;
        let patch = &mut self.patches[self.count - 1];
        (patch.normal, patch.parts, patch.is_on_mesh) = (normal, parts, is_on_mesh);
        patch.points.clear();
        patch
    }

    fn find_on_mesh(
        &mut self,
        sides: &[Side<'_>; 2],
        meshes: [Option<&MeshEdges>; 2],
        parts: &Parts<'_>,
        prediction: f64,
        manifold: &mut Manifold,
    ) {
        let normals: [Option<Option<TriangleNormals>>; 2] = std::array::from_fn(|side| {
            meshes[side].map(|mesh| {
                let center = to_f64_pose(&sides[side].pose).inverse_transform_point(parts.bounds(1 - side).center());
                mesh.normals(parts.numbers[side], center)
            })
        });
        // A triangle without area has no normal; its neighbours are found without it.
        if normals.iter().any(|normals| matches!(normals, Some(None))) {
            return;
        }
        let allowed: [Option<&dyn NormalConstraints>; 2] = std::array::from_fn(|side| {
            normals[side].as_ref().and_then(Option::as_ref).map_or(parts.normals[side], |normals| Some(normals as _))
        });
        if !(Parts { normals: allowed, ..*parts }).find(prediction, manifold) {
            return;
        }
        let normal = from_parry(parts.poses[0].rotation * manifold.local_n1);
        let is_mesh = meshes.map(|mesh| mesh.is_some());
        for (mut point, found) in parts.points(manifold, &normal).zip(&manifold.points) {
            if point.gap >= prediction {
                continue;
            }
            point.features = [0, 1].map(|side| feature(side, [found.fid1, found.fid2], parts, is_mesh));
            let belongs = |patch: &Patch| {
                let of_patch = patch.points.first().map_or(Vector3::zeros(), |point| point.position);
                patch.normal.cross(&normal).norm() < FLAT
                    && patch.normal.dot(&normal) > 0.0
                    && (of_patch - point.position).dot(&normal).abs() < LEVEL + point.gap.abs()
            };
            let known = self.patches[..self.count].iter().position(belongs);
            let patch = match known {
                Some(index) => &mut self.patches[index],
                None => self.add(normal, parts.numbers, true),
            };
            if patch.points.iter().all(|known| (known.position - point.position).norm() > SAME) {
                patch.points.push(point);
            }
            if patch.points.len() == MOST_ON_MESH {
                keep_corners(&mut patch.points, &normal);
            }
        }
    }
}

impl Patch {
    /// Leaves the points that count: nearer than `prediction`, m, and as many as the culling of the materials allows.
    pub fn reduce(&mut self, culling: &ContactCulling, prediction: f64) {
        if self.is_on_mesh {
            keep_corners(&mut self.points, &self.normal);
        }
        self.points.retain(|point| point.gap < prediction);
        cull(culling, &mut self.points);
    }

    /// Identifies a point of the pair from step to step: by the features that meet there, and on a mesh by the direction of the normal.
    pub fn identifiers(&self, point: &ContactPoint) -> [u32; 4] {
        let [one, other] = if self.is_on_mesh {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let facing = self.normal.iter().fold(0, |facing, component| 5 * facing + (2.0 * component + 2.5) as u32);
            [facing, 0]
        } else {
            self.parts
        };
        [one, other, point.features[0], point.features[1]]
    }
}

/// Identifier of the feature of a side. Of a mesh only its own corners count: a shape that slides from triangle to triangle keeps its identifiers.
fn feature(side: usize, ids: [PackedFeatureId; 2], parts: &Parts<'_>, is_mesh: [bool; 2]) -> u32 {
    let other = 1 - side;
    let is_own_corner = ids[other].is_face() && parts.shapes[other].as_ball().is_none();
    if is_mesh[side] && !is_mesh[other] && !is_own_corner {
        0
    } else {
        ids[side].0 ^ parts.numbers[side].rotate_left(8)
    }
}

/// Leaves four points at most: the farthest apart, and of the others the farthest to either side of the line between these.
fn keep_corners(points: &mut Vec<ContactPoint>, normal: &Vector3<f64>) {
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
        if kept.iter().all(|known: &ContactPoint| (known.position - point.position).norm() > SAME) {
            kept.push(point);
        }
    }
    *points = kept;
}

/// Leaves four points at most, or as many as the materials say.
fn cull(culling: &ContactCulling, points: &mut Vec<ContactPoint>) {
    let culling = if points.len() > MOST_POINTS.get() && culling.max_points.is_none_or(|most| most > MOST_POINTS) {
        ContactCulling { max_points: Some(MOST_POINTS), ..*culling }
    } else {
        *culling
    };
    if culling == ContactCulling::default() {
        return;
    }
    #[allow(clippy::cast_possible_truncation)]
    let simple = |point: &ContactPoint| culling::Point { position: to_vec3(&point.position), depth: -point.gap as f32 };
    let kept = culling::kept(&culling, &points.iter().map(simple).collect::<Vec<_>>());
    let mut index = 0;
    points.retain(|_| {
        index += 1;
        kept.contains(&(index - 1))
    });
}
