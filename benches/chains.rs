//! The cost of a step as a function of the joints of one robot: chains that hang from a fixed base and swing.
//!
//! ```text
//! cargo bench --profile dev --bench chains
//! ```
//!
//! Steps of 1 ms with the usual number of solver iterations, nothing recorded, no contacts.

#![allow(clippy::print_stdout, missing_docs)]

mod common;

use std::fmt::Write;
use std::sync::Arc;

use bunraku::physics::JointSolver;
use bunraku::prelude::*;
use common::Trial;
use nalgebra::Isometry3;

const ROUNDS: usize = 5;
const SIZES: [usize; 3] = [10, 30, 60];
const SOLVERS: [JointSolver; 2] = [JointSolver::Impulse, JointSolver::Multibody];
/// Initial displacement of each joint, rad.
const BENT: f64 = 0.05;

fn main() {
    let sizes = SOLVERS.iter().flat_map(|&solver| SIZES.map(|joints| (solver, joints)));
    let trials: Vec<Trial<'_>> = sizes.map(|(solver, joints)| trial(solver, joints)).collect();
    let timings = common::take_turns(&trials, ROUNDS);
    common::print_table(&trials, &timings);
    for (solver, timings) in SOLVERS.iter().zip(timings.chunks_exact(SIZES.len())) {
        let grows = |from: usize, to: usize| common::growth((SIZES[from], SIZES[to]), (&timings[from], &timings[to]));
        println!(
            "{}: grows with the power {:.2} of the joints from {} to {}, {:.2} from {} to {}",
            common::solver_name(*solver),
            grows(0, 1),
            SIZES[0],
            SIZES[1],
            grows(1, 2),
            SIZES[1],
            SIZES[2]
        );
    }
}

fn trial(solver: JointSolver, joints: usize) -> Trial<'static> {
    let body = chain(joints);
    Trial {
        name: format!("chain of {joints}"),
        bodies: 1,
        joints,
        solver,
        settling: 50,
        steps: 500,
        build: Box::new(move |world| {
            common::add(world, &body, Isometry3::identity(), vec![BENT; joints], Drive::Physics);
        }),
        finish: None,
    }
}

/// A chain of rods of 0.1 m and 0.2 kg, one below the other, with hinges alternately about Y and X.
fn chain(joints: usize) -> Arc<Body> {
    let mut links = "  - name: BASE\n    joint_type: fixed\n".to_owned();
    for joint in 0..joints {
        let parent = if joint == 0 { "BASE".to_owned() } else { format!("ROD{}", joint - 1) };
        let axis = if joint % 2 == 0 { "Y" } else { "X" };
        let offset = if joint == 0 { 0.0 } else { -0.1 };
        // Uniform rods: m·l²/12 = 1.67e-4 kg·m² across; thick enough for a tenth of that along their axis.
        let _ = writeln!(
            links,
            "  - {{ name: ROD{joint}, parent: {parent}, translation: [ 0, 0, {offset} ], joint_type: revolute, joint_axis: {axis}, \
             joint_id: {joint}, mass: 0.2, center_of_mass: [ 0, 0, -0.05 ], inertia: [ 1.67e-4, 0, 0, 1.67e-4, 0, 1.67e-5 ] }}"
        );
    }
    common::model("Chain", &links)
}
