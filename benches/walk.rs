//! The cost of a step of the SR1 walk, and of its parts.
//!
//! ```text
//! BUNRAKU_SHARE=…/share cargo bench --profile dev --bench walk
//! ```
//!
//! Without Choreonoid's data the rover in `assets` is measured instead. The whole run, with recording, is repeated, and
//! the run with the median time is shown.

#![allow(clippy::print_stdout, clippy::expect_used, missing_docs)]

mod common;

use std::path::Path;

use bevy::prelude::*;
use bunraku::motion::StateRecorder;
use bunraku::prelude::*;
use bunraku::simulation::StepPart;
use common::{Timing, Trial};

const ROUNDS: usize = 7;

fn main() {
    let scene = common::scenes::robot_scene();
    let out = tempfile::tempdir().expect("a directory for results");
    let trial = trial(&scene, out.path());
    let timings = common::take_turns(std::slice::from_ref(&trial), ROUNDS);
    let timings = &timings[0];

    let median = timings.median();
    let whole = median.microseconds_per_step();
    println!("{}: {} steps, median of {ROUNDS} runs", trial.name, median.steps);
    println!("whole loop, recording included {whole:7.2} µs per step, {:.1} × real time", median.real_time_factor());
    for part in StepPart::ALL {
        let time = median.of(part);
        println!("  {:<28} {time:7.2} µs {:6.1} %", part.name(), 100.0 * time / whole);
    }
    let [fastest, slowest] = [timings.fastest(), timings.slowest()].map(Timing::microseconds_per_step);
    println!("fastest and slowest run        {fastest:7.2} and {slowest:.2} µs per step");
}

fn trial<'a>(scene: &'a Scene, out: &'a Path) -> Trial<'a> {
    Trial {
        name: scene.file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        bodies: scene.bodies.len(),
        joints: scene.bodies.iter().map(|body| body.body.num_joints()).sum(),
        solver: scene.parameters.joints,
        settling: 0,
        steps: scene.num_steps().and_then(|steps| u32::try_from(steps).ok()).expect("the scene has an end"),
        build: Box::new(|world| {
            let entities = scene.spawn(world);
            scene.record(world, &entities, out).expect("the recording starts");
        }),
        finish: Some(Box::new(|world| {
            let recorders: Vec<Entity> = world.query_filtered::<Entity, With<StateRecorder>>().iter(world).collect();
            for entity in recorders {
                if let Some(recorder) = world.entity_mut(entity).take::<StateRecorder>() {
                    recorder.finish().expect("the recording ends");
                }
            }
        })),
    }
}
