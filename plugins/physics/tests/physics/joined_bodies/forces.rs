//! Forces of extra joints between bodies.

use bunraku_body::dynamics::Twist;
use bunraku_body::{Drive, ExtraJointKind};
use bunraku_physics::JointReadings;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::support::{HINGE, arm, free_bar, join, on, place};
use crate::common::{G, World, body, for_both_solvers, mean_momentum};

/// Half a per cent of the weight.
const HANGING: f64 = 0.005;

/// An arm on a hinge, and a bar hung from its end, both straight down.
#[test]
fn what_hangs_on_a_body_pulls_with_its_weight() {
    for kind in [HINGE, ExtraJointKind::Ball, ExtraJointKind::Fixed] {
        let mut world = World::new(0.001, Vector3::new(0.0, -G, 0.0), 1);
        let down = -std::f64::consts::FRAC_PI_2;
        let upper = world.add(&arm(&[0.5]), Isometry3::identity(), &[down], Drive::Physics);
        let tip = Isometry3::translation(0.0, -0.5, 0.0);
        let turned = Isometry3::rotation(Vector3::z() * down);
        let lower = world.add(&free_bar(0.3), tip * turned, &[], Drive::Physics);
        join(&mut world, kind, on(upper, 1, [0.5, 0.0, 0.0]), on(lower, 0, [0.0; 3]));
        for entity in [upper, lower] {
            world.insert(entity, JointReadings::default());
        }
        world.run(1000);
        let readings = |entity| world.app.world().get::<JointReadings>(entity).unwrap().reactions().to_vec();
        let (upper, lower) = (readings(upper), readings(lower));
        let expected = [10.8, 0.8].map(|mass| Vector3::y() * mass * G);
        let off = [0, 1].map(|link| (upper[link].force - expected[link]).norm() / expected[link].norm());
        let left = lower[0].force.norm() / (0.3 * G);
        println!(
            "{}: {:.1e} and {:.1e} of the weight off, {left:.1e} left at the free root",
            kind.as_str(),
            off[0],
            off[1]
        );
        assert!(off.iter().all(|off| *off < HANGING), "{off:?}");
        assert!(left < HANGING, "{left}");
    }
}

/// A static bracket carries its load, and so does a fixed root to which another arm is joined.
#[test]
fn a_fixed_root_feels_what_is_joined_to_it() {
    let mut world = World::new(0.001, Vector3::new(0.0, -G, 0.0), 1);
    let block = body("  - { name: BLOCK, joint_type: fixed, mass: 2, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ] }\n");
    let block = world.add(&block, Isometry3::translation(1.0, 0.0, 0.0), &[], Drive::Physics);
    // A bar from hinge to block carries half of its weight on either.
    let beam = world.add(&arm(&[1.0]), Isometry3::identity(), &[0.0], Drive::Physics);
    join(&mut world, ExtraJointKind::Ball, on(block, 0, [0.0; 3]), on(beam, 1, [1.0, 0.0, 0.0]));
    for entity in [block, beam] {
        world.insert(entity, JointReadings::default());
    }
    world.run(500);
    let reaction =
        |entity, link: usize| world.app.world().get::<JointReadings>(entity).unwrap().reactions()[link].force.y / G;
    let (held, hinge) = (reaction(block, 0), reaction(beam, 1));
    println!("block {held:.4} kg of 2.5, hinge {hinge:.4} kg of 0.5");
    assert!((held - 2.5).abs() < HANGING * 2.5 && (hinge - 0.5).abs() < HANGING, "{held} {hinge}");
}

#[test]
fn a_ball_between_free_bodies_keeps_their_momentum() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let (short, long) = (free_bar(0.4), free_bar(0.6));
        // Both turn about the joint, as one.
        let (center, angular) = (Vector3::new(0.4, 0.0, 0.0), Vector3::new(1.5, -0.8, 2.0));
        let twist = |origin: Vector3<f64>| Twist { linear: angular.cross(&(origin - center)), angular };
        let first = world.throw(&short, Isometry3::identity(), &[], twist(Vector3::zeros()));
        let turned =
            Isometry3::from_parts(center.into(), UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.3, 1.0)));
        let second = world.throw(&long, turned, &[], twist(center));
        join(&mut world, ExtraJointKind::Ball, on(first, 0, [0.4, 0.0, 0.0]), on(second, 0, [0.0; 3]));
        world.run(1);
        let momentum = |world: &mut World| {
            let before = [first, second].map(|body| world.state(body).clone());
            world.run(1);
            let [one, other] = [(&short, first), (&long, second)];
            let [one, other] = [(one, &before[0]), (other, &before[1])]
                .map(|((model, entity), before)| mean_momentum(model, before, world.state(entity), 0.001));
            [one[0] + other[0], one[1] + other[1]]
        };
        let before = momentum(&mut world);
        let mut gap = 0.0_f64;
        for _ in 0..1000 {
            world.run(1);
            let apart = place(&world, first, 0, [0.4, 0.0, 0.0]) - place(&world, second, 0, [0.0; 3]);
            gap = gap.max(apart.norm());
        }
        let after = momentum(&mut world);
        let [lost, lost_spin] = [0, 1].map(|part| (after[part] - before[part]).norm() / before[part].norm());
        println!("changed by {lost:.1e} and {lost_spin:.1e}, gap {gap:.1e} m");
        // Rapier integrates the spin of a long body to first order.
        assert!(lost < 1e-3 && lost_spin < 1e-3 && gap < 1e-3);
    });
}
