//! Bodies without joints: falling, resting, sliding.

use bevy::prelude::RelationshipTarget;
use bunraku_body::dynamics::Twist;
use bunraku_body::{BodyLinks, Drive};
use bunraku_physics::{JointSolver, LinkCollision, LinkMotions};
use nalgebra::{Isometry3, Vector3};

use crate::common::{G, World, body, cube};

#[test]
fn a_thrown_cube_flies_along_the_parabola_and_turns_steadily() {
    for time_step in [0.001, 0.01] {
        let mut world = World::new(time_step, Vector3::new(0.0, 0.0, -G), 1);
        let twist = Twist { linear: Vector3::new(1.0, 0.0, 2.0), angular: Vector3::new(0.0, 0.0, 3.0) };
        let cube = world.throw(&cube("default"), Isometry3::identity(), &[], twist);
        world.run((1.0 / time_step).round() as u32);
        let pose = world.state(cube).link_poses[0];
        let error = (pose.translation.vector - Vector3::new(1.0, 0.0, 2.0 - 0.5 * G)).norm();
        let turned = (pose.rotation.scaled_axis() - Vector3::new(0.0, 0.0, 3.0)).norm();
        println!("dt {time_step} s: {error:.1e} m, {turned:.1e} rad");
        assert!(error < 1e-12 && turned < 1e-9, "dt {time_step}: {error} m, {turned} rad");
    }
}

#[test]
fn a_cube_rests_on_the_floor() {
    let mut world = World::usual();
    world.add_floor("default");
    let entity = world.add(&cube("default"), Isometry3::translation(0.3, 0.1, 0.1), &[], Drive::Physics);
    world.insert(entity, LinkMotions::default());
    world.run(2000);
    let before = world.state(entity).link_poses[0];
    world.run(1000);
    let after = world.state(entity).link_poses[0];
    let crept = (after.translation.vector - before.translation.vector).norm();
    let sunk = 0.1 - after.translation.z;
    println!("sunk {sunk:.1e} m, crept {crept:.1e} m, tilted {:.1e} rad", after.rotation.angle());
    assert!(sunk.abs() < 2e-4 && crept < 1e-6 && after.rotation.angle() < 1e-5);
    // A body at rest on contacts has no acceleration.
    let motions = world.app.world().get::<LinkMotions>(entity).unwrap();
    assert!(motions.accelerations()[0].linear.norm() < 1e-3);
}

#[test]
fn a_cube_that_falls_flat_on_ice_is_not_pushed_aside() {
    // It stands on an edge, turned by half a degree. Nothing pushes it along the ice, and its centre of mass falls straight down; a normal
    // that turned with the cube would give it some mm/s.
    let ice = body(
        "  - { name: ICE, material: Ice, translation: [ 0, 0, -0.1 ], elements: [ { type: Shape, geometry: { type: Box, size: [ 20, 20, \
         0.2 ] } } ] }\n",
    );
    let mut world = World::usual().with_joints(JointSolver::Multibody);
    world.set_materials("  - { materials: [ default, Ice ], friction: 0 }\n");
    let tilt = 0.5_f64.to_radians();
    let height = 0.1 * (tilt.cos() + tilt.sin());
    let pose = Isometry3::new(Vector3::new(0.0, 0.0, height), Vector3::y() * tilt);
    // The cube comes first, so that it is the first of the two for rapier, too.
    let cube = world.add(&cube("default"), pose, &[], Drive::Physics);
    world.add(&ice, ice.root().offset, &[], Drive::Physics);
    world.run(1000);
    let end = world.state(cube).link_poses[0];
    println!("{:.1e} m aside, {:.1e} m high", end.translation.x, end.translation.z - 0.1);
    assert!((end.rotation * Vector3::z()).z > 1.0 - 1e-9, "it lies flat");
    assert!(end.translation.x.hypot(end.translation.y) < 2e-5, "{}", end.translation);
}

