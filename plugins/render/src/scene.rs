//! Models at their poses, and the rays that meet them.

use std::sync::Arc;

use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};

use crate::bvh::{Bounds, BoxRay, MeshRay, Stack, Tree, build};
use crate::model::{Model, Triangle};

/// Share of the size of the scene by which boxes are widened, because they and the rays are rounded to f32.
const MARGIN: f32 = 1e-5;

/// A half line in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins, m.
    pub origin: Point3<f64>,
    /// Where it goes.
    pub direction: Unit<Vector3<f64>>,
}

/// The part of a ray that counts, m from its origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// What is nearer is looked through.
    pub min: f64,
    /// What is further away is not met.
    pub max: f64,
}

/// Where a ray meets the scene first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance from the origin of the ray, m.
    pub distance: f64,
    /// Which instance.
    pub instance: InstanceIndex,
    /// Which triangle of its model.
    pub(crate) triangle: u32,
    /// Weights of the second and third corner.
    pub(crate) weights: [f32; 2],
}

/// A model in a scene, in the order in which they were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceIndex(pub usize);

/// Models at poses. Rays meet the fronts of all triangles, and the backs of those that are not part of a closed
/// surface, as graphics cards show them.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    instances: Vec<Instance>,
    /// Over the boxes of the instances, around `center`.
    tree: Tree,
    center: Vector3<f64>,
}

#[derive(Clone, Debug)]
struct Instance {
    model: Arc<Model>,
    pose: Isometry3<f64>,
    /// World axes to those of the model.
    turn: Matrix3<f64>,
}

/// Casts rays, one after the other. It keeps memory that rays need, so make one and use it for many.
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
            scene.instances.push(Instance { model, pose, turn: turn(&pose) });
        }
        scene.rebuild();
        scene
    }

    /// Moves instances to new poses; those that do not exist are ignored.
    pub fn set_poses(&mut self, poses: impl IntoIterator<Item = (InstanceIndex, Isometry3<f64>)>) {
        for (index, pose) in poses {
            if let Some(instance) = self.instances.get_mut(index.0) {
                (instance.pose, instance.turn) = (pose, turn(&pose));
            }
        }
        self.rebuild();
    }

    /// Its models and their poses in the world, by index.
    pub fn instances(&self) -> impl Iterator<Item = (&Arc<Model>, &Isometry3<f64>)> {
        self.instances.iter().map(|instance| (&instance.model, &instance.pose))
    }

    /// How many models it holds.
    pub fn num_instances(&self) -> usize {
        self.instances.len()
    }

    /// How many triangles it shows.
    pub fn num_triangles(&self) -> usize {
        self.instances.iter().map(|instance| instance.model.num_triangles()).sum()
    }

    /// What casts rays into it.
    pub fn caster(&self) -> Caster<'_> {
        Caster { scene: self, instances: Stack::new(), triangles: Stack::new() }
    }

    /// Where a ray meets it first; `None` if it meets nothing in reach, or its numbers are none.
    pub fn cast(&self, ray: &Ray, reach: Reach) -> Option<Hit> {
        self.caster().cast(ray, reach)
    }

    /// Builds the tree over the instances anew: there are few of them.
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

    pub(crate) fn seen(&self, hit: &Hit) -> Option<Seen<'_>> {
        let instance = self.instances.get(hit.instance.0)?;
        let triangle = instance.model.triangles.get(hit.triangle as usize)?;
        Some(Seen { model: &instance.model, triangle, pose: &instance.pose })
    }
}

/// What a ray met.
pub(crate) struct Seen<'s> {
    pub model: &'s Model,
    pub triangle: &'s Triangle,
    pub pose: &'s Isometry3<f64>,
}

fn turn(pose: &Isometry3<f64>) -> Matrix3<f64> {
    pose.rotation.to_rotation_matrix().into_inner().transpose()
}

impl Instance {
    /// The box around it in the world; `None` if it shows nothing or is nowhere.
    fn bounds(&self) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let bounds = self.model.tree.bounds()?;
        let (min, max) = (bounds.min.cast::<f64>(), bounds.max.cast::<f64>());
        let center = self.pose.translation.vector + self.pose.rotation * ((min + max) / 2.0);
        let half = self.turn.transpose().abs() * ((max - min) / 2.0);
        let (min, max) = (center - half, center + half);
        (min.iter().chain(max.iter()).all(|value| value.is_finite())).then_some((min, max))
    }
}

impl<'s> Caster<'s> {
    /// The scene it casts into.
    pub fn scene(&self) -> &'s Scene {
        self.scene
    }

    /// Where a ray meets the scene first; `None` if it meets nothing in reach, or its numbers are none.
    pub fn cast(&mut self, ray: &Ray, reach: Reach) -> Option<Hit> {
        let direction = ray.direction.into_inner();
        let finite = ray.origin.iter().chain(direction.iter()).all(|value| value.is_finite());
        if !finite || reach.min.is_nan() || reach.max.is_nan() {
            return None;
        }
        let Self { scene, instances, triangles } = self;
        let start = reach.min.max(0.0) as f32;
        let origin = (ray.origin.coords - scene.center).cast::<f32>();
        let boxes = BoxRay::new(origin, direction.cast(), start);
        let mut end = reach.max as f32;
        let mut nearest = None;
        scene.tree.traverse(&boxes, instances, &mut end, |index, end| {
            let Some(instance) = scene.instances.get(index as usize) else { return };
            let origin = instance.turn * (ray.origin.coords - instance.pose.translation.vector);
            let direction = instance.turn * direction;
            let local = MeshRay::new(origin.cast(), direction.cast(), start);
            if let Some(hit) = instance.model.tree.cast(&local, triangles, end) {
                nearest = Some((index as usize, hit, origin, direction));
            }
        });
        let (index, hit, origin, direction) = nearest?;
        let corners = scene.instances.get(index)?.model.tree.corners(&hit)?;
        Some(Hit {
            distance: exact_distance(&corners, &origin, &direction, f64::from(end)),
            instance: InstanceIndex(index),
            triangle: hit.triangle,
            weights: hit.weights,
        })
    }
}

/// Distance of the plane of a triangle in double precision. A triangle with next to no area has no plane to speak of;
/// there the distance `found` in single precision stays.
fn exact_distance([a, b, c]: &[Vector3<f64>; 3], origin: &Vector3<f64>, direction: &Vector3<f64>, found: f64) -> f64 {
    /// Share of a distance by which single precision may be wrong.
    const ROUNDING: f64 = 1e-3;
    let normal = (b - a).cross(&(c - a));
    let distance = normal.dot(&(a - origin)) / normal.dot(direction);
    if (distance - found).abs() <= ROUNDING * (1.0 + found) { distance } else { found }
}
