//! In flight, without anything that stands still: energy, momentum, tops.

use bunraku_body::ExtraJointKind;

use super::contacts::{Surface, contact};
use super::*;
use crate::math::spatial::across;

/// Two rods of 1 m and 1 kg on a fixed root, held out sideways.
fn double_pendulum(time_step: f64, integrator: Integrator) -> World {
    let rod = MassProperties {
        mass: 1.0,
        center_of_mass: Point3::new(0.0, 0.0, -0.5),
        inertia: Matrix3::from_diagonal(&Vector3::new(1.0 / 12.0, 1.0 / 12.0, 1e-4)),
    };
    let mut system = System::new();
    let first = hinged_part(0, Vector3::zeros(), Vector3::y(), rod);
    let second = hinged_part(1, Vector3::new(0.0, 0.0, -1.0), Vector3::y(), rod);
    system.add_tree(&[fixed_part(), first, second]).unwrap();
    let mut world = World::new(system);
    world.state.displacements[0] = std::f64::consts::FRAC_PI_2;
    world.parameters.time_step = time_step;
    world.parameters.integrator = integrator;
    world
}

/// Largest and last change of the energy on the way.
fn drift(world: &mut World, seconds: f64) -> [f64; 2] {
    let start = energy(world);
    let (mut worst, mut last) = (0.0_f64, 0.0);
    for _ in 0..(seconds / world.parameters.time_step).round() as usize {
        world.step();
        last = energy(world) - start;
        worst = worst.max(last.abs());
    }
    [worst, last]
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    let swing = 19.6;
    for (integrator, bound) in [(Integrator::Leapfrog, 2e-4), (Integrator::RungeKutta4, 1e-6)] {
        let [worst, last] = drift(&mut double_pendulum(0.001, integrator), 10.0);
        println!("{integrator:?}: {:.2e} of the swing at most, {:.2e} in the end", worst / swing, last / swing);
        assert!(worst < bound * swing);
    }
}

#[test]
fn a_tumbling_robot_keeps_its_energy_and_momentum() {
    let Some(body) = sr1() else { return };
    let (mut world, compiled) = world_of(&body, RootMotion::Free);
    world.parameters.time_step = 0.002;
    world.parameters.gravity = Vector3::zeros();
    let numbers = some_numbers(world.system.num_coordinates(), 5.0);
    for (coordinate, value) in numbers.iter().enumerate() {
        world.system.coordinates[coordinate].range = bunraku_body::Range::UNLIMITED;
        world.state.set_velocity(CoordinateIndex(coordinate), 2.0 * value);
    }
    let twist = Twist { linear: Vector3::new(0.3, -0.2, 0.5), angular: Vector3::new(2.0, -3.0, 4.0) };
    world.state.set_root_twist(&world.system, compiled.trees[0], &twist);
    let (start, before) = (energy(&mut world), momentum(&mut world));
    let [worst, _] = drift(&mut world, 2.0);
    let after = momentum(&mut world);
    let moved = (after.force - before.force).norm().max((after.torque - before.torque).norm());
    println!("energy {start:.1} J changes by {worst:.4} J at most, momentum by {moved:.1e}");
    assert!(worst < 0.01);
    assert!(moved < 1e-9);
}

#[test]
fn a_floating_chain_that_moves_itself_keeps_its_momentum() {
    let link = block(1.0, [0.1, 0.1, 0.4]);
    let mut parts = vec![free_part(link)];
    for index in 0..6 {
        let axis = [Vector3::x(), Vector3::y(), Vector3::new(0.6, 0.0, 0.8)][index % 3];
        parts.push(hinged_part(index, Vector3::new(0.0, 0.05, 0.4), axis, link));
    }
    let mut system = System::new();
    system.add_tree(&parts).unwrap();
    let mut world = World::new(system);
    world.parameters.gravity = Vector3::zeros();
    let before = momentum(&mut world);
    for step in 0..1000 {
        for (index, drive) in world.drives[6..].iter_mut().enumerate() {
            *drive = Drive::effort((step as f64 * 0.01 + index as f64).sin());
        }
        world.step();
    }
    let after = momentum(&mut world);
    println!("force {:.1e} N·s, torque {:.1e} N·m·s", (after.force - before.force).norm(), after.torque.norm());
    assert!((after.force - before.force).norm() < 1e-9 && (after.torque - before.torque).norm() < 1e-9);
}

