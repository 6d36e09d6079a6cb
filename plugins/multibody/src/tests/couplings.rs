//! Joints that follow others.

use bunraku_body::Range;

use super::contacts::{Surface, contact};
use super::*;

fn slider(parent: usize, y: f64, axis: Vector3<f64>, mass: f64) -> Part {
    Part {
        parent: Some(parent),
        offset: Isometry3::translation(0.0, y, 0.0),
        motion: JointMotion::Prismatic(axis),
        mass: block(mass, [0.02, 0.02, 0.1]),
        coordinate: Coordinate::default(),
    }
}

/// A palm whose two fingers slide towards each other along Y, the second 1.3 times as heavy. The palm is at the end of a hinge, so that
/// the fingers are far from the root, and has a flap that nothing acts on.
fn gripper(root: Part) -> World {
    let mut system = System::new();
    let arm = hinged_part(0, Vector3::zeros(), Vector3::x(), block(1.0, [0.3, 0.1, 0.1]));
    let flap = hinged_part(1, Vector3::new(0.2, 0.0, 0.0), Vector3::y(), block(0.1, [0.1, 0.05, 0.01]));
    let fingers = [slider(1, 0.05, -Vector3::y(), 0.1), slider(1, -0.05, Vector3::y(), 0.13)];
    let [first, second] = fingers;
    system.add_tree(&[root, arm, flap, first, second]).unwrap();
    let [leader, follower] = [3, 4].map(|part| system.coordinate_of(PartIndex(part)).unwrap());
    assert!(system.add_coupling(follower, leader, [0.0, 1.0, 0.0, 0.0, 0.0]));
    World::new(system)
}

fn fingers(world: &World) -> [f64; 2] {
    [3, 4].map(|part| world.state.displacement(world.system.coordinate_of(PartIndex(part)).unwrap()))
}

#[test]
fn a_gripper_with_one_servo_closes_symmetrically() {
    let mut world = gripper(fixed_part());
    let CoordinateIndex(leader) = world.system.coordinate_of(PartIndex(3)).unwrap();
    world.drives[leader] = Drive::servo(0.03, 4000.0, 60.0);
    world.drives[leader].bounds = Range::symmetric(20.0);
    world.state.velocities[0] = 4.0;
    let mut worst = 0.0_f64;
    for _ in 0..2000 {
        world.step();
        let [first, second] = fingers(&world);
        worst = worst.max((first - second).abs());
    }
    let [first, second] = fingers(&world);
    println!("fingers at {first} m and {second} m, at most {worst:.1e} m apart");
    assert!(worst < 1e-9);
    // The arm turns on, so that the heavier finger pulls outwards: the servo bears it by its stiffness.
    assert!((first - 0.03).abs() < 1e-3 && first > 0.0);
}

#[test]
fn the_motor_moves_the_mass_of_both() {
    // Two sliders beside each other on a fixed root: the leader's motor drives m₁ + k²·m₂.
    let mut system = System::new();
    system.add_tree(&[fixed_part(), slider(0, 0.0, Vector3::y(), 0.2), slider(0, 0.3, Vector3::y(), 0.5)]).unwrap();
    assert!(system.add_coupling(CoordinateIndex(1), CoordinateIndex(0), [0.1, -2.0, 0.0, 0.0, 0.0]));
    let mut world = World::new(system);
    world.state.displacements[1] = 0.1;
    world.drives[0] = Drive::effort(1.1);
    world.run(1.0);
    let acceleration = 1.1 / (0.2 + 4.0 * 0.5);
    println!("{} of {acceleration} m/s", world.state.velocities[0]);
    assert!((world.state.velocities[0] - acceleration).abs() < 1e-9);
    assert!((world.state.displacements[1] - 0.1 + 2.0 * world.state.displacements[0]).abs() < 1e-9);
}

#[test]
fn an_impact_on_the_follower_passes_through_the_coupling() {
    let mut system = System::new();
    system.add_tree(&[fixed_part(), slider(0, 0.0, Vector3::z(), 0.2), slider(0, 0.3, Vector3::z(), 0.5)]).unwrap();
    assert!(system.add_coupling(CoordinateIndex(1), CoordinateIndex(0), [0.0, 1.0, 0.0, 0.0, 0.0]));
    let mut world = World::new(system);
    world.parameters.gravity = Vector3::zeros();
    world.state.displacements = vec![0.01, 0.01];
    for coordinate in [0, 1] {
        world.state.set_velocity(CoordinateIndex(coordinate), -1.0);
    }
    for _ in 0..40 {
        world.step_with(|solver, contacts| {
            let height = solver.pose(PartIndex(2)).translation.vector.z;
            let surface = Surface { friction: 0.0, restitution: 0.5 };
            contacts.push(contact(0, [Some(PartIndex(2)), None], Vector3::zeros(), Vector3::z(), height, surface));
        });
        assert!((world.state.velocities[0] - world.state.velocities[1]).abs() < 1e-9);
    }
    assert!((world.state.velocities[0] - 0.5).abs() < 1e-9, "{:?}", world.state.velocities);
}

