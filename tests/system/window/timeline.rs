//! Pauses and returns to earlier times do not change a recording.

use bevy::prelude::*;
use bunraku::prelude::*;
use bunraku::simulation::SimulationStatus;
use bunraku::viewer::timeline::{Timeline, begin, pause, remember, restart, run, seek, step};
use bunraku::viewer::view::Speed;

use super::{assert_same, finish, load, recording, run_through};

/// An update of the window that makes `steps` steps.
fn update(app: &mut App, steps: u64) {
    app.insert_resource(Pace::Steps(steps));
    app.update();
    remember(app.world_mut());
}

fn step_of(app: &App) -> u64 {
    app.world().resource::<SimulationClock>().step()
}

#[test]
fn a_run_that_was_rewound_is_recorded_like_one_that_was_not() {
    // Joints under a controller, contacts, sensors with tables and scans.
    for name in ["rover.scene.yaml", "sensors_imu.scene.yaml", "tow.scene.yaml", "sensors_range.scene.yaml"] {
        let scene = load(name, 0.5);
        let straight = run_through(&scene, |_, _| {});
        let out = tempfile::tempdir().unwrap();
        let (mut app, entities) = recording(&scene, out.path());
        app.insert_resource(Timeline::default());
        app.finish();
        app.cleanup();
        begin(app.world_mut());
        assert_eq!(app.world().resource::<Timeline>().history.len(), 1, "{name}");
        for _ in 0..12 {
            update(&mut app, 17);
        }
        let last = step_of(&app);
        seek(app.world_mut(), 100);
        assert_eq!(step_of(&app), 85, "{name}: the last remembered moment before");
        // Going to a later stored time without continuing removes nothing.
        seek(app.world_mut(), last);
        assert_eq!(step_of(&app), last, "{name}");
        seek(app.world_mut(), 60);
        step(app.world_mut());
        app.update();
        assert_eq!((step_of(&app), *app.world().resource::<Pace>()), (52, Pace::Paused), "{name}");
        run(app.world_mut(), Speed::RealTime(8.0));
        pause(app.world_mut());
        for _ in 0..5 {
            update(&mut app, 9);
        }
        restart(app.world_mut());
        assert_eq!(step_of(&app), 0, "{name}");
        run(app.world_mut(), Speed::Unlimited);
        while *app.world().resource::<SimulationStatus>() == SimulationStatus::Running {
            app.update();
            remember(app.world_mut());
        }
        let trouble = app.world().resource::<Timeline>().trouble.clone();
        assert_eq!(trouble, None, "{name}");
        let found = finish(&scene, app.world_mut(), &entities, out.path());
        assert_same(&found, &straight);
    }
}

#[test]
fn a_finished_run_can_be_continued_from_an_earlier_step() {
    let scene = load("falling_box.scene.yaml", 0.2);
    let out = tempfile::tempdir().unwrap();
    let (mut app, entities) = recording(&scene, out.path());
    app.insert_resource(Timeline::default());
    begin(app.world_mut());
    update(&mut app, 150);
    update(&mut app, 150);
    assert_eq!(*app.world().resource::<SimulationStatus>(), SimulationStatus::Finished);
    seek(app.world_mut(), 150);
    assert_eq!(*app.world().resource::<SimulationStatus>(), SimulationStatus::Running);
    run(app.world_mut(), Speed::Unlimited);
    while *app.world().resource::<SimulationStatus>() == SimulationStatus::Running {
        app.update();
    }
    let found = finish(&scene, app.world_mut(), &entities, out.path());
    assert_same(&found, &run_through(&scene, |_, _| {}));
}
