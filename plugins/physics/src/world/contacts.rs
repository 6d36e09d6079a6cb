//! Collision rules and surface properties of colliders.

use std::collections::{BTreeMap, BTreeSet};

use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;
use bevy_rapier3d::rapier::geometry::ColliderHandle;
use bunraku_body::{ContactCulling, ContactMaterials, LinkIndex};
use nalgebra::{UnitQuaternion, Vector3};

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

/// Coefficients of a pair of contact materials.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coefficients {
    pub static_friction: f32,
    pub dynamic_friction: f32,
    pub restitution: f32,
    pub culling: ContactCulling,
}

/// A link whose surface moves about an axis.
#[derive(Clone, Copy, Debug)]
struct Track {
    owner: LinkOfBody,
    /// Unit vector in the frame of the rigid body.
    axis: Vector3<f64>,
    /// Surface speed, m/s.
    speed: f64,
}

/// Collision rules and surface properties by collider.
///
/// Colliders of users are not registered, and have rapier's own rules.
#[derive(Resource, Debug, Default)]
pub(crate) struct ContactRules {
    /// By the index part of the collider handle.
    colliders: Vec<Option<(ColliderHandle, ColliderInfo)>>,
    materials: Vec<Option<String>>,
    /// Square table by material numbers.
    pairs: Vec<Coefficients>,
    /// Of colliders that are meshes, by the index part of the handle.
    meshes: BTreeMap<usize, (ColliderHandle, MeshEdges)>,
    /// Colliders of each link, in the order of rapier.
    by_link: BTreeMap<LinkOfBody, Vec<ColliderHandle>>,
    /// Indices of removed tracks are reused.
    tracks: Vec<Option<Track>>,
    table: ContactMaterials,
    /// Pairs of links of one body that pass through each other, for bodies that may touch themselves.
    self_collisions: BTreeMap<Entity, BTreeSet<(LinkIndex, LinkIndex)>>,
    /// Pairs of rigid bodies that do not collide because an extra joint joins them, the smaller handle first.
    joined: BTreeSet<[(u32, u32); 2]>,
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

    /// Registers the normals that the triangles of a collider may have.
    pub fn add_mesh(&mut self, handle: ColliderHandle, edges: MeshEdges) {
        self.meshes.insert(index(handle), (handle, edges));
    }

    /// The normals that the triangles of a collider may have; `None` unless it is a registered mesh.
    pub fn mesh(&self, handle: ColliderHandle) -> Option<&MeshEdges> {
        let (known, edges) = self.meshes.get(&index(handle))?;
        (*known == handle).then_some(edges)
    }

    /// Registers a link with a moving surface, before its colliders. `axis` is a unit vector in the frame of the rigid body.
    pub fn add_track(&mut self, owner: LinkOfBody, axis: Vector3<f64>) {
        let track = Some(Track { owner, axis, speed: 0.0 });
        match self.tracks.iter_mut().find(|track| track.is_none()) {
            Some(free) => *free = track,
            None => self.tracks.push(track),
        }
    }

    /// Sets the speed of the surface of a track, m/s.
    pub fn set_track_speed(&mut self, link: LinkOfBody, speed: f64) {
        for track in self.tracks.iter_mut().flatten().filter(|track| track.owner == link) {
            track.speed = speed;
        }
    }

