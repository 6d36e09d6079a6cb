//! A tree over the primitives of a model.

use nalgebra::Vector3;

use super::{Bounds, BoxPacket, BoxRay, Nearest, Stack, Tree, WIDTH, build};
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
            self.hit(index, (origin, direction, start), mesh, at.max(enter), nearest);
            nearest.end
        });
    }

    /// As [`cast`](Self::cast) for the rays of a packet; `origins` and `directions` are those in double precision.
    pub fn cast_packet(
        &self,
        packet: &BoxPacket<'_>,
        (origins, directions): (&[Vector3<f64>; WIDTH], &[Vector3<f64>; WIDTH]),
        stack: &mut Stack,
        mesh: u32,
        enters: &[f32; WIDTH],
        (mut ends, nearest): ([f32; WIDTH], &mut [Nearest; WIDTH]),
    ) {
        let starts = &packet.rays.starts;
        self.tree.traverse_packet(packet, stack, &mut ends, |index, lanes, at, ends| {
            for lane in lanes {
                let ray = (&origins[lane], &directions[lane], starts[lane]);
                self.hit(index, ray, mesh, at[lane].max(enters[lane]), &mut nearest[lane]);
                ends[lane] = nearest[lane].end;
            }
        });
    }

    fn hit(
        &self,
        index: u32,
        (origin, direction, start): (&Vector3<f64>, &Vector3<f64>, f32),
        mesh: u32,
        enter: f32,
        nearest: &mut Nearest,
    ) {
        if let Some((distance, _)) =
            self.solids.get(index as usize).and_then(|solid| solid.hit(origin, direction, start))
        {
            nearest.offer_solid((distance as f32).max(enter), mesh, index);
        }
    }
}
