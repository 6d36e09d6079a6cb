//! Rapier's components of users beside bodies of ours: events, joints, and components without effect.

use std::f32::consts::FRAC_PI_2;

use bevy::prelude::*;
use bevy_rapier3d::prelude::{
    ActiveEvents, Ccd, Collider, ColliderMassProperties, CollidingEntities, CollisionEvent, ContactForceEvent, Damping,
    Dominance, FixedJointBuilder, ImpulseJoint, LockedAxes, PrismaticJointBuilder, RapierRigidBodySet,
    RevoluteJointBuilder, RigidBody, RopeJointBuilder, Sensor, Sleeping, SphericalJointBuilder, TypedJoint, Velocity,
};
use bunraku_body::Drive;
use bunraku_physics::JointSolver;
use bunraku_simulation::SimulationWarnings;
use nalgebra::Isometry3;

use crate::common::{G, World, cube, for_both_solvers};

/// A cube of 0.2 m and 2 kg.
fn block(at: Vec3) -> impl Bundle {
    let shape = (Collider::cuboid(0.1, 0.1, 0.1), ColliderMassProperties::Density(250.0));
    (RigidBody::Dynamic, shape, Transform::from_translation(at))
}

fn place(world: &World, entity: Entity) -> Transform {
    *world.app.world().get::<Transform>(entity).unwrap()
}

/// Messages since they were last taken.
#[derive(Resource, Default)]
struct Received {
    /// Whether colliders start to touch, and the two.
    collisions: Vec<(bool, [Entity; 2])>,
    forces: Vec<ContactForceEvent>,
}

fn receive(
    mut received: ResMut<Received>,
    mut collisions: MessageReader<CollisionEvent>,
    mut forces: MessageReader<ContactForceEvent>,
) {
    let of = |message: &CollisionEvent| match *message {
        CollisionEvent::Started(one, other, _) => (true, [one, other]),
        CollisionEvent::Stopped(one, other, _) => (false, [one, other]),
    };
    received.collisions.extend(collisions.read().map(of));
    received.forces.extend(forces.read().copied());
}

fn world_with_messages(solver: JointSolver) -> World {
    let mut world = World::usual().with_joints(solver);
    world.app.init_resource::<Received>().add_systems(Last, receive);
    world
}

fn messages(world: &mut World) -> Received {
    std::mem::take(&mut *world.app.world_mut().resource_mut::<Received>())
}

#[test]
fn collisions_with_bodies_of_ours_start_and_stop() {
    for_both_solvers(|solver| {
        let mut world = world_with_messages(solver);
        let ground = (RigidBody::Fixed, Collider::cuboid(2.0, 2.0, 0.1), Transform::from_xyz(0.0, 0.0, -0.1));
        let events =
            (ActiveEvents::COLLISION_EVENTS | ActiveEvents::CONTACT_FORCE_EVENTS, CollidingEntities::default());
        let ground = world.app.world_mut().spawn((ground, events)).id();
        let ours = world.add(&cube("Ground"), Isometry3::translation(0.0, 0.0, 0.11), &[], Drive::Physics);
        world.run(30);
        assert_eq!(messages(&mut world).collisions, [], "it falls 10 mm in 45 ms");
        world.run(40);
        let started = messages(&mut world).collisions;
        assert!(matches!(started[..], [(true, pair)] if pair.contains(&ground)), "{started:?}");
        world.run(100);
        let Received { collisions, forces } = messages(&mut world);
        assert_eq!(collisions, [], "it rests");
        assert_eq!(world.app.world().get::<CollidingEntities>(ground).unwrap().len(), 1);
        assert_eq!(forces.len(), 100);
        let last = forces.last().unwrap();
        let up = if last.collider2 == ground { -last.total_force.z } else { last.total_force.z };
        assert!((f64::from(up) - 2.0 * G).abs() < 0.02 * 2.0 * G, "{up} N on the cube of 2 kg");
        world.app.world_mut().despawn(ours);
        world.run(2);
        let stopped = messages(&mut world).collisions;
        assert!(matches!(stopped[..], [(false, pair)] if pair.contains(&ground)), "{stopped:?}");
        world.run(2);
        assert_eq!(world.app.world().get::<CollidingEntities>(ground).unwrap().len(), 0);
    });
}

