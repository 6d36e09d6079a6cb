//! A body without forces keeps its momentum.

use bunraku_body::dynamics::Twist;
use nalgebra::{Isometry3, Vector3};

use crate::common::{World, body, for_both_solvers, iterations_of, mean_momentum};

/// A thousandth in a second.
const KEPT: f64 = 1e-3;

#[test]
fn a_free_spin_keeps_its_angular_momentum() {
    for_both_solvers(|solver| {
        for iterations in iterations_of(solver, [1, 4]) {
            // A free root with a balanced wheel that is held by nothing.
            let free = body(
                "  - { name: ROOT, joint_type: free, mass: 2, inertia: [ 0.05, 0, 0, 0.05, 0, 0.05 ] }\n  - { name: WHEEL, parent: ROOT, \
                 joint_type: revolute, joint_axis: Z, joint_id: 0, mass: 1, inertia: [ 0.02, 0, 0, 0.02, 0, 0.01 ] }\n",
            );
            let mut world = World::new(0.001, Vector3::zeros(), iterations).with_joints(solver);
            let twist = Twist { angular: Vector3::new(0.6, -0.3, 1.0), ..Twist::ZERO };
            let entity = world.throw(&free, Isometry3::identity(), &[0.0], twist);
            world.run(1);
            let total = |world: &mut World| {
                let before = world.state(entity).clone();
                world.run(1);
                mean_momentum(&free, &before, world.state(entity), 0.001)[1]
            };
            let before = total(&mut world);
            world.run(1000);
            let after = total(&mut world);
            let lost = (after - before).norm() / before.norm();
            println!("n = {iterations}: changed by {lost:.1e} of {:.4} N·m·s", before.norm());
            assert!(lost < KEPT && before.norm() > 0.05, "{before} → {after}");
        }
    });
}
