//! What the examples share: files of `assets/`, and results that are checked.

// Each example uses its own part of this.
#![allow(dead_code)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy::prelude::*;
use bunraku::body::ContactMaterials;
use bunraku::prelude::*;
use nalgebra::Isometry3;

/// Why an example ends with an error.
pub type Failure = Box<dyn Error>;

/// Lets the plugins of an app start, with the simulation at rest; gives its world.
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

/// The table that says how the surfaces of the models rub.
pub fn materials() -> Result<SurfaceMaterials, Failure> {
    let reporter = Reporter::new();
    let table = ContactMaterials::load(&asset("models/materials.yaml"), &LoadOptions::default(), &reporter);
    table.map(SurfaceMaterials).ok_or_else(|| findings(reporter))
}

/// What was found wrong, as one error.
pub fn findings(reporter: Reporter) -> Failure {
    let lines: Vec<_> = reporter.into_diagnostics().iter().map(ToString::to_string).collect();
    lines.join("\n").into()
}

/// Spawns a body as its model stands; gives its entity.
pub fn spawn(world: &mut World, body: &Arc<Body>, drive: Drive) -> Entity {
    spawn_at(world, body, body.root().offset, drive)
}

/// Spawns a body with its root somewhere else.
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

/// Ends an example whose result is not what it says.
pub fn check(holds: bool, otherwise: impl Into<String>) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(otherwise.into().into()) }
}
