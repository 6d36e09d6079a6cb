//! What the tests of forces share.

use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextJoints, RapierRigidBodySet};
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

/// Gives a body whose joints rest a speed along X, m/s.
pub fn push_off(world: &mut World, body: Entity, speed: f32) {
    let simulated = world.app.world().get::<SimulatedBody>(body).unwrap();
    let (handle, _) = simulated.rigid_body(LinkIndex(0));
    let mut contexts = world.app.world_mut().query::<(&mut RapierRigidBodySet, &mut RapierContextJoints)>();
    let (mut set, mut joints) = contexts.single_mut(world.app.world_mut()).unwrap();
    if let Some(link) = joints.multibody_joints.rigid_body_link(handle).copied() {
        let multibody = joints.multibody_joints.get_multibody_mut(link.multibody).unwrap();
        multibody.generalized_velocity_mut()[0] = speed;
    } else {
        set.bodies[handle].set_linvel(Vec3::X * speed, true);
    }
}

/// Turns the named links of a free body about the world origin, rad/s.
pub fn spin(world: &mut World, body: Entity, links: &[usize], velocity: Vector3<f64>) {
    let simulated = world.app.world().get::<SimulatedBody>(body).unwrap();
    let handles: Vec<_> = links.iter().map(|&link| simulated.rigid_body(LinkIndex(link)).0).collect();
    let mut contexts = world.app.world_mut().query::<(&mut RapierRigidBodySet, &mut RapierContextJoints)>();
    let (mut set, mut joints) = contexts.single_mut(world.app.world_mut()).unwrap();
    let velocity = velocity.cast::<f32>();
    for handle in handles {
        set.bodies[handle].set_angvel(Vec3::new(velocity.x, velocity.y, velocity.z), true);
        if let Some(link) = joints.multibody_joints.rigid_body_link(handle).copied() {
            let multibody = joints.multibody_joints.get_multibody_mut(link.multibody).unwrap();
            for axis in 0..3 {
                multibody.generalized_velocity_mut()[3 + axis] = velocity[axis];
            }
        }
    }
}
