use std::sync::Arc;

use bunraku_body::{Actuation, Body, Drive, LinkIndex};
use bunraku_control::ForceProfile;
use bunraku_control::ForceProfiles;
use bunraku_motion::Sequence;
use bunraku_physics::{ForceFrame, JointReadings};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use crate::common::{ARM_INERTIA, World, arm, cube, for_both_solvers};

/// At all times, at the centre of mass of the root.
fn force(force: [f64; 3], torque: [f64; 3]) -> ForceProfile {
    let vector = |vector: [f64; 3]| Some(Sequence::timed(vec![0.0], 1, vec![Vector3::from(vector)]).unwrap());
    ForceProfile {
        link: LinkIndex::ROOT,
        point: None,
        frame: ForceFrame::World,
        force: vector(force),
        torque: vector(torque),
        start: f64::NEG_INFINITY,
        end: f64::INFINITY,
    }
}

/// Where a cube of 2 kg and 0.0133 kg·m² without weight is after a second under a force, and how fast.
fn after_a_second(start: UnitQuaternion<f64>, force: ForceProfile) -> (Isometry3<f64>, Vector3<f64>) {
    let cube: Arc<Body> = cube("default");
    let mut world = World::weightless();
    let start = Isometry3::from_parts(nalgebra::Translation3::identity(), start);
    let entity = world.add(&cube, start, &[], Drive::Physics);
    world.insert(entity, ForceProfiles(vec![force]));
    world.run(999);
    let before = world.state(entity).link_poses[0];
    world.run(1);
    let after = world.state(entity).link_poses[0];
    (after, (after.translation.vector - before.translation.vector) / 0.001)
}

const INERTIA: f64 = 2.0 * 0.2 * 0.2 / 6.0;

#[test]
fn a_free_body_moves_by_newton_and_euler() {
    let (pose, speed) = after_a_second(UnitQuaternion::identity(), force([4.0, 0.0, 0.0], [0.0; 3]));
    println!("{} {speed}", pose.translation);
    assert!((pose.translation.vector - Vector3::new(1.0, 0.0, 0.0)).norm() < 2e-3 && (speed.x - 2.0).abs() < 2e-3);
    let (pose, _) = after_a_second(UnitQuaternion::identity(), force([0.0; 3], [0.0, 0.0, 2.0 * INERTIA]));
    let angle = pose.rotation.scaled_axis();
    assert!((angle - Vector3::new(0.0, 0.0, 1.0)).norm() < 2e-3 && pose.translation.vector.norm() < 1e-6, "{angle}");
}

#[test]
fn a_force_off_the_centre_turns_too() {
    let push = ForceProfile {
        point: Some(Point3::new(0.0, 0.1, 0.0)),
        frame: ForceFrame::Link,
        ..force([2.0 * INERTIA, 0.0, 0.0], [0.0; 3])
    };
    // The torque is −0.1·F about Z all the time, as the force turns with the cube.
    let (pose, _) = after_a_second(UnitQuaternion::identity(), push);
    let angle = pose.rotation.scaled_axis().z;
    assert!((angle + 0.1).abs() < 1e-3, "{angle} rad");
}

#[test]
fn the_axes_are_those_of_the_world_or_of_the_link() {
    let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
    for (frame, direction) in [(ForceFrame::World, Vector3::x()), (ForceFrame::Link, Vector3::y())] {
        let (pose, _) = after_a_second(turned, ForceProfile { frame, ..force([2.0, 0.0, 0.0], [0.0; 3]) });
        assert!((pose.translation.vector - direction * 0.5).norm() < 2e-3, "{frame:?}: {}", pose.translation);
    }
}

#[test]
fn a_force_acts_from_its_start_to_its_end_and_by_its_table() {
    let pulse = ForceProfile { start: 0.2, end: 0.3, ..force([20.0, 0.0, 0.0], [0.0; 3]) };
    let (pose, speed) = after_a_second(UnitQuaternion::identity(), pulse);
    // F·Δt/m, and then 0.75 s on average.
    assert!((speed.x - 1.0).abs() < 1e-3 && (pose.translation.x - 0.75).abs() < 2e-3, "{} {speed}", pose.translation);
    let ramp = Sequence::timed(vec![0.0, 0.5, 1.0], 1, [0.0, 4.0, 0.0].map(|x| Vector3::new(x, 0.0, 0.0)).to_vec());
    let ramp = ForceProfile { force: Some(ramp.unwrap()), ..force([0.0; 3], [0.0; 3]) };
    let (_, speed) = after_a_second(UnitQuaternion::identity(), ramp);
    // The mean is 2 N.
    assert!((speed.x - 1.0).abs() < 2e-3, "{speed}");
}

#[test]
fn a_force_on_a_link_turns_its_joint() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let entity = world.add(&arm(""), Isometry3::identity(), &[0.0], Drive::Physics);
        let tip = Some(Point3::new(0.0, 0.0, -1.0));
        let push = ForceProfile {
            link: LinkIndex(1),
            point: tip,
            frame: ForceFrame::Link,
            ..force([-ARM_INERTIA, 0.0, 0.0], [0.0; 3])
        };
        world.insert(entity, ForceProfiles(vec![push]));
        world.run(1000);
        let angle = world.state(entity).displacements[0];
        println!("  {angle:.5} rad of 0.5");
        assert!((angle - 0.5).abs() < 1e-3, "{angle} rad");
    });
}

#[test]
fn joints_are_read_with_the_force_that_acts_on_their_links() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let entity = world.add(&arm(""), Isometry3::identity(), &[0.0], Drive::Physics);
        let push = ForceProfile { link: LinkIndex(1), ..force([-3.0, 1.0, 2.0], [0.0; 3]) };
        world.insert(entity, (ForceProfiles(vec![push]), JointReadings::default()));
        let servo = Actuation::Displacement { stiffness: 1e4, damping: 1e3 };
        world.actuate(entity, servo);
        world.run(2000);
        let readings = world.app.world().get::<JointReadings>(entity).unwrap();
        let (reaction, effort) = (readings.reactions()[1].force, readings.efforts()[0]);
        println!("  {reaction} {effort:.4} N·m");
        assert!((reaction - Vector3::new(3.0, -1.0, -2.0)).norm() < 0.01, "{reaction}");
        // The force acts 0.5 m below the hinge, towards −X: the torque about Y is 1.5 N·m.
        assert!((effort + 1.5).abs() < 0.01, "{effort} N·m");
    });
}
