//! Models at their poses, and ray casting.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use crate::bvh::{
    Bounds, BoxPacket, BoxRay, LANES, Lanes, MeshRay, Nearest, PreparedRays, Rays, Stack, Surface, Tree, WIDTH, build,
};
use crate::instance::{Corners, Instance, WorldRays};
use crate::model::{Model, Triangle};
use crate::motion::Motion;
use crate::quadric::Face;
use crate::solid::Solid;
use crate::sweep::Axes;

/// Fraction of the size of the scene by which boxes are enlarged, because boxes and rays are rounded to f32.
const MARGIN: f64 = 1e-5;

/// Factor by which the tree over the instances may become slower before it is built anew.
const WORN: f32 = 1.3;

/// 1 − the cosine of the largest angle between rays of a packet.
const ALIKE: f64 = 0.01;

/// Largest distance between origins of rays of a packet, m.
const NEAR: f64 = 0.1;

/// A half line in the world at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Origin, m.
    pub origin: Point3<f64>,
    /// Direction.
    pub direction: Unit<Vector3<f64>>,
    /// Instant between the start (0) and the end (1) of the [`Motion`]s of instances.
    pub time: f64,
}

impl Ray {
    /// A ray at the end of all motions.
    pub fn new(origin: Point3<f64>, direction: Unit<Vector3<f64>>) -> Self {
        Self { origin, direction, time: 1.0 }
    }
}

/// Relevant part of a ray, m from its origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Nearer surfaces are ignored.
    pub min: f64,
    /// Further surfaces are ignored.
    pub max: f64,
}

/// First hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance from the origin of the ray, m.
    pub distance: f64,
    /// Instance.
    pub instance: InstanceIndex,
    pub(crate) element: Element,
}

/// Location on the surface of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Element {
    /// Index of a triangle, and the weights of its second and third corner.
    Triangle { index: u32, weights: [f32; 2] },
    /// Index of a primitive and its face.
    Solid { index: u32, face: Face },
}

/// Index of a model in a scene, in the order given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceIndex(pub usize);

/// Models at poses. Rays hit the fronts of all surfaces, and the backs of those that are not part of a closed surface,
/// as on graphics cards.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    instances: Vec<Instance>,
    /// Tree over the boxes of the instances, relative to the centre of `space`.
    tree: Tree,
    space: Space,
    /// Cost of the tree when it was built.
    cost: f32,
    /// Number of instances in the tree.
    shown: usize,
}

/// Space in which the tree over the instances has its coordinates. It depends on the boxes alone, not on those before, so
/// that a scene gives the same bits however it came to be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Space {
    center: Vector3<f64>,
    /// Size, m: a power of 2.
    extent: f64,
}

/// Casts rays one after the other. It keeps buffers, so create one and use it for many rays.
#[derive(Clone, Debug)]
pub struct Caster<'s> {
    scene: &'s Scene,
    instances: Stack,
    triangles: Stack,
    prepared: PreparedRays,
}

impl Reach {
    /// The whole ray.
    pub const ALL: Self = Self { min: 0.0, max: f64::INFINITY };
}

impl Scene {
    /// Models at their poses in the world.
    pub fn new(instances: impl IntoIterator<Item = (Arc<Model>, Isometry3<f64>)>) -> Self {
        let mut scene = Self::default();
        scene.instances.extend(instances.into_iter().map(|(model, pose)| Instance::new(model, &pose)));
        scene.rebuild();
        scene
    }

    /// Moves instances to new poses, where they are at rest; nonexistent ones are ignored.
    pub fn set_poses(&mut self, poses: impl IntoIterator<Item = (InstanceIndex, Isometry3<f64>)>) {
        self.set_motions(poses.into_iter().map(|(index, pose)| (index, Motion::still(pose))));
    }

    /// Gives instances motions, for rays at any time between their starts and ends; nonexistent ones are ignored.
    pub fn set_motions(&mut self, motions: impl IntoIterator<Item = (InstanceIndex, Motion)>) {
        let mut is_changed = false;
        for (index, motion) in motions {
            let Some(instance) = self.instances.get_mut(index.0) else { continue };
            is_changed |= instance.set_motion(motion);
        }
        if is_changed {
            self.update();
        }
    }

    /// Models and their world poses at the end of their motions, by index.
    pub fn instances(&self) -> impl Iterator<Item = (&Arc<Model>, &Isometry3<f64>)> {
        self.instances.iter().map(|instance| (&instance.model, instance.pose()))
    }

