//! Bodies that are spawned, changed and despawned while others move.

use std::path::Path;

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextColliders, RapierContextJoints, RapierRigidBodySet};
use bunraku_body::{BodyState, Drive, ExtraJointForm, ExtraJointKind, JointEfforts, LinkIndex};
use bunraku_motion::{Recorder, RecordingLayout, StateRecorder};
use bunraku_physics::{BodyCollision, ExtraJointBetween, JointEnd, JointSolver, LinkCollision, SurfaceMaterials};
use bunraku_simulation::{SimulationWarnings, unregistered_state};
use bunraku_test_support::{TestFolder, read_clean_motion};
use nalgebra::Isometry3;

use crate::common::{G, World, arm, body, cube, for_both_solvers, table};

fn height(world: &World, body: Entity) -> f64 {
    world.state(body).link_poses[0].translation.z
}

fn despawn(world: &mut World, entity: Entity) {
    world.app.world_mut().entity_mut(entity).despawn();
}

/// Numbers of rigid bodies, colliders and joints in rapier.
fn sizes(world: &mut World) -> [usize; 4] {
    let mut contexts =
        world.app.world_mut().query::<(&RapierRigidBodySet, &RapierContextColliders, &RapierContextJoints)>();
    let (bodies, colliders, joints) = contexts.single(world.app.world()).unwrap();
    let multibodies = joints.multibody_joints.multibodies().count();
    [bodies.bodies.len(), colliders.colliders.len(), joints.impulse_joints.len(), multibodies]
}

/// An arm that swings, and two cubes that fall on a floor and on each other.
fn residents(world: &mut World) -> Vec<Entity> {
    world.add_floor("Ground");
    let swinging = world.add(&arm(""), Isometry3::translation(0.0, 3.0, 2.0), &[1.0], Drive::Physics);
    let cubes =
        [0.3, 0.8].map(|z| world.add(&cube("Ground"), Isometry3::translation(0.03, 0.02 * z, z), &[], Drive::Physics));
    [swinging, cubes[0], cubes[1]].to_vec()
}

/// Records every step of a body.
fn record(world: &mut World, body: Entity, path: &Path) {
    let state = world.state(body);
    let layout = RecordingLayout { frame_rate: 1000.0, num_links: 1, num_joints: state.displacements.len() };
    let recorder = Recorder::create(path, layout).unwrap();
    world.insert(body, StateRecorder::new(recorder, 1, 1));
}

#[test]
fn a_thousand_visitors_leave_nothing_behind_and_change_nothing() {
    for_both_solvers(|solver| {
        let mut alone = World::usual().with_joints(solver);
        let bodies = residents(&mut alone);
        alone.run(2101);
        let expected: Vec<BodyState> = bodies.iter().map(|&body| alone.state(body).clone()).collect();

        let folder = TestFolder::new();
        let mut world = World::usual().with_joints(solver);
        let bodies = residents(&mut world);
        world.run(10);
        let before = sizes(&mut world);
        let mut visitors = std::collections::VecDeque::new();
        let mut frames = Vec::new();
        for number in 0..995 {
            // They fall, each with a joint, onto a floor of their own that comes with them, and some on each other.
            let x = 50.0 + f64::from(number % 3) * 0.1;
            let visitor = if number % 5 == 0 {
                world.add(&arm(""), Isometry3::translation(x, 0.0, 2.0), &[0.5], Drive::Physics)
            } else if number % 5 == 1 {
                world.add(&cube("Ground"), Isometry3::translation(x, 0.0, 0.1), &[], Drive::Static)
            } else {
                world.add(&cube("Ground"), Isometry3::translation(x, 0.0, 0.301), &[], Drive::Physics)
            };
            record(&mut world, visitor, &folder.join(format!("{number}.seq")));
            visitors.push_back(visitor);
            if visitors.len() > 6 {
                let gone = visitors.pop_front().unwrap();
                despawn(&mut world, gone);
            }
            world.run(2);
            // They stay for six turns of two steps, the last ones until the end of this loop.
            frames.push(2 * (995 - number).min(6));
        }
        for visitor in visitors {
            despawn(&mut world, visitor);
        }
        world.run(2);
        assert_eq!(sizes(&mut world), before, "all visitors are gone from rapier");
        world.run(99);
        let states: Vec<BodyState> = bodies.iter().map(|&body| world.state(body).clone()).collect();
        // Rapier solves contacts in an order that depends on what came and went, and joints by themselves.
        let may_round = |number: usize| number > 0 && solver != JointSolver::Multibody;
        for (number, (state, expected)) in states.iter().zip(&expected).enumerate() {
            let [pose, wanted] = [state, expected].map(|state| &state.link_poses[0]);
            let apart = (pose.translation.vector - wanted.translation.vector).norm();
            let turned = pose.rotation.angle_to(&wanted.rotation);
            println!("  {apart:.1e} m and {turned:.1e} rad from where resident {number} is without visitors");
            if may_round(number) {
                assert!(apart < 1e-5 && turned < 1e-5);
            } else {
                assert_eq!(state, expected, "resident {number} never touches a visitor");
            }
        }
        for (number, frames) in frames.into_iter().enumerate() {
            let motion = read_clean_motion(&folder.read(format!("{number}.seq")));
            assert_eq!(motion.num_frames(), frames as usize, "visitor {number}");
        }
    });
}

