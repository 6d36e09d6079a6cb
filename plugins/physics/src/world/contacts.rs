//! Which colliders touch, and with what friction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use bevy::prelude::*;
use bevy_rapier3d::parry::bounding_volume::{Aabb, BoundingVolume};
use bevy_rapier3d::rapier::dynamics::{RigidBody, RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::geometry::{ColliderHandle, ContactManifold, SolverFlags};
use bevy_rapier3d::rapier::math::Vector;
use bevy_rapier3d::rapier::pipeline::{ContactModificationContext, PairFilterContext, PhysicsHooks};
use bunraku_body::{ContactCulling, ContactMaterials, LinkIndex};
use nalgebra::Vector3;

use crate::world::culling;
use crate::world::meeting::{AFTERMATH, Meeting, MeetingKind, POINTS};
use crate::world::mesh_edges::MeshEdges;

/// A link of a body entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinkOfBody {
    pub body: Entity,
    pub link: LinkIndex,
}

/// Number of a contact material in [`ContactRules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MaterialNumber(usize);

#[derive(Clone, Copy, Debug)]
struct ColliderInfo {
    owner: LinkOfBody,
    material: MaterialNumber,
    /// Index among the tracks.
    track: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Coefficients {
    static_friction: f32,
    dynamic_friction: f32,
    restitution: f32,
    culling: ContactCulling,
}

/// Surfaces that move against each other no faster than this are at rest, m/s: Choreonoid's bound between its static and
/// its dynamic coefficient.
const AT_REST: f32 = 1e-4;

/// Surfaces that meet no faster than this do not bounce, m/s: Choreonoid's lower bound.
const SLOWEST_BOUNCE: f32 = 1e-4;

/// With rapier's step, which merges normals up to 5° apart: cosine of the angle by which a normal may miss those that triangles may have.
const COS_OF_INTERNAL_EDGES: f32 = 0.996;
/// With rapier's step, how far a triangle may be from a contact of its own, m: how far surfaces sink into each other.
const NEAR: f32 = 5e-3;

/// What is known of two surfaces; `None` where neither a body of ours nor its model says anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surfaces {
    /// Static and dynamic coefficient.
    pub friction: Option<[f32; 2]>,
    pub restitution: Option<f32>,
    /// How the first runs along its rigid body, less the same of the second, m/s, world axes.
    pub velocity: Vector,
}

/// A link whose surface runs round an axis.
#[derive(Clone, Copy, Debug)]
struct Track {
    owner: LinkOfBody,
    /// Unit vector in the frame of the rigid body.
    axis: Vector,
    /// Of the surface, m/s.
    speed: f32,
}

/// What rapier asks about pairs of colliders, ready to be looked up by index.
///
/// Colliders that rapier users add themselves are unknown here and keep rapier's own rules.
#[derive(Resource, Debug, Default)]
pub(crate) struct ContactRules {
    /// By the index part of the collider handle.
    colliders: Vec<Option<(ColliderHandle, ColliderInfo)>>,
    materials: Vec<Option<String>>,
    /// Square table by material numbers.
    pairs: Vec<Coefficients>,
    /// Of colliders that are meshes, by the index part of the handle.
    meshes: BTreeMap<usize, (ColliderHandle, MeshEdges)>,
    /// Colliders of each link, in the order in which rapier took them in.
    by_link: BTreeMap<LinkOfBody, Vec<ColliderHandle>>,
    /// What the contacts of this step were started with; a manifold's user data is its index here.
    ///
    /// Rapier shares its hooks, so that what they write needs a lock; nobody ever waits for it.
    seeds: Mutex<Vec<ContactSeeds>>,
    /// Those whose body is gone leave their index to the next.
    tracks: Vec<Option<Track>>,
    table: ContactMaterials,
    /// Pairs of links of one body that pass through each other, for bodies that may touch themselves.
    self_collisions: BTreeMap<Entity, BTreeSet<(LinkIndex, LinkIndex)>>,
    /// Rigid bodies that extra joints hold together, the smaller one first: they pass through each other.
    joined: BTreeSet<[(u32, u32); 2]>,
    /// Rigid bodies that move and hang on no joint, by handle.
    single: BTreeSet<(u32, u32)>,
    recent_impacts: RecentImpacts,
    /// How much faster bodies fall in a step, m/s.
    fall: f32,
    /// How much faster bodies fall in a substep, m/s. The solver needs some steps to find a load that is new; until
    /// then surfaces that are held creep by less than this.
    creep: f32,
}

