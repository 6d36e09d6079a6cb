//! Cost of a world: memory and time until its first step, by stages; a thousand rovers, and SR1.
//!
//! ```text
//! BUNRAKU_SHARE=…/share cargo bench --profile dev --bench worlds
//! ```
//!
//! Worlds are built as those of a batch in Python: from one scene, headless, with shared type registrations and a
//! snapshot of their start. Memory is what the
//! allocator has handed out and not got back. Without Choreonoid's data only the rover is measured.

#![allow(clippy::cast_precision_loss, clippy::print_stdout, missing_docs)]

#[allow(dead_code)]
#[path = "common/scenes.rs"]
mod scenes;

use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use bevy::prelude::*;
use bunraku::SandboxPlugins;
use bunraku::physics::RapierPoses;
use bunraku::prelude::*;
use bunraku::simulation::{FailOnPanic, StopAfter, run_steps};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Names of the stages of a world, in their order.
const STAGES: [&str; 6] = ["plugins", "bodies", "app ready", "first update", "prepared", "snapshot"];

/// A world and its start, which lives as long.
struct Built {
    _world: World,
    _start: SimulationSnapshot,
}

/// Bytes kept and seconds spent so far, after each stage.
type Costs = [(f64, f64); STAGES.len()];

fn build(scene: &Scene) -> (Built, Costs) {
    let begin = Instant::now();
    let mut costs = [(0.0, 0.0); STAGES.len()];
    let mut stage = 0;
    let mut note = || {
        if let Some(cost) = costs.get_mut(stage) {
            *cost = (MEMORY.current_usage() as f64, begin.elapsed().as_secs_f64());
        }
        stage += 1;
    };
    static TYPES: OnceLock<AppTypeRegistry> = OnceLock::new();
    let mut app = App::new();
    let types = TYPES.get_or_init(|| app.world().resource::<AppTypeRegistry>().clone()).clone();
    app.insert_resource(types);
    app.add_plugins((MinimalPlugins, TransformPlugin)).insert_resource(Pace::Paused).add_plugins(SandboxPlugins);
    app.insert_resource(RapierPoses::Never).insert_resource(FailOnPanic);
    note();
    scene.spawn(app.world_mut());
    app.insert_resource(StopAfter(None));
    note();
    app.finish();
    app.cleanup();
    note();
    app.update();
    note();
    let mut world = std::mem::take(app.world_mut());
    drop(app);
    run_steps(&mut world, 0);
    note();
    let start = SimulationSnapshot::take(&mut world).unwrap_or_else(|error| panic_with(&error.to_string()));
    note();
    (Built { _world: world, _start: start }, costs)
}

fn panic_with(message: &str) -> ! {
    println!("{message}");
    std::process::exit(1)
}

/// Builds worlds one after the other, keeps them, and prints the mean costs of all but the first, which loads what all
/// of them share.
fn measure(name: &str, scene: &Scene, count: usize) {
    let (first, _) = build(scene);
    let mut worlds = Vec::with_capacity(count);
    let mut sums = [(0.0, 0.0); STAGES.len()];
    for _ in 0..count {
        let before = MEMORY.current_usage() as f64;
        let (world, costs) = build(scene);
        for (sum, (bytes, seconds)) in sums.iter_mut().zip(costs) {
            *sum = (sum.0 + bytes - before, sum.1 + seconds);
        }
        worlds.push(world);
    }
    println!("{name}: {count} worlds");
    let mut previous = (0.0, 0.0);
    for (stage, sum) in STAGES.iter().zip(sums) {
        let kilobytes = (sum.0 - previous.0) / count as f64 / 1e3;
        let microseconds = (sum.1 - previous.1) / count as f64 * 1e6;
        println!("  {stage:<14} {kilobytes:>8.1} kB {microseconds:>8.1} µs");
        previous = sum;
    }
    let (bytes, seconds) = previous;
    println!("  {:<14} {:>8.1} kB {:>8.1} µs", "a world", bytes / count as f64 / 1e3, seconds / count as f64 * 1e6);
    drop((first, worlds));
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes");
    let open = |name: &str| scenes::open(&root.join(name)).unwrap_or_else(|findings| panic_with(&findings));
    measure("rover", &open("rover.scene.yaml"), 1000);
    if scenes::share().is_some() {
        measure("SR1's walk", &open("sr1_walk.scene.yaml"), 100);
    }
}
