//! Contact forces at any number of iterations, at rest and in impacts.

use std::sync::Arc;

use bunraku_body::{Body, Drive, LinkIndex};
use bunraku_physics::JointSolver;
use nalgebra::{Isometry3, Vector3};

use super::support::{contact_wrench, contacts, momentum};
use crate::common::{G, World, body, cube, for_both_solvers, iterations_of};

/// A free block of 0.2 m and 2 kg with a wheel of 1 kg in its middle that touches nothing: as a whole a multibody.
fn block_with_wheel() -> Arc<Body> {
    body(
        "  - { name: BLOCK, joint_type: free, mass: 2, inertia: [ 0.013, 0, 0, 0.013, 0, 0.013 ], elements: [ { type: Shape, geometry: { \
         type: Box, size: [ 0.2, 0.2, 0.2 ] } } ] }\n  - { name: WHEEL, parent: BLOCK, joint_type: revolute, joint_axis: Y, joint_id: 0, \
         mass: 1, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ] }\n",
    )
}

/// The whole weight, to within the sway that is left after a second: half a per cent.
const AT_REST: f64 = 0.005;

#[test]
fn a_block_at_rest_is_pushed_by_its_weight() {
    let mut world = World::new(0.001, Vector3::new(0.0, 0.0, -G), 4);
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
}

#[test]
fn a_jointed_block_at_rest_is_pushed_by_its_weight() {
    for_both_solvers(|solver| {
        for iterations in iterations_of(solver, [1, 2, 4, 8]) {
            let mut world = World::new(0.001, Vector3::new(0.0, 0.0, -G), iterations).with_joints(solver);
            world.add_floor("default");
            let block = block_with_wheel();
            let entity = world.add(&block, Isometry3::translation(0.0, 0.0, 0.1), &[0.0], Drive::Physics);
            world.run(1000);
            let wrench = contact_wrench(&mut world, entity, 0);
            let ratio = wrench.force.z / (3.0 * G);
            println!("n = {iterations}: {ratio:.6} of the weight");
            assert!((ratio - 1.0).abs() < AT_REST);
        }
    });
}

/// Rounding of momenta to single precision over a step, in units of the largest force in play.
const BALANCE: f64 = 2e-3;
/// Friction is known from the last substep alone, where there is more than one: in an impact its error may be this
/// much of the largest force.
const FRICTION_BALANCE: f64 = 0.1;

#[test]
fn contact_forces_are_what_changes_the_momentum() {
    // A turned cube falls onto a leaning floor (gravity leans), tumbles and slides.
    for iterations in [1, 4] {
        let gravity = Vector3::new(4.0, 1.0, -9.0);
        let mut world = World::new(0.001, gravity, iterations).with_joints(JointSolver::Impulse);
        world.add_floor("default");
        let pose = Isometry3::new(Vector3::new(0.0, 0.0, 0.3), Vector3::new(0.5, 0.3, 0.2));
        let cube = world.add(&cube("default"), pose, &[], Drive::Physics);
        world.run(1);
        let mut before = momentum(&mut world, cube, 0);
        let (mut largest, mut normal, mut tangent, mut torque) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..1000 {
            world.run(1);
            let after = momentum(&mut world, cube, 0);
            let read = contact_wrench(&mut world, cube, 0);
            let force = (after.linear - before.linear) / 0.001 - gravity * 2.0;
            let error = read.force - force;
            largest = largest.max(force.norm());
            normal = normal.max(error.z.abs());
            tangent = tangent.max(error.xy().norm());
            torque = torque.max((read.torque - (after.angular - before.angular) / 0.001).norm());
            before = after;
        }
        println!(
            "n = {iterations}: largest force {largest:.0} N; off by {normal:.2} N along the normal, {tangent:.2} N across, {torque:.3} N·m"
        );
        let across = if iterations == 1 { BALANCE } else { FRICTION_BALANCE };
        assert!(
            normal < BALANCE * largest && tangent < across * largest && torque < 0.2 * across.max(BALANCE) * largest
        );
    }
}

#[test]
fn contact_forces_of_a_multibody_are_what_changes_the_momentum() {
    let gravity = Vector3::new(4.0, 1.0, -9.0);
    let mut world = World::new(0.001, gravity, 4).with_joints(JointSolver::Multibody);
    world.add_floor("default");
    let pose = Isometry3::new(Vector3::new(0.0, 0.0, 0.3), Vector3::new(0.5, 0.3, 0.2));
    let model = block_with_wheel();
    let entity = world.add(&model, pose, &[0.0], Drive::Physics);
    let center = |world: &World| model.center_of_mass(&world.state(entity).link_poses);
    world.run(1);
    let mut centers = [center(&world); 2];
    world.run(1);
    let mut read = contact_wrench(&mut world, entity, 0).force;
    let (mut largest, mut off) = (0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        centers = [centers[1], center(&world)];
        let before = read;
        world.run(1);
        read = contact_wrench(&mut world, entity, 0).force;
        // Each of the two steps changes the velocity in its middle: the second difference sees the mean.
        let mean = 0.5 * (before + read);
        let bent = (center(&world) - centers[1]) - (centers[1] - centers[0]);
        let force = bent * (3.0 / 1e-6) - gravity * 3.0;
        largest = largest.max(force.norm());
        off = off.max((mean - force).norm());
    }
    println!("largest force {largest:.0} N; off by {off:.2} N");
    assert!(off < 0.01 * largest);
}
