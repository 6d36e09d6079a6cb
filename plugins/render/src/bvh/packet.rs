//! Packets of rays from one point, or from points close to each other, in similar directions, such as those of
//! neighbouring pixels. They hit nearly the same boxes, so one traversal serves all of them.
//!
//! A node is tested against bounds of all rays of the packet. At a leaf each ray is tested individually, with the same
//! operations as for a single ray. Rounding is monotonic, so a ray that hits a leaf's box is never excluded above it.

use nalgebra::Vector3;
use wide::{CmpLe, CmpLt, f32x4};

use super::{BoxRay, LEAF, Node, ROUNDING, Stack, Tree};

/// Maximum number of rays of a packet.
pub const WIDTH: usize = GROUPS * LANES;

/// Number of rays that are tested at once, and number of such groups.
pub const LANES: usize = 4;
const GROUPS: usize = 4;

/// Rays of a packet, prepared for tests against boxes.
#[derive(Clone, Debug)]
pub struct BoxPacket<'r> {
    /// The rays.
    pub rays: &'r Rays,
    /// Origin of each ray, by axis.
    origin: [[f32x4; GROUPS]; 3],
    /// By axis: the minimum of the origins where rays go up, the maximum where they go down; and the opposite. They are
    /// farthest from, and closest to, any plane ahead.
    rearmost: [f32x4; 3],
    foremost: [f32x4; 3],
    /// Whether all rays have the same origin.
    is_common: bool,
    /// 1 / direction of each ray, by axis.
    inverse: [[f32x4; GROUPS]; 3],
    /// Minimum and maximum of the inverses.
    least: [f32x4; 3],
    largest: [f32x4; 3],
    /// Indices into [`Node::bounds`] of the planes that the rays hit first on each axis.
    near: [usize; 3],
    starts: [f32x4; GROUPS],
    first_start: f32x4,
}

/// Set of rays of a packet, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes(pub u32);

impl Iterator for Lanes {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros() as usize % WIDTH;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}

/// Rays of a packet.
#[derive(Clone, Debug)]
pub struct Rays {
    /// Origins, m, by axis.
    pub origins: [[f32; WIDTH]; 3],
    /// Directions, by axis.
    pub directions: [[f32; WIDTH]; 3],
    /// Start distances, m.
    pub starts: [f32; WIDTH],
}

impl Rays {
    /// Origin of one ray.
    pub fn origin(&self, lane: usize) -> Vector3<f32> {
        Vector3::from_fn(|axis, _| self.origins[axis][lane % WIDTH])
    }

    /// Direction of one ray.
    pub fn direction(&self, lane: usize) -> Vector3<f32> {
        Vector3::from_fn(|axis, _| self.directions[axis][lane % WIDTH])
    }
}

impl<'r> BoxPacket<'r> {
    /// `None` if the rays do not all have the same sign of direction on each axis. Unused rays may be copies of any of
    /// the others.
    pub fn new(rays: &'r Rays) -> Option<Self> {
        let tiny = f32x4::splat(BoxRay::TINY);
        let mut packet = Self {
            rays,
            origin: [[tiny; GROUPS]; 3],
            rearmost: [tiny; 3],
            foremost: [tiny; 3],
            is_common: false,
            inverse: [[tiny; GROUPS]; 3],
            least: [tiny; 3],
            largest: [tiny; 3],
            near: [0; 3],
            starts: groups(&rays.starts),
            first_start: tiny,
        };
        for axis in 0..3 {
            let directions = groups(&rays.directions[axis]);
            let inverse = directions.map(|value| f32x4::splat(1.0) / value.abs().cmp_lt(tiny).blend(tiny, value));
            let below = inverse.map(|inverse| inverse.cmp_lt(f32x4::splat(0.0)).move_mask());
            let side = usize::from(below[0] != 0);
            if below != [[0, 0b1111][side]; GROUPS] {
                return None;
            }
            packet.near[axis] = 2 * axis + side;
            packet.least[axis] = all(&inverse, f32x4::fast_min, f32::min);
            packet.largest[axis] = all(&inverse, f32x4::fast_max, f32::max);
            packet.inverse[axis] = inverse;
        }
        packet.first_start = all(&packet.starts, f32x4::fast_min, f32::min);
        packet.set_origins(&rays.origins);
        Some(packet)
    }

    /// The packet of rays with other origins and the same directions.
    pub fn with_origins<'o>(&self, rays: &'o Rays) -> BoxPacket<'o> {
        let mut packet = BoxPacket { rays, ..self.clone() };
        packet.set_origins(&rays.origins);
        packet
    }

    fn set_origins(&mut self, origins: &[[f32; WIDTH]; 3]) {
        self.is_common = origins.iter().all(|values| values.iter().all(|value| *value == values[0]));
        for (axis, origins) in origins.iter().enumerate() {
            if self.is_common {
                let value = f32x4::splat(origins[0]);
                self.origin[axis] = [value; GROUPS];
                (self.rearmost[axis], self.foremost[axis]) = (value, value);
            } else {
                let origin = groups(origins);
                let least = all(&origin, f32x4::fast_min, f32::min);
                let largest = all(&origin, f32x4::fast_max, f32::max);
                let goes_up = self.near[axis] == 2 * axis;
                (self.rearmost[axis], self.foremost[axis]) = if goes_up { (least, largest) } else { (largest, least) };
                self.origin[axis] = origin;
            }
        }
    }
}