#[test]
fn a_body_is_in_physics_from_the_next_step_on() {
    let mut world = World::usual();
    world.run(100);
    let late = world.add(&cube("Ground"), Isometry3::translation(0.0, 0.0, 10.0), &[], Drive::Physics);
    world.run(1000);
    let fallen = 10.0 - height(&world, late);
    assert!((fallen - G / 2.0).abs() < 0.01, "{fallen} m in the first second");
}

#[test]
fn what_rests_on_a_body_that_goes_falls_at_once() {
    let mut world = World::usual();
    let table = world.add(&cube("Ground"), Isometry3::translation(0.0, 0.0, 1.0), &[], Drive::Static);
    let lying = world.add(&cube("Ground"), Isometry3::translation(0.0, 0.0, 1.2), &[], Drive::Physics);
    world.run(500);
    assert!((height(&world, lying) - 1.2).abs() < 1e-3);
    despawn(&mut world, table);
    world.run(200);
    let fallen = 1.2 - height(&world, lying);
    assert!((fallen - G * 0.02).abs() < 3e-3, "{fallen} m in 0.2 s: no ghost holds it");
}

#[test]
fn an_extra_joint_lets_go_of_a_body_that_stays() {
    for_both_solvers(|solver| {
        for despawns_joint in [false, true] {
            let mut world = World::usual().with_joints(solver);
            let held = world.add(&cube("Ground"), Isometry3::translation(0.0, 0.0, 1.0), &[], Drive::Physics);
            let holder = world.add(&cube("Ground"), Isometry3::translation(0.0, 0.0, 1.5), &[], Drive::Static);
            let at = |body| JointEnd::Link { body, link: LinkIndex::ROOT };
            let form = ExtraJointForm {
                kind: ExtraJointKind::Fixed,
                frames: [Isometry3::translation(0.0, 0.0, -0.25), Isometry3::translation(0.0, 0.0, 0.25)],
            };
            let joint = world.app.world_mut().spawn(ExtraJointBetween { form, ends: [at(holder), at(held)] }).id();
            world.run(300);
            assert!((height(&world, held) - 1.0).abs() < 1e-3, "it hangs");
            despawn(&mut world, if despawns_joint { joint } else { holder });
            world.run(200);
            let fallen = 1.0 - height(&world, held);
            assert!((fallen - G * 0.02).abs() < 3e-3, "{solver:?}: {fallen} m in 0.2 s");
        }
    });
}

#[test]
fn what_drives_a_body_may_change_between_steps() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let falling = world.add(&arm(""), Isometry3::identity(), &[1.0], Drive::Physics);
        world.run(200);
        let swung = world.state(falling).displacements[0];
        assert!((swung - 1.0).abs() > 0.05);
        world.insert(falling, Drive::Static);
        world.run(200);
        assert!((world.state(falling).displacements[0] - swung).abs() < 1e-12, "it stays where it is");
        let mut free = World::usual().with_joints(solver);
        let expected = free.add(&arm(""), Isometry3::identity(), &[1.0], Drive::Physics);
        world.insert(falling, Drive::Physics);
        free.run(400);
        world.run(200);
        // With the velocity it had when it was stopped.
        let (state, expected) = (world.state(falling), free.state(expected));
        let error = (state.displacements[0] - expected.displacements[0]).abs();
        assert!(error < 1e-4, "{solver:?}: {error} rad from where it would be without the stop");
    });
}

