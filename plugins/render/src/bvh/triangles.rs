//! A tree over the triangles of a mesh.

use nalgebra::{Point3, Vector3};
use wide::{CmpGe, CmpLe, CmpNe, f32x4};

use super::{Bounds, BoxPacket, BoxRay, Nearest, Stack, Tree, WIDTH, build};

/// Number of triangles in a leaf: as many as are tested at once.
const LEAF_SIZE: usize = 4;

/// Triangles of a mesh with their tree.
#[derive(Clone, Debug, Default)]
pub struct MeshTree {
    tree: Tree,
    leaves: Vec<Triangles>,
    bounds: Option<Bounds>,
}

/// Four triangles side by side, in whole cache lines.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Triangles {
    /// Coordinates x, y and z of the three corners of each.
    corners: [[f32x4; 3]; 3],
    /// All bits set if the back is visible, too.
    two_sided: f32x4,
    /// Indices of the triangles.
    indices: [u32; 4],
}

/// A ray prepared for tests against a mesh.
#[derive(Clone, Debug)]
pub struct MeshRay {
    /// The ray for tests against boxes.
    pub boxes: BoxRay,
    triangles: TriangleRay,
}

/// A ray prepared for tests against triangles: sheared so that it is parallel to one axis (S. Woop et al., *Watertight
/// Ray/Triangle Intersection*, JCGT 2013).
#[derive(Clone, Debug, Default)]
struct TriangleRay {
    origin: [f32x4; 3],
    /// The axes; the last one is the dominant axis of the ray.
    axes: [usize; 3],
    shear: [f32x4; 3],
    start: f32x4,
}

/// Buffer for the rays of a packet. It is kept, because clearing it costs more than some packets.
#[derive(Clone, Debug, Default)]
pub struct PreparedRays([TriangleRay; WIDTH]);

impl MeshRay {
    /// A ray that starts at `start` m from its origin.
    pub fn new(origin: Vector3<f32>, direction: Vector3<f32>, start: f32) -> Self {
        Self { boxes: BoxRay::new(origin, direction, start), triangles: TriangleRay::new(origin, direction, start) }
    }
}

impl TriangleRay {
    fn new(origin: Vector3<f32>, direction: Vector3<f32>, start: f32) -> Self {
        let z = direction.iamax();
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        // Swapped so that triangles keep their orientation.
        let [x, y] = if direction[z] < 0.0 { [y, x] } else { [x, y] };
        let shear = [direction[x] / direction[z], direction[y] / direction[z], 1.0 / direction[z]];
        Self {
            origin: [origin.x, origin.y, origin.z].map(f32x4::splat),
            axes: [x, y, z],
            shear: shear.map(f32x4::splat),
            start: f32x4::splat(start),
        }
    }
}

impl Triangles {
    /// Updates `nearest` with the nearest of the four triangles that the ray hits. `enter` is the entry distance of
    /// their bounding box.
    fn hit(&self, ray: &TriangleRay, leaf: u32, mesh: u32, enter: f32, nearest: &mut Nearest) {
        let [x, y, z] = ray.axes;
        let [a, b, c] = [0, 1, 2].map(|corner| {
            let corner = &self.corners[corner];
            let depth = corner[z] - ray.origin[z];
            (
                (corner[x] - ray.origin[x]) - ray.shear[0] * depth,
                (corner[y] - ray.origin[y]) - ray.shear[1] * depth,
                ray.shear[2] * depth,
            )
        });
        let u = c.0 * b.1 - c.1 * b.0;
        let v = a.0 * c.1 - a.1 * c.0;
        let w = b.0 * a.1 - b.1 * a.0;
        let zero = f32x4::splat(0.0);
        let front = u.cmp_ge(zero) & v.cmp_ge(zero) & w.cmp_ge(zero);
        let back = u.cmp_le(zero) & v.cmp_le(zero) & w.cmp_le(zero) & self.two_sided;
        let met = front | back;
        if met.move_mask() == 0 {
            return;
        }
        let area = u + v + w;
        let scale = f32x4::splat(1.0) / area;
        let distance = (u * a.2 + v * b.2 + w * c.2) * scale;
        let met = met & area.cmp_ne(zero) & distance.cmp_ge(ray.start) & distance.cmp_le(f32x4::splat(nearest.end));
        let mut met = met.move_mask();
        if met == 0 {
            return;
        }
        let distances = distance.to_array();
        let mut found = None;
        while met != 0 {
            let lane = met.trailing_zeros() as usize & 3;
            met &= met - 1;
            if nearest.offer(distances[lane].max(enter), mesh, self.indices[lane]) {
                found = Some(lane);
            }
        }
        if let Some(lane) = found {
            nearest.weights = [(v * scale).to_array()[lane], (w * scale).to_array()[lane]];
            (nearest.lane, nearest.leaf) = (lane, leaf);
        }
    }
}

