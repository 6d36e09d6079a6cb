//! Contact forces at rest and in impacts.

use bunraku_body::{Drive, LinkIndex};
use bunraku_physics::JointSolver;
use nalgebra::{Isometry3, Vector3};

use super::support::{contact_wrench, contacts, momentum};
use crate::common::{G, World, cube, for_both_solvers};

/// The whole weight, to within the sway that is left after a second: half a per cent.
const AT_REST: f64 = 0.005;

#[test]
fn a_block_at_rest_is_pushed_by_its_weight() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let floor = world.add_floor("default");
        let cube = world.add(&cube("default"), Isometry3::translation(0.0, 0.0, 0.1), &[], Drive::Physics);
        world.run(1000);
        let wrench = contact_wrench(&mut world, cube, 0);
        let ratio = wrench.force.z / (2.0 * G);
        println!("{ratio:.6} of the weight, torque {:.1e} N·m", wrench.torque.norm());
        assert!((ratio - 1.0).abs() < AT_REST && wrench.torque.norm() < AT_REST);
        let reaction = contact_wrench(&mut world, floor, 0);
        assert!((reaction.force + wrench.force).norm() < 1e-9, "the floor feels the opposite");
        let points = contacts(&mut world, cube);
        assert_eq!(points.len(), 4, "{points:?}");
        for point in points {
            assert_eq!((point.link, point.other), (LinkIndex(0), Some((floor, LinkIndex(0)))));
            assert!((point.normal - Vector3::z()).norm() < 1e-3 && point.point.z.abs() < 1e-3, "{point:?}");
            assert!((point.point.x.abs() - 0.1).abs() < 1e-3 && (point.point.y.abs() - 0.1).abs() < 1e-3, "{point:?}");
            assert!(point.force.z > 0.0 && point.depth.abs() < 1e-4, "{point:?}");
        }
    });
}

/// Gravity that leans, m/s².
const LEANING: Vector3<f64> = Vector3::new(4.0, 1.0, -9.0);

/// A turned cube that falls onto a floor, tumbles and slides.
fn tumbling(solver: JointSolver, iterations: usize) -> (World, bevy::prelude::Entity) {
    let mut world = World::new(0.001, LEANING, iterations).with_joints(solver);
    world.add_floor("default");
    let pose = Isometry3::new(Vector3::new(0.0, 0.0, 0.3), Vector3::new(0.5, 0.3, 0.2));
    let cube = world.add(&cube("default"), pose, &[], Drive::Physics);
    world.run(1);
    (world, cube)
}

/// Rounding of momenta to single precision over a step, in units of the largest force in play.
const BALANCE: f64 = 2e-3;
/// Friction is known from the last substep alone, where there is more than one: in an impact its error may be this
/// much of the largest force.
const FRICTION_BALANCE: f64 = 0.1;

#[test]
fn contact_forces_of_rapiers_step_are_the_change_of_momentum() {
    for (iterations, across) in [(1, BALANCE), (4, FRICTION_BALANCE)] {
        let (mut world, cube) = tumbling(JointSolver::Impulse, iterations);
        let mut before = momentum(&mut world, cube, 0);
        let (mut largest, mut normal, mut tangent, mut torque) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..1000 {
            world.run(1);
            let after = momentum(&mut world, cube, 0);
            let read = contact_wrench(&mut world, cube, 0);
            let force = (after.linear - before.linear) / 0.001 - LEANING * 2.0;
            let error = read.force - force;
            largest = largest.max(force.norm());
            normal = normal.max(error.z.abs());
            tangent = tangent.max(error.xy().norm());
            torque = torque.max((read.torque - (after.angular - before.angular) / 0.001).norm());
            before = after;
        }
        println!("n = {iterations}: of {largest:.0} N off by {normal:.2} N, {tangent:.2} N across, {torque:.3} N·m");
        assert!(normal < BALANCE * largest && tangent < across * largest);
        assert!(torque < 0.2 * across.max(BALANCE) * largest);
    }
}

#[test]
fn contact_forces_are_the_change_of_momentum() {
    let (mut world, cube) = tumbling(JointSolver::Multibody, 1);
    let center = |world: &World| world.state(cube).link_poses[0].translation.vector;
    let mut centers = [center(&world); 2];
    world.run(1);
    let mut read = contact_wrench(&mut world, cube, 0).force;
    let (mut largest, mut off) = (0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        centers = [centers[1], center(&world)];
        let before = read;
        world.run(1);
        read = contact_wrench(&mut world, cube, 0).force;
        // Each of the two steps changes the velocity in its middle: the second difference sees the mean.
        let mean = 0.5 * (before + read);
        let bent = (center(&world) - centers[1]) - (centers[1] - centers[0]);
        let force = bent * (2.0 / 1e-6) - LEANING * 2.0;
        largest = largest.max(force.norm());
        off = off.max((mean - force).norm());
    }
    println!("largest force {largest:.0} N; off by {off:.2} N");
    assert!(off < 0.01 * largest);
}