#[test]
fn a_sensor_reports_what_passes_through() {
    for_both_solvers(|solver| {
        let mut world = world_with_messages(solver);
        let gate = (RigidBody::Fixed, Collider::cuboid(1.0, 1.0, 0.01), Sensor, ActiveEvents::COLLISION_EVENTS);
        let gate = world.app.world_mut().spawn(gate).id();
        world.add(&cube("Ground"), Isometry3::translation(0.0, 0.0, 0.2), &[], Drive::Physics);
        let theirs = world.app.world_mut().spawn(block(Vec3::new(0.5, 0.0, 0.2))).id();
        world.run(300);
        let seen = messages(&mut world).collisions;
        assert_eq!(seen.iter().filter(|(starts, _)| *starts).count(), 2, "{seen:?}");
        assert_eq!(seen.len(), 4, "each starts and stops: {seen:?}");
        assert!(seen.iter().all(|(_, pair)| pair.contains(&gate)));
        assert!(seen.iter().any(|(_, pair)| pair.contains(&theirs)));
    });
}

/// A block that a joint connects to a fixed one at the origin, 0.5 m away along X, after a time; gravity is along −Z.
fn jointed(solver: JointSolver, joint: impl Into<TypedJoint>, steps: u32) -> (World, Transform) {
    let mut world = World::usual().with_joints(solver);
    let post = world.app.world_mut().spawn(RigidBody::Fixed).id();
    let joint = ImpulseJoint::new(post, joint);
    let block = world.app.world_mut().spawn((block(Vec3::new(0.5, 0.0, 0.0)), joint)).id();
    world.run(steps);
    let place = place(&world, block);
    (world, place)
}

#[test]
fn fixed_spherical_revolute_and_prismatic_joints_hold_their_axes() {
    let anchor = Vec3::new(-0.5, 0.0, 0.0);
    // About the anchor a cube of edge a has the moment m·(a²/6 + L²).
    let period = std::f64::consts::TAU * ((0.04 / 6.0 + 0.25) / (G * 0.5)).sqrt();
    for_both_solvers(|solver| {
        let (_, place) = jointed(solver, FixedJointBuilder::new().local_anchor2(anchor), 1000);
        assert!((place.translation - Vec3::new(0.5, 0.0, 0.0)).length() < 2e-3, "fixed: {place:?}");
        assert!(place.rotation.angle_between(Quat::IDENTITY) < 5e-3, "fixed: {place:?}");

        let hinge = RevoluteJointBuilder::new(Vec3::Y).local_anchor2(anchor);
        let ball = SphericalJointBuilder::new().local_anchor2(anchor);
        // From the horizontal a pendulum needs 1.18 of the period of small swings, and hangs down after a quarter of that.
        let quarter = (0.25 * 1.180_341 * period * 1e3).round() as u32;
        for (name, joint) in [("revolute", TypedJoint::from(hinge)), ("spherical", TypedJoint::from(ball))] {
            let (_, place) = jointed(solver, joint, quarter);
            println!("  {name}: {place:?}");
            assert!((place.translation - Vec3::new(0.0, 0.0, -0.5)).length() < 5e-3, "{name}: {place:?}");
            let turned = place.rotation.angle_between(Quat::from_rotation_y(FRAC_PI_2));
            assert!(turned < 1e-2, "{name}: {turned} rad off");
        }

        // Along Z it falls freely, and the anchor beside its centre of mass does not turn it.
        let slide = PrismaticJointBuilder::new(Vec3::Z).local_anchor2(anchor);
        let (_, place) = jointed(solver, slide, 300);
        let fallen = -f64::from(place.translation.z);
        assert!((fallen - 0.5 * G * 0.09).abs() < 0.01 * 0.5 * G * 0.09, "prismatic: {fallen} m");
        assert!(place.rotation.angle_between(Quat::IDENTITY) < 5e-3, "prismatic: {place:?}");
    });
}

