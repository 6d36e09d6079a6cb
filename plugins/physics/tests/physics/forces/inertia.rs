//! Links have the inertia of the model, with any shapes.

use std::sync::Arc;

use bunraku_body::{Body, Drive};
use bunraku_physics::JointSolver;
use nalgebra::{Isometry3, Vector3};

use crate::common::{World, body, for_both_solvers};

/// Two wheels of one inertia on a fixed base, about X; the second has a box that is off its axis and turned.
fn wheels(axial: f64, across: f64) -> Arc<Body> {
    let wheel = |name: &str, id: usize, shape: &str| {
        format!(
            "  - {{ name: {name}, parent: BASE, translation: [ {id}, 0, 0 ], joint_type: revolute, joint_axis: X, joint_id: {id}, mass: \
             0.5, inertia: [ {axial}, 0, 0, {across}, 0, {across} ]{shape} }}\n"
        )
    };
    let shape = ", elements: [ { type: Transform, translation: [ 0, 0.1, 0.05 ], rotation: [ 1, 2, 3, 40 ], elements: [ { type: \
                 Shape, geometry: { type: Box, size: [ 0.1, 0.05, 0.02 ] } } ] } ]";
    body(&format!("  - name: BASE\n{}{}", wheel("BARE", 0, ""), wheel("SHAPED", 1, shape)))
}

/// A wheel under a torque for 0.1 s: n steps of dt turn it by τ/I·dt²·n·(n+1)/2 in semi-implicit Euler steps, and by
/// τ/I·(n·dt)²/2 if each step changes the velocity in its middle.
#[test]
fn a_wheel_with_an_offset_shape_turns_as_one_without() {
    for_both_solvers(|solver| {
        for (axial, across) in [(0.005, 0.003), (0.003, 0.005), (5e-6, 3e-6), (4e-6, 2e-6), (2e-9, 1e-9)] {
            let mut world = World::new(0.001, Vector3::zeros(), 1).with_joints(solver);
            let entity = world.add(&wheels(axial, across), Isometry3::identity(), &[0.0; 2], Drive::Physics);
            // 0.5 rad.
            let torque = axial * 100.0;
            for _ in 0..100 {
                world.set_efforts(entity, &[torque; 2]);
                world.run(1);
            }
            let steps = match solver {
                JointSolver::Impulse => 100.0 * 101.0,
                JointSolver::Multibody => 100.0 * 100.0,
            };
            let expected = 100.0 * 1e-6 * steps / 2.0;
            let angles = &world.state(entity).displacements;
            println!("{axial} and {across} kg·m²: {:.6} and {:.6} of {expected} rad", angles[0], angles[1]);
            for angle in angles {
                assert!((angle / expected - 1.0).abs() < 1e-4, "{angle} instead of {expected} rad");
            }
        }
    });
}
