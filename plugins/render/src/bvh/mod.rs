//! Bounding volume hierarchies: the boxes that a ray hits, nearest first.
//!
//! A node contains the boxes of four children side by side, so that one SIMD pass tests all of them.

mod build;
mod nearest;
mod packet;
mod refit;
mod solids;
mod triangles;

use nalgebra::Vector3;
use wide::{CmpLe, f32x4};

pub use build::{Bounds, build};
pub use nearest::{Nearest, Surface};
pub use packet::{BoxPacket, LANES, Lanes, Rays, WIDTH};
pub use solids::SolidTree;
pub use triangles::{MeshRay, MeshTree, PreparedRays};

/// Bit that marks a child as a leaf; the other bits are its number from [`build`].
const LEAF: u32 = 1 << 31;

/// A slot without a child.
const EMPTY: u32 = u32::MAX;

/// Enlarges the exit distance of a box by the rounding error of its three operations, so that no ray slips between two
/// boxes (T. Ize, *Robust BVH Ray Traversal*, JCGT 2013).
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
    /// Minimum x, maximum x, minimum y, … of each child.
    bounds: [f32x4; 6],
    children: [u32; 4],
}

/// A ray prepared for tests against boxes.
#[derive(Clone, Debug)]
pub struct BoxRay {
    origin: [f32x4; 3],
    /// 1 / direction.
    inverse: [f32x4; 3],
    /// Indices into [`Node::bounds`] of the planes that the ray hits first on each axis.
    near: [usize; 3],
    start: f32x4,
}

/// Nodes to be visited, with their distances.
pub type Stack = Vec<(u32, f32)>;

impl BoxRay {
    /// Replaces 0 along an axis, which has no inverse.
    const TINY: f32 = 1e-30;

    /// Whether a direction along an axis is negative in tests against boxes.
    pub fn is_backwards(direction: f32) -> bool {
        direction <= -Self::TINY
    }

    /// A ray that starts at `start` m from its origin.
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
    /// Entry distance for each child, and bits of the children that are hit before `end`.
    fn enter(&self, ray: &BoxRay, end: f32) -> (f32x4, i32) {
        let along = |axis: usize, bound: usize| (self.bounds[bound] - ray.origin[axis]) * ray.inverse[axis];
        let [x, y, z] = ray.near;
        let enter = along(0, x).fast_max(along(1, y)).fast_max(along(2, z).fast_max(ray.start));
        let leave = along(0, x ^ 1).fast_min(along(1, y ^ 1)).fast_min(along(2, z ^ 1)) * f32x4::splat(ROUNDING);
        (enter, enter.cmp_le(leave.fast_min(f32x4::splat(end))).move_mask())
    }
}

impl Tree {
    /// Calls `leaf` for each leaf whose box the ray hits before the current end, near boxes first. Its arguments are
    /// the number of the leaf, the entry distance and the end. It returns the new end, which is lower if it has found a
    /// hit.
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

/// Sorts the entries from `bottom` on, at most four.
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
