//! Dynamic rigid bodies of users: each is a free tree of one part.

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextColliders, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::{RigidBody, RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::geometry::ColliderSet;
use bunraku_body::MassProperties;
use nalgebra::{Matrix3, Point3, Vector3};

use super::solver_body::reach_and_thickness;
use super::{MultibodyWorld, removal};
use crate::world::convert::{from_pose, from_vec3, to_pose, to_vec3};
use bunraku_multibody::{TreeIndex, Twist, Wrench};

/// Whether there are any, known or new.
pub(crate) fn are_there(multibodies: &MultibodyWorld, set: &RapierRigidBodySet) -> bool {
    let is_new =
        |(handle, body): (RigidBodyHandle, &RigidBody)| body.is_dynamic() && multibodies.part_of(handle).is_none();
    !multibodies.users_bodies.is_empty() || set.bodies.iter().any(is_new)
}

/// Adds new bodies, removes those that are gone, and reads changes that users made to the others.
pub(crate) fn prepare(world: &mut World) -> Result {
    let mut contexts = world.query::<(&RapierRigidBodySet, &RapierContextColliders)>();
    let (set, _) = contexts.single(world)?;
    let multibodies = world.resource::<MultibodyWorld>();
    let known = &multibodies.users_bodies;
    let is_gone = |body: &RigidBodyHandle| !set.bodies.get(*body).is_some_and(RigidBody::is_dynamic);
    let gone: Vec<RigidBodyHandle> = known.iter().copied().filter(is_gone).collect();
    let is_new =
        |(handle, body): &(RigidBodyHandle, &RigidBody)| body.is_dynamic() && multibodies.part_of(*handle).is_none();
    let new: Vec<RigidBodyHandle> = set.bodies.iter().filter(is_new).map(|(handle, _)| handle).collect();
    if !gone.is_empty() {
        removal::forget(world, &[], &gone, &[]);
    }
    let mut contexts = world.query::<(&mut RapierRigidBodySet, &RapierContextColliders)>();
    world.resource_scope(|world, mut multibodies: Mut<MultibodyWorld>| {
        let (mut set, colliders) = contexts.single_mut(world)?;
        multibodies.users_bodies.retain(|body| !gone.contains(body));
        for &handle in &new {
            multibodies.add_users_body(handle, &mut set.bodies, &colliders.colliders);
        }
        multibodies.follow_users(&set.bodies);
        Ok(())
    })
}

impl MultibodyWorld {
    fn add_users_body(&mut self, handle: RigidBodyHandle, bodies: &mut RigidBodySet, colliders: &ColliderSet) {
        let Some(body) = bodies.get_mut(handle) else { return };
        // Rapier computes mass properties only when it steps.
        body.recompute_mass_properties_from_colliders(colliders);
        let own = &body.mass_properties().local_mprops;
        let axes = own.reconstruct_inertia_matrix().to_cols_array().map(f64::from);
        let mass = MassProperties {
            mass: f64::from(own.mass()),
            center_of_mass: Point3::from(from_vec3(own.local_com)),
            inertia: Matrix3::from_column_slice(&axes),
        };
        let is_sound = mass.mass > 0.0 && mass.mass.is_finite() && mass.inertia.iter().all(|value| value.is_finite());
        let pose = from_pose(body.position());
        let Some(part) = is_sound.then(|| self.add_free_part(mass, &pose)).flatten() else { return };
        self.detection.add_part(handle, part, reach_and_thickness(handle, bodies, colliders), true);
        self.users_bodies.push(handle);
    }

    /// Reads poses and velocities that differ from those that the last step wrote.
    fn follow_users(&mut self, bodies: &RigidBodySet) {
        for &handle in &self.users_bodies {
            let (Some(part), Some(body)) = (self.part_of(handle), bodies.get(handle)) else { continue };
            let tree = self.system.tree_of(part);
            let pose = &mut self.state.root_poses[tree.0];
            if to_pose(pose) != *body.position() {
                *pose = from_pose(body.position());
            }
            let velocities = self.velocities_of(tree, body);
            if velocities.map(|velocity| to_vec3(&velocity)) != [body.linvel(), body.angvel()] {
                let (linear, angular) = (from_vec3(body.linvel()), from_vec3(body.angvel()));
                let twist = Twist { linear: linear - angular.cross(&self.arm_of(tree, body)), angular };
                self.state.set_root_twist(&self.system, tree, &twist);
            }
        }
    }

    /// From the origin of a user's body to its centre of mass, m, world axes.
    fn arm_of(&self, tree: TreeIndex, body: &RigidBody) -> Vector3<f64> {
        self.state.root_poses[tree.0].rotation * from_vec3(body.mass_properties().local_mprops.local_com)
    }

    /// Velocity of the centre of mass of a user's body, m/s, and its angular velocity, rad/s.
    fn velocities_of(&self, tree: TreeIndex, body: &RigidBody) -> [Vector3<f64>; 2] {
        let twist = self.state.root_twist(&self.system, tree);
        [twist.linear + twist.angular.cross(&self.arm_of(tree, body)), twist.angular]
    }

    /// Adds forces that users apply to their bodies, and the effect of gravity scales and damping in a step of `time_step` seconds.
    pub(super) fn push_users_bodies(&mut self, bodies: &RigidBodySet, gravity: &Vector3<f64>, time_step: f64) {
        for &handle in &self.users_bodies {
            let (Some(part), Some(body)) = (self.part_of(handle), bodies.get(handle)) else { continue };
            let more = gravity * (f64::from(body.mass()) * (f64::from(body.gravity_scale()) - 1.0));
            let tree = self.system.tree_of(part);
            let [linear, angular] = self.velocities_of(tree, body);
            // As in rapier a step divides velocities by 1 + damping·dt.
            let [braking, turning] =
                [body.linear_damping(), body.angular_damping()].map(|damping| damped(f64::from(damping), time_step));
            let momentum = linear * f64::from(body.mass());
            let inertia = body.mass_properties().effective_angular_inertia();
            let spin = from_vec3(inertia * to_vec3(&angular));
            let force = from_vec3(body.user_force()) + more - momentum * braking;
            let arm = self.arm_of(tree, body);
            let torque = from_vec3(body.user_torque()) - spin * turning + arm.cross(&force);
            if force != Vector3::zeros() || torque != Vector3::zeros() {
                self.wrenches.push((part, Wrench { force, torque }));
            }
        }
    }

    /// Writes velocities after a step.
    pub(super) fn tell_users_bodies(&self, bodies: &mut RigidBodySet) {
        for &handle in &self.users_bodies {
            let (Some(part), Some(body)) = (self.part_of(handle), bodies.get_mut(handle)) else { continue };
            let [linear, angular] = self.velocities_of(self.system.tree_of(part), body);
            body.set_linvel(to_vec3(&linear), false);
            body.set_angvel(to_vec3(&angular), false);
        }
    }
}

/// Change of velocity over a step divided by the velocity and the step, 1/s.
fn damped(damping: f64, time_step: f64) -> f64 {
    damping / (1.0 + damping * time_step)
}