#[test]
fn links_without_a_joint_between_them_are_one_rigid_body() {
    // Two 1 kg points 1 m apart on a weightless root, fixed to each other: the tip falls with the root.
    let dumbbell = body(
        "  - { name: A, joint_type: free, mass: 1, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ] }\n  - { name: B, parent: A, translation: [ 1, \
         0, 0 ], mass: 3, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ] }\n",
    );
    let mut world = World::usual();
    let entity = world.add(&dumbbell, Isometry3::identity(), &[], Drive::Physics);
    world.run(1000);
    let [a, b] = [0, 1].map(|link| world.state(entity).link_poses[link].translation.vector);
    assert!((a.z + 0.5 * G).abs() < 0.01 && (b - a - Vector3::x()).norm() < 1e-5, "{a} {b}");
}

#[test]
fn a_mesh_that_does_not_move_is_its_triangles_and_one_that_moves_its_hull() {
    // A trough of two slopes: a ball rolls into it and does not float on the hull above it.
    let trough = body(
        "  - { name: TROUGH, elements: [ { type: Shape, geometry: { type: TriangleMesh, vertices: [ -1,-1,1, 0,-1,0, 1,-1,1, -1,1,1, \
         0,1,0, 1,1,1 ], faces: [ 0,1,4, 0,4,3, 1,2,5, 1,5,4 ] } } ] }\n",
    );
    let ball = body(
        "  - { name: BALL, joint_type: free, mass: 1, inertia: [ 0.004, 0, 0, 0.004, 0, 0.004 ], elements: [ { type: Shape, geometry: { \
         type: Sphere, radius: 0.1 } } ] }\n",
    );
    // A tetrahedron with its base down, as a mesh of its own.
    let tetrahedron = body(
        "  - { name: TETRA, joint_type: free, mass: 1, center_of_mass: [ 0, 0, 0.1 ], inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ], elements: [ \
         { type: Shape, geometry: { type: IndexedFaceSet, vertices: [ 0.3,0,0, -0.2,0.25,0, -0.2,-0.25,0, 0,0,0.4 ], faces: [ \
         0,2,1,-1, 0,1,3,-1, 1,2,3,-1, 2,0,3,-1 ] } } ] }\n",
    );
    let mut world = World::usual();
    world.add(&trough, Isometry3::translation(5.0, 0.0, 0.0), &[], Drive::Static);
    world.add_floor("default");
    let ball = world.add(&ball, Isometry3::translation(5.0, 0.0, 0.3), &[], Drive::Physics);
    let tetrahedron = world.add(&tetrahedron, Isometry3::translation(0.0, 0.0, 0.02), &[], Drive::Physics);
    world.run(2000);
    // Between two slopes of 45° a ball of 0.1 m rests with its centre at 0.1·√2.
    let height = world.state(ball).link_poses[0].translation.z;
    assert!((height - 0.1 * 2_f64.sqrt()).abs() < 1e-3, "{height} m");
    let height = world.state(tetrahedron).link_poses[0].translation.z;
    assert!(height.abs() < 1e-3, "{height} m");
}

#[test]
fn a_link_that_touches_nothing_falls_through_the_floor() {
    let ball = "  - { name: BALL, joint_type: free, mass: 1, inertia: [ 0.004, 0, 0, 0.004, 0, 0.004 ], elements: [ { type: Shape, \
                geometry: { type: Sphere, radius: 0.1 } } ] }\n";
    let ghost = body(&format!("{ball}collision_detection_rules: [ {{ disabled_links: [ BALL ] }} ]\n"));
    let ball = body(ball);
    let mut world = World::usual();
    world.add_floor("default");
    let place = |x| Isometry3::translation(x, 0.0, 0.1);
    let ghost = world.add(&ghost, place(0.0), &[], Drive::Physics);
    let chosen = world.add(&ball, place(1.0), &[], Drive::Physics);
    let resting = world.add(&ball, place(2.0), &[], Drive::Physics);
    let link = world.app.world().get::<BodyLinks>(chosen).unwrap().iter().next().unwrap();
    world.insert(link, LinkCollision::Nothing);
    world.run(500);
    let height = |entity| world.state(entity).link_poses[0].translation.z;
    assert!(height(ghost) < -1.0 && height(chosen) < -1.0, "{} {}", height(ghost), height(chosen));
    assert!((height(resting) - 0.1).abs() < 1e-3, "{}", height(resting));
}