#[test]
fn a_joint_that_goes_lets_the_body_fall() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let post = world.app.world_mut().spawn(RigidBody::Fixed).id();
        world.run(5);
        let joint = ImpulseJoint::new(post, FixedJointBuilder::new().local_anchor1(Vec3::new(0.5, 0.0, 0.0)));
        let held = world.app.world_mut().spawn((block(Vec3::new(0.5, 0.0, 0.0)), joint)).id();
        world.run(100);
        assert!(place(&world, held).translation.z.abs() < 1e-3);
        world.app.world_mut().entity_mut(held).remove::<ImpulseJoint>();
        world.app.update();
        world.run(100);
        let fallen = f64::from(-place(&world, held).translation.z);
        assert!((fallen - 0.5 * G * 0.01).abs() < 0.15 * 0.5 * G * 0.01, "{fallen} m");
    });
}

#[test]
fn a_body_that_is_despawned_is_gone() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let support = world.app.world_mut().spawn(block(Vec3::ZERO)).insert(RigidBody::Fixed).id();
        let falling = world.app.world_mut().spawn(block(Vec3::new(5.0, 0.0, 0.0))).id();
        let ours = world.add(&cube("Ground"), Isometry3::translation(0.0, 0.0, 0.2), &[], Drive::Physics);
        world.run(200);
        assert!((world.state(ours).link_poses[0].translation.z - 0.2).abs() < 1e-3);
        world.app.world_mut().despawn(support);
        world.app.world_mut().despawn(falling);
        world.run(200);
        let mut sets = world.app.world_mut().query::<&RapierRigidBodySet>();
        assert_eq!(sets.single(world.app.world()).unwrap().bodies.len(), 1);
        assert!(world.state(ours).link_poses[0].translation.z < 0.1, "nothing carries it");
    });
}

#[test]
fn damping_slows_bodies_down() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let damping = Damping { linear_damping: 2.0, angular_damping: 3.0 };
        let velocity = Velocity { linear: Vec3::X, angular: Vec3::Z };
        let body = world.app.world_mut().spawn((block(Vec3::ZERO), damping, velocity)).id();
        world.run(500);
        let place = place(&world, body);
        // (1 − e⁻ᶜᵗ)/c
        let expected = |damping: f32| (1.0 - (-0.5 * damping).exp()) / damping;
        let turned = place.rotation.to_euler(EulerRot::ZYX).0;
        println!("  {} m, {turned} rad", place.translation.x);
        assert!((place.translation.x - expected(2.0)).abs() < 2e-3, "{place:?}");
        assert!((turned - expected(3.0)).abs() < 2e-3, "{turned} rad");
    });
}

#[test]
fn components_without_effect_are_reported_once_by_name() {
    let mut world = World::usual();
    let post = world.app.world_mut().spawn(RigidBody::Fixed).id();
    let rope = ImpulseJoint::new(post, RopeJointBuilder::new(1.0));
    let ignored = (LockedAxes::ROTATION_LOCKED, Ccd::enabled(), Dominance::group(1), Sleeping::disabled(), rope);
    let body = world.app.world_mut().spawn((block(Vec3::ZERO), ignored)).id();
    world.app.world_mut().spawn((block(Vec3::X), (Ccd::disabled(), Dominance::default(), LockedAxes::empty())));
    world.add(&cube("Ground"), Isometry3::translation(0.0, 0.0, 3.0), &[], Drive::Physics);
    world.run(20);
    let warnings = world.app.world().resource::<SimulationWarnings>().as_slice();
    let mut found: Vec<_> = warnings.iter().map(|warning| (warning.entity, warning.component)).collect();
    found.sort_by_key(|(_, component)| *component);
    let expected = ["Ccd", "Dominance", "ImpulseJoint", "LockedAxes", "Sleeping"].map(|component| (body, component));
    assert_eq!(found, expected, "{warnings:?}");
}
