//! The whole window on a display.

use std::sync::Arc;
use std::sync::mpsc::channel;

use bevy::prelude::*;
use bunraku::document::Reporter;
use bunraku::prelude::*;
use bunraku::scene::SceneOptions;
use bunraku::simulation::SimulationStatus;
use bunraku::viewer::view::{Mark, Request, Speed};
use bunraku::viewer::window::{
    Act, EmptySimulation, FileOpener, Findings, IsRecording, Loaded, OpenFiles, RecordSwitch, Script, ViewerOptions,
    ViewerPlugin, WindowError, open_window,
};
use bunraku_test_support::{Needed, skip};

use super::{assert_same, finish, load, run_through};

/// One test, because a process can have only one event loop.
#[test]
fn a_run_in_the_window_is_recorded_as_without() {
    let scene = load("rover.scene.yaml", 3.0);
    let straight = run_through(&scene, |_, _| {});
    let out = tempfile::tempdir().unwrap();
    let options = ViewerOptions { size: [960, 640], any_thread: true, ..ViewerOptions::default() };
    let mut app = match open_window(&options) {
        Ok(app) => app,
        Err(error @ WindowError::NoDisplay(_)) => return skip(Needed::Display, error),
        Err(error) => return skip(Needed::Graphics, error),
    };
    app.add_plugins(SandboxPlugins);
    let empty = EmptySimulation::take(app.world_mut()).unwrap();
    app.insert_resource(empty);
    let elsewhere = tempfile::tempdir().unwrap();
    let other = elsewhere.path().join("other.scene.yaml");
    std::fs::write(&other, one_body("Bob")).unwrap();
    let entities = scene.spawn(app.world_mut());
    scene.record(app.world_mut(), &entities, out.path()).unwrap();
    app.add_plugins(ViewerPlugin { layout_file: None, ..ViewerPlugin::default() });
    let picture = out.path().join("window.png");
    let act = |request| Act::Ask(request);
    let script = [
        Act::Frames(3),
        act(Request::SetSpeed(Speed::RealTime(4.0))),
        act(Request::Run),
        Act::Frames(5),
        Act::UntilStep(2000),
        Act::Show(Mark::ContactForces, true),
        Act::Show(Mark::JointForces, true),
        Act::Show(Mark::Collision, true),
        act(Request::Seek(700)),
        Act::Frames(4),
        Act::Picture(picture.clone()),
        Act::Frames(8),
        act(Request::SetSpeed(Speed::Unlimited)),
        act(Request::Run),
        Act::UntilStep(3000),
        act(Request::Save),
        Act::Frames(2),
        // Another scene in the same window; the test continues in `change_the_file`.
        act(Request::Open(vec![other.clone()])),
        Act::Frames(3),
        act(Request::Run),
        Act::UntilStep(200),
    ];
    app.insert_resource(Script(script.into_iter().collect()));
    let (sender, receiver) = channel();
    let sender = std::sync::Mutex::new(sender);
    let (owned, folder) = (scene.clone(), out.path().to_owned());
    // The recording is finished before its bodies are despawned.
    app.insert_resource(IsRecording(true)).insert_resource(RecordSwitch(Arc::new(move |world, _| {
        let taken = image::open(folder.join("window.png")).expect("a picture of the window").to_rgb8();
        let colors: std::collections::BTreeSet<_> = taken.pixels().map(|pixel| pixel.0).collect();
        assert!(colors.len() > 100, "the picture is not empty");
        std::fs::remove_file(folder.join("window.png")).unwrap();
        let step = world.resource::<SimulationClock>().step();
        let files = finish(&owned, world, &entities, &folder);
        sender.lock().unwrap().send((step, files)).unwrap();
        (String::new(), false)
    })));
    app.insert_resource(FileOpener(Arc::new(|_, paths| {
        let reporter = Reporter::new();
        let scene = Scene::load(&paths[0], &SceneOptions::default(), &reporter);
        Loaded {
            paths: paths.to_vec(),
            sources: paths.to_vec(),
            findings: reporter.into_diagnostics(),
            camera: None,
            spawn: scene.map(|scene| Box::new(move |world: &mut World| drop(scene.spawn(world))) as _),
        }
    })));
    app.insert_resource(Changed(0)).add_systems(Update, change_the_file);
    app.add_systems(SimulationStep, break_down.in_set(SimulationSystems::Control));
    app.run();
    let (step, found) = receiver.recv().expect("the window was closed by its script");
    assert_eq!(step, 3000);
    assert_same(&found, &straight);
}

/// The progress of the test of the changed file.
#[derive(Resource)]
struct Changed(u8);

/// After the other scene has run, its file is first made invalid and then replaced by another valid one. The window
/// first shows the error with the previous contents, and then the new ones. A step of the new scene panics: the window
/// stays open and returns to the start.
fn change_the_file(
    clock: Res<SimulationClock>,
    (findings, files): (Res<Findings>, Res<OpenFiles>),
    bodies: Query<(&Name, &BodyState), With<BodyModel>>,
    (pace, status): (Res<Pace>, Res<SimulationStatus>),
    (mut changed, mut script): (ResMut<Changed>, ResMut<Script>),
    mut exit: MessageWriter<AppExit>,
) {
    let names: Vec<_> = bodies.iter().map(|(name, _)| name.as_str()).collect();
    match changed.0 {
        0 if names == ["Bob"] && clock.step() == 200 => {
            std::fs::write(&files.paths[0], "format: BunrakuScene\nformat_version: 1\nbodies: 7\n").unwrap();
            changed.0 = 1;
        }
        1 if !findings.0.is_empty() => {
            assert_eq!((names.as_slice(), clock.step()), (&["Bob"][..], 200));
            std::fs::write(&files.paths[0], one_body("Bill")).unwrap();
            changed.0 = 2;
        }
        2 if names == ["Bill"] => {
            assert!(findings.0.is_empty() && clock.step() == 0);
            script.0.push_back(Act::Ask(Request::Run));
            changed.0 = 3;
        }
        3 if *pace == Pace::Paused && matches!(*status, SimulationStatus::Failed(_)) => {
            let SimulationStatus::Failed(fault) = &*status else { return };
            assert_eq!((fault.message.as_str(), clock.step()), ("a system of the step panicked: all thumbs", 50));
            script.0.push_back(Act::Ask(Request::Restart));
            changed.0 = 4;
        }
        4 if *status == SimulationStatus::Running => {
            assert_eq!(clock.step(), 0);
            exit.write(AppExit::Success);
        }
        _ => {}
    }
}

/// A controller that panics.
fn break_down(clock: Res<SimulationClock>, changed: Res<Changed>) {
    assert!(changed.0 != 3 || clock.step() != 50, "all thumbs");
}

fn one_body(name: &str) -> String {
    let model = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/box.body");
    format!(
        "format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: 1 }}\nbodies: [ {{ name: {name}, file: '{}' }} ]\n",
        model.display()
    )
}