/// Bodies that were hit lately, by handle, and for how many steps that still matters.
pub(crate) type RecentImpacts = BTreeMap<(u32, u32), u32>;

/// Impulses that the solver carried over from the step before as its warm start, for each of its points of a manifold. They
/// are in the sums that rapier reports although they were not applied twice.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContactSeeds {
    /// Along the normal, N·s.
    pub normal: [f32; POINTS],
    /// On the first body, world axes, N·s.
    pub friction: [Vector; POINTS],
    /// How the points met, of bodies that hang on no joint.
    pub meeting: Option<Meeting>,
    /// The impulses on the second body in the whole step, N·s, world axes, where they were found after rapier.
    pub solved: Option<[Vector3<f64>; POINTS]>,
}

impl ContactRules {
    /// Registers a collider of a body.
    pub fn add(&mut self, handle: ColliderHandle, owner: LinkOfBody, material: Option<&str>) {
        let material = self.material_number(material);
        let index = index(handle);
        if self.colliders.len() <= index {
            self.colliders.resize(index + 1, None);
        }
        let track = self.tracks.iter().position(|track| track.is_some_and(|track| track.owner == owner));
        self.colliders[index] = Some((handle, ColliderInfo { owner, material, track }));
        self.by_link.entry(owner).or_default().push(handle);
    }

    /// Registers which normals the triangles of a collider may have.
    pub fn add_mesh(&mut self, handle: ColliderHandle, edges: MeshEdges) {
        self.meshes.insert(index(handle), (handle, edges));
    }

    /// Which normals the triangles of a collider may have; `None` of one that is no mesh, or not ours.
    pub fn mesh(&self, handle: ColliderHandle) -> Option<&MeshEdges> {
        let (known, edges) = self.meshes.get(&index(handle))?;
        (*known == handle).then_some(edges)
    }

    /// Registers a link with a moving surface; its colliders come after it. `axis` is a unit vector in the frame of the
    /// rigid body.
    pub fn add_track(&mut self, owner: LinkOfBody, axis: Vector) {
        let track = Some(Track { owner, axis, speed: 0.0 });
        match self.tracks.iter_mut().find(|track| track.is_none()) {
            Some(free) => *free = track,
            None => self.tracks.push(track),
        }
    }

    /// Sets the speed of the surface of a track, m/s.
    pub fn set_track_speed(&mut self, link: LinkOfBody, speed: f32) {
        for track in self.tracks.iter_mut().flatten().filter(|track| track.owner == link) {
            track.speed = speed;
        }
    }

    /// Forgets a body that is gone, whose rigid bodies were `parts`.
    pub fn forget(&mut self, body: Entity, parts: &[RigidBodyHandle]) {
        let links = LinkOfBody { body, link: LinkIndex(0) }..=LinkOfBody { body, link: LinkIndex(usize::MAX) };
        let gone: Vec<LinkOfBody> = self.by_link.range(links).map(|(link, _)| *link).collect();
        for handle in gone.iter().filter_map(|link| self.by_link.remove(link)).flatten() {
            if let Some(info) = self.colliders.get_mut(index(handle)) {
                // A collider that came later may have the index by now.
                *info = info.take().filter(|(known, _)| *known != handle);
            }
            if self.meshes.get(&index(handle)).is_some_and(|(known, _)| *known == handle) {
                self.meshes.remove(&index(handle));
            }
        }
        for track in &mut self.tracks {
            *track = track.take().filter(|track| track.owner.body != body);
        }
        self.self_collisions.remove(&body);
        for part in parts.iter().map(|part| part.into_raw_parts()) {
            self.single.remove(&part);
            self.recent_impacts.remove(&part);
            self.joined.retain(|pair| !pair.contains(&part));
        }
    }

