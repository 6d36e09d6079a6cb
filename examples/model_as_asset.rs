//! A model that Bevy's asset server loads.
//!
//! Look at: with the feature `assets` a `.body` file is a Bevy asset. An entity with a `BodyFile` becomes a body once
//! the file is loaded, in the background while the app runs.
//!
//! `cargo run --example model_as_asset --features assets`
#![allow(clippy::print_stdout)]

use std::time::Duration;

use bevy::app::ScheduleRunnerPlugin;
use bevy::prelude::*;
use bunraku::body::{BodyFile, BodySpawned};
use bunraku::prelude::*;

fn main() -> AppExit {
    let runner = MinimalPlugins.set(ScheduleRunnerPlugin::run_loop(Duration::from_millis(1)));
    App::new()
        .add_plugins((runner, TransformPlugin, AssetPlugin::default(), SandboxPlugins))
        .add_systems(Startup, load)
        .add_systems(Update, give_up)
        .add_observer(greet)
        .run()
}

fn load(mut commands: Commands, assets: Res<AssetServer>) {
    commands.spawn((BodyFile(assets.load("models/rover.body")), Transform::from_xyz(0.0, 0.0, 0.5)));
}

fn greet(spawned: On<BodySpawned>, bodies: Query<(&Name, &BodyLinks)>, mut exits: MessageWriter<AppExit>) -> Result {
    let (name, links) = bodies.get(spawned.entity)?;
    println!("{name} is there, with {} links", links.iter().count());
    exits.write(AppExit::Success);
    Ok(())
}

fn give_up(time: Res<Time<Real>>, mut exits: MessageWriter<AppExit>) {
    if time.elapsed_secs() > 30.0 {
        exits.write(AppExit::error());
    }
}
