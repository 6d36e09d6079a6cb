//! Bounding volume hierarchies: which boxes a ray meets, nearest first.
//!
//! A node holds the boxes of four children side by side, so that one pass of SIMD tests them all.

mod build;
mod packet;
mod triangles;

use nalgebra::Vector3;
use wide::{CmpLe, f32x4};

pub use build::{Bounds, build};
pub use packet::{BoxPacket, LANES, Rays, WIDTH};
pub use triangles::{MeshRay, MeshTree, Nearest};

/// A child that is a leaf has this bit set; the other bits are what [`build`] numbered it.
const LEAF: u32 = 1 << 31;

/// A slot without a child.
const EMPTY: u32 = u32::MAX;

/// Widens the far end of a box by the rounding of its three operations, so that no ray slips between two boxes
/// (T. Ize, *Robust BVH Ray Traversal*, JCGT 2013).
const ROUNDING: f32 = 1.0 + 4.0 * f32::EPSILON;

/// A tree of boxes over leaves.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
}

/// Four children side by side, in two cache lines that are fetched together.
#[derive(Clone, Debug)]
#[repr(align(128))]
struct Node {
    /// Least x, largest x, least y, … of each child.
    bounds: [f32x4; 6],
    children: [u32; 4],
}

/// A ray as boxes are tested against it.
#[derive(Clone, Debug)]
pub struct BoxRay {
    origin: [f32x4; 3],
    /// 1 / direction.
    inverse: [f32x4; 3],
    /// Which of [`Node::bounds`] the ray meets first on each axis.
    near: [usize; 3],
    start: f32x4,
}

/// Nodes that are still to be visited, and how far away they are.
pub type Stack = Vec<(u32, f32)>;

impl BoxRay {
    /// Instead of 0 along an axis, which has no inverse.
    const TINY: f32 = 1e-30;

    /// A ray from `start` m along it.
    pub fn new(origin: Vector3<f32>, direction: Vector3<f32>, start: f32) -> Self {
        let inverse = direction.map(|value| 1.0 / if value.abs() < Self::TINY { Self::TINY } else { value });
        Self {
            origin: [origin.x, origin.y, origin.z].map(f32x4::splat),
            inverse: [inverse.x, inverse.y, inverse.z].map(f32x4::splat),
            near: [0, 1, 2].map(|axis| 2 * axis + usize::from(inverse[axis] < 0.0)),
            start: f32x4::splat(start),
        }
    }
}

impl Node {
    /// Where the ray enters each child, and which of them it meets before `end` as bits.
    fn enter(&self, ray: &BoxRay, end: f32) -> (f32x4, i32) {
        let along = |axis: usize, bound: usize| (self.bounds[bound] - ray.origin[axis]) * ray.inverse[axis];
        let [x, y, z] = ray.near;
        let enter = along(0, x).fast_max(along(1, y)).fast_max(along(2, z).fast_max(ray.start));
        let leave = along(0, x ^ 1).fast_min(along(1, y ^ 1)).fast_min(along(2, z ^ 1)) * f32x4::splat(ROUNDING);
        (enter, enter.cmp_le(leave.fast_min(f32x4::splat(end))).move_mask())
    }
}

impl Tree {
    /// Calls `leaf` with the number of each leaf whose box the ray meets nearer than an end, the distance at which it does,
    /// and that end, near boxes first. `leaf` gives the new end, lower when it has found something.
    pub fn traverse(&self, ray: &BoxRay, stack: &mut Stack, mut end: f32, mut leaf: impl FnMut(u32, f32, f32) -> f32) {
        if self.nodes.is_empty() {
            return;
        }
        stack.clear();
        let (mut current, mut at) = (0, 0.0);
        loop {
            if current & LEAF != 0 {
                end = leaf(current & !LEAF, at, end);
            } else if let Some(node) = self.nodes.get(current as usize) {
                let (enter, mut met) = node.enter(ray, end);
                if met != 0 {
                    let enter = enter.to_array();
                    let mut nearest = met.trailing_zeros() as usize & 3;
                    met &= met - 1;
                    let bottom = stack.len();
                    while met != 0 {
                        let mut child = met.trailing_zeros() as usize & 3;
                        met &= met - 1;
                        if enter[child] < enter[nearest] {
                            std::mem::swap(&mut child, &mut nearest);
                        }
                        stack.push((node.children[child], enter[child]));
                    }
                    sort_farthest_first(stack, bottom);
                    (current, at) = (node.children[nearest], enter[nearest]);
                    continue;
                }
            }
            (current, at) = loop {
                match stack.pop() {
                    None => return,
                    Some((child, enter)) if enter <= end => break (child, enter),
                    Some(_) => {}
                }
            };
        }
    }
}

/// Sorts the entries from `bottom` on, four at most.
fn sort_farthest_first(stack: &mut Stack, bottom: usize) {
    let Some(new) = stack.get_mut(bottom..) else { return };
    let order = |new: &mut [(u32, f32)], a: usize, b: usize| {
        if new[a].1 < new[b].1 {
            new.swap(a, b);
        }
    };
    match new.len() {
        2 => order(new, 0, 1),
        3 => {
            order(new, 0, 1);
            order(new, 1, 2);
            order(new, 0, 1);
        }
        4 => {
            order(new, 0, 1);
            order(new, 2, 3);
            order(new, 0, 2);
            order(new, 1, 3);
            order(new, 1, 2);
        }
        _ => {}
    }
}