    /// What the materials do from now on.
    pub fn set_materials(&mut self, table: &ContactMaterials) {
        self.table.clone_from(table);
        self.fill_pairs();
    }

    /// Lets the links of a body touch each other, but for some pairs (the smaller index first).
    pub fn allow_self_collision(&mut self, body: Entity, ignored: BTreeSet<(LinkIndex, LinkIndex)>) {
        self.self_collisions.insert(body, ignored);
    }

    /// Whether the links of a body may touch each other.
    pub fn touches_itself(&self, body: Entity) -> bool {
        self.self_collisions.contains_key(&body)
    }

    /// Lets two rigid bodies pass through each other.
    pub fn let_through(&mut self, first: RigidBodyHandle, second: RigidBodyHandle) {
        self.joined.insert(pair(first, second));
    }

    /// Says that a rigid body moves and hangs on no joint; until it is [`ContactRules::tied`].
    pub fn is_single(&mut self, body: RigidBodyHandle) {
        self.single.insert(body.into_raw_parts());
    }

    /// Says that a rigid body hangs on a joint.
    pub fn tied(&mut self, body: RigidBodyHandle) {
        self.single.remove(&body.into_raw_parts());
    }

    /// Whether a rigid body moves and hangs on no joint.
    pub fn hangs_on_no_joint(&self, body: RigidBodyHandle) -> bool {
        self.single.contains(&body.into_raw_parts())
    }

    /// Rigid bodies that move and hang on no joint, in an order of their own.
    pub fn single_bodies(&self) -> impl Iterator<Item = RigidBodyHandle> {
        self.single.iter().map(|&(index, generation)| RigidBodyHandle::from_raw_parts(index, generation))
    }

    /// Whether bodies that hang on no joint had an impact in this step or shortly before.
    pub fn had_impact(&mut self) -> bool {
        let seeds = self.seeds.get_mut().unwrap_or_else(PoisonError::into_inner);
        seeds.iter().any(|seeds| seeds.meeting.is_some_and(|meeting| meeting.kind != MeetingKind::Rest))
    }

    /// Notes that bodies were hit in this step.
    pub fn were_hit(&mut self, bodies: &[RigidBodyHandle]) {
        self.recent_impacts.extend(bodies.iter().map(|body| (body.into_raw_parts(), AFTERMATH)));
    }

    /// The bodies that were hit lately, by handle, and for how many steps that still matters.
    pub fn recent_impacts(&self) -> &RecentImpacts {
        &self.recent_impacts
    }

    /// Goes back to another state of them.
    pub fn set_recent_impacts(&mut self, impacts: RecentImpacts) {
        self.recent_impacts = impacts;
    }

    /// Notes what the points of a manifold push the second body with in this step, N·s, world axes, whatever rapier says.
    pub fn note_impulses(&mut self, manifold: usize, impulses: [Vector3<f64>; POINTS]) {
        let seeds = self.seeds.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(seeds) = seeds.get_mut(manifold) {
            seeds.solved = Some(impulses);
        }
    }

    /// The link that a collider belongs to; `None` for one that is not ours.
    pub fn owner(&self, handle: ColliderHandle) -> Option<LinkOfBody> {
        self.info(handle).map(|info| info.owner)
    }

    /// Colliders of a link.
    pub fn colliders_of(&self, link: LinkOfBody) -> &[ColliderHandle] {
        self.by_link.get(&link).map_or(&[], Vec::as_slice)
    }

    /// Forgets what belongs to the step before.
    ///
    /// `fall` is how much faster bodies fall in this step, m/s, which is cut into `substeps`.
    pub fn begin_step(&mut self, fall: f32, substeps: usize) {
        self.fall = fall;
        #[allow(clippy::cast_precision_loss)]
        {
            self.creep = fall / substeps.max(1) as f32;
        }
        self.seeds.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        self.recent_impacts.retain(|_, steps| {
            *steps -= 1;
            *steps > 0
        });
    }

