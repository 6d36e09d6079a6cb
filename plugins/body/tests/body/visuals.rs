//! Visuals of bodies in an app with rendering plugins, and that an app without them still works. Nothing is rendered
//! here.
#![cfg(feature = "visuals")]

use std::collections::HashSet;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::visuals::{BodyVisualsPlugin, DeviceLight, VisualDiagnostics, VisualShape};
use bunraku_body::{BodyPlugin, BodyState, Drive, LinkNumber, spawn_body};
use bunraku_test_support::read_links;

const TWO_LINKS: &str = "
  - name: ROOT
    joint_type: free
    elements:
      - &Ball { type: Shape, geometry: { type: Sphere, radius: 0.1 }, appearance: { material: { diffuse: [ 1, 0, 0 ] } } }
      - { type: SpotLight, name: Lamp, id: 0, on: false, translation: [ 0, 0, 1 ], direction: [ 1, 0, 0 ] }
  - name: ARM
    parent: ROOT
    joint_type: revolute
    elements:
      - *Ball
      - { type: Transform, scale: [ 1, 2, 1 ], elements: *Ball }
";

/// An app with the asset types of rendering, without a renderer.
fn app_with_assets() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default(), BodyPlugin, BodyVisualsPlugin));
    app.init_asset::<Mesh>().init_asset::<StandardMaterial>().init_asset::<Image>();
    app
}

fn spawn(app: &mut App) -> Entity {
    let body = Arc::new(read_links(TWO_LINKS));
    let state = BodyState::initial(&body);
    spawn_body(&mut app.world_mut().commands(), body, state, Drive::Physics)
}

#[test]
fn each_shape_is_drawn_on_its_link_and_shapes_that_are_alike_share_their_assets() {
    let mut app = app_with_assets();
    let bodies = [spawn(&mut app), spawn(&mut app)];
    app.update();
    let world = app.world_mut();
    let mut shapes =
        world.query_filtered::<(&Mesh3d, &MeshMaterial3d<StandardMaterial>, &ChildOf), With<VisualShape>>();
    let found: Vec<_> =
        shapes.iter(world).map(|(mesh, material, parent)| (mesh.id(), material.id(), parent.parent())).collect();
    assert_eq!(found.len(), 6);
    assert_eq!(found.iter().map(|(mesh, ..)| mesh).collect::<HashSet<_>>().len(), 1, "one sphere");
    assert_eq!(found.iter().map(|(_, material, _)| material).collect::<HashSet<_>>().len(), 1, "one red");
    for (.., link) in &found {
        assert!(world.get::<LinkNumber>(*link).is_some());
    }
    for body in bodies {
        assert!(world.get::<VisualDiagnostics>(body).unwrap().0.is_empty());
    }
}

#[test]
fn assets_of_bodies_that_are_gone_are_freed() {
    let mut app = app_with_assets();
    let body = spawn(&mut app);
    app.update();
    assert_eq!(app.world().resource::<Assets<Mesh>>().len(), 1);
    app.world_mut().despawn(body);
    for _ in 0..3 {
        app.update();
    }
    assert_eq!(app.world().resource::<Assets<Mesh>>().len(), 0);
    assert_eq!(app.world().resource::<Assets<StandardMaterial>>().len(), 0);
    // They are created again for the next body.
    spawn(&mut app);
    app.update();
    assert_eq!(app.world().resource::<Assets<Mesh>>().len(), 1);
}

#[test]
fn a_lamp_that_is_off_is_a_hidden_light_with_its_direction() {
    let mut app = app_with_assets();
    spawn(&mut app);
    app.update();
    let world = app.world_mut();
    let mut lights = world.query_filtered::<(&SpotLight, &Transform, &Visibility), With<DeviceLight>>();
    let (_, place, visibility) = lights.single(world).unwrap();
    assert_eq!(*visibility, Visibility::Hidden);
    assert!(place.forward().distance(Vec3::X) < 1e-6, "{:?}", place.forward());
    assert_eq!(place.translation, Vec3::Z);
}

#[test]
fn an_app_without_a_renderer_spawns_links_only() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, BodyPlugin, BodyVisualsPlugin));
    spawn(&mut app);
    app.update();
    let world = app.world_mut();
    assert_eq!(world.query::<&LinkNumber>().iter(world).count(), 2);
    assert_eq!(world.query::<&VisualShape>().iter(world).count(), 0);
}
