//! Bias and factor against the model's own equations of motion.

use bunraku_body::dynamics::{Configuration, num_root_coordinates};
use nalgebra::{DMatrix, Translation3, UnitQuaternion};

use super::*;
use crate::model::state::twist_at;

const TREES: [&str; 3] = [
    // A chain that begins with a sliding joint, with a fixed link and a heavy rotor.
    "  - { name: A, joint_type: free, mass: 3.0, center_of_mass: [0.1, -0.2, 0.05], inertia: [0.5, 0.01, 0.02, 0.01, 0.4, 0.03, 0.02, 0.03, 0.6] }
  - { name: B, parent: A, joint_id: 0, joint_type: prismatic, joint_axis: [0, 0.6, 0.8], translation: [0.2, 0.1, 0.3], mass: 1.5, center_of_mass: [0, 0.1, 0], inertia: [0.05, 0, 0, 0, 0.04, 0, 0, 0, 0.03] }
  - { name: F, parent: B, joint_type: fixed, translation: [0, 0, 0.2], rotation: [0, 1, 0, 40], mass: 0.5, center_of_mass: [0, 0, 0.1], inertia: [0.01, 0, 0, 0, 0.02, 0, 0, 0, 0.01] }
  - { name: C, parent: F, joint_id: 1, joint_type: revolute, joint_axis: Y, translation: [0, 0, 0.4], rotation: [1, 0, 0, 25], mass: 1.0, center_of_mass: [0.1, 0, 0.1], inertia: [0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.01], rotor_inertia: 1.0e-4, gear_ratio: 80 }
",
    // Branches on a fixed root.
    "  - { name: A, joint_type: fixed, mass: 3.0 }
  - { name: B, parent: A, joint_id: 0, joint_type: revolute, joint_axis: X, translation: [0.2, 0.1, 0.3], mass: 1.5, center_of_mass: [0, 0.1, 0], inertia: [0.05, 0, 0, 0, 0.04, 0, 0, 0, 0.03] }
  - { name: C, parent: B, joint_id: 1, joint_type: revolute, joint_axis: Z, translation: [0, 0.4, 0], mass: 1.2, center_of_mass: [0, 0.2, 0.1], inertia: [0.03, 0, 0, 0, 0.02, 0, 0, 0, 0.03] }
  - { name: D, parent: B, joint_id: 2, joint_type: prismatic, joint_axis: X, translation: [0.3, 0, 0], mass: 0.7, center_of_mass: [0.1, 0, 0.2], inertia: [0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01] }
  - { name: E, parent: A, joint_id: 3, joint_type: revolute, joint_axis: [0.6, 0, 0.8], translation: [-0.4, 0, 0], mass: 1.0, center_of_mass: [0.2, 0.1, 0], inertia: [0.02, 0, 0, 0, 0.03, 0, 0, 0, 0.02] }
",
    // One part.
    "  - { name: A, joint_type: free, mass: 3.0, center_of_mass: [0.1, -0.2, 0.05], inertia: [0.5, 0.01, 0.02, 0.01, 0.4, 0.03, 0.02, 0.03, 0.6] }
",
];

fn somewhere(seed: f64) -> Isometry3<f64> {
    let numbers = some_numbers(6, seed);
    Isometry3::from_parts(
        Translation3::new(3.0 * numbers[0], -2.0 * numbers[1], numbers[2]),
        UnitQuaternion::from_scaled_axis(Vector3::new(2.0 * numbers[3], numbers[4], -1.5 * numbers[5])),
    )
}

/// Coordinates of the solver in the order of the model's.
fn order(world: &World, compiled: &CompiledBody, body: &Body) -> Vec<Option<usize>> {
    let root = world.system.coordinate_of(world.system.root(compiled.trees[0]));
    let root = (0..num_root_coordinates(body)).map(|index| root.map(|first| first.0 + index));
    root.chain(compiled.coordinates.iter().map(|coordinate| coordinate.map(|coordinate| coordinate.0))).collect()
}