    /// What the contacts of a manifold were started with in the last step.
    pub fn seeds(&self, manifold: &ContactManifold) -> ContactSeeds {
        let seeds = self.seeds.lock().unwrap_or_else(PoisonError::into_inner);
        seeds.get(manifold.data.user_data as usize).copied().unwrap_or_default()
    }

    /// How the points of bodies that hang on no joint meet; `None` of others.
    fn meeting(&self, context: &ContactModificationContext<'_>, restitution: f32, surface: Vector) -> Option<Meeting> {
        if self.single.is_empty() {
            return None;
        }
        let is_single = |body: RigidBodyHandle| self.hangs_on_no_joint(body);
        let sides = [context.rigid_body1, context.rigid_body2]
            .map(|body| body.and_then(|handle| context.bodies.get(handle).map(|body| (body, is_single(handle)))));
        if sides.iter().flatten().any(|(body, is_single)| body.is_dynamic() && !is_single) {
            return None;
        }
        let mut meeting = Meeting { surface, friction: *context.friction, ..Meeting::default() };
        let points = meeting.approach.iter_mut().zip(&mut meeting.gap);
        for (contact, (approach, gap)) in context.solver_contacts.iter().zip(points) {
            let point = (contact.anchor1 + contact.anchor2) * 0.5;
            let velocity = |side: usize| sides[side].map_or(Vector::ZERO, |(body, _)| body.velocity_at_point(point));
            *approach = (velocity(0) - velocity(1)).dot(*context.normal);
            *gap = contact.dist;
        }
        let fastest = meeting.approach.iter().copied().fold(f32::MIN, f32::max);
        let is_recent = |body: Option<RigidBodyHandle>| {
            body.is_some_and(|body| self.recent_impacts.contains_key(&body.into_raw_parts()))
        };
        if fastest >= (2.0 * self.fall).max(SLOWEST_BOUNCE) {
            meeting.kind = MeetingKind::Impact;
            meeting.restitution = restitution;
        } else if is_recent(context.rigid_body1) || is_recent(context.rigid_body2) {
            meeting.kind = MeetingKind::Aftermath;
        }
        Some(meeting)
    }

    fn remember_seeds(&self, context: &mut ContactModificationContext<'_>, meeting: Option<Meeting>) {
        let mut seeds = ContactSeeds { meeting, ..ContactSeeds::default() };
        let values = seeds.normal.iter_mut().zip(&mut seeds.friction);
        for (contact, (normal, friction)) in context.solver_contacts.iter().zip(values) {
            let [index] = contact.contact_indices();
            if let Some(point) = context.manifold.points.get(index as usize) {
                *normal = point.data.warmstart_impulse;
                *friction = point.data.warmstart_tangent_world;
            }
        }
        let mut all = self.seeds.lock().unwrap_or_else(PoisonError::into_inner);
        // A step does not have four thousand million manifolds.
        *context.user_data = u32::try_from(all.len()).unwrap_or(u32::MAX);
        all.push(seeds);
    }

    fn material_number(&mut self, name: Option<&str>) -> MaterialNumber {
        if let Some(number) = self.materials.iter().position(|known| known.as_deref() == name) {
            return MaterialNumber(number);
        }
        self.materials.push(name.map(str::to_owned));
        self.fill_pairs();
        MaterialNumber(self.materials.len() - 1)
    }

    fn fill_pairs(&mut self) {
        let materials = &self.materials;
        let pairs = materials.iter().flat_map(|first| {
            materials.iter().map(|second| {
                let properties = self.table.between(first.as_deref(), second.as_deref());
                #[allow(clippy::cast_possible_truncation)]
                Coefficients {
                    static_friction: properties.static_friction as f32,
                    dynamic_friction: properties.dynamic_friction as f32,
                    restitution: properties.restitution as f32,
                    culling: properties.culling,
                }
            })
        });
        self.pairs = pairs.collect();
    }

    /// Of two colliders of ours; `None` if one is not.
    fn coefficients(&self, first: Option<ColliderInfo>, second: Option<ColliderInfo>) -> Option<Coefficients> {
        let (first, second) = first.zip(second)?;
        Some(self.pairs[first.material.0 * self.materials.len() + second.material.0])
    }

