//! Code that the examples share: access to `assets/`, and checks of results.

// Each example uses a different part of this module.
#![allow(dead_code)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy::prelude::*;
use bunraku::body::ContactMaterials;
use bunraku::prelude::*;
use nalgebra::Isometry3;

/// The error of an example.
pub type Failure = Box<dyn Error>;

/// Finishes the plugins of an app, with the simulation at rest; returns its world.
pub fn start(app: &mut App) -> &mut World {
    app.insert_resource(Pace::Paused);
    app.update();
    app.world_mut()
}

/// A file of `assets/`.
pub fn asset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)
}

/// A model of `assets/models/`.
pub fn model(name: &str) -> Result<Arc<Body>, Failure> {
    let reporter = Reporter::new();
    let body = bunraku::body::load(&asset("models").join(name), &LoadOptions::default(), &reporter);
    body.map(Arc::new).ok_or_else(|| findings(reporter))
}

/// A motion of `assets/motions/`.
pub fn motion(name: &str) -> Result<Arc<BodyMotion>, Failure> {
    Ok(Arc::new(BodyMotion::load(&asset("motions").join(name), &Reporter::new())?))
}

/// The contact material table of the models.
pub fn materials() -> Result<SurfaceMaterials, Failure> {
    let reporter = Reporter::new();
    let table = ContactMaterials::load(&asset("models/materials.yaml"), &LoadOptions::default(), &reporter);
    table.map(SurfaceMaterials).ok_or_else(|| findings(reporter))
}

/// The failed checks, as one error.
pub fn findings(reporter: Reporter) -> Failure {
    let lines: Vec<_> = reporter.into_diagnostics().iter().map(ToString::to_string).collect();
    lines.join("\n").into()
}

/// Spawns a body in the initial state of its model; returns its entity.
pub fn spawn(world: &mut World, body: &Arc<Body>, drive: Drive) -> Entity {
    spawn_at(world, body, body.root().offset, drive)
}

/// Spawns a body with its root in another pose.
pub fn spawn_at(world: &mut World, body: &Arc<Body>, root: Isometry3<f64>, drive: Drive) -> Entity {
    spawn_as(world, body, BodyState::at_rest(body, &root, body.initial_displacements()), drive)
}

/// Spawns a body in any state.
pub fn spawn_as(world: &mut World, body: &Arc<Body>, state: BodyState, drive: Drive) -> Entity {
    let entity = spawn_body(&mut world.commands(), Arc::clone(body), state, drive);
    world.flush();
    entity
}

/// The state of a body.
pub fn state(world: &World, body: Entity) -> Result<&BodyState, Failure> {
    world.get::<BodyState>(body).ok_or_else(|| "the body is not there".into())
}

/// Ends an example with an error unless its result is correct.
pub fn check(holds: bool, otherwise: impl Into<String>) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(otherwise.into().into()) }
}
