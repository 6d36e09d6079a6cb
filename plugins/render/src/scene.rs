//! Models at their poses, and ray casting.

use std::sync::Arc;

use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};

use crate::bvh::{Bounds, BoxPacket, BoxRay, LANES, MeshRay, Nearest, Rays, Stack, Surface, Tree, WIDTH, build};
use crate::model::{Model, Triangle};
use crate::motion::Motion;
use crate::quadric::Face;
use crate::solid::Solid;

/// Fraction of the size of the scene by which boxes are enlarged, because boxes and rays are rounded to f32.
const MARGIN: f32 = 1e-5;

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
    /// Tree over the boxes of the instances, relative to `center`.
    tree: Tree,
    center: Vector3<f64>,
}

#[derive(Clone, Debug)]
struct Instance {
    model: Arc<Model>,
    /// At the end of the motion.
    placed: Placed,
    /// Absent for an instance at rest.
    motion: Option<Motion>,
}

/// Pose of an instance at an instant.
#[derive(Clone, Copy, Debug)]
struct Placed {
    pose: Isometry3<f64>,
    /// Rotation from world axes to those of the model.
    turn: Matrix3<f64>,
}

/// Casts rays one after the other. It keeps buffers, so create one and use it for many rays.
#[derive(Clone, Debug)]
pub struct Caster<'s> {
    scene: &'s Scene,
    instances: Stack,
    triangles: Stack,
}

impl Reach {
    /// The whole ray.
    pub const ALL: Self = Self { min: 0.0, max: f64::INFINITY };
}

impl Scene {
    /// Models at their poses in the world.
    pub fn new(instances: impl IntoIterator<Item = (Arc<Model>, Isometry3<f64>)>) -> Self {
        let mut scene = Self::default();
        for (model, pose) in instances {
            scene.instances.push(Instance { model, placed: Placed::new(&pose), motion: None });
        }
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
            let moving = Some(motion).filter(|motion| !motion.is_still());
            if instance.placed.pose != motion.end() || instance.motion != moving {
                instance.placed = Placed::new(&motion.end());
                instance.motion = moving;
                is_changed = true;
            }
        }
        if is_changed {
            self.rebuild();
        }
    }

    /// Models and their world poses at the end of their motions, by index.
    pub fn instances(&self) -> impl Iterator<Item = (&Arc<Model>, &Isometry3<f64>)> {
        self.instances.iter().map(|instance| (&instance.model, &instance.placed.pose))
    }

    /// Motion of an instance; `None` for one that does not exist.
    pub fn motion(&self, index: InstanceIndex) -> Option<Motion> {
        let instance = self.instances.get(index.0)?;
        Some(instance.motion.unwrap_or_else(|| Motion::still(instance.placed.pose)))
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
        Caster { scene: self, instances: Stack::new(), triangles: Stack::new() }
    }

    /// First hit of a ray; `None` without a hit within `reach`, or if the ray is not finite.
    pub fn cast(&self, ray: &Ray, reach: Reach) -> Option<Hit> {
        self.caster().cast(ray, reach)
    }

    /// Rebuilds the tree over the instances, which are few.
    fn rebuild(&mut self) {
        let boxes: Vec<Option<(Vector3<f64>, Vector3<f64>)>> = self.instances.iter().map(Instance::bounds).collect();
        let around = boxes.iter().flatten().copied().reduce(|all, next| (all.0.inf(&next.0), all.1.sup(&next.1)));
        let Some((least, largest)) = around else {
            self.tree = Tree::default();
            return;
        };
        self.center = (least + largest) / 2.0;
        let margin = Vector3::repeat(MARGIN * (largest - least).amax() as f32);
        let shown: Vec<(u32, Bounds)> = (0..)
            .zip(&boxes)
            .filter_map(|(index, bounds)| {
                let (min, max) = (*bounds)?;
                let [min, max] = [min, max].map(|corner| (corner - self.center).cast::<f32>());
                Some((index, Bounds { min: min - margin, max: max + margin }))
            })
            .collect();
        let bounds: Vec<Bounds> = shown.iter().map(|(_, bounds)| *bounds).collect();
        self.tree = build(&bounds, 1, |members| members.first().map_or(0, |&member| shown[member as usize].0));
    }

    /// Converts the nearest surface to a hit.
    fn hit(&self, ray: &Ray, start: f32, nearest: &Nearest) -> Option<Hit> {
        let (index, surface) = nearest.found()?;
        let instance = self.instances.get(index as usize)?;
        let (origin, direction) = instance.at(ray.time).local(ray);
        let (distance, element) = match surface {
            Surface::Triangle(index) => {
                let corners = instance.model.tree.corners(nearest)?;
                let distance = exact_distance(&corners, &origin, &direction, f64::from(nearest.end));
                (distance, Element::Triangle { index, weights: nearest.weights })
            }
            Surface::Solid(index) => {
                let solid = instance.model.solids.solids().get(index as usize)?;
                let (distance, face) = solid.hit(&origin, &direction, start)?;
                (distance, Element::Solid { index, face })
            }
        };
        Some(Hit { distance, instance: InstanceIndex(index as usize), element })
    }

    /// The surface of a hit, and the pose of its model at a time of its motion.
    pub(crate) fn seen(&self, hit: &Hit, time: f64) -> Option<Seen<'_>> {
        let instance = self.instances.get(hit.instance.0)?;
        let model = &instance.model;
        let surface = match hit.element {
            Element::Triangle { index, weights } => {
                SeenSurface::Triangle(model.triangles.get(index as usize)?, weights)
            }
            Element::Solid { index, face } => SeenSurface::Solid(model.solids.solids().get(index as usize)?, face),
        };
        Some(Seen { model, surface, pose: instance.at(time).pose })
    }
}

