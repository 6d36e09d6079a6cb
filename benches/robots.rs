//! The cost of a step as a function of the number of robots: SR1 walks on a floor, alone and with others.
//!
//! ```text
//! BUNRAKU_SHARE=…/share cargo bench --profile dev --bench robots
//! ```
//!
//! Without Choreonoid's data the rover in `assets` drives instead. Nothing is recorded.

#![allow(clippy::print_stdout, missing_docs)]

mod common;

use bunraku::physics::JointSolver;
use bunraku::prelude::*;
use bunraku::scene::SceneBody;
use common::Trial;
use nalgebra::Vector3;

const ROUNDS: usize = 5;
const COUNTS: [usize; 3] = [1, 10, 100];
const SOLVERS: [JointSolver; 2] = [JointSolver::Impulse, JointSolver::Multibody];
/// Distance between robots, m, at which they never meet.
const SPACING: f64 = 1.0;

fn main() {
    let scene = common::scenes::robot_scene();
    let crowds: Vec<Scene> =
        SOLVERS.iter().flat_map(|&solver| COUNTS.map(|count| crowd(&scene, solver, count))).collect();
    let trials: Vec<Trial<'_>> = crowds.iter().map(trial).collect();
    let timings = common::take_turns(&trials, ROUNDS);
    common::print_table(&trials, &timings);
    for (solver, timings) in SOLVERS.iter().zip(timings.chunks_exact(COUNTS.len())) {
        let [one, few, many] = [0, 1, 2].map(|place: usize| timings[place].median().microseconds_per_step());
        println!(
            "{}: {} robots take {:.1} times as long as one, {} take {:.1} times; power {:.2} from 1 to {}",
            common::solver_name(*solver),
            COUNTS[1],
            few / one,
            COUNTS[2],
            many / one,
            common::growth((COUNTS[0], COUNTS[2]), (&timings[0], &timings[2])),
            COUNTS[2],
        );
    }
}

/// The scene with several copies of its first body.
fn crowd(scene: &Scene, solver: JointSolver, count: usize) -> Scene {
    let mut crowd = scene.clone();
    crowd.duration = None;
    crowd.parameters.joints = solver;
    let robot = crowd.bodies.remove(0);
    for number in 0..count {
        let (row, column) = (number / 10, number % 10);
        let place = Vector3::new(row as f64 - 4.5, column as f64 - 4.5, 0.0) * SPACING;
        let mut root = robot.initial.link_poses[0];
        root.translation.vector += place;
        let initial = BodyState::at_rest(&robot.body, &root, robot.initial.displacements.clone());
        crowd.bodies.push(SceneBody { name: format!("{}{number}", robot.name), initial, ..robot.clone() });
    }
    crowd
}

fn trial(scene: &Scene) -> Trial<'_> {
    let robots: Vec<&SceneBody> = scene.bodies.iter().filter(|body| body.drive.of_body() == Drive::Physics).collect();
    let model = robots.first().map_or("robot", |robot| robot.body.name.as_str());
    Trial {
        name: format!("{} × {model}", robots.len()),
        bodies: robots.len(),
        joints: robots.iter().map(|robot| robot.body.num_joints()).sum(),
        solver: scene.parameters.joints,
        settling: 100,
        steps: 200,
        build: Box::new(|world| {
            scene.spawn(world);
        }),
        finish: None,
    }
}
