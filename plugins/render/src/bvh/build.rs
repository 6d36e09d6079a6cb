//! Builds trees by the surface area heuristic: the probability that a ray hits a box grows with its surface.

use nalgebra::Vector3;
use wide::f32x4;

use super::{EMPTY, LEAF, Node, Tree};

/// Number of intervals along an axis at whose borders splits are evaluated.
const BINS: usize = 16;

/// Below this depth, nodes are split into halves of equal count, so that no input gives a deep tree.
const SURFACE_DEPTH: usize = 24;

/// An axis-aligned box; empty if a minimum exceeds the maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least coordinates.
    pub min: Vector3<f32>,
    /// Largest coordinates.
    pub max: Vector3<f32>,
}

impl Bounds {
    /// The empty box.
    pub const EMPTY: Self = Self {
        min: Vector3::new(f32::INFINITY, f32::INFINITY, f32::INFINITY),
        max: Vector3::new(f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY),
    };

    /// Bounding box of points.
    pub fn around(points: impl IntoIterator<Item = Vector3<f32>>) -> Self {
        points.into_iter().fold(Self::EMPTY, |bounds, point| bounds.union(&Self { min: point, max: point }))
    }

    /// Bounding box of both.
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// Half its surface, m².
    pub(super) fn half_surface(&self) -> f32 {
        let size = self.max - self.min;
        if size.x < 0.0 { 0.0 } else { size.x * size.y + size.y * size.z + size.z * size.x }
    }

    fn center(&self, axis: usize) -> f32 {
        self.min[axis].midpoint(self.max[axis])
    }
}

/// Builds a tree over boxes with at most `leaf_size` boxes in a leaf. `leaf` gets their indices and returns the number
/// of the leaf.
pub fn build(bounds: &[Bounds], leaf_size: usize, leaf: impl FnMut(&[u32]) -> u32) -> Tree {
    let mut order: Vec<u32> = (0..u32::try_from(bounds.len()).unwrap_or(LEAF)).collect();
    let mut builder = Builder { bounds, leaf_size: leaf_size.max(1), nodes: Vec::new(), leaf };
    if !order.is_empty() {
        builder.node(&mut order, 0);
    }
    Tree { nodes: builder.nodes }
}

struct Builder<'b, F> {
    bounds: &'b [Bounds],
    leaf_size: usize,
    nodes: Vec<Node>,
    leaf: F,
}

impl<F: FnMut(&[u32]) -> u32> Builder<'_, F> {
    /// Creates a node of these boxes; returns its index.
    fn node(&mut self, order: &mut [u32], depth: usize) -> u32 {
        let index = self.nodes.len();
        self.nodes.push(Node { bounds: [f32x4::splat(f32::NAN); 6], children: [EMPTY; 4] });
        let mut parts: Vec<(Bounds, &mut [u32])> = vec![(self.around(order), order)];
        while parts.len() < 4 {
            let surface = |(bounds, part): &(Bounds, &mut [u32])| {
                if part.len() > self.leaf_size { bounds.half_surface() } else { -1.0 }
            };
            let largest = (0..parts.len()).max_by(|&a, &b| surface(&parts[a]).total_cmp(&surface(&parts[b])));
            let Some(largest) = largest.filter(|&index| parts[index].1.len() > self.leaf_size) else { break };
            let (_, part) = parts.swap_remove(largest);
            let (left, right) = self.split(part, depth);
            parts.push((self.around(left), left));
            parts.push((self.around(right), right));
        }
        // Slots without a child have boxes that no ray hits.
        let mut boxes = [[[f32::INFINITY; 4], [f32::NEG_INFINITY; 4]]; 3];
        let mut children = [EMPTY; 4];
        for (slot, (bounds, part)) in parts.into_iter().enumerate() {
            for (axis, sides) in boxes.iter_mut().enumerate() {
                sides[0][slot] = bounds.min[axis];
                sides[1][slot] = bounds.max[axis];
            }
            children[slot] =
                if part.len() <= self.leaf_size { (self.leaf)(part) | LEAF } else { self.node(part, depth + 1) };
        }
        let [x, y, z] = boxes.map(|sides| sides.map(f32x4::new));
        self.nodes[index] = Node { bounds: [x[0], x[1], y[0], y[1], z[0], z[1]], children };
        u32::try_from(index).unwrap_or(EMPTY)
    }

    fn around(&self, part: &[u32]) -> Bounds {
        part.iter().fold(Bounds::EMPTY, |all, &index| all.union(&self.bounds[index as usize]))
    }

    /// Splits into two nonempty parts.
    fn split<'o>(&self, part: &'o mut [u32], depth: usize) -> (&'o mut [u32], &'o mut [u32]) {
        let split = if depth < SURFACE_DEPTH { self.cheapest_split(part) } else { None };
        let middle = match split {
            Some((axis, border)) => {
                let mut middle = 0;
                for index in 0..part.len() {
                    if self.bounds[part[index] as usize].center(axis) < border {
                        part.swap(index, middle);
                        middle += 1;
                    }
                }
                middle
            }
            None => 0,
        };
        // No split is better: halves of equal count along the longest axis.
        let middle = if middle == 0 || middle == part.len() {
            let centers = Bounds::around(
                part.iter().map(|&index| Vector3::from_fn(|axis, _| self.bounds[index as usize].center(axis))),
            );
            let axis = (centers.max - centers.min).imax();
            part.sort_by(|&a, &b| {
                let center = |index: u32| self.bounds[index as usize].center(axis);
                center(a).total_cmp(&center(b))
            });
            part.len() / 2
        } else {
            middle
        };
        part.split_at_mut(middle)
    }

    /// Axis and border of the split with the least expected cost.
    fn cheapest_split(&self, part: &[u32]) -> Option<(usize, f32)> {
        let center = |index: u32, axis: usize| self.bounds[index as usize].center(axis);
        let centers = Bounds::around(part.iter().map(|&index| Vector3::from_fn(|axis, _| center(index, axis))));
        let mut best: Option<(f32, usize, f32)> = None;
        for axis in 0..3 {
            let (from, extent) = (centers.min[axis], centers.max[axis] - centers.min[axis]);
            if extent.is_nan() || extent <= 0.0 {
                continue;
            }
            let width = extent / BINS as f32;
            let mut bins = [(Bounds::EMPTY, 0_u32); BINS];
            for &index in part {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let bin = (((center(index, axis) - from) / width) as usize).min(BINS - 1);
                bins[bin].0 = bins[bin].0.union(&self.bounds[index as usize]);
                bins[bin].1 += 1;
            }
            // Costs above each border, then a sweep from below.
            let mut above = [0.0; BINS];
            let mut all = (Bounds::EMPTY, 0);
            for bin in (1..BINS).rev() {
                all = (all.0.union(&bins[bin].0), all.1 + bins[bin].1);
                above[bin] = all.0.half_surface() * all.1 as f32;
            }
            let mut below = (Bounds::EMPTY, 0);
            for bin in 1..BINS {
                below = (below.0.union(&bins[bin - 1].0), below.1 + bins[bin - 1].1);
                let cost = below.0.half_surface() * below.1 as f32 + above[bin];
                if below.1 > 0 && best.is_none_or(|(least, ..)| cost < least) {
                    best = Some((cost, axis, from + width * bin as f32));
                }
            }
        }
        best.map(|(_, axis, border)| (axis, border))
    }
}
