//! The order of a step.

use bevy::prelude::*;
use bunraku_simulation::{
    RecordSystems, SimulationClock, SimulationStart, SimulationStep, SimulationSystems, StepSystems, run_steps,
};

use crate::app;

/// Names of the sets in the order in which they ran, with the step of the clock.
#[derive(Resource, Default)]
struct Order(Vec<(&'static str, u64)>);

fn note(name: &'static str) -> impl Fn(ResMut<Order>, Res<SimulationClock>) {
    move |mut order, clock| order.0.push((name, clock.step()))
}

#[test]
fn sets_run_in_their_order_and_the_clock_advances_before_sensing() {
    let mut app = app();
    app.init_resource::<Order>();
    // Added in another order than they run in.
    app.add_systems(SimulationStep, note("readings").in_set(RecordSystems::Readings));
    app.add_systems(SimulationStep, note("states").in_set(RecordSystems::States));
    app.add_systems(SimulationStep, note("sense").in_set(SimulationSystems::Sense));
    app.add_systems(SimulationStep, note("solve").in_set(StepSystems::Solve));
    app.add_systems(SimulationStep, note("play").in_set(StepSystems::Play));
    app.add_systems(SimulationStep, note("actuate").in_set(SimulationSystems::Actuate));
    app.add_systems(SimulationStep, note("control").in_set(SimulationSystems::Control));
    app.add_systems(SimulationStep, note("prepare").in_set(SimulationSystems::Prepare));
    app.add_systems(SimulationStart, note("start").in_set(SimulationSystems::Sense));
    run_steps(app.world_mut(), 2);
    let of_step = |step: u64| {
        let before = ["prepare", "control", "actuate", "play", "solve"].map(|name| (name, step));
        [before.to_vec(), ["sense", "states", "readings"].map(|name| (name, step + 1)).to_vec()].concat()
    };
    let expected = [vec![("start", 0)], of_step(0), of_step(1)].concat();
    assert_eq!(app.world().resource::<Order>().0, expected);
}

#[test]
fn time_is_the_number_of_steps_times_their_length() {
    let mut app = app();
    run_steps(app.world_mut(), 30);
    let clock = app.world().resource::<SimulationClock>();
    // A sum of thirty tenths would be off by rounding.
    assert!(clock.step() == 30 && clock.time() == 30.0 * 0.1 && clock.time_step() == 0.1, "{clock:?}");
}