/// A chain of three links, a ball that flies into its end, and where the ball is: contacts are those of spheres about both origins.
fn struck_chain() -> (World, [PartIndex; 2]) {
    let link = block(1.0, [0.3, 0.2, 0.4]);
    let joint = Vector3::new(0.0, 0.0, 0.4);
    let parts = [free_part(link), hinged_part(0, joint, Vector3::x(), link), hinged_part(1, joint, Vector3::y(), link)];
    let mut system = System::new();
    let chain = system.add_tree(&parts).unwrap();
    let ball = system.add_tree(&[free_part(block(3.0, [0.2, 0.2, 0.2]))]).unwrap();
    let (end, ball_part) = (PartIndex(system.root(chain).0 + 2), system.root(ball));
    let mut world = World::new(system);
    world.parameters.gravity = Vector3::zeros();
    world.state.root_poses[ball.0].translation.vector = Vector3::new(-0.6, -0.5, 0.85);
    let twist = Twist { linear: Vector3::new(2.5, 3.0, 0.0), angular: Vector3::new(0.0, 0.0, 9.0) };
    world.state.set_root_twist(&world.system, ball, &twist);
    (world, [end, ball_part])
}

#[test]
fn a_chain_and_the_ball_that_strikes_it_keep_their_momentum() {
    let (mut world, parts) = struck_chain();
    let surface = Surface { friction: 0.5, restitution: 0.0 };
    let before = momentum(&mut world);
    let (mut worst, mut touches) = (0.0_f64, 0);
    for _ in 0..1000 {
        world.step_with(|solver, contacts| {
            let [end, ball] = parts.map(|part| solver.pose(part).translation.vector);
            let (way, radii) = (end - ball, 0.4);
            let (gap, normal) = (way.norm() - radii, way.normalize());
            if gap < 0.01 {
                let point = ball + normal * (0.5 * radii);
                contacts.push(contact(0, parts.map(Some), point, normal, gap, surface));
            }
        });
        touches += usize::from(world.solver.impulses().iter().any(|impulse| *impulse != Vector3::zeros()));
        let now = momentum(&mut world);
        worst = worst.max((now.force - before.force).norm()).max((now.torque - before.torque).norm());
    }
    println!("{touches} steps in contact, momentum off by {worst:.1e}");
    assert!(touches > 1 && worst < 1e-9);
}

#[test]
fn bodies_that_a_ball_joint_holds_together_keep_their_momentum() {
    let mut system = System::new();
    let trees = [0.3, 0.5].map(|length| system.add_tree(&[free_part(block(2.0, [0.1, 0.2, length]))]).unwrap());
    let sides = [0.15, -0.25].map(|reach| Isometry3::translation(0.0, 0.0, reach));
    let parts = trees.map(|tree| system.root(tree));
    let anchor = |side: usize| Anchor { part: Some(parts[side]), frame: sides[side] };
    system.add_closure(Closure { kind: ExtraJointKind::Ball, sides: [anchor(0), anchor(1)] });
    let mut world = World::new(system);
    world.parameters.gravity = Vector3::zeros();
    world.state.root_poses[1].translation.z = 0.4;
    let twist = Twist { linear: Vector3::zeros(), angular: Vector3::new(1.0, -2.0, 3.0) };
    world.state.set_root_twist(&world.system, trees[0], &twist);
    let before = momentum(&mut world);
    world.run(2.0);
    let after = momentum(&mut world);
    let off = [after.force - before.force, after.torque - before.torque].map(|change| change.norm());
    println!("momentum off by {:.1e} N·s and {:.1e} N·m·s", off[0], off[1]);
    // Corrections of the gap move bodies that move past each other.
    assert!(off[0] < 1e-9 && off[1] < 1e-6);
}

#[test]
fn a_body_without_symmetry_tumbles_as_euler_says() {
    let mut system = System::new();
    let tree = system.add_tree(&[free_part(block(2.0, [0.1, 0.3, 0.5]))]).unwrap();
    let mut world = World::new(system);
    world.parameters.gravity = Vector3::zeros();
    // Close to the middle axis, so that it turns over.
    let twist = Twist { linear: Vector3::new(0.1, 0.0, 0.0), angular: Vector3::new(0.01, 5.0, 0.02) };
    world.state.set_root_twist(&world.system, tree, &twist);
    let (start, before) = (energy(&mut world), momentum(&mut world));
    let [worst, _] = drift(&mut world, 10.0);
    let after = momentum(&mut world);
    println!("energy {:.1e}, momentum {:.1e}", worst / start, (after.torque - before.torque).norm());
    assert!(worst < 1e-5 * start);
    assert!((after.torque - before.torque).norm() < 1e-9);
    // Against the exact method with short steps.
    let angular = world.state.root_twist(&world.system, tree).angular;
    world.state = State::new(&world.system);
    world.state.set_root_twist(&world.system, tree, &twist);
    world.parameters.integrator = Integrator::RungeKutta4;
    world.parameters.time_step = 0.0005;
    world.run(10.0);
    let exact = world.state.root_twist(&world.system, tree).angular;
    println!("angular velocity off by {:.1e} of {:.1}", (angular - exact).norm(), exact.norm());
    assert!((angular - exact).norm() < 1e-2 * exact.norm());
}