fn check(body: &Body, seed: f64) -> [f64; 3] {
    let (mut world, compiled) = world_of(body, RootMotion::Modelled);
    let pose = somewhere(seed);
    let displacements = some_numbers(body.num_joints(), seed + 0.3);
    compiled.place(body, &mut world.state, &world.system, &pose, &displacements);
    let order = order(&world, &compiled, body);
    let velocities = some_numbers(order.len(), seed + 0.7);
    for (coordinate, velocity) in order.iter().zip(&velocities) {
        if let Some(coordinate) = coordinate {
            world.state.set_velocity(CoordinateIndex(*coordinate), *velocity);
        }
    }
    let gravity = Vector3::new(0.3, -0.2, -9.8);
    let at = Configuration::new(body, &pose, &displacements);
    let split = num_root_coordinates(body);
    let twist = if split == 0 { Twist::ZERO } else { twist_at(&velocities, 0) };
    let expected =
        at.inverse_dynamics(&twist, &Twist::ZERO, &velocities[split..], &vec![0.0; body.num_joints()], &gravity, &[]);
    let root = [expected.root_wrench.force, expected.root_wrench.torque];
    let root = root.iter().flat_map(|vector| vector.iter().copied()).take(split);
    let expected_bias: Vec<f64> = root.chain(expected.efforts.iter().copied()).collect();
    let expected_mass = at.mass_matrix();

    let (solver, system) = (&mut world.solver, &world.system);
    solver.begin(system, &mut world.state.clone(), &[], &Parameters { time_step: 0.0, ..Parameters::default() });
    let tree = compiled.trees[0].0;
    solver.worker.dynamics.weigh(system, &solver.setting.kinematics, tree);
    solver.worker.dynamics.set_velocities(system, &solver.setting.kinematics, tree, &world.state.velocities);
    let external = vec![Wrench::ZERO; system.num_parts()];
    solver.worker.dynamics.inverse(system, &solver.setting.kinematics, tree, &gravity, None, &external);

    let count = system.num_coordinates();
    let mut mass = DMatrix::zeros(count, count);
    let mut worst_bias = 0.0_f64;
    for (row, one) in order.iter().enumerate() {
        let Some(one) = one else { continue };
        worst_bias = worst_bias.max((solver.worker.dynamics.bias[*one] - expected_bias[row]).abs());
        for (column, other) in order.iter().enumerate() {
            let Some(other) = other else { continue };
            mass[(*one, *other)] = expected_mass[(row, column)];
        }
    }
    let terms = (&solver.setting.kinematics, &solver.worker.dynamics.inertias[..]);
    let factor = &mut solver.worker.factor;
    factor.factor(&solver.setting.structure, system, tree, terms, |_| 0.0);
    let (mut forward, mut backward) = (DMatrix::identity(count, count), DMatrix::identity(count, count));
    for coordinate in 0..count {
        factor.half_solve(system, tree, forward.column_mut(coordinate).as_mut_slice());
        factor.back_solve(system, tree, backward.column_mut(coordinate).as_mut_slice());
    }
    let worst_solve = (&mass * &backward * &forward - DMatrix::identity(count, count)).amax();
    // One is the transpose of the other, to the last entry: kinetic energy is half of the square in the factor's coordinates.
    let worst_half = (forward - backward.transpose()).amax();
    let mut worst_row = 0.0_f64;
    for part in 0..system.num_parts() {
        let path = solver.setting.structure.path(part);
        let forces = some_numbers(count, seed + 0.9);
        let mut rows: Vec<[f64; 1]> = path.iter().map(|&coordinate| [forces[coordinate as usize]]).collect();
        let mut whole = vec![0.0; count];
        path.iter().for_each(|&coordinate| whole[coordinate as usize] = forces[coordinate as usize]);
        factor.half_solve_rows(path, &mut rows);
        factor.half_solve(system, tree, &mut whole);
        for (&coordinate, [value]) in path.iter().zip(&rows) {
            worst_row = worst_row.max((whole[coordinate as usize] - value).abs());
        }
    }
    [worst_bias, worst_solve, worst_half.max(worst_row)]
}

#[test]
fn bias_and_factor_are_those_of_the_model() {
    for (number, links) in TREES.iter().enumerate() {
        let mut body = body(links);
        for (fixed, seed) in [(false, 1.0), (true, 2.0), (false, 3.0)] {
            body.set_fixed(fixed);
            let [bias, solve, half] = check(&body, seed);
            println!("tree {number}, fixed {fixed}: bias {bias:.1e}, solve {solve:.1e}, half {half:.1e}");
            assert!(bias < 1e-9 && solve < 1e-9 && half < 1e-9);
        }
    }
}

#[test]
fn equations_of_a_real_robot_are_those_of_the_model() {
    let Some(mut body) = sr1() else { return };
    for (fixed, seed) in [(false, 1.0), (true, 2.0), (false, 3.0), (false, 4.0)] {
        body.set_fixed(fixed);
        let [bias, solve, half] = check(&body, seed);
        println!("SR1, fixed {fixed}: bias {bias:.1e}, solve {solve:.1e}, half {half:.1e}");
        assert!(bias < 1e-9 && solve < 1e-9 && half < 1e-9);
    }
}
