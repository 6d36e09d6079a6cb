//! A scene has the same result, bit for bit, with and without a window.

use std::path::Path;

use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::render_resource::TextureFormat;
use bevy::window::{ExitCondition, PrimaryWindow, WindowPlugin};
use bunraku::body::LoadOptions;
use bunraku::body::visuals::{BodyVisualsPlugin, VisualShape};
use bunraku::document::{Reporter, SearchRoots};
use bunraku::prelude::*;
use bunraku::scene::SceneOptions;
use bunraku::simulation::SimulationStatus;
use bunraku::viewer::picture::{DrawingPlugins, PictureCamera, PictureError, PictureSize, PosedBody, take_picture};
use bunraku_test_support::{Needed, share, skip};
use nalgebra::Point3;

const SCENES: &[&str] = &["rover.scene.yaml", "falling_boxes.scene.yaml", "closed_link.scene.yaml"];

fn load(name: &str, duration: f64) -> Option<Scene> {
    let share = share();
    let reporter = Reporter::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes").join(name);
    let load = LoadOptions { roots: SearchRoots::new(share.clone()), ..LoadOptions::default() };
    let overrides = vec![("simulation.duration".to_owned(), duration.to_string())];
    let scene = Scene::load(&path, &SceneOptions { load, overrides, ..SceneOptions::default() }, &reporter);
    if scene.is_none() && share.is_none() {
        skip(Needed::Corpus, format_args!("{name} needs models of the corpus"));
        return None;
    }
    Some(scene.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics())))
}

fn is_over(app: &App) -> bool {
    !matches!(app.world().resource::<SimulationStatus>(), SimulationStatus::Ready | SimulationStatus::Running)
}

fn states(app: &App, entities: &[Entity]) -> Vec<BodyState> {
    assert_eq!(*app.world().resource::<SimulationStatus>(), SimulationStatus::Finished);
    entities.iter().map(|&entity| app.world().get::<BodyState>(entity).unwrap().clone()).collect()
}

fn without_a_window(scene: &Scene) -> Vec<BodyState> {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.insert_resource(Pace::Unpaced);
    let entities = scene.spawn(app.world_mut());
    while !is_over(&app) {
        app.update();
    }
    states(&app, &entities)
}

/// Runs with a window, input, all renderers, and a camera that moves around; the number of steps in each frame depends
/// on time.
fn with_a_window(scene: &Scene) -> Vec<BodyState> {
    let mut app = App::new();
    app.add_plugins((
        DrawingPlugins {
            window: WindowPlugin { exit_condition: ExitCondition::DontExit, ..default() },
            display: None,
            render: RenderPlugin { synchronous_pipeline_compilation: true, ..default() },
            is_pipelined: false,
        },
        BodyVisualsPlugin,
        SandboxPlugins,
    ));
    app.finish();
    app.cleanup();
    let film = Image::new_target_texture(64, 48, TextureFormat::Rgba8UnormSrgb, None);
    let film = app.world_mut().resource_mut::<Assets<Image>>().add(film);
    let camera = app.world_mut().spawn((Camera3d::default(), RenderTarget::Image(film.into()))).id();
    let entities = scene.spawn(app.world_mut());
    let mut frame = 0_u16;
    while !is_over(&app) {
        frame += 1;
        let angle = 0.1 * f32::from(frame);
        let eye = Vec3::new(3.0 * angle.cos(), 3.0 * angle.sin(), 1.0);
        let place = Transform::from_translation(eye).looking_at(Vec3::ZERO, Vec3::Z);
        app.world_mut().entity_mut(camera).insert(place);
        app.insert_resource(Pace::Steps(u64::from(frame % 40)));
        app.update();
    }
    let world = app.world_mut();
    let windows = world.query_filtered::<Entity, With<PrimaryWindow>>().iter(world).count();
    let shapes = world.query::<&VisualShape>().iter(world).count();
    assert!(windows == 1 && shapes > 0, "there was something to look at");
    println!("  {frame} frames of {shapes} shapes");
    states(&app, &entities)
}

/// Whether pictures can be drawn here.
fn can_draw(scene: &Scene) -> bool {
    let bodies: Vec<_> =
        scene.bodies.iter().map(|body| PosedBody { body: body.body.clone(), state: body.initial.clone() }).collect();
    let size = PictureSize { width: 16, height: 12 };
    let camera = PictureCamera::new(Point3::new(3.0, -3.0, 2.0), Point3::origin());
    match take_picture(&bodies, &camera, size) {
        Ok(_) => true,
        Err(error @ (PictureError::NoAdapter(_) | PictureError::NoDevice { .. })) => {
            skip(Needed::Graphics, error);
            false
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_window_changes_no_bit() {
    for name in SCENES {
        let Some(scene) = load(name, 1.0) else { continue };
        if !can_draw(&scene) {
            return;
        }
        println!("{name}");
        assert_eq!(with_a_window(&scene), without_a_window(&scene), "{name}");
    }
}
