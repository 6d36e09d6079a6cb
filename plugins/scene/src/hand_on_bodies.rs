//! Bodies that the user moves, adds and removes.

use std::path::Path;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, Drive, LoadOptions, spawn_body};
use bunraku_document::Reporter;
use bunraku_physics::{PhysicsParameters, Teleport};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

/// Moves the root of a body to a pose, at rest.
pub(crate) fn place(world: &mut World, body: Entity, translation: [f64; 3], rpy: [f64; 3]) -> bool {
    if !translation.iter().chain(&rpy).all(|value| value.is_finite()) {
        return false;
    }
    let Ok(mut entity) = world.get_entity_mut(body) else { return false };
    let Some(BodyModel(model)) = entity.get::<BodyModel>().cloned() else { return false };
    let Some(mut state) = entity.get_mut::<BodyState>() else { return false };
    let rotation = UnitQuaternion::from_euler_angles(rpy[0], rpy[1], rpy[2]);
    let pose = Isometry3::from_parts(Translation3::from(translation), rotation);
    let there = BodyState::at_rest(&model, &pose, state.displacements.clone());
    // The new pose is visible at once, also while the simulation is paused.
    state.clone_from(&there);
    entity.insert(Teleport::to(there));
    true
}

/// Spawns a body of a model file.
pub(crate) fn bring(world: &mut World, name: &str, file: &Path, translation: [f64; 3]) -> Result<Entity, String> {
    if world.query::<(&Name, &BodyModel)>().iter(world).any(|(known, _)| known.as_str() == name) {
        return Err(format!("there is a body `{name}` already"));
    }
    if !translation.iter().all(|value| value.is_finite()) {
        return Err("its position is not finite".to_owned());
    }
    let reporter = Reporter::new();
    let body = bunraku_body::load(file, &LoadOptions::default(), &reporter);
    let body = body.ok_or_else(|| reporter.into_error(file).to_string())?;
    let solver = world.resource::<PhysicsParameters>().joints;
    if let Some(link) = bunraku_physics::massless_links(&body, solver).into_iter().next() {
        return Err(format!("link `{}` must move by forces but has no mass", body.link(link).name));
    }
    let root = body.root().offset;
    let pose = Isometry3::from_parts(Translation3::from(translation), root.rotation);
    let state = BodyState::at_rest(&body, &pose, body.initial_displacements());
    let entity = spawn_body(&mut world.commands(), Arc::new(body), state, Drive::Physics);
    world.flush();
    world.entity_mut(entity).insert(Name::new(name.to_owned()));
    Ok(entity)
}