    /// Motion of an instance; `None` for one that does not exist.
    pub fn motion(&self, index: InstanceIndex) -> Option<Motion> {
        self.instances.get(index.0).map(Instance::motion)
    }

    /// Number of instances.
    pub fn num_instances(&self) -> usize {
        self.instances.len()
    }

    /// Number of triangles of the meshes of all instances.
    pub fn num_triangles(&self) -> usize {
        self.instances.iter().map(|instance| instance.model.num_triangles()).sum()
    }

    /// A caster for this scene.
    pub fn caster(&self) -> Caster<'_> {
        Caster { scene: self, instances: Stack::new(), triangles: Stack::new(), prepared: PreparedRays::default() }
    }

    /// First hit of a ray; `None` without a hit within `reach`, or if the ray is not finite.
    pub fn cast(&self, ray: &Ray, reach: Reach) -> Option<Hit> {
        self.caster().cast(ray, reach)
    }

    /// Adapts the tree to moved instances.
    fn update(&mut self) {
        let shown = self.instances.iter().filter(|instance| instance.bounds().is_some()).count();
        if shown != self.shown || Space::around(&self.instances) != self.space {
            self.rebuild();
            return;
        }
        let (instances, space) = (&self.instances, &self.space);
        self.tree.refit(|index| {
            let bounds = instances.get(index as usize).and_then(Instance::bounds);
            bounds.map_or(Bounds::EMPTY, |bounds| space.inner(&bounds))
        });
        if self.tree.cost() > WORN * self.cost {
            self.rebuild();
        }
    }

    /// Builds the tree over the instances.
    fn rebuild(&mut self) {
        self.space = Space::around(&self.instances);
        let inner = |(index, instance): (u32, &Instance)| Some((index, self.space.inner(&instance.bounds()?)));
        let shown: Vec<(u32, Bounds)> = (0..).zip(&self.instances).filter_map(inner).collect();
        let bounds: Vec<Bounds> = shown.iter().map(|(_, bounds)| *bounds).collect();
        self.tree = build(&bounds, 1, |members| members.first().map_or(0, |&member| shown[member as usize].0));
        (self.cost, self.shown) = (self.tree.cost(), shown.len());
    }

    /// Converts the nearest surface to a hit.
    fn hit(&self, ray: &Ray, nearest: &Nearest) -> Option<Hit> {
        let (index, surface) = nearest.found()?;
        let instance = self.instances.get(index as usize)?;
        let (distance, element) = match surface {
            Surface::Triangle(index) => {
                let corners = instance.model.tree.corners(nearest)?;
                let (origin, direction) = local(&instance.at(ray.time), ray);
                let distance = exact_distance(&corners, &origin, &direction, f64::from(nearest.end));
                (distance, Element::Triangle { index, weights: nearest.weights })
            }
            Surface::Solid(index) => {
                let (distance, face) = nearest.on_solid;
                (distance, Element::Solid { index, face })
            }
        };
        Some(Hit { distance, instance: InstanceIndex(index as usize), element })
    }

    /// The surface of a hit, and the frame of its model at a time of its motion.
    pub(crate) fn seen(&self, hit: &Hit, time: f64) -> Option<Seen<'_>> {
        let instance = self.instances.get(hit.instance.0)?;
        let model = &instance.model;
        let surface = match hit.element {
            Element::Triangle { index, weights } => {
                SeenSurface::Triangle(model.triangles.get(index as usize)?, weights)
            }
            Element::Solid { index, face } => SeenSurface::Solid(model.solids.solids().get(index as usize)?, face),
        };
        Some(Seen { model, surface, axes: instance.at(time) })
    }
}

/// An instance with data for ray casting.
pub(crate) struct Seen<'s> {
    pub model: &'s Model,
    pub surface: SeenSurface<'s>,
    pub axes: Axes,
}

