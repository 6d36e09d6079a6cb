use bunraku_body::{Actuation, Drive};
use bunraku_control::{FeedForward, GravityCompensation, PdController};
use bunraku_motion::Sequence;
use bunraku_physics::{Gains, JointSolver};
use nalgebra::Isometry3;

use super::constant;
use crate::common::{ARM_INERTIA, G, World, arm, for_both_solvers};

#[test]
fn efforts_over_time_move_a_joint() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let entity = world.add(&arm(""), Isometry3::identity(), &[0.0], Drive::Physics);
        // From 0 to 1 rad/s² in a second: a third of half of it.
        let ramp = Sequence::timed(vec![0.0, 1.0], 1, vec![0.0, ARM_INERTIA]).unwrap();
        world.insert(entity, FeedForward::new(vec![Some(ramp)]));
        world.run(1000);
        let angle = world.state(entity).displacements[0];
        println!("  {angle:.5} rad of {:.5}", 1.0 / 6.0);
        assert!((angle - 1.0 / 6.0).abs() < 1e-3, "{angle} rad");
    });
}

/// A controller that is given the load in advance does not give way.
#[test]
fn the_effort_is_added_to_that_of_controllers() {
    for_both_solvers(|solver| {
        for is_servo in [false, true] {
            let mut world = World::usual().with_joints(solver);
            let arm = arm("");
            let level = std::f64::consts::FRAC_PI_2;
            let entity = world.add(&arm, Isometry3::identity(), &[level], Drive::Physics);
            world.insert(entity, FeedForward::new(vec![Some(constant(0.5 * G))]));
            if is_servo {
                let servo = Actuation::Displacement { stiffness: 50.0, damping: 5.0 };
                world.actuate(entity, servo);
            } else {
                let gains = vec![Gains { proportional: 50.0, derivative: 5.0 }];
                world.insert(entity, PdController::new(&arm, gains, None).unwrap());
            }
            world.run(2000);
            let droop = world.state(entity).displacements[0] - level;
            println!("  {droop:.1e} rad; without it {:.1e}", -0.5 * G / 50.0);
            // Rapier's motor comes to rest where its substeps have it.
            let off = if is_servo && solver == JointSolver::Impulse { 1e-3 } else { 1e-4 };
            assert!(droop.abs() < off, "{droop} rad");
        }
    });
}

/// The arm does not sink, at whatever angle it is held, and whatever else is commanded.
#[test]
fn a_compensated_weight_needs_no_stiffness() {
    for_both_solvers(|solver| {
        for (is_servo, angle, extra) in
            [(false, 1.0, 0.0), (true, 1.0, 0.0), (true, -2.0, 0.0), (true, 0.5, 1.5), (false, 0.5, 1.5)]
        {
            let mut world = World::usual().with_joints(solver);
            let arm = arm("");
            let entity = world.add(&arm, Isometry3::identity(), &[angle], Drive::Physics);
            world.insert(entity, GravityCompensation);
            if extra != 0.0 {
                world.insert(entity, FeedForward::new(vec![Some(constant(extra))]));
            }
            if is_servo {
                world.actuate(entity, Actuation::Displacement { stiffness: 20.0, damping: 5.0 });
            } else {
                let gains = vec![Gains { proportional: 20.0, derivative: 5.0 }];
                world.insert(entity, PdController::new(&arm, gains, None).unwrap());
            }
            world.run(4000);
            let off = world.state(entity).displacements[0] - angle - extra / 20.0;
            println!("  {off:.1e} rad, servo {is_servo}, {extra} N·m more");
            let allowed = if is_servo && solver == JointSolver::Impulse { 2e-3 } else { 1e-6 };
            assert!(off.abs() < allowed, "{off} rad");
        }
    });
}
