//! A rover on line contacts that turns.

use super::*;

const RADIUS: f64 = 0.08;
/// Track width, m.
const TRACK: f64 = 0.26;

/// Two driven wheels, 3 cm wide, and a caster that slides.
fn rover(damping: f64, speeds: [f64; 2]) -> World {
    let mut system = System::new();
    let chassis = MassProperties {
        mass: 3.1,
        center_of_mass: Point3::new(-0.05, 0.0, 0.01),
        inertia: Matrix3::from_diagonal(&Vector3::new(0.0109, 0.0234, 0.0325)),
    };
    let tire = MassProperties {
        mass: 0.4,
        center_of_mass: Point3::origin(),
        inertia: Matrix3::from_diagonal(&Vector3::new(0.00067, 0.00128, 0.00067)),
    };
    let mut parts = vec![free_part(chassis)];
    for y in [0.5 * TRACK, -0.5 * TRACK] {
        let mut wheel = hinged_part(0, Vector3::new(0.0, y, 0.0), Vector3::y(), tire);
        wheel.coordinate.rotor_inertia = 0.0018;
        parts.push(wheel);
    }
    system.add_tree(&parts).unwrap();
    let mut world = World::new(system);
    world.state.root_poses[0].translation.z = RADIUS;
    for (index, speed) in speeds.into_iter().enumerate() {
        world.drives[6 + index] =
            Drive { velocity: speed, damping, bounds: bunraku_body::Range::symmetric(3.0), ..Drive::NONE };
    }
    world
}

/// The ends and the middle of the lowest line of a wheel of so much half a width, m.
fn line_on_floor(solver: &Solver, wheel: PartIndex, half: f64) -> [Contact; 3] {
    let pose = solver.pose(wheel);
    let axis = pose.rotation * Vector3::y();
    let down = (axis * axis.z - Vector3::z()).normalize();
    std::array::from_fn(|corner| {
        let [along, share] = [[-half, 1.0], [0.0, 2.0], [half, 1.0]][corner];
        let point = pose.translation.vector + down * RADIUS + axis * along;
        Contact { share, ..corner_on_floor(wheel, corner, point) }
    })
}

/// Wheels and the caster touch the floor; what finds contacts is off by as much as `noise`, m.
fn step(world: &mut World, number: u64, noise: f64) {
    world.step_with(|solver, contacts| {
        let mut random = bunraku_test_support::Random::new(number * 77 + 1);
        for wheel in [1, 2] {
            for contact in line_on_floor(solver, PartIndex(wheel), 0.015) {
                contacts.push(Contact { gap: contact.gap + random.within(noise), ..contact });
            }
        }
        let center = solver.pose(PartIndex(0)) * Point3::new(-0.15, 0.0, -0.05);
        let point = center.coords - Vector3::z() * 0.03;
        let caster = corner_on_floor(PartIndex(0), 0, point);
        contacts.push(Contact { static_friction: 0.02, dynamic_friction: 0.02, ..caster });
    });
}

#[test]
fn a_rover_turns_about_the_middles_of_its_wheels() {
    for noise in [0.0, 1e-8] {
        let mut world = rover(0.8, [200.0_f64.to_radians(), 100.0_f64.to_radians()]);
        // One wheel begins deeper in the floor.
        world.state.root_poses[0]
            .append_rotation_wrt_center_mut(&nalgebra::UnitQuaternion::from_euler_angles(1e-4, 0.0, 0.0));
        let (mut sweeps, mut unsolved) = (0, 0);
        let mut go = |world: &mut World, steps: std::ops::Range<u64>| {
            for number in steps {
                step(world, number, noise);
                sweeps += world.outcome.iterations;
                unsolved += world.outcome.unconverged;
            }
        };
        let heading = |world: &World| world.state.root_poses[0].rotation.euler_angles().2;
        go(&mut world, 0..1000);
        let before = (heading(&world), world.state.displacements.clone());
        go(&mut world, 1000..4000);
        let turned = heading(&world) - before.0;
        let rolled = |wheel: usize| world.state.displacements[6 + wheel] - before.1[6 + wheel];
        let expected = (rolled(1) - rolled(0)) * RADIUS / TRACK;
        let sweeps = sweeps as f64 / 4000.0;
        println!(
            "off by {noise:.0e} m: turned {turned:.5} rad, wheels {expected:.5}; {sweeps:.2} sweeps a step, {unsolved} not solved"
        );
        assert!((turned - expected).abs() < 1e-4 * expected.abs(), "{turned} rad instead of {expected} rad");
        assert!(sweeps < 10.0 && unsolved < 100, "{sweeps} sweeps a step, {unsolved} not solved");
    }
}

#[test]
fn a_lying_roller_that_turns_is_braked_along_its_line() {
    // Friction on a line of length l that bears the weight evenly has the torque µ·m·g·l/4 about its middle.
    const HALF: f64 = 0.2;
    let inertia = Matrix3::from_diagonal(&Vector3::new(0.05, 0.04, 0.05));
    let mut system = System::new();
    let tree =
        system.add_tree(&[free_part(MassProperties { mass: 2.0, center_of_mass: Point3::origin(), inertia })]).unwrap();
    let mut world = World::new(system);
    world.state.root_poses[0].translation.z = RADIUS;
    world.state.set_root_twist(&world.system, tree, &Twist { linear: Vector3::zeros(), angular: Vector3::z() * 5.0 });
    for _ in 0..500 {
        world.step_with(|solver, contacts| {
            for contact in line_on_floor(solver, PartIndex(0), HALF) {
                contacts.push(Contact { static_friction: 0.2, dynamic_friction: 0.2, ..contact });
            }
        });
    }
    let turned = world.state.root_poses[0].rotation.euler_angles().2;
    let brake = 0.2 * 2.0 * 9.80665 * (2.0 * HALF) / 4.0 / 0.05;
    let expected = 5.0 * 0.5 - 0.5 * brake * 0.5 * 0.5;
    println!("turned by {turned:.9} rad, by the formula {expected:.9} rad");
    assert!((turned - expected).abs() < 1e-7, "{turned} rad instead of {expected} rad");
}
