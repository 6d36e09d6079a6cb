//! Faults that end a simulation, and their messages.

use bevy::prelude::*;
use bunraku_body::{Actuation, BodyState, Drive, JointEfforts, JointTargets};
use bunraku_physics::JointSolver;
use bunraku_simulation::{Pace, SimulationClock, SimulationStatus};
use nalgebra::Isometry3;

use crate::common::{World, arm, body, for_both_solvers};

/// Runs into the fault, and gives its words and the time it has.
fn fault(world: &mut World) -> (String, f64) {
    world.app.insert_resource(Pace::Steps(10));
    world.app.update();
    match world.app.world().resource::<SimulationStatus>() {
        SimulationStatus::Failed(fault) => (fault.message.clone(), fault.time),
        status => panic!("{status:?}"),
    }
}

type Spoil = fn(&mut EntityWorldMut<'_>);

#[test]
fn a_command_that_is_not_a_number_is_a_fault_of_its_joint() {
    let servo = Actuation::Displacement { stiffness: 10.0, damping: 1.0 };
    let cases: [(Actuation, &str, Spoil); 6] = [
        (Actuation::Effort, "effort", |body| body.get_mut::<JointEfforts>().unwrap().0[0] = f64::NAN),
        (servo, "effort", |body| body.get_mut::<JointEfforts>().unwrap().0[0] = f64::NAN),
        (servo, "displacement", |body| body.get_mut::<JointTargets>().unwrap().displacements[0] = f64::NAN),
        (Actuation::Velocity { damping: 1.0 }, "velocity", |body| {
            body.get_mut::<JointTargets>().unwrap().velocities[0] = f64::NAN;
        }),
        (Actuation::PrescribedDisplacement, "displacement", |body| {
            body.get_mut::<JointTargets>().unwrap().displacements[0] = f64::NAN;
        }),
        (Actuation::PrescribedVelocity, "velocity", |body| {
            body.get_mut::<JointTargets>().unwrap().velocities[0] = f64::NAN;
        }),
    ];
    for_both_solvers(|solver| {
        for (actuation, what, spoil) in &cases {
            let mut world = World::usual().with_joints(solver);
            // Clamping to a range would turn NaN into a number.
            let wheel = arm(", joint_velocity_range: [ -700, 700 ], max_joint_effort: 5");
            let entity = world.add(&wheel, Isometry3::identity(), &[0.0], Drive::Physics);
            world.insert(entity, Name::new("Left"));
            world.actuate(entity, *actuation);
            world.run(5);
            let before = world.state(entity).clone();
            spoil(&mut world.app.world_mut().entity_mut(entity));
            let (message, time) = fault(&mut world);
            assert_eq!(
                message,
                format!("the {what} commanded at joint `ARM` of `Left` is not a number"),
                "{actuation:?}"
            );
            assert!((time - 0.005).abs() < 1e-12 && *world.app.world().resource::<SimulationClock>() != default());
            assert_eq!(*world.app.world().get::<BodyState>(entity).unwrap(), before, "{actuation:?}");
        }
    });
}

#[test]
fn a_track_speed_that_is_not_a_number_is_a_fault_of_its_track() {
    let crawler = body(
        "  - { name: BED, joint_type: free, mass: 10, inertia: [ 1, 0, 0, 1, 0, 1 ] }\n  - { name: TRACK, parent: BED, joint_type: \
         pseudo_continuous_track, joint_axis: Y, joint_id: 0 }\n",
    );
    let mut world = World::weightless();
    let entity = world.add(&crawler, Isometry3::identity(), &[0.0], Drive::Physics);
    world.run(1);
    world.app.world_mut().get_mut::<JointTargets>(entity).unwrap().velocities[0] = f64::NAN;
    assert_eq!(fault(&mut world).0, "the velocity commanded at joint `TRACK` of `Thing` is not a number");
}

#[test]
fn a_panic_of_the_engine_ends_the_run_with_the_last_state() {
    let disc = body(
        "  - { name: DISC, joint_type: free, mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ], elements: [ { type: Shape, geometry: { type: \
         Cylinder, radius: 1e25, height: 0.03 } } ] }\n",
    );
    // In single precision the square of its radius is not finite.
    let mut world = World::usual().with_joints(JointSolver::Impulse);
    let entity = world.add(&disc, Isometry3::identity(), &[], Drive::Physics);
    world.add_floor("Default");
    let before = world.state(entity).clone();
    let (message, _) = fault(&mut world);
    println!("{message}");
    assert!(message.contains("the physics engine broke down") || message.contains("diverged"), "{message}");
    assert_eq!(*world.state(entity), before);
}