/// Surface at a hit.
pub(crate) enum SeenSurface<'s> {
    /// A triangle and the weights of its second and third corner.
    Triangle(&'s Triangle, [f32; 2]),
    /// A primitive and its face.
    Solid(&'s Solid, Face),
}

impl Space {
    fn around(instances: &[Instance]) -> Self {
        let boxes = instances.iter().filter_map(Instance::bounds);
        let around = boxes.reduce(|all, next| (all.0.inf(&next.0), all.1.sup(&next.1)));
        let Some((least, largest)) = around else { return Self::default() };
        let size = (largest - least).amax();
        let extent = if size > 0.0 { libm::exp2(libm::log2(size).ceil()) } else { 0.0 };
        // On a coarse grid, so that a moving instance seldom changes it.
        let grid = if extent > 0.0 { extent / 4.0 } else { 1.0 };
        Self { center: ((least + largest) / 2.0).map(|value| (value / grid).round() * grid), extent }
    }

    /// A box in this space, slightly enlarged.
    fn inner(&self, (min, max): &Corners) -> Bounds {
        let margin = Vector3::repeat((MARGIN * self.extent) as f32);
        let [min, max] = [min, max].map(|corner| (corner - self.center).cast::<f32>());
        Bounds { min: min - margin, max: max + margin }
    }
}

/// Origin and direction of a ray in the frame of a model.
fn local(axes: &Axes, ray: &Ray) -> (Vector3<f64>, Vector3<f64>) {
    (axes.local_origin(ray.origin.coords), axes.turned(ray.direction.into_inner().into()).into())
}

impl<'s> Caster<'s> {
    /// The scene it casts into.
    pub fn scene(&self) -> &'s Scene {
        self.scene
    }

    /// First hit of a ray; `None` without a hit within `reach`, or if the ray is not finite.
    pub fn cast(&mut self, ray: &Ray, reach: Reach) -> Option<Hit> {
        let direction = ray.direction.into_inner();
        let finite = ray.origin.iter().chain(direction.iter()).all(|value| value.is_finite());
        if !finite || reach.min.is_nan() || reach.max.is_nan() {
            return None;
        }
        let Self { scene, instances, triangles, .. } = self;
        let start = start(reach);
        let boxes = BoxRay::new((ray.origin.coords - scene.space.center).cast(), direction.cast(), start);
        let mut nearest = Nearest::none(reach.max as f32);
        scene.tree.traverse(&boxes, instances, nearest.end, |index, enter, _| {
            if let Some(instance) = scene.instances.get(index as usize) {
                let (origin, direction) = local(&instance.at(ray.time), ray);
                let local = MeshRay::new(origin.cast(), direction.cast(), start);
                let Model { tree, solids, .. } = &*instance.model;
                solids.cast(&local.boxes, (&origin, &direction, start), triangles, index, enter, &mut nearest);
                tree.cast(&local, triangles, index, enter, &mut nearest);
            }
            nearest.end
        });
        scene.hit(ray, &nearest)
    }

    /// Hits of at most [`WIDTH`] rays. Rays from nearly the same origin in similar directions are cast as a packet, which
    /// is faster and gives identical results.
    pub(crate) fn cast_some(&mut self, rays: &[Option<(Ray, Reach)>], hits: &mut [Option<Hit>]) {
        let mut waiting = 0_u32;
        for (lane, ray) in rays.iter().enumerate().take(WIDTH) {
            waiting |= u32::from(ray.is_some()) << lane;
        }
        while waiting != 0 {
            let group = alike(rays, Lanes(waiting));
            waiting &= !group.0;
            if group.0.count_ones() as usize > LANES && self.cast_packet(rays, group, hits).is_some() {
                continue;
            }
            for lane in group {
                if let (Some(Some((ray, reach))), Some(hit)) = (rays.get(lane), hits.get_mut(lane)) {
                    *hit = self.cast(ray, *reach);
                }
            }
        }
    }

    /// Casts rays as a packet; `None` if they do not form one.
    fn cast_packet(&mut self, rays: &[Option<(Ray, Reach)>], group: Lanes, hits: &mut [Option<Hit>]) -> Option<()> {
        let member = |lane: usize| rays.get(lane)?.as_ref();
        let (first, first_reach) = { group }.next().and_then(member)?;
        // Unused rays copy the first one.
        let mut world = WorldRays {
            origins: [0, 1, 2].map(|axis| [first.origin[axis]; WIDTH]),
            directions: [0, 1, 2].map(|axis| [first.direction[axis]; WIDTH]),
            times: [first.time; WIDTH],
            is_common: true,
        };
        let (mut starts, mut ends) = ([start(*first_reach); WIDTH], [f32::NEG_INFINITY; WIDTH]);
        for lane in group {
            let (ray, reach) = member(lane)?;
            (starts[lane], ends[lane]) = (start(*reach), reach.max as f32);
            world.is_common &= ray.origin == first.origin;
            world.times[lane] = ray.time;
            for axis in 0..3 {
                world.origins[axis][lane] = ray.origin[axis];
                world.directions[axis][lane] = ray.direction[axis];
            }
        }
        let Self { scene, instances, triangles, prepared } = self;
        let center = &scene.space.center;
        let in_world = Rays {
            origins: [0, 1, 2].map(|axis| world.origins[axis].map(|value| (value - center[axis]) as f32)),
            directions: single(&world.directions),
            starts,
        };
        let packet = BoxPacket::new(&in_world)?;
        let mut nearest = ends.map(Nearest::none);
        scene.tree.traverse_packet(&packet, instances, &mut ends, |index, lanes, enters, ends| {
            let Some(instance) = scene.instances.get(index as usize) else { return };
            let Model { tree, solids, .. } = &*instance.model;
            let exact = instance.local_rays(&world, lanes);
            let local = Rays { origins: single(&exact.origins), directions: single(&exact.directions), starts };
            let packet = match lanes.0.count_ones() as usize > LANES {
                true if instance.is_aligned() => Some(packet.with_origins(&local)),
                true => BoxPacket::new(&local),
                false => None,
            };
            if let Some(packet) = packet {
                let counting = |nearest: &[Nearest; WIDTH]| {
                    let mut counting = [f32::NEG_INFINITY; WIDTH];
                    for lane in lanes {
                        counting[lane] = nearest[lane].end;
                    }
                    counting
                };
                let counted = counting(&nearest);
                solids.cast_packet(&packet, &exact, triangles, index, enters, (counted, &mut nearest));
                let counted = counting(&nearest);
                tree.cast_packet(&packet, (triangles, prepared), index, enters, counted, &mut nearest);
            } else {
                for lane in lanes {
                    let ray = MeshRay::new(local.origin(lane), local.direction(lane), starts[lane]);
                    let (origin, direction) = (exact.origin(lane), exact.direction(lane));
                    let exact = (&origin, &direction, starts[lane]);
                    solids.cast(&ray.boxes, exact, triangles, index, enters[lane], &mut nearest[lane]);
                    tree.cast(&ray, triangles, index, enters[lane], &mut nearest[lane]);
                }
            }
            for lane in lanes {
                ends[lane] = nearest[lane].end;
            }
        });
        for lane in group {
            if let (Some((ray, _)), Some(hit)) = (member(lane), hits.get_mut(lane)) {
                *hit = scene.hit(ray, &nearest[lane]);
            }
        }
        Some(())
    }
}

