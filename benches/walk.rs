//! What a step of the SR1 walk costs, split into rapier's pipeline, our control, and everything else.
//!
//! ```text
//! BUNRAKU_SHARE=…/share cargo bench --profile dev --bench walk
//! ```
//!
//! Without Choreonoid's data the rover of our own assets is measured instead. The whole run is repeated and the run
//! with the median time is shown. Systems that read the wall clock stand between the sets of the schedule, in this
//! program only.

#![allow(clippy::print_stdout, clippy::expect_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bunraku::motion::StateRecorder;
use bunraku::physics::PhysicsSystems;
use bunraku::prelude::*;
use bunraku::scene::SceneOptions;

const REPETITIONS: usize = 7;

/// Time spent in each part of a step, summed over the run, and when the part that is running began.
#[derive(Resource)]
struct Watch {
    since: Instant,
    control: Duration,
    pipeline: Duration,
    rest: Duration,
}

/// What the part that ends now was.
#[derive(Clone, Copy)]
enum Part {
    Control,
    Pipeline,
    Rest,
}

fn lap(part: Part) -> impl Fn(ResMut<Watch>) {
    move |mut watch| {
        let now = Instant::now();
        let spent = now - watch.since;
        watch.since = now;
        *match part {
            Part::Control => &mut watch.control,
            Part::Pipeline => &mut watch.pipeline,
            Part::Rest => &mut watch.rest,
        } += spent;
    }
}

struct Measured {
    steps: u64,
    simulated: f64,
    wall: Duration,
    watch: Watch,
}

fn run(scene: &Scene, out: &Path) -> Measured {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.insert_resource(Pace::Unpaced { steps_per_update: 256 });
    app.insert_resource(Watch {
        since: Instant::now(),
        control: Duration::ZERO,
        pipeline: Duration::ZERO,
        rest: Duration::ZERO,
    });
    app.add_systems(
        SimulationStep,
        (
            lap(Part::Rest).before(PhysicsSystems::FollowReferences),
            lap(Part::Control).after(PhysicsSystems::FollowReferences).before(SimulationSystems::Control),
            lap(Part::Rest).after(PhysicsSystems::LeadDrivenBodies).before(PhysicsSystems::Pipeline),
            lap(Part::Pipeline).after(PhysicsSystems::Pipeline).before(PhysicsSystems::ReadStates),
        )
            .chain(),
    );
    let entities = scene.spawn(app.world_mut());
    scene.record(app.world_mut(), &entities, out).expect("the recording starts");
    let start = Instant::now();
    app.world_mut().resource_mut::<Watch>().since = start;
    while matches!(app.world().resource::<SimulationStatus>(), SimulationStatus::Ready | SimulationStatus::Running) {
        app.update();
    }
    for entity in entities {
        if let Some(recorder) = app.world_mut().entity_mut(entity).take::<StateRecorder>() {
            recorder.finish().expect("the recording ends");
        }
    }
    let wall = start.elapsed();
    let clock = *app.world().resource::<SimulationClock>();
    let watch = app.world_mut().remove_resource::<Watch>().expect("the watch is there");
    Measured { steps: clock.step(), simulated: clock.time(), wall, watch }
}

fn main() {
    let share = std::env::var_os("BUNRAKU_SHARE").map(PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes");
    let file = root.join(if share.is_some() { "sr1_walk.scene.yaml" } else { "rover.scene.yaml" });
    let reporter = Reporter::new();
    let load = LoadOptions { roots: SearchRoots::new(share), ..LoadOptions::default() };
    let scene = Scene::load(&file, &SceneOptions { load, ..SceneOptions::default() }, &reporter);
    let Some(scene) = scene else {
        for diagnostic in reporter.diagnostics() {
            println!("{diagnostic}");
        }
        std::process::exit(1);
    };
    let out = tempfile::tempdir().expect("a directory for results");
    let mut runs: Vec<Measured> = (0..REPETITIONS).map(|_| run(&scene, out.path())).collect();
    runs.sort_by_key(|run| run.wall);
    let median = &runs[REPETITIONS / 2];

    let per_step = |time: Duration| time.as_secs_f64() * 1e6 / median.steps as f64;
    let whole = per_step(median.wall);
    let (control, pipeline) = (per_step(median.watch.control), per_step(median.watch.pipeline));
    println!("{}: {} steps, median of {REPETITIONS} runs", file.display(), median.steps);
    println!(
        "whole loop, recording included {whole:7.2} µs per step, {:.1} × real time",
        median.simulated / median.wall.as_secs_f64()
    );
    println!("  rapier's pipeline            {pipeline:7.2} µs");
    println!("  control                      {control:7.2} µs");
    println!("  everything else              {:7.2} µs", whole - pipeline - control);
    println!("outside rapier                 {:7.1} % of the step", 100.0 * (whole - pipeline) / whole);
    println!(
        "fastest and slowest run        {:7.2} and {:.2} µs per step",
        per_step(runs[0].wall),
        per_step(runs[REPETITIONS - 1].wall)
    );
}
