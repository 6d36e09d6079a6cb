//! Motors, springs, friction in joints, ends of ranges, motions that are given.

use bunraku_body::Range;
use bunraku_body::dynamics::{BodyMotionState, InverseDynamics};

use super::contacts::{Surface, contact};
use super::*;

const G: f64 = 9.80665;

/// A mass of 1 kg that slides upwards on a fixed root.
fn lift(coordinate: Coordinate) -> World {
    let mut system = System::new();
    let mass = block(1.0, [0.1; 3]);
    let sliding = Part { parent: Some(0), motion: JointMotion::Prismatic(Vector3::z()), coordinate, ..free_part(mass) };
    system.add_tree(&[fixed_part(), sliding]).unwrap();
    World::new(system)
}

/// A rod of 1 kg and 1 m that hangs sideways on a hinge, with some mass properties of its own.
fn arm(coordinate: Coordinate) -> World {
    let rod = MassProperties {
        mass: 1.0,
        center_of_mass: Point3::new(0.5, 0.0, 0.0),
        inertia: Matrix3::from_diagonal(&Vector3::new(1e-4, 1.0 / 12.0, 1.0 / 12.0)),
    };
    let mut system = System::new();
    let hinge = Part { coordinate, ..hinged_part(0, Vector3::zeros(), -Vector3::y(), rod) };
    system.add_tree(&[fixed_part(), hinge]).unwrap();
    World::new(system)
}