#[test]
fn balls_and_cylinders_roll_down_a_slope() {
    // A solid ball and a solid cylinder get 5/7 and 2/3 of what would slide without friction.
    let ball = "inertia: [ 0.008, 0, 0, 0, 0.008, 0, 0, 0, 0.008 ]";
    let cylinder = "inertia: [ 0.02, 0, 0, 0, 0.01, 0, 0, 0, 0.02 ]";
    let shapes = [
        ("ball", 5.0 / 7.0, ball, "{ type: Sphere, radius: 0.1 }"),
        ("cylinder", 2.0 / 3.0, cylinder, "{ type: Cylinder, radius: 0.1, height: 0.4 }"),
    ];
    for (name, share, inertia, geometry) in shapes {
        let model = body(&format!(
            "  - {{ name: Roller, joint_type: free, mass: 2, {inertia}, elements: [ {{ type: Shape, geometry: {geometry} }} ] }}\n"
        ));
        let slope = 0.3_f64;
        let gravity = Vector3::new(slope.sin(), 0.0, -slope.cos()) * G;
        let mut world = World::new(0.001, gravity, 1).with_joints(JointSolver::Multibody);
        world.add_floor("default");
        let roller = world.add(&model, Isometry3::translation(0.0, 0.0, 0.1), &[], Drive::Physics);
        world.run(1000);
        let place = world.state(roller).link_poses[0].translation.vector;
        let expected = 0.5 * share * G * slope.sin();
        println!("{name}: rolls {:.6} m of {expected:.6} m, {:.1e} m aside", place.x, place.y);
        assert!((place.x / expected - 1.0).abs() < ROLLED && place.y.abs() < 1e-4, "{name}: {place}");
    }
}

/// Of the way. Shapes are in single precision, to 6e-8 of a metre.
const ROLLED: f64 = 1e-5;

#[test]
fn a_lying_cylinder_that_turns_is_braked_along_its_whole_line() {
    // Friction on a line of length l that bears the weight evenly has the torque µ·m·g·l/4 about its middle.
    const LENGTH: f64 = 0.4;
    let roller = body(
        "  - { name: Roller, joint_type: free, mass: 2, inertia: [ 0.05, 0, 0, 0, 0.04, 0, 0, 0, 0.05 ],
      elements: [ { type: Shape, geometry: { type: Cylinder, radius: 0.1, height: 0.4 } } ] }\n",
    );
    let mut world = World::usual().with_joints(JointSolver::Multibody);
    world.set_materials("  - { materials: [ Ground, default ], friction: 0.2 }\n");
    world.add_floor("Ground");
    let twist = Twist { linear: Vector3::zeros(), angular: Vector3::z() * 5.0 };
    let roller = world.throw(&roller, Isometry3::translation(0.0, 0.0, 0.1), &[], twist);
    world.run(500);
    let state = world.state(roller);
    let place = &state.link_poses[0];
    let turned = place.rotation.euler_angles().2;
    let brake = 0.2 * 2.0 * G * LENGTH / 4.0 / 0.05;
    let expected = 5.0 * 0.5 - 0.5 * brake * 0.5 * 0.5;
    println!("turned by {turned:.5} rad, by the formula {expected:.5} rad");
    // In a few of the first steps what is found are other points than those of the line. Points of equal loads would be 14 % off, ends alone 65 %.
    assert!((turned - expected).abs() < 0.05 * expected, "{turned} rad instead of {expected} rad");
    assert!(place.translation.x.hypot(place.translation.y) < 1e-4, "{}", place.translation);
}
