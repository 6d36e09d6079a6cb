//! A robot is posed in the window and its poses become a motion, as a user does it.

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use bevy::prelude::*;
use bunraku_body::{Body, BodyPlugin, BodyState, Drive, LinkNumber, LoadOptions, spawn_body};
use bunraku_control::ControlPlugin;
use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, MotionPlugin};
use bunraku_physics::PhysicsPlugin;
use bunraku_scene::HandPlugin;
use bunraku_sensors::SensorsPlugin;
use bunraku_simulation::SimulationPlugin;
use bunraku_test_support::{Needed, skip};
use bunraku_viewer::camera::Quality;
use bunraku_viewer::panels::Panel;
use bunraku_viewer::view::{Gallery, GalleryScene, Request};
use bunraku_viewer::window::{
    Act, AtExit, EmptySimulation, FileOpener, Loaded, OutputFolder, Script, ViewerOptions, ViewerPlugin, WindowError,
    open_window,
};

use crate::common::UPDATE;

/// Opens models as bodies that nothing moves.
fn opener() -> FileOpener {
    FileOpener(Arc::new(|_, paths| {
        let reporter = Reporter::new();
        let body = bunraku_body::load(&paths[0], &LoadOptions::default(), &reporter);
        let spawn = body.map(|body| {
            let spawn = move |world: &mut World| {
                let state = BodyState::initial(&body);
                spawn_body(&mut world.commands(), Arc::new(body), state, Drive::Static);
                world.flush();
            };
            Box::new(spawn) as _
        });
        let (paths, findings) = (paths.to_vec(), reporter.into_diagnostics());
        Loaded { paths: paths.clone(), sources: paths, findings, camera: None, spawn }
    }))
}

/// The end of a test: the state of the body, and where its last link is drawn.
type Seen = (BodyState, Vec3);

fn seen(world: &mut World) -> Option<Seen> {
    let state = world.query::<&BodyState>().iter(world).next()?.clone();
    let last = state.link_poses.len() - 1;
    let mut links = world.query::<(&LinkNumber, &GlobalTransform)>();
    let drawn = links.iter(world).find(|(number, _)| number.0.0 == last)?.1.translation();
    Some((state, drawn))
}

fn tip(body: &Body, state: &BodyState) -> Vec3 {
    let pose = state.link_poses[body.links().len() - 1];
    Vec3::from_array(pose.translation.vector.cast::<f32>().into())
}

/// One test, because a process can have only one event loop.
#[test]
fn a_dragged_pose_becomes_a_key_frame_and_a_motion() {
    let options =
        ViewerOptions { size: [1440, 900], any_thread: true, quality: Some(Quality::Full), ..ViewerOptions::default() };
    let mut app = match open_window(&options) {
        Ok(app) => app,
        Err(error @ WindowError::NoDisplay(_)) => return skip(Needed::Display, error),
        Err(error) => return skip(Needed::Graphics, error),
    };
    let file = PathBuf::from("../../assets/models/arm.body");
    let body = bunraku_body::load(&file, &LoadOptions::default(), &Reporter::new()).expect("a model");
    let before = BodyState::initial(&body);
    app.add_plugins((SimulationPlugin::default(), BodyPlugin, MotionPlugin, PhysicsPlugin::default()));
    app.add_plugins((ControlPlugin, SensorsPlugin, HandPlugin));
    let empty = EmptySimulation::take(app.world_mut()).expect("an empty simulation");
    let picture = file.with_file_name("../gallery/arm.png");
    let scene = GalleryScene { title: "Arm".to_owned(), about: String::new(), file: file.clone(), picture };
    let out = tempfile::tempdir().expect("a folder");
    app.insert_resource(empty).insert_resource(Gallery(Arc::new(vec![scene]))).insert_resource(opener());
    app.add_plugins(ViewerPlugin { layout_file: None, ..ViewerPlugin::default() });
    app.insert_resource(OutputFolder(out.path().to_owned()));
    let (start, up) = (tip(&body, &before), Vec3::new(-0.1, 0.0, 0.15));
    let (name, picture) = (body.name.clone(), out.path().join("key_frames.png"));
    let key = |time| Act::KeyFrame(name.clone(), time);
    let eye = start + Vec3::new(0.3, -2.2, 0.4);
    let script = [
        Act::Frames(4),
        // The request of a click into the gallery.
        Act::Ask(Request::Open(vec![file])),
        Act::Frames(3),
        Act::Open(Panel::KeyFrames),
        Act::Look([eye, Vec3::new(0.1, 0.0, 0.4)]),
        Act::Frames(4),
        key(0.0),
        Act::Drag([start, start + up]),
        Act::Frames(2),
        key(1.0),
        Act::Drag([start + up, start + 2.0 * up]),
        Act::Frames(2),
        key(1.5),
        Act::Frames(12),
        Act::Picture(picture.clone()),
        Act::Frames(12),
        Act::SaveKeyFrames(name.clone()),
        Act::Frames(2),
        Act::Ask(Request::Quit),
    ];
    app.insert_resource(Script(script.into_iter().collect()));
    let (sender, receiver) = channel();
    let sender = Mutex::new(sender);
    app.insert_resource(AtExit::new(move |world| {
        let found = seen(world);
        let _ = sender.lock().map(|sender| sender.send(found));
    }));
    app.run();
    let (state, drawn) = receiver.recv().expect("the window was closed by its script").expect("an arm");
    let moved = tip(&body, &state) - start;
    assert!(moved.z > 0.15 && (moved - 2.0 * up).length() < 0.2, "{moved}");
    assert!((drawn - tip(&body, &state)).length() < 1e-4, "{drawn}");

    let motion = BodyMotion::open(out.path().join(format!("{name}-keys.seq"))).expect("a motion");
    let joints = motion.joint_displacements.expect("joints");
    assert_eq!((joints.num_frames(), joints.frame(0)), (151, &before.displacements[..]));
    assert!(joints.frame(150).iter().zip(&state.displacements).all(|(a, b)| (a - b).abs() < 1e-9));
    let half = joints.frame(50).iter().zip(joints.frame(0)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(half > 0.01, "it moves between the poses: {half}");
    if std::env::var_os(UPDATE).is_some() {
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures/key_frames.png");
        std::fs::copy(&picture, kept).expect("copied");
    }
    let picture = image::open(&picture).expect("a picture of the window").to_rgb8();
    let colors: std::collections::BTreeSet<_> = picture.pixels().map(|pixel| pixel.0).collect();
    assert!(picture.width() >= 1280 && colors.len() > 200, "{} colours", colors.len());
}