    fn are_joined(&self, first: Option<RigidBodyHandle>, second: Option<RigidBodyHandle>) -> bool {
        !self.joined.is_empty()
            && first.zip(second).is_some_and(|(first, second)| self.joined.contains(&pair(first, second)))
    }

    fn info(&self, handle: ColliderHandle) -> Option<ColliderInfo> {
        let (known, info) = self.colliders.get(index(handle)).copied().flatten()?;
        // An index is used again after its collider is gone.
        (known == handle).then_some(info)
    }
}

impl PhysicsHooks for ContactRules {
    fn filter_contact_pair(&self, context: &PairFilterContext<'_>) -> Option<SolverFlags> {
        let colliders = [context.collider1, context.collider2];
        let collide = self.may_touch(colliders, [context.rigid_body1, context.rigid_body2]);
        collide.then_some(SolverFlags::COMPUTE_IMPULSES)
    }

    /// Friction and restitution belong to the pair of materials, the speed of a surface to a track.
    fn modify_solver_contacts(&self, context: &mut ContactModificationContext<'_>) {
        if context.solver_contacts.is_empty() {
            return;
        }
        if !self.meshes.is_empty() {
            self.leave_internal_edges(context);
        }
        let (first, second) = (self.info(context.collider1), self.info(context.collider2));
        let pair = self.coefficients(first, second);
        if let Some(pair) = pair {
            culling::cull(&pair.culling, context);
        }
        let surface = self.surface_velocity(first, context.rigid_body1, context.bodies, -*context.normal)
            - self.surface_velocity(second, context.rigid_body2, context.bodies, *context.normal);
        if surface != Vector::ZERO {
            for contact in context.solver_contacts.iter_mut() {
                contact.tangent_velocity = surface;
            }
        }
        if let Some(pair) = pair {
            *context.friction = pair.dynamic_friction;
            *context.restitution = pair.restitution;
            if pair.static_friction != pair.dynamic_friction || pair.restitution > 0.0 {
                let meeting = Motion::of(context, surface);
                if meeting.sliding < self.creep.max(AT_REST) {
                    *context.friction = pair.static_friction;
                }
                // What merely rests falls back within a step, and must not be thrown up for it.
                if meeting.approach < (2.0 * self.fall).max(SLOWEST_BOUNCE) {
                    *context.restitution = 0.0;
                }
            }
        }
        let meeting = self.meeting(context, pair.map_or(*context.restitution, |pair| pair.restitution), surface);
        self.remember_seeds(context, meeting);
        if meeting.is_some() {
            // It is done after the solver.
            *context.restitution = 0.0;
        }
    }
}

impl ContactRules {
    /// Links of one body do not collide with each other unless the body says so, and what an extra joint between bodies
    /// joins never does.
    pub fn may_touch(&self, colliders: [ColliderHandle; 2], owners: [Option<RigidBodyHandle>; 2]) -> bool {
        let [first, second] = colliders.map(|collider| self.info(collider));
        match (first, second) {
            _ if self.are_joined(owners[0], owners[1]) => false,
            (Some(first), Some(second)) if first.owner.body == second.owner.body => {
                let (first, second) = (first.owner, second.owner);
                let pair = (first.link.min(second.link), first.link.max(second.link));
                self.self_collisions.get(&first.body).is_some_and(|ignored| !ignored.contains(&pair))
            }
            _ => true,
        }
    }

