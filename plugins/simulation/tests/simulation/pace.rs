//! The number of steps of an update, and the end of a run.

use bevy::prelude::*;
use bunraku_simulation::{
    FailOnPanic, KeepStepping, Pace, SimulationClock, SimulationFault, SimulationStatus, SimulationStep,
    SimulationSystems, StopAfter, run_steps,
};

use crate::app;

fn steps(app: &App) -> u64 {
    app.world().resource::<SimulationClock>().step()
}

fn status(app: &App) -> &SimulationStatus {
    app.world().resource::<SimulationStatus>()
}

#[test]
fn a_paused_simulation_makes_no_steps() {
    let mut app = app();
    app.update();
    app.update();
    assert_eq!((steps(&app), status(&app)), (0, &SimulationStatus::Ready));
}

#[test]
fn a_number_of_steps_is_made_in_one_update_and_no_more() {
    let mut app = app();
    app.insert_resource(Pace::Steps(7));
    app.update();
    app.update();
    assert_eq!((steps(&app), *app.world().resource::<Pace>()), (7, Pace::Paused));
    assert_eq!(status(&app), &SimulationStatus::Running);
}

#[test]
fn a_speed_of_zero_or_none_makes_no_steps() {
    for speed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut app = app();
        app.insert_resource(Pace::RealTime { speed });
        for _ in 0..3 {
            std::thread::sleep(std::time::Duration::from_millis(2));
            app.update();
        }
        assert_eq!(steps(&app), 0, "{speed}");
    }
}

#[test]
fn an_end_is_never_passed() {
    for pace in [Pace::Unpaced, Pace::Steps(100)] {
        let mut app = app();
        app.insert_resource(StopAfter(Some(5))).insert_resource(pace);
        app.update();
        app.update();
        assert_eq!((steps(&app), status(&app)), (5, &SimulationStatus::Finished), "{pace:?}");
        run_steps(app.world_mut(), 3);
        assert_eq!(steps(&app), 5);
    }
}

#[test]
fn a_run_that_has_failed_stands_still() {
    fn break_down(clock: Res<SimulationClock>, mut status: ResMut<SimulationStatus>) {
        if clock.step() == 3 {
            *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message: "broken".to_owned() });
        }
    }
    let mut app = app();
    app.add_systems(SimulationStep, break_down.in_set(SimulationSystems::Control));
    run_steps(app.world_mut(), 10);
    assert_eq!(steps(&app), 4, "the step in which it fails is the last");
    let SimulationStatus::Failed(fault) = status(&app) else { panic!("{:?}", status(&app)) };
    assert_eq!(fault.to_string(), "broken (at t = 0.3000 s)");
}

#[test]
fn a_panic_is_a_fault_where_that_is_asked_for() {
    fn break_down() {
        panic!("out of\nspace");
    }
    let mut app = app();
    app.insert_resource(FailOnPanic);
    app.add_systems(SimulationStep, break_down.in_set(SimulationSystems::Control));
    run_steps(app.world_mut(), 2);
    let SimulationStatus::Failed(fault) = status(&app) else { panic!("{:?}", status(&app)) };
    assert_eq!(fault.message, "a system of the step panicked: out of space");
}

#[test]
fn an_update_goes_on_while_a_picture_is_drawn() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    let asked = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&asked);
    let mut app = app();
    app.insert_resource(KeepStepping(Box::new(move |is_late| is_late && counter.fetch_add(1, Ordering::Relaxed) < 2)));
    app.update();
    assert_eq!(asked.load(Ordering::Relaxed), 0, "a paused simulation waits for nothing");
    app.insert_resource(Pace::Unpaced);
    app.update();
    assert_eq!(asked.load(Ordering::Relaxed), 3, "the third time it is drawn");
    asked.store(0, Ordering::Relaxed);
    app.insert_resource(StopAfter(Some(steps(&app) + 1)));
    app.update();
    assert_eq!((asked.load(Ordering::Relaxed), status(&app)), (0, &SimulationStatus::Finished));
}