    /// Removes a body with the rigid bodies `parts`.
    pub fn forget(&mut self, body: Entity, parts: &[RigidBodyHandle]) {
        let links = LinkOfBody { body, link: LinkIndex(0) }..=LinkOfBody { body, link: LinkIndex(usize::MAX) };
        let gone: Vec<LinkOfBody> = self.by_link.range(links).map(|(link, _)| *link).collect();
        for handle in gone.iter().filter_map(|link| self.by_link.remove(link)).flatten() {
            if let Some(info) = self.colliders.get_mut(index(handle)) {
                // A later collider may have the index.
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
            self.joined.retain(|pair| !pair.contains(&part));
        }
    }

    /// Sets the material table.
    pub fn set_materials(&mut self, table: &ContactMaterials) {
        self.table.clone_from(table);
        self.fill_pairs();
    }

    /// Lets the links of a body collide with each other, except for some pairs (the smaller index first).
    pub fn allow_self_collision(&mut self, body: Entity, ignored: BTreeSet<(LinkIndex, LinkIndex)>) {
        self.self_collisions.insert(body, ignored);
    }

    /// Whether the links of a body may collide with each other.
    pub fn touches_itself(&self, body: Entity) -> bool {
        self.self_collisions.contains_key(&body)
    }

    /// Excludes collisions of two rigid bodies.
    pub fn let_through(&mut self, first: RigidBodyHandle, second: RigidBodyHandle) {
        self.joined.insert(pair(first, second));
    }

    /// The link of a collider; `None` for one of a user.
    pub fn owner(&self, handle: ColliderHandle) -> Option<LinkOfBody> {
        self.info(handle).map(|info| info.owner)
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

    /// Coefficients of two registered colliders.
    pub fn coefficients(&self, colliders: [ColliderHandle; 2]) -> Option<Coefficients> {
        let [first, second] = [self.info(colliders[0])?, self.info(colliders[1])?];
        Some(self.pairs[first.material.0 * self.materials.len() + second.material.0])
    }

    fn are_joined(&self, first: Option<RigidBodyHandle>, second: Option<RigidBodyHandle>) -> bool {
        !self.joined.is_empty()
            && first.zip(second).is_some_and(|(first, second)| self.joined.contains(&pair(first, second)))
    }

    fn info(&self, handle: ColliderHandle) -> Option<ColliderInfo> {
        let (known, info) = self.colliders.get(index(handle)).copied().flatten()?;
        // Indices are reused.
        (known == handle).then_some(info)
    }

    /// Whether two colliders of the rigid bodies `owners` may collide: links of one body do not unless it is allowed, and links that an
    /// extra joint between bodies joins never do.
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

    /// Culling of the contact points of two colliders.
    pub fn culling(&self, colliders: [ColliderHandle; 2]) -> ContactCulling {
        self.coefficients(colliders).map_or_else(ContactCulling::default, |pair| pair.culling)
    }

    /// Surface velocity of the first of two colliders relative to its rigid body, less that of the second, m/s, world axes, with a normal out of the
    /// first into the second. `rotation` gives that of a side's rigid body in this step: rapier's may be outdated.
    pub fn surface_velocity(
        &self,
        colliders: [ColliderHandle; 2],
        normal: &Vector3<f64>,
        rotation: impl Fn(usize) -> UnitQuaternion<f64>,
    ) -> Vector3<f64> {
        let [first, second] = colliders.map(|collider| self.info(collider));
        self.surface_velocity_of(first, || rotation(0), &-normal)
            - self.surface_velocity_of(second, || rotation(1), normal)
    }

    /// Surface velocity of a collider relative to its link where the contact normal points `into` it, m/s, world axes.
    ///
    /// The surface moves like the rim of a wheel that turns about the axis by the right-hand rule: with the axis along +Y, and ground
    /// below, it moves towards −X and pushes the link towards +X.
    fn surface_velocity_of(
        &self,
        info: Option<ColliderInfo>,
        rotation: impl Fn() -> UnitQuaternion<f64>,
        into: &Vector3<f64>,
    ) -> Vector3<f64> {
        let track = info.and_then(|info| *self.tracks.get(info.track?)?).filter(|track| track.speed != 0.0);
        let Some(track) = track else { return Vector3::zeros() };
        into.cross(&(rotation() * track.axis)) * track.speed
    }
}

/// Two rigid bodies, ordered.
fn pair(first: RigidBodyHandle, second: RigidBodyHandle) -> [(u32, u32); 2] {
    let [first, second] = [first, second].map(RigidBodyHandle::into_raw_parts);
    [first.min(second), first.max(second)]
}

fn index(handle: ColliderHandle) -> usize {
    handle.into_raw_parts().0 as usize
}