#[test]
fn a_servo_droops_by_weight_over_stiffness() {
    for (spring, time_step) in [(false, 0.001), (true, 0.001), (false, 0.005)] {
        let mut coordinate = Coordinate::default();
        let mut world = if spring {
            (coordinate.stiffness, coordinate.damping) = (2000.0, 100.0);
            lift(coordinate)
        } else {
            lift(coordinate)
        };
        if !spring {
            world.drives[0] = Drive::servo(0.0, 2000.0, 100.0);
        }
        world.parameters.time_step = time_step;
        world.run(3.0);
        let droop = -world.state.displacements[0];
        let effort = world.read().motors[0];
        println!("spring {spring}, {time_step} s: {droop} m of {}; effort {effort} N", G / 2000.0);
        assert!((droop / (G / 2000.0) - 1.0).abs() < 1e-9);
        assert!(spring || (effort / G - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_servo_that_an_impact_saturates_gives_no_more_than_its_limit() {
    const LIMIT: f64 = 20.0;
    let mut world = lift(Coordinate::default());
    world.drives[0] = Drive::servo(0.0, 0.0, 1e4);
    world.drives[0].velocity = -1.0;
    world.drives[0].bounds = Range { lower: -LIMIT, upper: LIMIT };
    world.state.velocities[0] = -1.0;
    world.state.displacements[0] = 0.1;
    let fastest = (0..200).fold(f64::NEG_INFINITY, |fastest, _| {
        world.step_with(|solver, contacts| {
            let height = solver.pose(PartIndex(1)).translation.vector.z;
            let surface = Surface { friction: 0.0, restitution: 0.5 };
            contacts.push(contact(0, [Some(PartIndex(1)), None], Vector3::zeros(), Vector3::z(), height, surface));
        });
        fastest.max(world.state.velocities[0])
    });
    // Half of the speed of 1 m/s with which they meet, but for what weight and motor do within a step.
    println!("parts at {fastest} m/s");
    assert!((fastest - 0.5).abs() < (LIMIT + G) * world.parameters.time_step, "{fastest} m/s");
}

#[test]
fn an_arm_of_six_links_is_in_balance_on_its_servos() {
    let mut links = String::from("  - { name: BASE, joint_type: fixed, mass: 5.0 }\n");
    for index in 0..6 {
        let parent = if index == 0 { "BASE".to_owned() } else { format!("L{}", index - 1) };
        let axis = ["Z", "Y", "Y", "X", "Y", "X"][index];
        links += &format!(
            "  - {{ name: L{index}, parent: {parent}, joint_id: {index}, joint_type: revolute, joint_axis: {axis}, translation: [0.25, 0.02, 0.1], mass: {}, center_of_mass: [0.1, 0.01, 0.03], inertia: [0.01, 0, 0, 0, 0.012, 0, 0, 0, 0.009] }}\n",
            6 - index
        );
    }
    let body = body(&links);
    for (time_step, stiffness) in [(0.001, 5000.0), (0.004, 5000.0), (0.001, 50_000.0), (0.004, 1e7)] {
        let (mut world, _) = world_of(&body, RootMotion::Fixed);
        world.parameters.time_step = time_step;
        let targets = some_numbers(6, 2.0);
        for (drive, target) in world.drives.iter_mut().zip(&targets) {
            *drive = Drive::servo(*target, stiffness, 0.02 * stiffness);
        }
        world.run(5.0);
        let displacements = world.state.displacements.clone();
        let state = BodyMotionState { displacements: &displacements, ..BodyMotionState::default() };
        let weight = InverseDynamics::of(&body, &state, &Vector3::new(0.0, 0.0, -G), &[]);
        let efforts = world.read().motors.clone();
        let largest = weight.efforts.iter().fold(0.0_f64, |most, effort| most.max(effort.abs()));
        let off = efforts.iter().zip(&weight.efforts).fold(0.0_f64, |most, (one, two)| most.max((one - two).abs()));
        println!("{time_step} s, {stiffness} N·m/rad: {:.1e} of {largest:.1} N·m out of balance", off / largest);
        assert!(off < 1e-9 * largest);
    }
}

#[test]
fn a_light_link_bears_a_stiff_servo() {
    let light = MassProperties {
        mass: 0.01,
        center_of_mass: Point3::new(0.05, 0.0, 0.0),
        inertia: Matrix3::from_diagonal_element(1e-6),
    };
    let mut system = System::new();
    system.add_tree(&[fixed_part(), hinged_part(0, Vector3::zeros(), Vector3::y(), light)]).unwrap();
    let mut world = World::new(system);
    world.parameters.time_step = 0.005;
    world.drives[0] = Drive::servo(1.0, 1e6, 1e3);
    let mut fastest = 0.0_f64;
    for _ in 0..1000 {
        world.step();
        fastest = fastest.max(world.state.velocities[0].abs());
    }
    println!("at {} rad, {fastest} rad/s at most", world.state.displacements[0]);
    assert!((world.state.displacements[0] - 1.0).abs() < 1e-6 && fastest < 400.0);
}

#[test]
fn a_motor_gives_no_more_than_it_can() {
    for share in [0.5, 0.99, 1.01, 2.0] {
        for (stiffness, rotor_inertia) in [(2000.0, 0.0), (20_000.0, 0.05)] {
            let mut world = arm(Coordinate { rotor_inertia, ..Coordinate::default() });
            let limit = share * G * 0.5;
            world.drives[0] =
                Drive { bounds: Range::symmetric(limit), ..Drive::servo(0.0, stiffness, 0.02 * stiffness) };
            let (mut switches, mut was_limited, mut most) = (0, false, 0.0_f64);
            for _ in 0..4000 {
                world.step();
                assert_eq!(world.outcome.unconverged, 0);
                let effort = world.read().motors[0].abs();
                most = most.max(effort);
                let is_limited = effort >= limit;
                switches += usize::from(is_limited != was_limited);
                was_limited = is_limited;
            }
            let speed = world.state.velocities[0].abs();
            println!(
                "{share} of the weight, {stiffness}: {:.6} of the limit, {switches} switches, {speed:.1e} rad/s",
                most / limit
            );
            assert!(most <= limit && switches <= 6);
            assert!(share < 1.0 || speed < 1e-9);
        }
    }
}

#[test]
fn a_rotor_is_the_same_as_inertia_about_the_axis() {
    let double = |rotor: f64, more: f64| {
        let rod = |more: f64| MassProperties {
            mass: 1.0,
            center_of_mass: Point3::new(0.5, 0.0, 0.0),
            inertia: Matrix3::from_diagonal(&Vector3::new(1e-4, 1.0 / 12.0 + more, 1.0 / 12.0)),
        };
        let mut system = System::new();
        let mut first = hinged_part(0, Vector3::zeros(), Vector3::y(), rod(more));
        first.coordinate.rotor_inertia = rotor;
        let second = hinged_part(1, Vector3::new(1.0, 0.0, 0.0), Vector3::y(), rod(0.0));
        system.add_tree(&[fixed_part(), first, second]).unwrap();
        let mut world = World::new(system);
        world.run(1.0);
        world.state.displacements
    };
    let (rotor, geared) = (double(0.3, 0.0), double(0.0, 0.3));
    let off = (rotor[0] - geared[0]).abs().max((rotor[1] - geared[1]).abs());
    println!("{rotor:?}: off by {off:.1e} rad");
    assert!(off < 1e-6);
}

#[test]
fn dry_friction_holds_and_brakes() {
    for (push, expected) in [(4.9, 0.0), (-4.9, 0.0), (6.0, 1.0), (-7.0, -2.0)] {
        let mut world = lift(Coordinate { friction: 5.0, ..Coordinate::default() });
        world.drives[0] = Drive::effort(push + G);
        world.run(1.0);
        let speed = world.state.velocities[0];
        println!("{push} N: {speed} m/s of {expected}");
        assert!((speed - expected).abs() < 1e-9);
    }
}

#[test]
fn the_end_of_a_range_carries_the_weight() {
    for (lower, upper, effort) in [(-0.1, 0.1, 0.0), (-0.1, 0.2, 30.0)] {
        let mut world = lift(Coordinate { range: Range { lower, upper }, ..Coordinate::default() });
        world.drives[0] = Drive::effort(effort);
        let mut beyond = 0.0_f64;
        for _ in 0..1000 {
            world.step();
            let displacement = world.state.displacements[0];
            beyond = beyond.max(lower - displacement).max(displacement - upper);
        }
        let (end, held) = if effort > 0.0 { (upper, G - effort) } else { (lower, G) };
        let read = world.read().range_efforts[0];
        println!(
            "at {} of {end}, {beyond:.1e} m beyond at most, held by {read} of {held} N",
            world.state.displacements[0]
        );
        assert!((world.state.displacements[0] - end).abs() < 1e-9 && (read / held - 1.0).abs() < 1e-9);
        assert!(beyond < 1e-3);
    }
}

#[test]
fn a_hard_limit_of_velocity_is_not_exceeded() {
    let mut world = lift(Coordinate { velocity_range: Range::symmetric(0.5), ..Coordinate::default() });
    world.run(1.0);
    println!("falls at {} m/s", world.state.velocities[0]);
    assert!((world.state.velocities[0] + 0.5).abs() < 1e-9);
    assert!((world.state.displacements[0] + 0.5).abs() < 0.02);
}

#[test]
fn a_given_motion_is_followed_and_its_effort_told() {
    let mut world = arm(Coordinate::default());
    let (amplitude, rate) = (0.5, 3.0);
    let step = world.parameters.time_step;
    for count in 0..1500 {
        let time = count as f64 * step;
        let next = amplitude * (rate * (time + step)).sin();
        world.drives[0] = Drive::given((next - world.state.displacements[0]) / step);
        world.step();
        assert!((world.state.displacements[0] - next).abs() < 1e-12);
        if count > 10 {
            let middle = time + 0.5 * step;
            let angle = amplitude * (rate * middle).sin();
            // The change of velocity from the step before to this one belongs to its beginning.
            let acceleration = -amplitude * rate * rate * (rate * time).sin();
            let expected = acceleration / 3.0 + 0.5 * G * angle.cos();
            let effort = world.read().motors[0];
            assert!((effort - expected).abs() < 1e-3, "{effort} of {expected}");
        }
    }
    // The load of a prescribed joint follows it.
    let rod = block(1.0, [0.1; 3]);
    let mut system = System::new();
    let root = free_part(rod);
    system.add_tree(&[root, hinged_part(0, Vector3::new(0.5, 0.0, 0.0), Vector3::z(), rod)]).unwrap();
    let mut world = World::new(system);
    world.parameters.gravity = Vector3::zeros();
    for _ in 0..1000 {
        world.drives[6] = Drive::given(2.0);
        world.step();
    }
    let after = momentum(&mut world);
    println!("momentum {:.1e}, {:.1e}", after.force.norm(), after.torque.norm());
    assert!((world.state.displacements[6] - 2.0).abs() < 1e-9);
    assert!(after.force.norm() < 1e-9 && after.torque.norm() < 1e-9);
}

#[test]
fn a_guided_root_takes_its_load_along() {
    // Up with 2 m/s², a load on a hinge: the guide carries both.
    let mut system = System::new();
    let load = MassProperties {
        mass: 1.0,
        center_of_mass: Point3::new(0.0, 0.0, -0.3),
        inertia: Matrix3::from_diagonal_element(0.01),
    };
    let parts = [free_part(block(2.0, [0.1; 3])), hinged_part(0, Vector3::zeros(), Vector3::y(), load)];
    let tree = system.add_tree(&parts).unwrap();
    let mut world = World::new(system);
    for count in 1..=1000 {
        for (axis, drive) in world.drives[..6].iter_mut().enumerate() {
            *drive = Drive::given(if axis == 2 { 0.002 * f64::from(count) } else { 0.0 });
        }
        world.step();
    }
    let height = world.state.root_poses[tree.0].translation.z;
    let reaction = world.read().reactions[0];
    println!("{height} m, guide {} N", reaction.force.z);
    assert!((height - 1.001).abs() < 1e-9);
    assert!((reaction.force.z - 3.0 * (G + 2.0)).abs() < 1e-9);
    assert!((world.readings.part_accelerations[1].linear.z - 2.0).abs() < 1e-9);
}

#[test]
fn what_a_slider_guides_onto_a_floor_stays_on_it() {
    // Nothing moves along the floor: the contact has a normal only.
    let mut world = lift(Coordinate::default());
    world.state.displacements[0] = 0.1;
    for _ in 0..500 {
        world.step_with(|solver, contacts| {
            let height = solver.pose(PartIndex(1)).translation.vector.z;
            let surface = Surface { friction: 1.0, restitution: 0.0 };
            contacts.push(contact(0, [Some(PartIndex(1)), None], Vector3::zeros(), Vector3::z(), height, surface));
        });
    }
    let height = world.state.displacements[0];
    let force = world.read().contact_forces[0];
    println!("at {height} m, pushed by {force:?} N");
    assert!(height.abs() < 1e-4 && (force - Vector3::z() * G).norm() < 1e-6, "{height} m, {force} N");
}
