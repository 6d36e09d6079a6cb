//! The cost of contacts: boxes at rest, side by side and in a pile.
//!
//! ```text
//! cargo bench --profile dev --bench boxes
//! ```
//!
//! Each box is a separate body, 0.2 m and 2 kg, that never sleeps. Steps of 1 ms, nothing recorded.

#![allow(clippy::print_stdout, missing_docs)]

mod common;

use std::sync::Arc;

use bunraku::physics::JointSolver;
use bunraku::prelude::*;
use common::Trial;
use nalgebra::{Isometry3, Vector3};

const ROUNDS: usize = 3;
const SOLVERS: [JointSolver; 2] = [JointSolver::Impulse, JointSolver::Multibody];
/// Edge of a box, m.
const EDGE: f64 = 0.2;

fn main() {
    let of_solver = |&solver| [resting(1, solver), resting(10, solver), resting(100, solver), pile(solver)];
    let trials: Vec<Trial<'static>> = SOLVERS.iter().flat_map(of_solver).collect();
    let timings = common::take_turns(&trials, ROUNDS);
    common::print_table(&trials, &timings);
    for (solver, timings) in SOLVERS.iter().zip(timings.chunks_exact(trials.len() / SOLVERS.len())) {
        println!(
            "{}: resting grows with the power {:.2} of the boxes from 10 to 100",
            common::solver_name(*solver),
            common::growth((10, 100), (&timings[1], &timings[2]))
        );
    }
}

/// Boxes side by side on the floor, not touching each other.
fn resting(count: usize, solver: JointSolver) -> Trial<'static> {
    let place = |number: usize| {
        let (row, column) = (number / 10, number % 10);
        Vector3::new(column as f64, row as f64, 0.0) * 2.0 * EDGE + Vector3::new(-1.8, -1.8, EDGE / 2.0)
    };
    trial(format!("{count} boxes resting"), (0..count).map(place).collect(), 500, solver)
}

/// Boxes dropped in layers of 5 by 5, shifted relative to each other, that have not settled yet.
fn pile(solver: JointSolver) -> Trial<'static> {
    let place = |number: usize| {
        let (layer, row, column) = (number / 25, number / 5 % 5, number % 5);
        let shift = 0.3 * EDGE * (layer % 2) as f64;
        let gap = 1.05 * EDGE;
        Vector3::new(column as f64 * gap + shift, row as f64 * gap + shift, EDGE / 2.0 + layer as f64 * gap)
    };
    trial("pile of 100 boxes".to_owned(), (0..100).map(place).collect(), 600, solver)
}

fn trial(name: String, places: Vec<Vector3<f64>>, settling: u32, solver: JointSolver) -> Trial<'static> {
    let (cube, floor) = (cube(), floor());
    Trial {
        name,
        bodies: places.len(),
        joints: 0,
        solver,
        settling,
        steps: 200,
        build: Box::new(move |world| {
            common::add(world, &floor, floor.root().offset, Vec::new(), Drive::Static);
            for place in &places {
                common::add(world, &cube, Isometry3::from(*place), Vec::new(), Drive::Physics);
            }
        }),
        finish: None,
    }
}

fn cube() -> Arc<Body> {
    // m·a²/6
    let inertia = 2.0 * EDGE * EDGE / 6.0;
    common::model(
        "Cube",
        &format!(
            "  - {{ name: CUBE, joint_type: free, mass: 2, inertia: [ {inertia}, 0, 0, {inertia}, 0, {inertia} ], elements: [ {{ type: \
             Shape, geometry: {{ type: Box, size: [ {EDGE}, {EDGE}, {EDGE} ] }} }} ] }}\n"
        ),
    )
}

/// A floor with its top at z = 0.
fn floor() -> Arc<Body> {
    let links = "  - { name: FLOOR, joint_type: fixed, translation: [ 0, 0, -0.1 ], elements: [ { type: Shape, geometry: { type: Box, \
                 size: [ 20, 20, 0.2 ] } } ] }\n";
    common::model("Floor", links)
}
