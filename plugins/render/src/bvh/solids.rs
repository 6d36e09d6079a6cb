//! A tree over the primitives of a model.

use nalgebra::Vector3;

use super::{Bounds, BoxPacket, BoxRay, Nearest, Stack, Tree, WIDTH, build};
use crate::instance::LocalRays;
use crate::solid::Solid;

/// Primitives of a model with their tree.
#[derive(Clone, Debug, Default)]
pub struct SolidTree {
    tree: Tree,
    solids: Vec<Solid>,
    bounds: Option<Bounds>,
}

impl SolidTree {
    /// A tree over primitives.
    pub fn new(solids: Vec<Solid>) -> Self {
        let bounds: Vec<Bounds> = solids.iter().map(Solid::bounds).collect();
        let tree = build(&bounds, 1, |members| members.first().copied().unwrap_or(0));
        Self { tree, solids, bounds: bounds.into_iter().reduce(|all, next| all.union(&next)) }
    }

    /// The primitives, in the order given.
    pub fn solids(&self) -> &[Solid] {
        &self.solids
    }

    /// Bounding box; `None` without primitives.
    pub fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// Updates `nearest` with the nearest primitive that the ray hits. `ray` is its origin and direction in double
    /// precision, `mesh` the number of the model among others, and `enter` the entry distance of its bounding box.
    pub fn cast(
        &self,
        boxes: &BoxRay,
        (origin, direction, start): (&Vector3<f64>, &Vector3<f64>, f32),
        stack: &mut Stack,
        mesh: u32,
        enter: f32,
        nearest: &mut Nearest,
    ) {
        self.tree.traverse(boxes, stack, nearest.end, |index, at, _| {
            if let Some(solid) = self.solids.get(index as usize)
                && let Some(hit) = solid.hit(origin, direction, start)
            {
                nearest.offer_solid(hit, at.max(enter), mesh, index);
            }
            nearest.end
        });
    }

    /// As [`cast`](Self::cast) for the rays of a packet; `exact` are those in double precision.
    pub fn cast_packet(
        &self,
        packet: &BoxPacket<'_>,
        exact: &LocalRays,
        stack: &mut Stack,
        mesh: u32,
        enters: &[f32; WIDTH],
        (mut ends, nearest): ([f32; WIDTH], &mut [Nearest; WIDTH]),
    ) {
        let starts = &packet.rays.starts;
        self.tree.traverse_packet(packet, stack, &mut ends, |index, lanes, at, ends| {
            let Some(solid) = self.solids.get(index as usize) else { return };
            let mut own = solid.own(&exact.origin(0));
            for lane in lanes {
                if !exact.is_common {
                    own = solid.own(&exact.origin(lane));
                }
                if let Some(hit) = solid.hit_from(&own, &exact.direction(lane), starts[lane]) {
                    nearest[lane].offer_solid(hit, at[lane].max(enters[lane]), mesh, index);
                    ends[lane] = nearest[lane].end;
                }
            }
        });
    }
}
