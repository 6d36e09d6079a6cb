//! Bodies that are spawned and despawned while the simulation runs.
//!
//! Look at: three boxes are dropped onto each other, one every half second. Spawning them is all that is needed: they
//! fall from the next step on. Then the one at the bottom is despawned. Nothing of it remains, so that those above fall
//! by its height.
//!
//! `cargo run --example spawn_and_despawn`
#![allow(clippy::print_stdout)]

use bevy::prelude::*;
use bunraku::prelude::*;

fn main() -> Result {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.world_mut().spawn((BodyModel::open("assets/models/floor.body")?, Drive::Static));

    // A box is 0.1 m high, with its frame in the middle.
    let model = BodyModel::open("assets/models/box.body")?;
    let mut boxes = Vec::new();
    for height in [0.1, 0.2, 0.3] {
        boxes.push(app.world_mut().spawn((model.clone(), Transform::from_xyz(0.0, 0.0, height))).id());
        app.run_steps(500);
    }
    let stacked = heights(app.world(), &boxes);
    println!("stacked at       {stacked:.3?} m");

    app.world_mut().despawn(boxes.remove(0));
    app.run_steps(1000);
    let lowered = heights(app.world(), &boxes);
    println!("without the first {lowered:.3?} m");

    let is_near = |found: &[f64], expected: &[f64]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 2e-3);
    assert!(is_near(&stacked, &[0.05, 0.15, 0.25]) && is_near(&lowered, &[0.05, 0.15]));
    Ok(())
}

fn heights(world: &World, boxes: &[Entity]) -> Vec<f64> {
    boxes.iter().filter_map(|&body| Some(world.get::<BodyState>(body)?.link_poses[0].translation.z)).collect()
}