/// The step was exact from a hundredth of a radian a step on, and a top of 8 rad/s worse at 1 ms than at 2 ms.
#[test]
fn a_free_top_is_no_worse_with_a_shorter_step() {
    let error = |time_step: f64| {
        let mass = MassProperties {
            mass: 1.0,
            center_of_mass: Point3::origin(),
            inertia: Matrix3::from_diagonal(&Vector3::new(0.01, 0.02, 0.03)),
        };
        let mut system = System::new();
        let tree = system.add_tree(&[free_part(mass)]).unwrap();
        let mut world = World::new(system);
        world.parameters.time_step = time_step;
        world.parameters.gravity = Vector3::zeros();
        let twist = Twist { linear: Vector3::zeros(), angular: Vector3::new(0.1, 8.0, 0.1) };
        world.state.set_root_twist(&world.system, tree, &twist);
        let start = energy(&mut world);
        world.run(10.0);
        (energy(&mut world) / start - 1.0).abs()
    };
    let errors = [0.002, 0.001, 0.0005].map(error);
    println!("energy off by {errors:?} at 2, 1 and 0.5 ms");
    assert!(errors.windows(2).all(|pair| pair[1] <= pair[0].max(1e-9)));
}

#[test]
fn a_fast_top_neither_gains_nor_loses() {
    // A disk that spins at 100 rad/s and wobbles.
    let disk = MassProperties {
        mass: 1.0,
        center_of_mass: Point3::origin(),
        inertia: Matrix3::from_diagonal(&Vector3::new(0.01, 0.01, 0.02)),
    };
    for spin in [100.0, 300.0, 1000.0] {
        let mut system = System::new();
        let tree = system.add_tree(&[free_part(disk)]).unwrap();
        let mut world = World::new(system);
        world.parameters.gravity = Vector3::zeros();
        let twist = Twist { linear: Vector3::zeros(), angular: Vector3::new(0.1 * spin, 0.0, spin) };
        world.state.set_root_twist(&world.system, tree, &twist);
        let (start, before) = (energy(&mut world), momentum(&mut world));
        let rate = before.torque.norm() / 0.01;
        let root = world.system.root(tree);
        let mut turned = 0.0;
        let along = before.torque.normalize();
        let (one, two) = {
            let [one, two] = across(&along);
            (one, two)
        };
        let mut last: Option<f64> = None;
        let mut worst = 0.0_f64;
        for _ in 0..10_000 {
            world.step();
            let axis = world.pose(root).rotation * Vector3::z();
            let angle = axis.dot(&two).atan2(axis.dot(&one));
            if let Some(last) = last {
                let turn = angle - last;
                turned += turn - (turn / std::f64::consts::TAU).round() * std::f64::consts::TAU;
            }
            last = Some(angle);
            worst = worst.max((energy(&mut world) - start).abs());
        }
        let after = momentum(&mut world);
        let moved = (after.torque - before.torque).norm() / before.torque.norm();
        // Faster than half a turn a step it cannot be followed.
        let measured = turned / 9.999;
        println!(
            "{spin} rad/s: energy {:.1e}, momentum {moved:.1e}, precession {measured:.3} of {rate:.3} rad/s ({:.1e})",
            worst / start,
            measured / rate - 1.0
        );
        assert!(worst < 1e-6 * start && moved < 1e-9);
        assert!((measured / rate - 1.0).abs() < (rate * 0.001).powi(2) / 6.0);
    }
}

#[test]
fn a_part_in_free_fall_is_where_it_should_be() {
    let mut system = System::new();
    let tree = system.add_tree(&[free_part(block(2.0, [0.1, 0.3, 0.5]))]).unwrap();
    let mut world = World::new(system);
    world.run(1.0);
    let height = world.state.root_poses[tree.0].translation.z;
    println!("falls {height} m");
    assert!((height + 0.5 * 9.80665).abs() < 1e-9);
}

#[test]
fn what_constraints_have_flung_stays_finite() {
    // Two links without symmetry, and what a jam may have done to them in the step before.
    let bent = hinged_part(0, Vector3::new(0.1, 0.05, 0.0), Vector3::y(), block(0.3, [0.1, 0.3, 0.05]));
    let mut system = System::new();
    let tree = system.add_tree(&[free_part(block(1.0, [0.2, 0.3, 0.1])), bent]).unwrap();
    for change in [1e2, 1e3, 1e4, 1e5] {
        let mut world = World::new(system.clone());
        let twist = Twist { linear: Vector3::zeros(), angular: Vector3::new(0.3, 1.0, 0.5) * 100.0 };
        world.state.set_root_twist(&world.system, tree, &twist);
        let jumps = [change, -change, 0.5 * change, -change];
        world.state.velocities_before[3..].iter_mut().zip(jumps).for_each(|(before, jump)| *before += jump);
        world.step();
        let fastest = world.state.velocities.iter().fold(0.0_f64, |most, speed| most.max(speed.abs()));
        println!("{change} rad/s: {fastest} rad/s");
        assert!(world.state.velocities.iter().all(|speed| speed.is_finite()), "{change} rad/s");
    }
}