/// The first of some rays, and those that can be in a packet with it: finite ones from nearly the same origin in similar
/// directions, with the same signs.
fn alike(rays: &[Option<(Ray, Reach)>], lanes: Lanes) -> Lanes {
    let member = |lane: usize| rays.get(lane)?.as_ref();
    let is_limited = |reach: &Reach| reach.min >= f64::MIN && reach.max >= f64::MIN;
    let signs = |ray: &Ray| [0, 1, 2].map(|axis| BoxRay::is_backwards(ray.direction[axis] as f32));
    let mut group = Lanes(lanes.0 & lanes.0.wrapping_neg());
    let Some((first, reach)) = { group }.next().and_then(member) else { return group };
    if !is_limited(reach) || !first.origin.iter().chain(first.direction.iter()).all(|value| value.is_finite()) {
        return group;
    }
    let of_first = signs(first);
    for lane in lanes {
        let Some((ray, reach)) = member(lane) else { continue };
        // False for NaN, too.
        let go_alike = (ray.direction.dot(&first.direction) - 1.0).abs() < ALIKE && signs(ray) == of_first;
        let start_alike = ray.origin == first.origin || (ray.origin - first.origin).norm_squared() < NEAR * NEAR;
        if start_alike && go_alike && is_limited(reach) {
            group.0 |= 1 << lane;
        }
    }
    group
}

/// The same in single precision.
fn single(vectors: &[[f64; WIDTH]; 3]) -> [[f32; WIDTH]; 3] {
    [0, 1, 2].map(|axis| vectors[axis].map(|value| value as f32))
}

/// Start distance of a ray.
fn start(reach: Reach) -> f32 {
    reach.min.max(0.0) as f32
}

/// Distance of the plane of a triangle in double precision. The plane of a triangle with almost no area is undefined;
/// then the distance `found` in single precision is used.
fn exact_distance([a, b, c]: &[Vector3<f64>; 3], origin: &Vector3<f64>, direction: &Vector3<f64>, found: f64) -> f64 {
    /// Maximum relative error of a distance in single precision.
    const ROUNDING: f64 = 1e-3;
    let normal = (b - a).cross(&(c - a));
    let distance = normal.dot(&(a - origin)) / normal.dot(direction);
    if (distance - found).abs() <= ROUNDING * (1.0 + found) { distance } else { found }
}