/// An instance with data for ray casting.
pub(crate) struct Seen<'s> {
    pub model: &'s Model,
    pub surface: SeenSurface<'s>,
    pub pose: Isometry3<f64>,
}

/// Surface at a hit.
pub(crate) enum SeenSurface<'s> {
    /// A triangle and the weights of its second and third corner.
    Triangle(&'s Triangle, [f32; 2]),
    /// A primitive and its face.
    Solid(&'s Solid, Face),
}

impl Placed {
    fn new(pose: &Isometry3<f64>) -> Self {
        Self { pose: *pose, turn: pose.rotation.to_rotation_matrix().into_inner().transpose() }
    }

    /// Origin and direction of a ray in the model frame.
    fn local(&self, ray: &Ray) -> (Vector3<f64>, Vector3<f64>) {
        (self.local_origin(ray.origin.coords), self.turned(ray.direction.into_inner().into()).into())
    }

    /// A point in the model frame.
    fn local_origin(&self, origin: Vector3<f64>) -> Vector3<f64> {
        self.turn * (origin - self.pose.translation.vector)
    }

    /// A direction in the axes of the model. Written out, so that rounding is the same everywhere.
    fn turned(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let turn = &self.turn;
        [0, 1, 2].map(|row| turn[(row, 0)] * x + turn[(row, 1)] * y + turn[(row, 2)] * z)
    }
}

impl Instance {
    /// Where it is at a time of its motion.
    fn at(&self, time: f64) -> Placed {
        self.motion.as_ref().map_or(self.placed, |motion| Placed::new(&motion.at(time)))
    }

    /// Rays of a packet in the model frame: origins and directions.
    fn local_rays(&self, rays: &WorldRays) -> ([Vector3<f64>; WIDTH], [Vector3<f64>; WIDTH]) {
        let [x, y, z] = &rays.directions;
        if self.motion.is_none() {
            let placed = &self.placed;
            let directions = std::array::from_fn(|lane| placed.turned([x[lane], y[lane], z[lane]]).into());
            let origins = if rays.is_common {
                [placed.local_origin(rays.origins[0]); WIDTH]
            } else {
                rays.origins.map(|origin| placed.local_origin(origin))
            };
            return (origins, directions);
        }
        let (mut origins, mut directions) = ([Vector3::zeros(); WIDTH], [Vector3::zeros(); WIDTH]);
        for lane in 0..WIDTH {
            let placed = self.at(rays.times[lane]);
            origins[lane] = placed.local_origin(rays.origins[lane]);
            directions[lane] = placed.turned([x[lane], y[lane], z[lane]]).into();
        }
        (origins, directions)
    }

    /// Bounding box in the world during its motion; `None` if it is empty or not finite.
    fn bounds(&self) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let bounds = self.model.bounds()?;
        let (min, max) = (bounds.min.cast::<f64>(), bounds.max.cast::<f64>());
        let at = |Placed { pose, turn }: &Placed| {
            let center = pose.translation.vector + pose.rotation * ((min + max) / 2.0);
            let half = turn.transpose().abs() * ((max - min) / 2.0);
            (center - half, center + half)
        };
        let (mut least, mut largest) = at(&self.placed);
        if let Some(motion) = &self.motion {
            let (start, end) = at(&Placed::new(&motion.at(0.0)));
            let bulge = Vector3::repeat(motion.bulge(min.abs().sup(&max.abs()).norm()));
            (least, largest) = (least.inf(&start) - bulge, largest.sup(&end) + bulge);
        }
        (least.iter().chain(largest.iter()).all(|value| value.is_finite())).then_some((least, largest))
    }
}

