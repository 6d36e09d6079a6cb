//! Going back to an earlier moment.

use bevy::prelude::*;
use bunraku_body::{Actuation, BodyLinks, BodyModel, BodyState, Drive, ExtraJointKind, JointActuation, JointTargets};
use bunraku_control::PdController;
use bunraku_physics::{Gains, JointReadings, JointSolver, Teleport, rebuild_bodies};
use bunraku_simulation::SimulationClock;
use bunraku_simulation::{SimulationSnapshot, SnapshotError};
use nalgebra::Isometry3;

use crate::common::{World, arm, body, cube, for_both_solvers};
use crate::joined_bodies::support::{free_bar, join, on};

/// A free body with a controlled arm that falls among cubes, and a closed linkage: contacts, efforts and loops at once.
fn stage(solver: JointSolver) -> (World, Vec<Entity>) {
    let mut world = World::usual().with_joints(solver);
    world.add_floor("Ground");
    let crane = body(
        "  - { name: BASE, joint_type: free, mass: 3, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ], elements: [ { type: Shape, geometry: { type: Box, \
         size: [ 0.4, 0.4, 0.2 ] } } ] }\n  - { name: ARM, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, translation: [ 0, 0, 0.1 ], \
         mass: 1, center_of_mass: [ 0.3, 0, 0 ], inertia: [ 0.01, 0, 0, 0.03, 0, 0.03 ], rotor_inertia: 0.05, elements: [ { type: Shape, geometry: { type: Box, size: \
         [ 0.6, 0.05, 0.05 ] } } ] }\n",
    );
    let entity = world.add(&crane, Isometry3::translation(0.1, 0.0, 0.5), &[0.3], Drive::Physics);
    let gains = vec![Gains { proportional: 50.0, derivative: 5.0 }];
    world.insert(entity, PdController::new(&crane, gains, None).unwrap());
    let mut bodies = vec![entity];
    for place in 0..3 {
        let pose = Isometry3::translation(0.05 * f64::from(place), 0.1, 0.9 + 0.3 * f64::from(place));
        bodies.push(world.add(&cube("Ground"), pose, &[], Drive::Physics));
    }
    let linkage = body(
        "  - { name: FRAME }\n  - { name: CRANK, parent: FRAME, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 0.2, center_of_mass: [ 0, 0, 0.05 ] }\n  \
         - { name: ROD, parent: CRANK, translation: [ 0, 0, 0.1 ], joint_type: revolute, joint_axis: Y, joint_id: 1, mass: 0.3, center_of_mass: [ 0.1, 0, 0 ] }\n  \
         - { name: ROCKER, parent: FRAME, translation: [ 0.2, 0, 0 ], joint_type: revolute, joint_axis: Y, joint_id: 2, mass: 0.2, center_of_mass: [ 0, 0, 0.05 ] }\n\
         extra_joints:\n  - { link1_name: ROD, link2_name: ROCKER, joint_type: hinge, axis: [ 0, 1, 0 ], translation_in_link1: [ 0.2, 0, 0 ], \
         translation_in_link2: [ 0, 0, 0.1 ] }\n",
    );
    bodies.push(world.add(&linkage, Isometry3::translation(3.0, 0.0, 1.0), &[0.5, -0.5, 0.5], Drive::Physics));
    // A servo with a limit is computed with what was estimated in earlier steps.
    let limited = arm(", max_joint_effort: 20");
    let servo = world.add(&limited, Isometry3::translation(-3.0, 0.0, 1.0), &[1.0], Drive::Physics);
    let mut commands = world.app.world_mut().entity_mut(servo);
    *commands.get_mut::<JointActuation>().unwrap() =
        JointActuation(vec![Actuation::Displacement { stiffness: 100.0, damping: 2.0 }]);
    commands.insert(JointReadings::default());
    bodies.push(servo);
    // A bar hangs from it.
    let tip = world.state(servo).link_poses[1] * Isometry3::translation(0.0, 0.0, -1.0);
    let bar = world.add(&free_bar(0.3), tip, &[], Drive::Physics);
    join(&mut world, ExtraJointKind::Ball, on(servo, 1, [0.0, 0.0, -1.0]), on(bar, 0, [0.0; 3]));
    bodies.push(bar);
    // A joint of prescribed velocity remembers where it was to be.
    let turned = world.add(&arm(""), Isometry3::translation(-3.0, 3.0, 1.0), &[0.0], Drive::Physics);
    let mut commands = world.app.world_mut().entity_mut(turned);
    commands.get_mut::<JointTargets>().unwrap().velocities.fill(1.0);
    *commands.get_mut::<JointActuation>().unwrap() = JointActuation(vec![Actuation::PrescribedVelocity]);
    bodies.push(turned);
    (world, bodies)
}