    /// Leaves out the contacts of rapier's step with a normal that no triangle of a mesh may have where they are.
    fn leave_internal_edges(&self, context: &mut ContactModificationContext<'_>) {
        let colliders = [context.collider1, context.collider2];
        for (side, &handle) in colliders.iter().enumerate() {
            let Some(edges) = self.mesh(handle) else { continue };
            let [own, other] = [handle, colliders[1 - side]].map(|collider| context.colliders.get(collider));
            let Some(((own, other), mesh)) = own.zip(other).and_then(|pair| Some((pair, pair.0.shape().as_trimesh()?)))
            else {
                continue;
            };
            let pose = own.position();
            let center = pose.inverse_transform_point(other.compute_aabb().center());
            let normal = pose.rotation.inverse() * if side == 0 { *context.normal } else { -*context.normal };
            context.solver_contacts.retain(|contact| {
                let point = pose.inverse_transform_point(if side == 0 { contact.anchor1 } else { contact.anchor2 });
                let near = Aabb::new(point, point).loosened(NEAR);
                mesh.bvh().intersect_aabb(&near).any(|triangle| {
                    let nearest = edges.normals(triangle, center).and_then(|normals| normals.nearest(normal));
                    nearest.is_some_and(|nearest| nearest.dot(normal) > COS_OF_INTERNAL_EDGES)
                })
            });
        }
    }

    /// Which of the points of two colliders count.
    pub fn culling(&self, colliders: [ColliderHandle; 2]) -> ContactCulling {
        let [first, second] = colliders.map(|collider| self.info(collider));
        self.coefficients(first, second).map_or_else(ContactCulling::default, |pair| pair.culling)
    }

    /// How two colliders touch, with a normal out of the first into the second.
    pub fn surfaces(
        &self,
        colliders: [ColliderHandle; 2],
        owners: [Option<RigidBodyHandle>; 2],
        normal: Vector,
        bodies: &RigidBodySet,
    ) -> Surfaces {
        let [first, second] = colliders.map(|collider| self.info(collider));
        let pair = self.coefficients(first, second);
        Surfaces {
            friction: pair.map(|pair| [pair.static_friction, pair.dynamic_friction]),
            restitution: pair.map(|pair| pair.restitution),
            velocity: self.surface_velocity(first, owners[0], bodies, -normal)
                - self.surface_velocity(second, owners[1], bodies, normal),
        }
    }

    /// How the surface of a collider runs along its link where the contact normal points `into` it, m/s, world axes.
    ///
    /// As the rim of a wheel does that turns about the axis with the right hand: along +Y, and touching ground below, it runs
    /// towards −X and pushes the link towards +X.
    fn surface_velocity(
        &self,
        info: Option<ColliderInfo>,
        body: Option<RigidBodyHandle>,
        bodies: &RigidBodySet,
        into: Vector,
    ) -> Vector {
        let track = info.and_then(|info| *self.tracks.get(info.track?)?).filter(|track| track.speed != 0.0);
        let Some((track, body)) = track.zip(body.and_then(|body| bodies.get(body))) else {
            return Vector::ZERO;
        };
        into.cross(body.rotation() * track.axis) * track.speed
    }
}

/// How two surfaces move against each other at the beginning of a step, m/s.
struct Motion {
    /// Of the fastest point along the surfaces.
    sliding: f32,
    /// Of the fastest point towards each other.
    approach: f32,
}

impl Motion {
    fn of(context: &ContactModificationContext<'_>, surface: Vector) -> Self {
        let body = |handle: Option<RigidBodyHandle>| handle.and_then(|handle| context.bodies.get(handle));
        let (first, second) = (body(context.rigid_body1), body(context.rigid_body2));
        let mut meeting = Self { sliding: 0.0, approach: f32::MIN };
        for contact in context.solver_contacts.iter() {
            let point = (contact.anchor1 + contact.anchor2) * 0.5;
            let velocity = |body: Option<&RigidBody>| body.map_or(Vector::ZERO, |body| body.velocity_at_point(point));
            let relative = velocity(first) + surface - velocity(second);
            let approach = relative.dot(*context.normal);
            meeting.approach = meeting.approach.max(approach);
            meeting.sliding = meeting.sliding.max((relative - *context.normal * approach).length());
        }
        meeting
    }
}

/// Two rigid bodies in an order of their own.
fn pair(first: RigidBodyHandle, second: RigidBodyHandle) -> [(u32, u32); 2] {
    let [first, second] = [first, second].map(RigidBodyHandle::into_raw_parts);
    [first.min(second), first.max(second)]
}

fn index(handle: ColliderHandle) -> usize {
    handle.into_raw_parts().0 as usize
}