/// Rays of a packet in the world.
struct WorldRays {
    origins: [Vector3<f64>; WIDTH],
    /// By axis.
    directions: [[f64; WIDTH]; 3],
    times: [f64; WIDTH],
    /// Whether all have the same origin.
    is_common: bool,
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
        let Self { scene, instances, triangles } = self;
        let start = start(reach);
        let boxes = BoxRay::new((ray.origin.coords - scene.center).cast(), direction.cast(), start);
        let mut nearest = Nearest::none(reach.max as f32);
        scene.tree.traverse(&boxes, instances, nearest.end, |index, enter, _| {
            if let Some(instance) = scene.instances.get(index as usize) {
                let (origin, direction) = instance.at(ray.time).local(ray);
                let local = MeshRay::new(origin.cast(), direction.cast(), start);
                let Model { tree, solids, .. } = &*instance.model;
                solids.cast(&local.boxes, (&origin, &direction, start), triangles, index, enter, &mut nearest);
                tree.cast(&local, triangles, index, enter, &mut nearest);
            }
            nearest.end
        });
        scene.hit(ray, start, &nearest)
    }

    /// Hits of at most [`WIDTH`] rays. Rays from nearly the same origin in similar directions are cast as a packet, which
    /// is faster and gives identical results.
    pub(crate) fn cast_some(&mut self, rays: &[Option<(Ray, Reach)>], hits: &mut [Option<Hit>]) {
        if self.cast_packet(rays, hits).is_none() {
            for (hit, ray) in hits.iter_mut().zip(rays) {
                *hit = ray.as_ref().and_then(|(ray, reach)| self.cast(ray, *reach));
            }
        }
    }

    /// Casts the rays as a packet; false if they do not form one.
    fn cast_packet(&mut self, rays: &[Option<(Ray, Reach)>], hits: &mut [Option<Hit>]) -> Option<()> {
        let (first, first_reach) = rays.iter().flatten().next()?;
        if !first.origin.iter().all(|value| value.is_finite()) {
            return None;
        }
        // Unused rays copy the first one.
        let forward = &first.direction;
        let mut world = WorldRays {
            origins: [first.origin.coords; WIDTH],
            directions: [0, 1, 2].map(|axis| [forward[axis]; WIDTH]),
            times: [first.time; WIDTH],
            is_common: true,
        };
        let (mut starts, mut ends) = ([start(*first_reach); WIDTH], [f32::NEG_INFINITY; WIDTH]);
        for (lane, ray) in rays.iter().enumerate().take(WIDTH) {
            let Some((ray, reach)) = ray else { continue };
            // False for NaN, too.
            let go_alike = (ray.direction.dot(forward) - 1.0).abs() < ALIKE;
            let start_alike = ray.origin == first.origin || (ray.origin - first.origin).norm_squared() < NEAR * NEAR;
            if !(start_alike && go_alike && reach.min >= f64::MIN && reach.max >= f64::MIN) {
                return None;
            }
            (starts[lane], ends[lane]) = (start(*reach), reach.max as f32);
            world.is_common &= ray.origin == first.origin;
            world.origins[lane] = ray.origin.coords;
            world.times[lane] = ray.time;
            for (values, value) in world.directions.iter_mut().zip(ray.direction.iter()) {
                values[lane] = *value;
            }
        }
        let Self { scene, instances, triangles } = self;
        let origins = by_axis(&world.origins, |origin| (origin - scene.center).cast());
        let directions = world.directions.map(|values| values.map(|value| value as f32));
        let in_world = Rays { origins, directions, starts };
        let packet = BoxPacket::new(&in_world)?;
        let mut nearest = ends.map(Nearest::none);
        scene.tree.traverse_packet(&packet, instances, &mut ends, |index, lanes, enters, ends| {
            let Some(instance) = scene.instances.get(index as usize) else { return };
            let Model { tree, solids, .. } = &*instance.model;
            let (origins, exact) = instance.local_rays(&world);
            let local = Rays {
                origins: by_axis(&origins, |origin| origin.cast()),
                directions: by_axis(&exact, |direction| direction.cast()),
                starts,
            };
            let packet = if lanes.0.count_ones() as usize > LANES { BoxPacket::new(&local) } else { None };
            if let Some(packet) = packet {
                let counting = |nearest: &[Nearest; WIDTH]| {
                    let mut counting = [f32::NEG_INFINITY; WIDTH];
                    for lane in lanes {
                        counting[lane] = nearest[lane].end;
                    }
                    counting
                };
                let counted = counting(&nearest);
                solids.cast_packet(&packet, (&origins, &exact), triangles, index, enters, (counted, &mut nearest));
                let counted = counting(&nearest);
                tree.cast_packet(&packet, triangles, index, enters, counted, &mut nearest);
            } else {
                for lane in lanes {
                    let ray = MeshRay::new(local.origin(lane), local.direction(lane), starts[lane]);
                    let exact = (&origins[lane], &exact[lane], starts[lane]);
                    solids.cast(&ray.boxes, exact, triangles, index, enters[lane], &mut nearest[lane]);
                    tree.cast(&ray, triangles, index, enters[lane], &mut nearest[lane]);
                }
            }
            for lane in lanes {
                ends[lane] = nearest[lane].end;
            }
        });
        for ((hit, ray), nearest) in hits.iter_mut().zip(rays).zip(&nearest) {
            *hit = ray.as_ref().and_then(|(ray, reach)| scene.hit(ray, start(*reach), nearest));
        }
        Some(())
    }
}

/// Vectors in single precision, by axis.
fn by_axis(vectors: &[Vector3<f64>; WIDTH], single: impl Fn(&Vector3<f64>) -> Vector3<f32>) -> [[f32; WIDTH]; 3] {
    let mut axes = [[0.0; WIDTH]; 3];
    for (lane, vector) in vectors.iter().enumerate() {
        for (values, value) in axes.iter_mut().zip(single(vector).iter()) {
            values[lane] = *value;
        }
    }
    axes
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
