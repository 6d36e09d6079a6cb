//! Components of bodies can be inspected by name: editors and inspectors find them in the type registry.

use std::sync::Arc;

use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy::prelude::*;
use bevy::reflect::ReflectRef;
use bunraku::body::{ExtraJointForm, ExtraJointKind, LoadOptions, spawn_body};
use bunraku::document::Reporter;
use bunraku::physics::{ExtraJointBetween, Gains, JointEnd};
use bunraku::prelude::*;
use bunraku::simulation::run_steps;
use nalgebra::Isometry3;

use super::pages::root;

/// Components that cannot be reflected: they own a file, contain handles of rapier, or are internal.
const HIDDEN: &[&str] =
    &["SimulatedBody", "SolverBody", "SimulatedExtraJoint", "Actuators", "JointPast", "JointLog", "StateRecorder"];

#[test]
fn components_of_bodies_are_registered() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.insert_resource(Pace::Paused).update();
    let world = app.world_mut();
    let reporter = Reporter::new();
    let body = bunraku::body::load(&root().join("assets/models/rover.body"), &LoadOptions::default(), &reporter);
    let body = Arc::new(body.unwrap());
    let state = BodyState::initial(&body);
    let rover = spawn_body(&mut world.commands(), Arc::clone(&body), state, Drive::Physics);
    world.flush();
    let gains = vec![Gains { proportional: 1.0, derivative: 0.1 }; body.num_joints()];
    world.entity_mut(rover).insert((PdController::new(&body, gains, None).unwrap(), JointReadings::default()));
    let form = ExtraJointForm { kind: ExtraJointKind::Ball, frames: [Isometry3::identity(); 2] };
    let ends = [JointEnd::Link { body: rover, link: LinkIndex::ROOT }, JointEnd::World];
    let joint = world.spawn(ExtraJointBetween { form, ends }).id();
    run_steps(world, 2);

    let link = world.get::<BodyLinks>(rover).unwrap().iter().next().unwrap();
    let mut found = Vec::new();
    for entity in [rover, link, joint] {
        for component in world.inspect_entity(entity).unwrap() {
            let name = component.name().shortname().to_string();
            if !component.name().to_string().starts_with("bunraku") || HIDDEN.contains(&name.as_str()) {
                continue;
            }
            let registry = world.resource::<AppTypeRegistry>().read();
            let is_known =
                component.type_id().is_some_and(|id| registry.get_type_data::<ReflectComponent>(id).is_some());
            assert!(is_known, "{name} is not registered");
            found.push(name);
        }
    }
    for name in ["BodyState", "Drive", "LinkOf", "PdController", "JointReadings"] {
        assert!(found.iter().any(|found| found == name), "{name} is not among {found:?}");
    }
}

#[test]
fn displacements_are_read_by_name() {
    let body = bunraku::body::load(&root().join("assets/models/rover.body"), &LoadOptions::default(), &Reporter::new());
    let mut state = BodyState::initial(&body.unwrap());
    state.displacements[1] = 0.5;
    let ReflectRef::Struct(fields) = state.reflect_ref() else { panic!("it has fields") };
    let displacements = fields.field("displacements").and_then(|field| field.try_downcast_ref::<Vec<f64>>());
    assert_eq!(displacements, Some(&vec![0.0, 0.5]));
}
