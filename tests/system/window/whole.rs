//! The whole window on a display.

use std::sync::mpsc::channel;

use bevy::prelude::*;
use bunraku::prelude::*;
use bunraku_test_support::{Needed, skip};
use bunraku_viewer::view::{Mark, Request, Speed};
use bunraku_viewer::window::{Act, AtExit, Script, ViewerOptions, ViewerPlugin, WindowError, open_window};

use super::{assert_same, finish, load, run_through};

/// One test, because a process has one loop of window events.
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
        act(Request::Quit),
    ];
    app.insert_resource(Script(script.into_iter().collect()));
    let (sender, receiver) = channel();
    let sender = std::sync::Mutex::new(sender);
    let (owned, folder) = (scene.clone(), out.path().to_owned());
    app.insert_resource(AtExit::new(move |world| {
        let taken = image::open(folder.join("window.png")).expect("a picture of the window").to_rgb8();
        let colors: std::collections::BTreeSet<_> = taken.pixels().map(|pixel| pixel.0).collect();
        assert!(colors.len() > 100, "there is something to be seen");
        std::fs::remove_file(folder.join("window.png")).unwrap();
        let step = world.resource::<SimulationClock>().step();
        let files = finish(&owned, world, &entities, &folder);
        sender.lock().unwrap().send((step, files)).unwrap();
    }));
    app.run();
    let (step, found) = receiver.recv().expect("the window was closed by its script");
    assert_eq!(step, 3000);
    assert_same(&found, &straight);
}
