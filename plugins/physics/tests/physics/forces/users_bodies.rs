//! Rigid bodies that a user puts into rapier's world beside ours.

use bevy::prelude::*;
use bevy_rapier3d::prelude::{Collider, ColliderMassProperties, RapierRigidBodyHandle, RapierRigidBodySet, RigidBody};
use bunraku_body::Drive;
use nalgebra::Isometry3;

use crate::common::{G, World, cube, for_both_solvers};

fn height(world: &World, entity: Entity) -> f32 {
    world.app.world().get::<Transform>(entity).unwrap().translation.z
}

#[test]
fn they_fall_rest_and_carry() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        world.add_floor("Ground");
        world.run(10);
        let crate_of = |z: f32| {
            let shape = (Collider::cuboid(0.1, 0.1, 0.1), ColliderMassProperties::Density(250.0));
            (RigidBody::Dynamic, shape, Transform::from_xyz(0.0, 0.0, z))
        };
        let theirs = world.app.world_mut().spawn(crate_of(1.0)).id();
        world.run(200);
        let fallen = 1.0 - f64::from(height(&world, theirs));
        println!("  falls {fallen:.4} m of {:.4} m", 0.5 * G * 0.04);
        assert!((fallen - 0.5 * G * 0.04).abs() < 3e-3, "{fallen}");
        let ours = world.add(&cube("Ground"), Isometry3::translation(0.0, 0.0, 1.5), &[], Drive::Physics);
        world.run(2000);
        let (below, above) = (height(&world, theirs), world.state(ours).link_poses[0].translation.z);
        println!("  theirs at {below:.5} m, ours upon it at {above:.5} m");
        assert!((below - 0.1).abs() < 2e-3 && (above - 0.3).abs() < 4e-3);
        // Changes by the user are applied.
        let handle = world.app.world().get::<RapierRigidBodyHandle>(theirs).unwrap().0;
        let mut sets = world.app.world_mut().query::<&mut RapierRigidBodySet>();
        let mut set = sets.single_mut(world.app.world_mut()).unwrap();
        set.bodies.get_mut(handle).unwrap().set_translation(Vec3::new(2.0, 0.0, 0.1), true);
        world.run(100);
        assert!(world.state(ours).link_poses[0].translation.z < 0.29, "ours falls");
    });
}
