//! Our own solver in the whole loop, against closed formulas.

use bunraku_body::Drive;
use bunraku_body::dynamics::Twist;
use bunraku_physics::{InitialTwist, JointReadings, JointSolver};
use nalgebra::{Isometry3, Vector3};

use crate::common::{ARM_INERTIA, G, World, arm, cube};

fn world() -> World {
    World::usual().with_joints(JointSolver::Multibody)
}

#[test]
fn a_cube_falls_as_it_should() {
    let mut world = world();
    let entity = world.add(&cube("default"), Isometry3::translation(0.0, 0.0, 10.0), &[], Drive::Physics);
    let twist = Twist { linear: Vector3::new(1.0, 0.0, 2.0), angular: Vector3::new(0.0, 0.0, 3.0) };
    world.app.world_mut().entity_mut(entity).insert(InitialTwist(twist));
    world.run(1000);
    let pose = world.state(entity).link_poses[0];
    let expected = Vector3::new(1.0, 0.0, 12.0 - 0.5 * G);
    let off = (pose.translation.vector - expected).norm();
    let turned = (pose.rotation.scaled_axis() - Vector3::new(0.0, 0.0, 3.0)).norm();
    println!("{off:.1e} m and {turned:.1e} rad off");
    assert!(off < 1e-9 && turned < 1e-9);
}

#[test]
fn a_cube_rests_on_the_floor() {
    let mut world = world();
    world.add_floor("default");
    let entity = world.add(&cube("default"), Isometry3::translation(0.3, 0.1, 0.1), &[], Drive::Physics);
    world.app.world_mut().entity_mut(entity).insert(JointReadings::default());
    world.run(2000);
    let before = world.state(entity).link_poses[0];
    world.run(1000);
    let after = world.state(entity).link_poses[0];
    let crept = (after.translation.vector - before.translation.vector).norm();
    let sunk = 0.1 - after.translation.z;
    println!("sunk {sunk:.1e} m, crept {crept:.1e} m, tilted {:.1e} rad", after.rotation.angle());
    assert!(sunk.abs() < 2e-4 && crept < 1e-6 && after.rotation.angle() < 1e-5);
    // A body at rest on contacts has no acceleration.
    let readings = world.app.world().get::<JointReadings>(entity).unwrap();
    assert!(readings.link_accelerations()[0].linear.norm() < 1e-3);
}

#[test]
fn a_pendulum_keeps_its_energy_and_hangs_on_its_base() {
    let mut world = world();
    let entity = world.add(&arm(""), Isometry3::identity(), &[1.0], Drive::Physics);
    world.app.world_mut().entity_mut(entity).insert(JointReadings::default());
    let energy = |world: &World| {
        let state = world.state(entity);
        0.5 * ARM_INERTIA * state.velocities[0].powi(2) - G * 0.5 * state.displacements[0].cos()
    };
    let start = energy(&world);
    let mut worst = 0.0_f64;
    for _ in 0..100 {
        world.run(50);
        worst = worst.max((energy(&world) - start).abs() / G);
    }
    println!("energy changes by {worst:.1e} of the largest");
    assert!(worst < 1e-4);
    // The centripetal force and the weight, at whatever angle it is now.
    let state = world.state(entity);
    let (angle, velocity) = (state.displacements[0], state.velocities[0]);
    let along = 0.5 * velocity * velocity + G * angle.cos();
    let up = world.state(entity).link_poses[1].rotation * Vector3::z();
    let reaction = world.app.world().get::<JointReadings>(entity).unwrap().reactions()[1];
    println!("carries {} of {along} N along the arm", reaction.force.dot(&up));
    assert!((reaction.force.dot(&up) / along - 1.0).abs() < 1e-2);
}
