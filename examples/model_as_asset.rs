//! A model that Bevy's asset server loads.
//!
//! Look at: with the feature `assets` a `.body` file is a Bevy asset. It loads in the background
//! while the app runs, and is spawned once it is loaded.
//!
//! `cargo run --example model_as_asset --features assets`
#![allow(clippy::print_stdout)]

mod common;

use std::time::{Duration, Instant};

use bevy::asset::AssetPlugin;
use bevy::prelude::*;
use bunraku::body::BodyAsset;
use bunraku::prelude::*;
use common::{Failure, asset, check};

/// A model that is not spawned yet.
#[derive(Resource)]
struct Wanted(Handle<BodyAsset>);

fn load(mut commands: Commands, assets: Res<AssetServer>) {
    commands.insert_resource(Wanted(assets.load("models/rover.body")));
}

fn spawn_when_loaded(mut commands: Commands, wanted: Option<Res<Wanted>>, bodies: Res<Assets<BodyAsset>>) {
    if let Some(asset) = wanted.and_then(|wanted| bodies.get(&wanted.0)) {
        spawn_body(&mut commands, asset.body.clone(), BodyState::initial(&asset.body), Drive::Physics);
        commands.remove_resource::<Wanted>();
    }
}

fn main() -> Result<(), Failure> {
    let mut app = App::new();
    let assets = AssetPlugin { file_path: asset("").to_string_lossy().into_owned(), ..default() };
    app.add_plugins((MinimalPlugins, TransformPlugin, assets, SandboxPlugins));
    app.add_systems(Startup, load).add_systems(Update, spawn_when_loaded);
    app.finish();
    app.cleanup();

    let start = Instant::now();
    let mut bodies = app.world_mut().query::<(&Name, &BodyLinks)>();
    loop {
        app.update();
        if let Some((name, links)) = bodies.iter(app.world()).next() {
            println!("{name} is there, with {} links", links.iter().count());
            return check(name.as_str() == "Rover" && links.iter().count() == 4, "it is another body");
        }
        check(start.elapsed() < Duration::from_secs(30), "it does not come")?;
        std::thread::sleep(Duration::from_millis(1));
    }
}