impl MeshTree {
    /// A tree over triangles given by their corners, m, counter-clockwise viewed from the front, and whether the back
    /// is visible, too.
    pub fn new(triangles: &[([Point3<f32>; 3], bool)]) -> Self {
        let bounds: Vec<Bounds> =
            triangles.iter().map(|(corners, _)| Bounds::around(corners.map(|corner| corner.coords))).collect();
        let mut leaves = Vec::with_capacity(triangles.len() / 2);
        let tree = build(&bounds, LEAF_SIZE, |members| {
            leaves.push(leaf(triangles, members));
            u32::try_from(leaves.len() - 1).unwrap_or(0)
        });
        let bounds = bounds.into_iter().reduce(|all, next| all.union(&next));
        Self { tree, leaves, bounds }
    }

    /// Bounding box; `None` without triangles.
    pub fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// Updates `nearest` with the nearest triangle that the ray hits. `mesh` is the number of this tree among others,
    /// and `enter` the entry distance of its bounding box.
    pub fn cast(&self, ray: &MeshRay, stack: &mut Stack, mesh: u32, enter: f32, nearest: &mut Nearest) {
        self.tree.traverse(&ray.boxes, stack, nearest.end, |leaf, at, _| {
            if let Some(triangles) = self.leaves.get(leaf as usize) {
                triangles.hit(&ray.triangles, leaf, mesh, at.max(enter), nearest);
            }
            nearest.end
        });
    }

    /// As [`cast`](Self::cast) for the rays of a packet, each with the entry distance of the bounding box. Rays that
    /// miss it have an end before their start. `prepared` is a buffer.
    pub fn cast_packet(
        &self,
        packet: &BoxPacket<'_>,
        (stack, prepared): (&mut Stack, &mut PreparedRays),
        mesh: u32,
        enters: &[f32; WIDTH],
        mut ends: [f32; WIDTH],
        nearest: &mut [Nearest; WIDTH],
    ) {
        let rays = packet.rays;
        // Bits of the rays that have reached a leaf.
        let mut known = 0_u32;
        self.tree.traverse_packet(packet, stack, &mut ends, |leaf, lanes, at, ends| {
            let Some(triangles) = self.leaves.get(leaf as usize) else { return };
            for lane in lanes {
                let ray = &mut prepared.0[lane];
                if known & (1 << lane) == 0 {
                    known |= 1 << lane;
                    *ray = TriangleRay::new(rays.origin(lane), rays.direction(lane), rays.starts[lane]);
                }
                triangles.hit(ray, leaf, mesh, at[lane].max(enters[lane]), &mut nearest[lane]);
                ends[lane] = nearest[lane].end;
            }
        });
    }

    /// Corners of a hit triangle, m: from the leaf, which is in the cache, instead of the model.
    pub fn corners(&self, nearest: &Nearest) -> Option<[Vector3<f64>; 3]> {
        let corners = &self.leaves.get(nearest.leaf as usize)?.corners;
        let lane = nearest.lane & (LEAF_SIZE - 1);
        Some([0, 1, 2].map(|corner| Vector3::from_fn(|axis, _| f64::from(corners[corner][axis].to_array()[lane]))))
    }
}

fn leaf(triangles: &[([Point3<f32>; 3], bool)], members: &[u32]) -> Triangles {
    // Lanes without a triangle contain NaN and are never hit.
    let mut corners = [[[f32::NAN; 4]; 3]; 3];
    let mut two_sided = [0.0; 4];
    let mut indices = [0; 4];
    for (lane, &index) in members.iter().take(LEAF_SIZE).enumerate() {
        let (points, both) = &triangles[index as usize];
        for (corner, point) in points.iter().enumerate() {
            for axis in 0..3 {
                corners[corner][axis][lane] = point[axis];
            }
        }
        two_sided[lane] = if *both { f32::from_bits(u32::MAX) } else { 0.0 };
        indices[lane] = index;
    }
    Triangles { corners: corners.map(|corner| corner.map(f32x4::new)), two_sided: f32x4::new(two_sided), indices }
}
