//! Sleeping bodies do not move and cost nothing until something acts on them.

use super::*;

const EDGE: f64 = 0.2;

/// A box that falls flat from a hand's breadth, tilted a little, near to nothing else.
fn fallen() -> (World, PartIndex) {
    let mut system = System::new();
    let tree = system.add_tree(&[free_part(block(2.0, [EDGE; 3]))]).unwrap();
    let part = system.root(tree);
    let mut world = World::new(system);
    world.state.root_poses[0] = Isometry3::new(Vector3::new(1.3, 0.7, 0.15), Vector3::new(0.1, 0.05, 0.3));
    (world, part)
}

/// With its lower corners on the floor, found in single precision.
fn step(world: &mut World, part: PartIndex) {
    world.step_with(|solver, contacts| {
        for corner in 0..4 {
            let sign = |axis: usize| if corner >> axis & 1 == 0 { -0.5 } else { 0.5 };
            let point = (solver.pose(part) * Point3::new(EDGE * sign(0), EDGE * sign(1), -0.5 * EDGE)).coords;
            let point = point.map(|value| f64::from(value as f32));
            if point.z < 0.01 {
                contacts.push(corner_on_floor(part, corner, point));
            }
        }
    });
}

fn rested() -> (World, PartIndex) {
    let (mut world, part) = fallen();
    (0..1000).for_each(|_| step(&mut world, part));
    (world, part)
}

#[test]
fn a_box_that_has_fallen_rests_and_is_told_to_carry_its_weight() {
    let (mut world, part) = rested();
    let before = world.state.clone();
    assert_eq!(world.outcome.resting, 1);
    (0..1000).for_each(|_| step(&mut world, part));
    assert!(world.state == before && before.velocities == [0.0; 6]);
    let weight = 2.0 * 9.80665;
    let readings = world.read();
    let carried: Vector3<f64> = readings.contact_forces.iter().sum();
    println!("carries {carried:?} of {weight} N");
    assert!((carried - Vector3::z() * weight).norm() < 1e-6 * weight);
    assert!(readings.accelerations.iter().all(|value| *value == 0.0));
}

type Disturb = fn(&mut World);

#[test]
fn what_rests_moves_as_soon_as_something_else_acts_on_it() {
    let disturbances: [(&str, Disturb); 6] = [
        ("a push", |world| {
            world.wrenches = vec![(PartIndex(0), Wrench { force: Vector3::x() * 25.0, ..Wrench::ZERO })]
        }),
        ("a weak pull up", |world| {
            world.wrenches = vec![(PartIndex(0), Wrench { force: Vector3::z() * 19.6134, ..Wrench::ZERO })];
        }),
        ("an effort of the root", |world| world.drives[2] = Drive::effort(30.0)),
        ("microgravity away from the floor", |world| world.parameters.gravity = Vector3::z() * 1e-6),
        ("a velocity", |world| world.state.set_velocity(CoordinateIndex(5), 1.0)),
        ("another place", |world| world.state.root_poses[0].translation.z += 0.02),
    ];
    for (name, disturb) in disturbances {
        let (mut world, part) = rested();
        disturb(&mut world);
        let before = world.state.root_poses[0];
        let shift = |world: &World| {
            let now = world.state.root_poses[0];
            (now.translation.vector - before.translation.vector).norm() + now.rotation.angle_to(&before.rotation)
        };
        step(&mut world, part);
        assert_eq!(world.outcome.resting, 0, "{name}");
        (0..99).for_each(|_| step(&mut world, part));
        println!("{name}: moved by {:.1e}", shift(&world));
        assert!(shift(&world) > 1e-9, "{name}");
    }
}

#[test]
fn what_loses_its_floor_falls() {
    let (mut world, _) = rested();
    let before = world.state.root_poses[0].translation.z;
    (0..100).for_each(|_| world.step());
    let fallen = before - world.state.root_poses[0].translation.z;
    assert!((fallen - 0.5 * 9.80665 * 0.01).abs() < 1e-12, "{fallen}");
}

#[test]
fn a_solver_that_has_not_seen_it_rest_goes_on_alike() {
    let (mut world, part) = rested();
    let mut other = fallen().0;
    other.state = world.state.clone();
    for at in 0..300 {
        let push = if at == 100 {
            vec![(part, Wrench { force: Vector3::new(90.0, 0.0, 60.0), ..Wrench::ZERO })]
        } else {
            Vec::new()
        };
        for world in [&mut world, &mut other] {
            world.wrenches.clone_from(&push);
            step(world, part);
        }
        assert!(world.state == other.state && world.readings == other.readings, "step {at}");
    }
}

#[test]
fn what_turns_round_does_not_rest() {
    // A ball at the end of its way up a slope stands for a moment, and rolls back.
    let mut system = System::new();
    let tree = system.add_tree(&[free_part(block(1.0, [EDGE; 3]))]).unwrap();
    let part = system.root(tree);
    let mut world = World::new(system);
    world.parameters.gravity = Vector3::new(-1.0, 0.0, -9.0);
    world.state.root_poses[0].translation.z = 0.1;
    // Such that it stands still after exactly 500 steps.
    let normal = Vector3::z();
    let rolls = |world: &mut World| {
        world.step_with(|solver, contacts| {
            let point = solver.pose(part).translation.vector - normal * 0.1;
            contacts.push(corner_on_floor(part, 0, Vector3::new(point.x, point.y, 0.0)));
        });
        world.state.velocities[0]
    };
    let acceleration = -rolls(&mut world) / world.parameters.time_step;
    world.state.set_velocity(CoordinateIndex(0), 500.0 * acceleration * world.parameters.time_step);
    world.state.set_velocity(CoordinateIndex(4), 5000.0 * acceleration * world.parameters.time_step);
    let speeds: Vec<f64> = (0..1000).map(|_| rolls(&mut world)).collect();
    println!("turns round at {:.1e} m/s, comes back with {}", speeds[499], speeds[999]);
    assert!(speeds[499].abs() < 1e-9 && (speeds[999] + 500.0 * acceleration * 0.001).abs() < 1e-6);
}
