use bunraku_body::Drive;
use bunraku_body::dynamics::{Configuration, Twist};
use bunraku_physics::InitialTwist;
use nalgebra::{Isometry3, Vector3};

use super::start_with;
use crate::common::{World, arm, body, for_both_solvers};

#[test]
fn a_joint_turns_on_at_the_speed_it_starts_with() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let entity = world.add(&arm(""), Isometry3::identity(), &[0.2], Drive::Physics);
        start_with(&mut world, entity, &[1.5]);
        world.run(1000);
        let angle = world.state(entity).displacements[0];
        println!("  {angle:.5} rad");
        assert!((angle - 1.7).abs() < 1e-3, "{angle} rad");
    });
}

/// A floating trunk off whose origin everything is, with an arm of two joints.
#[test]
fn a_floating_body_starts_with_the_momenta_of_its_velocities() {
    let swimmer = body(
        "  - { name: TRUNK, joint_type: free, mass: 3, center_of_mass: [ 0.1, -0.2, 0.3 ], inertia: [ 0.1, 0, 0, 0.2, 0, 0.3 ] }\n  - { name: \
         ARM, parent: TRUNK, translation: [ 0, 0.3, 0 ], joint_type: revolute, joint_axis: X, joint_id: 0, mass: 1, center_of_mass: [ 0, 0, \
         -0.2 ], inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ] }\n  - { name: HAND, parent: ARM, translation: [ 0, 0, -0.4 ], joint_type: prismatic, \
         joint_axis: Z, joint_id: 1, mass: 0.5, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ] }\n",
    );
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let start = Isometry3::translation(1.0, 2.0, 3.0);
        let entity = world.add(&swimmer, start, &[0.4, 0.05], Drive::Physics);
        let twist = Twist { linear: Vector3::new(0.3, -0.2, 0.5), angular: Vector3::new(0.4, 0.6, -0.2) };
        let joints = [0.8, -0.1];
        world.insert(entity, InitialTwist(twist));
        start_with(&mut world, entity, &joints);
        let poses = world.state(entity).link_poses.clone();
        let momentum =
            Configuration::new(&swimmer, &start, &[0.4, 0.05]).linear_momentum(&twist, &joints) / swimmer.mass();
        let center = swimmer.center_of_mass(&poses);
        world.run(1);
        for (found, expected) in world.state(entity).velocities.iter().zip(joints) {
            assert!((found - expected).abs() < 0.01, "{found} instead of {expected}");
        }
        world.run(499);
        let moved = (swimmer.center_of_mass(&world.state(entity).link_poses) - center) / 0.5;
        println!("  centre of mass at {moved} m/s of {momentum}");
        assert!((moved - momentum).norm() < 5e-3, "{moved} m/s instead of {momentum} m/s");
    });
}
