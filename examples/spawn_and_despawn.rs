//! Bodies that are spawned and despawned while the simulation runs.
//!
//! Look at: three boxes are dropped onto each other, one every half second. Spawning them is all that is needed: they
//! fall from the next step on. Then the one at the bottom is despawned. Nothing of it remains, so that those above fall
//! by its height.
//!
//! `cargo run --example spawn_and_despawn`
#![allow(clippy::print_stdout)]

mod common;

use bevy::prelude::*;
use bunraku::prelude::*;
use common::{Failure, check, model, spawn, spawn_at, start, state};
use nalgebra::Isometry3;

fn main() -> Result<(), Failure> {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    let world = start(&mut app);
    spawn(world, &model("floor.body")?, Drive::Static);

    // A box is 0.1 m high, with its frame in the middle.
    let model = model("box.body")?;
    let mut boxes = Vec::new();
    for height in [0.1, 0.2, 0.3] {
        boxes.push(spawn_at(world, &model, Isometry3::translation(0.0, 0.0, height), Drive::Physics));
        run_steps(world, 500);
    }
    let stacked = heights(world, &boxes)?;
    println!("stacked at       {stacked:.3?} m");

    world.despawn(boxes.remove(0));
    run_steps(world, 1000);
    let lowered = heights(world, &boxes)?;
    println!("without the first {lowered:.3?} m");

    let is_near = |found: &[f64], expected: &[f64]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 2e-3);
    check(is_near(&stacked, &[0.05, 0.15, 0.25]), "the boxes are not stacked")?;
    check(is_near(&lowered, &[0.05, 0.15]), "those above did not come down")
}

fn heights(world: &World, boxes: &[Entity]) -> Result<Vec<f64>, Failure> {
    boxes.iter().map(|&body| Ok(state(world, body)?.link_poses[0].translation.z)).collect()
}