/// Minimum or maximum of all values.
fn all(values: &[f32x4; GROUPS], wide: fn(f32x4, f32x4) -> f32x4, narrow: fn(f32, f32) -> f32) -> f32x4 {
    let [a, b, c, d] = wide(wide(values[0], values[1]), wide(values[2], values[3])).to_array();
    f32x4::splat(narrow(narrow(a, b), narrow(c, d)))
}

fn groups(values: &[f32; WIDTH]) -> [f32x4; GROUPS] {
    let mut groups = [f32x4::splat(0.0); GROUPS];
    for (group, values) in groups.iter_mut().zip(values.as_chunks::<LANES>().0) {
        *group = f32x4::new(*values);
    }
    groups
}

impl Node {
    /// Smallest entry distance of the packet for each child, and bits of the children that any ray may hit before
    /// `end`.
    fn enter_any(&self, packet: &BoxPacket<'_>, end: f32) -> (f32x4, i32) {
        let first = |axis: usize| {
            let offset = self.bounds[packet.near[axis]] - packet.foremost[axis];
            (offset * packet.least[axis]).fast_min(offset * packet.largest[axis])
        };
        let last = |axis: usize| {
            let offset = self.bounds[packet.near[axis] ^ 1] - packet.rearmost[axis];
            (offset * packet.least[axis]).fast_max(offset * packet.largest[axis])
        };
        let enter = first(0).fast_max(first(1)).fast_max(first(2).fast_max(packet.first_start));
        let leave = last(0).fast_min(last(1)).fast_min(last(2));
        let leave = leave * f32x4::splat(ROUNDING);
        (enter, enter.cmp_le(leave.fast_min(f32x4::splat(end))).move_mask())
    }

    /// Entry distances of each ray for a child, and the rays that hit it before their ends.
    fn enter_each(&self, child: usize, packet: &BoxPacket<'_>, ends: &[f32; WIDTH]) -> ([f32; WIDTH], Lanes) {
        let side = |bound: usize| f32x4::splat(self.bounds[bound].as_array_ref()[child & 3]);
        let [x, y, z] = packet.near;
        let offsets =
            |bounds: [usize; 3], group: usize| [0, 1, 2].map(|axis| side(bounds[axis]) - packet.origin[axis][group]);
        let (mut near, mut far) = (offsets([x, y, z], 0), offsets([x ^ 1, y ^ 1, z ^ 1], 0));
        let (mut enters, mut lanes) = ([0.0; WIDTH], 0);
        let ends = groups(ends);
        for (group, slots) in enters.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            if group > 0 && !packet.is_common {
                (near, far) = (offsets([x, y, z], group), offsets([x ^ 1, y ^ 1, z ^ 1], group));
            }
            let along = |sides: &[f32x4; 3], axis: usize| sides[axis] * packet.inverse[axis][group];
            let enter = along(&near, 0).fast_max(along(&near, 1));
            let enter = enter.fast_max(along(&near, 2).fast_max(packet.starts[group]));
            let leave = along(&far, 0).fast_min(along(&far, 1)).fast_min(along(&far, 2)) * f32x4::splat(ROUNDING);
            let met = enter.cmp_le(leave.fast_min(ends[group])).move_mask();
            lanes |= met.cast_unsigned() << (LANES * group);
            *slots = enter.to_array();
        }
        (enters, Lanes(lanes))
    }
}

impl Tree {
    /// As [`Tree::traverse`] for a packet: calls `leaf` with each leaf, the rays that hit its box before their ends,
    /// their entry distances, and the ends to be lowered. Unused rays have an end before their start.
    pub fn traverse_packet(
        &self,
        packet: &BoxPacket<'_>,
        stack: &mut Stack,
        ends: &mut [f32; WIDTH],
        mut leaf: impl FnMut(u32, Lanes, &[f32; WIDTH], &mut [f32; WIDTH]),
    ) {
        let furthest = |ends: &[f32; WIDTH]| all(&groups(ends), f32x4::fast_max, f32::max).as_array_ref()[0];
        let mut end = furthest(ends);
        let Some(mut node) = self.nodes.first() else { return };
        let mut index = 0;
        stack.clear();
        loop {
            let (enter, mut met) = node.enter_any(packet, end);
            let enter = enter.to_array();
            let bottom = stack.len();
            while met != 0 {
                let child = met.trailing_zeros() as usize & 3;
                met &= met - 1;
                // Children are identified by their parents, which contain the boxes of leaves.
                stack.push((index << 2 | u32::try_from(child).unwrap_or(0), enter[child]));
            }
            super::sort_farthest_first(stack, bottom);
            (index, node) = loop {
                let Some((slot, enter)) = stack.pop() else { return };
                if enter > end {
                    continue;
                }
                let Some(parent) = self.nodes.get((slot >> 2) as usize) else { continue };
                let child = slot as usize & 3;
                let number = parent.children[child];
                if number & LEAF == 0 {
                    if let Some(next) = self.nodes.get(number as usize) {
                        break (number, next);
                    }
                    continue;
                }
                let (enters, lanes) = parent.enter_each(child, packet, ends);
                if lanes.0 != 0 {
                    leaf(number & !LEAF, lanes, &enters, ends);
                    end = furthest(ends);
                }
            };
        }
    }
}
