//! Other files in the same window.

use bevy::prelude::*;
use bunraku::prelude::*;
use bunraku::simulation::{SimulationStatus, run_steps};
use bunraku::viewer::curves::CurveLog;
use bunraku::viewer::timeline::{Timeline, begin, remember, seek};
use bunraku::viewer::window::{EmptySimulation, clear};

use super::{assert_same, finish, load, run_through};

/// An app without a window whose contents can be removed.
fn empty() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    let empty = EmptySimulation::take(app.world_mut()).unwrap();
    app.insert_resource(empty).insert_resource(Pace::Paused);
    app.init_resource::<Timeline>().init_resource::<CurveLog>();
    app
}

#[test]
fn a_scene_that_is_opened_after_others_runs_as_if_it_had_been_the_first() {
    let mut app = empty();
    for (other, name) in [
        ("tow.scene.yaml", "rover.scene.yaml"),
        ("rover.scene.yaml", "pendulum.scene.yaml"),
        ("satellite.scene.yaml", "falling_box.scene.yaml"),
        ("sensors_imu.scene.yaml", "sensors_imu.scene.yaml"),
    ] {
        let world = app.world_mut();
        load(other, 0.5).spawn(world);
        begin(world);
        run_steps(world, 150);
        remember(world);
        run_steps(world, 150);
        seek(world, 150);
        clear(world).unwrap();
        assert_eq!(world.query::<&BodyModel>().iter(world).count(), 0);
        let scene = load(name, 0.5);
        let out = tempfile::tempdir().unwrap();
        let entities = scene.spawn(world);
        scene.record(world, &entities, out.path()).unwrap();
        assert_eq!(*world.resource::<SimulationStatus>(), SimulationStatus::Ready, "{name}");
        run_steps(world, u64::MAX);
        assert_eq!(*world.resource::<SimulationStatus>(), SimulationStatus::Finished, "{name}");
        let found = finish(&scene, world, &entities, out.path());
        assert_same(&found, &run_through(&scene, |_, _| {}));
        clear(world).unwrap();
    }
}

#[test]
fn a_scene_is_recorded_from_the_middle_of_its_run_on() {
    let scene = load("rover.scene.yaml", 0.5);
    let out = tempfile::tempdir().unwrap();
    let mut app = empty();
    let world = app.world_mut();
    let entities = scene.spawn(world);
    run_steps(world, 200);
    scene.record(world, &entities, out.path()).unwrap();
    run_steps(world, 100);
    let files = finish(&scene, world, &entities, out.path());
    assert!(files.iter().any(|(name, bytes)| name == "Rover.seq" && !bytes.is_empty()), "{files:?}");
    // After recording is switched off, the run continues without it.
    run_steps(world, u64::MAX);
    assert_eq!(*world.resource::<SimulationStatus>(), SimulationStatus::Finished);
}