#[test]
fn a_floating_gripper_keeps_its_momentum() {
    let mut world = gripper(free_part(block(2.0, [0.2; 3])));
    world.parameters.gravity = Vector3::zeros();
    let CoordinateIndex(leader) = world.system.coordinate_of(PartIndex(3)).unwrap();
    world.drives[leader] = Drive::servo(0.03, 400.0, 2.0);
    let spin = Twist { linear: Vector3::new(0.3, 0.0, -0.1), angular: Vector3::new(1.0, 2.0, -0.5) };
    world.state.set_root_twist(&world.system, TreeIndex(0), &spin);
    let before = momentum(&mut world);
    world.run(2.0);
    let after = momentum(&mut world);
    let [first, second] = fingers(&world);
    let apart = (after.force - before.force).norm() + (after.torque - before.torque).norm();
    println!("momentum changes by {apart:.1e}, fingers {:.1e} m apart", (first - second).abs());
    assert!(apart < 1e-9);
    assert!((first - second).abs() < 1e-9 && first.abs() > 1e-3);
}

#[test]
fn energy_passes_through_a_curved_coupling() {
    // A lever whose slider stands at a parabola of its angle: no work is lost or gained.
    let mut system = System::new();
    let lever = hinged_part(
        0,
        Vector3::zeros(),
        Vector3::x(),
        MassProperties { center_of_mass: Point3::new(0.0, 0.2, 0.0), ..block(1.0, [0.05, 0.4, 0.05]) },
    );
    system.add_tree(&[fixed_part(), lever, slider(0, 0.3, Vector3::z(), 0.5)]).unwrap();
    assert!(system.add_coupling(CoordinateIndex(1), CoordinateIndex(0), [0.0, 0.1, 0.2, 0.0, 0.0]));
    let mut world = World::new(system);
    let before = energy(&mut world);
    let (mut worst, mut apart) = (0.0_f64, 0.0_f64);
    for _ in 0..3000 {
        world.step();
        worst = worst.max((energy(&mut world) - before).abs());
        let [angle, height] = [world.state.displacements[0], world.state.displacements[1]];
        apart = apart.max((height - 0.1 * angle - 0.2 * angle * angle).abs());
    }
    println!("energy changes by {worst:.1e} J, {apart:.1e} m off");
    // A curve is met to the second order of the step.
    assert!(worst < 1e-3 && apart < 2e-6);
}

#[test]
fn chains_hold_and_cycles_are_refused() {
    let mut system = System::new();
    let parts = (0..4).map(|index| slider(0, 0.1 * f64::from(index), Vector3::y(), 0.1));
    let parts: Vec<Part> = std::iter::once(fixed_part()).chain(parts).collect();
    system.add_tree(&parts).unwrap();
    system.add_tree(&[fixed_part(), slider(0, 0.0, Vector3::y(), 0.1)]).unwrap();
    let mut couple = |follower, leader, factor| {
        system.add_coupling(CoordinateIndex(follower), CoordinateIndex(leader), [0.0, factor, 0.0, 0.0, 0.0])
    };
    assert!(couple(2, 1, 0.5));
    assert!(couple(1, 0, -2.0));
    assert!(couple(3, 2, 3.0));
    for (follower, leader) in [(0, 3), (0, 0), (2, 0), (4, 0), (0, 4), (0, 9)] {
        assert!(!couple(follower, leader, 1.0), "{follower} follows {leader}");
    }
    assert_eq!(system.leader_of(CoordinateIndex(3)), Some(CoordinateIndex(2)));
    let mut world = World::new(system);
    world.drives[3] = Drive::servo(0.3, 1000.0, 10.0);
    world.run(3.0);
    let positions = &world.state.displacements;
    for (position, expected) in positions.iter().zip([0.1, -0.2, -0.1, -0.3]) {
        assert!((position.abs() - f64::abs(expected)).abs() < 1e-9, "{positions:?}");
    }
    let moved = world.system.remove(&[TreeIndex(1)], &[]);
    world.state.follow(&moved);
    assert_eq!(world.system.leader_of(CoordinateIndex(1)), Some(CoordinateIndex(0)));
}

#[test]
fn a_follower_that_starts_elsewhere_is_drawn_to_its_place() {
    let mut world = gripper(fixed_part());
    let CoordinateIndex(follower) = world.system.coordinate_of(PartIndex(4)).unwrap();
    world.state.displacements[follower] = 0.01;
    world.run(0.1);
    let [first, second] = fingers(&world);
    assert!((first - second).abs() < 1e-9, "{first} {second}");
}

#[test]
fn a_follower_follows_a_leader_whose_motion_is_given() {
    let mut world = gripper(fixed_part());
    let CoordinateIndex(leader) = world.system.coordinate_of(PartIndex(3)).unwrap();
    for step in 0..500 {
        world.drives[leader].given = Some(0.1 * (0.01 * f64::from(step)).cos());
        world.step();
    }
    let [first, second] = fingers(&world);
    println!("{first} m, {:.1e} m apart", second - first);
    assert!((first - second).abs() < 1e-9 && first.abs() > 1e-3);
}
