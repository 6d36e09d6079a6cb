//! Helpers of the tests of forces.

use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use bevy_rapier3d::prelude::RapierRigidBodySet;
use bunraku_body::LinkIndex;
use bunraku_body::dynamics::Wrench;
use bunraku_physics::{Contact, Contacts, SimulatedBody};
use nalgebra::Vector3;

use crate::common::World;

pub fn contacts(world: &mut World, body: Entity) -> Vec<Contact> {
    world.app.world_mut().run_system_once(move |contacts: Contacts| contacts.of_body(body)).unwrap()
}

pub fn contact_wrench(world: &mut World, body: Entity, link: usize) -> Wrench {
    world.app.world_mut().run_system_once(move |contacts: Contacts| contacts.wrench(body, LinkIndex(link))).unwrap()
}

/// A rapier body: its momentum, angular momentum about its centre of mass, and that centre.
pub struct Momentum {
    pub linear: Vector3<f64>,
    pub angular: Vector3<f64>,
}

/// Momentum of the rigid part that carries a link, from rapier's own masses; angular about the centre of mass.
pub fn momentum(world: &mut World, body: Entity, link: usize) -> Momentum {
    let (handle, _) = world.app.world().get::<SimulatedBody>(body).unwrap().rigid_body(LinkIndex(link));
    let mut sets = world.app.world_mut().query::<&RapierRigidBodySet>();
    let set = sets.single(world.app.world()).unwrap();
    let part = &set.bodies[handle];
    let vector = |v: Vec3| Vector3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
    let properties = part.mass_properties().local_mprops;
    let axes = part.rotation() * properties.principal_inertia_local_frame;
    let spin = axes.inverse() * part.angvel();
    Momentum {
        linear: vector(part.linvel()) * f64::from(part.mass()),
        angular: vector(axes * (spin * properties.principal_inertia())),
    }
}