#[test]
fn collision_rules_and_materials_may_change_between_steps() {
    let mut world = World::usual();
    world.add_floor("Ground");
    let lying = world.add(&cube("Ground"), Isometry3::translation(0.0, 0.0, 0.1), &[], Drive::Physics);
    world.run(100);
    assert!((height(&world, lying) - 0.1).abs() < 1e-3);
    world.insert(lying, BodyCollision { enabled: false, with_itself: false });
    world.run(100);
    assert!(height(&world, lying) < 0.06, "it falls through");
    let mut world = World::usual();
    world.add_floor("Ground");
    let lying = world.add(&cube("Ground"), Isometry3::translation(0.0, 0.0, 0.1), &[], Drive::Physics);
    world.run(100);
    let link = world.app.world().get::<bunraku_body::BodyLinks>(lying).unwrap().iter().next().unwrap();
    world.insert(link, LinkCollision::Nothing);
    world.run(100);
    assert!(height(&world, lying) < 0.06, "its link touches nothing");
}

#[test]
fn a_vector_of_the_wrong_length_is_told_once_with_its_body_and_component() {
    let mut world = World::usual();
    let swinging = world.add(&arm(""), Isometry3::identity(), &[1.0], Drive::Physics);
    world.app.world_mut().get_mut::<JointEfforts>(swinging).unwrap().0.clear();
    world.run(3);
    let warnings = world.app.world().resource::<SimulationWarnings>().as_slice();
    let [warning] = warnings else { panic!("{warnings:?}") };
    assert_eq!((warning.entity, warning.component), (swinging, "JointEfforts"));
    assert_eq!(warning.message, "the `JointEfforts` of `Thing` has 0 values for 1 joints: the common ones count");
}

#[test]
fn everything_that_a_step_writes_is_registered() {
    let mut world = World::usual();
    let found = unregistered_state(world.app.world_mut());
    assert!(found.is_empty(), "these are in no snapshot: {found:#?}");
    // And the check finds what is not.
    #[derive(Component)]
    struct Forgotten;
    fn forget(mut forgotten: Query<&mut Forgotten>) {
        for mut forgotten in &mut forgotten {
            *forgotten = Forgotten;
        }
    }
    let mut world = World::usual();
    world
        .app
        .add_systems(bunraku_simulation::SimulationStep, forget.in_set(bunraku_simulation::SimulationSystems::Control));
    let found = unregistered_state(world.app.world_mut());
    assert!(found.len() == 1 && found[0].contains("Forgotten"), "{found:?}");
}

#[test]
fn materials_may_change_between_steps() {
    let surfaces =
        |friction: f64| SurfaceMaterials(table(&format!("  - {{ materials: [ Ice, Ice ], friction: {friction} }}\n")));
    let mut world = World::usual();
    world.app.insert_resource(surfaces(0.0));
    let slope = body(
        "  - { name: SLOPE, material: Ice, rotation: [ 0, 1, 0, 15 ], elements: [ { type: Shape, geometry: { type: Box, size: [ 20, 4, 0.2 ] } } ] }\n",
    );
    world.add(&slope, slope.root().offset, &[], Drive::Static);
    let up = slope.root().offset * nalgebra::Vector3::z() * 0.2;
    let pose = Isometry3::from_parts(up.into(), slope.root().offset.rotation);
    let sliding = world.add(&cube("Ice"), pose, &[], Drive::Physics);
    world.run(300);
    let before = world.state(sliding).link_poses[0].translation.x;
    assert!(before > 0.05, "it slides: {before} m");
    world.app.insert_resource(surfaces(5.0));
    world.run(500);
    let stopped = world.state(sliding).link_poses[0].translation.x;
    world.run(300);
    let after = world.state(sliding).link_poses[0].translation.x;
    assert!((after - stopped).abs() < 1e-3, "it stands: {stopped} m, {after} m");
}
