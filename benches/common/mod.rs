//! Timing of worlds: they are set up, settled and stepped, several times.
//!
//! All worlds of a bench take turns, so that a disturbance on the machine spoils one round of each rather than all
//! rounds of one. Times are medians over the rounds; ratios between rows are more reliable than the rows.

#![allow(dead_code, clippy::print_stdout, clippy::expect_used, clippy::panic, missing_docs)]

pub mod scenes;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bunraku::body::spawn_body;
use bunraku::physics::{JointSolver, RapierPoses};
use bunraku::prelude::*;
use bunraku::simulation::{SimulationStatus, StepPart, StepTimes, StepTimesPlugin};
use nalgebra::Isometry3;

/// Steps per update, as in `bunraku run`; updates only move entities.
const STEPS_PER_UPDATE: u32 = 256;

/// Adds bodies to a world that has not started.
pub type Build<'a> = Box<dyn Fn(&mut World) + 'a>;
/// Completes a run after its last step.
pub type Finish<'a> = Box<dyn Fn(&mut World) + 'a>;

/// A world and the part of it that is timed.
pub struct Trial<'a> {
    pub name: String,
    pub bodies: usize,
    pub joints: usize,
    pub solver: JointSolver,
    /// Steps before timing starts.
    pub settling: u32,
    pub steps: u32,
    pub build: Build<'a>,
    /// Timed together with the steps.
    pub finish: Option<Finish<'a>>,
}

/// The time of a run.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    pub steps: u32,
    /// Simulated time, s.
    pub simulated: f64,
    /// Wall time of the whole loop.
    pub wall: Duration,
    /// Times of the parts of the steps.
    pub parts: StepTimes,
}

impl Timing {
    pub fn microseconds_per_step(&self) -> f64 {
        self.per_step(self.wall)
    }

    pub fn real_time_factor(&self) -> f64 {
        self.simulated / self.wall.as_secs_f64()
    }

    /// Time of a part of a step, µs.
    pub fn of(&self, part: StepPart) -> f64 {
        self.per_step(self.parts.spent(part))
    }

    /// The time per step, µs.
    pub fn per_step(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e6 / f64::from(self.steps)
    }
}

/// Runs of one trial, fastest first.
pub struct Timings(Vec<Timing>);

impl Timings {
    pub fn median(&self) -> &Timing {
        &self.0[self.0.len() / 2]
    }

    pub fn fastest(&self) -> &Timing {
        &self.0[0]
    }

    pub fn slowest(&self) -> &Timing {
        &self.0[self.0.len() - 1]
    }
}

/// Runs every trial once per round.
pub fn take_turns(trials: &[Trial<'_>], rounds: usize) -> Vec<Timings> {
    let mut runs: Vec<Vec<Timing>> = trials.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds.max(1) {
        for (trial, runs) in trials.iter().zip(&mut runs) {
            runs.push(run(trial));
        }
    }
    for runs in &mut runs {
        runs.sort_by_key(|run| run.wall);
    }
    runs.into_iter().map(Timings).collect()
}

fn run(trial: &Trial<'_>) -> Timing {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.world_mut().resource_mut::<PhysicsParameters>().joints = trial.solver;
    // As `bunraku run` does.
    app.insert_resource(RapierPoses::Never);
    app.add_plugins(StepTimesPlugin);
    (trial.build)(app.world_mut());
    step(&mut app, trial.settling);
    let begin = app.world().resource::<SimulationClock>().time();
    let start = Instant::now();
    app.insert_resource(StepTimes::default());
    step(&mut app, trial.steps);
    if let Some(finish) = &trial.finish {
        finish(app.world_mut());
    }
    let wall = start.elapsed();
    let simulated = app.world().resource::<SimulationClock>().time() - begin;
    Timing { steps: trial.steps, simulated, wall, parts: *app.world().resource::<StepTimes>() }
}

fn step(app: &mut App, steps: u32) {
    let mut left = steps;
    while left > 0 {
        let now = left.min(STEPS_PER_UPDATE);
        app.insert_resource(Pace::Steps(u64::from(now)));
        app.update();
        left -= now;
        let status = app.world().resource::<SimulationStatus>();
        let goes_on = *status == SimulationStatus::Running || (left == 0 && *status == SimulationStatus::Finished);
        assert!(goes_on, "the run ended too early: {status:?}");
    }
}

/// Prints a row for each trial.
pub fn print_table(trials: &[Trial<'_>], timings: &[Timings]) {
    println!("| name | bodies | joints | solver | steps | µs a step | fastest | detection | solver | × real time |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (trial, timings) in trials.iter().zip(timings) {
        let median = timings.median();
        println!(
            "| {} | {} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            trial.name,
            trial.bodies,
            trial.joints,
            solver_name(trial.solver),
            median.steps,
            median.microseconds_per_step(),
            timings.fastest().microseconds_per_step(),
            median.of(StepPart::Detection),
            median.of(StepPart::Solver),
            median.real_time_factor(),
        );
    }
}

/// The name of a solver in scene files.
pub fn solver_name(solver: JointSolver) -> &'static str {
    match solver {
        JointSolver::Impulse => "impulse",
        JointSolver::Multibody => "multibody",
    }
}

/// The exponent with which the time grows with the size from one row to another: 1 is linear, 2 quadratic.
pub fn growth(sizes: (usize, usize), timings: (&Timings, &Timings)) -> f64 {
    let ratio = timings.1.median().microseconds_per_step() / timings.0.median().microseconds_per_step();
    ratio.ln() / (sizes.1 as f64 / sizes.0 as f64).ln()
}

/// A model from the text of its links.
pub fn model(name: &str, links: &str) -> Arc<Body> {
    Arc::new(bunraku_test_support::read_links(&format!("{links}\nname: {name}\n")))
}

/// Spawns a body at rest.
pub fn add(world: &mut World, body: &Arc<Body>, root: Isometry3<f64>, displacements: Vec<f64>, drive: Drive) {
    let state = BodyState::at_rest(body, &root, displacements);
    spawn_body(&mut world.commands(), Arc::clone(body), state, drive);
    world.flush();
}