fn states(world: &World, bodies: &[Entity]) -> Vec<BodyState> {
    bodies.iter().map(|&body| world.state(body).clone()).collect()
}

#[test]
fn going_on_from_a_snapshot_is_going_on() {
    for_both_solvers(|solver| {
        let (mut uninterrupted, bodies) = stage(solver);
        uninterrupted.run(1000);
        let expected = states(&uninterrupted, &bodies);

        let (mut world, bodies) = stage(solver);
        // In the middle of the fall, of the impacts, and at rest.
        for steps in [100, 300, 300] {
            world.run(steps);
            let snapshot = SimulationSnapshot::take(world.app.world_mut()).unwrap();
            let before = states(&world, &bodies);
            world.run(250);
            assert_ne!(states(&world, &bodies), before);
            snapshot.restore(world.app.world_mut()).unwrap();
            assert_eq!(states(&world, &bodies), before);
        }
        assert_eq!(world.app.world().resource::<SimulationClock>().step(), 700);
        world.run(300);
        assert!(states(&world, &bodies) == expected, "it went another way");
    });
}

#[test]
fn a_snapshot_of_a_body_that_is_gone_changes_nothing() {
    let (mut world, bodies) = stage(JointSolver::Impulse);
    world.run(10);
    let snapshot = SimulationSnapshot::take(world.app.world_mut()).unwrap();
    world.run(10);
    let before = states(&world, &bodies[1..]);
    world.app.world_mut().despawn(bodies[0]);
    assert_eq!(snapshot.restore(world.app.world_mut()), Err(SnapshotError::NoEntity(bodies[0])));
    assert_eq!(states(&world, &bodies[1..]), before);
}

#[test]
fn the_start_is_restored_after_a_body_was_put_elsewhere() {
    for_both_solvers(|solver| {
        let (mut uninterrupted, bodies) = stage(solver);
        uninterrupted.run(400);
        let expected = states(&uninterrupted, &bodies);

        let (mut world, bodies) = stage(solver);
        world.run(0);
        let snapshot = SimulationSnapshot::take(world.app.world_mut()).unwrap();
        let start = states(&world, &bodies);
        for elsewhere in [2.0, 3.0] {
            world.run(150);
            // Rapier adds bodies in the order of archetypes.
            let links: Vec<_> = world.app.world().get::<BodyLinks>(bodies[1]).unwrap().iter().collect();
            world.app.world_mut().entity_mut(links[0]).insert(Name::new("marked"));
            let crane = world.app.world().get::<BodyModel>(bodies[0]).unwrap().0.clone();
            let there = Teleport::to_root(&crane, &Isometry3::translation(0.0, elsewhere, 1.0));
            world.insert(bodies[0], there.clone());
            world.run(50);
            assert!(snapshot.restore(world.app.world_mut()).is_err(), "it was rebuilt");
            // A second one is not carried out any more.
            world.insert(bodies[1], there);
            rebuild_bodies(world.app.world_mut()).unwrap();
            snapshot.restore(world.app.world_mut()).unwrap();
            assert_eq!(states(&world, &bodies), start);
            world.run(400);
            assert!(states(&world, &bodies) == expected, "{solver:?}: it went another way");
        }
    });
}
