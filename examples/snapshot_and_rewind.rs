//! Returning to an earlier time, with the state of your own controller.
//!
//! Look at: the controller below integrates its error, so its output depends on the past. Registered by
//! `register_simulation_state`, that integral is part of every `SimulationSnapshot`. A run continued from a snapshot is
//! identical, bit for bit; as bytes a snapshot may be written to a file.
//!
//! `cargo run --example snapshot_and_rewind`
#![allow(clippy::print_stdout)]

mod common;

use bevy::prelude::*;
use bunraku::prelude::*;
use common::{Failure, check, model, spawn_as, start, state};
use serde::{Deserialize, Serialize};

/// Holds the joints at zero displacement against a load, with proportional, integral and derivative gains.
#[derive(Component, Clone, Default, Serialize, Deserialize)]
struct Integrator {
    /// rad·s, joint order.
    sums: Vec<f64>,
}

fn control(clock: Res<SimulationClock>, mut bodies: Query<(&mut Integrator, &BodyState, &mut JointEfforts)>) {
    for (mut integrator, state, mut efforts) in &mut bodies {
        integrator.sums.resize(state.displacements.len(), 0.0);
        for (joint, sum) in integrator.sums.iter_mut().enumerate() {
            *sum -= state.displacements[joint] * clock.time_step();
            efforts.0[joint] = 20.0 * *sum - 10.0 * state.displacements[joint] - state.velocities[joint];
        }
    }
}

fn main() -> Result<(), Failure> {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins))
        .register_simulation_state::<Integrator>()
        .add_systems(SimulationStep, control.in_set(SimulationSystems::Control));
    let world = start(&mut app);
    let model = model("pendulum.body")?;
    let lifted = BodyState::at_rest(&model, &model.root().offset, vec![1.0, -0.5]);
    let pendulum = spawn_as(world, &model, lifted, Drive::Physics);
    world.entity_mut(pendulum).insert(Integrator::default());

    run_steps(world, 1000);
    let snapshot = SimulationSnapshot::take(world)?;
    let bytes = snapshot.to_bytes(world)?;
    println!("at {:.1} s a snapshot of {} bytes is taken", world.resource::<SimulationClock>().time(), bytes.len());
    run_steps(world, 1000);
    let first = state(world, pendulum)?.clone();
    println!("at {:.1} s the joints are at {:?} rad", world.resource::<SimulationClock>().time(), first.displacements);

    for snapshot in [snapshot, SimulationSnapshot::from_bytes(&bytes, world)?] {
        snapshot.restore(world)?;
        check(world.resource::<SimulationClock>().step() == 1000, "the clock did not go back")?;
        run_steps(world, 1000);
        check(*state(world, pendulum)? == first, "it went another way")?;
        println!("once more                   {:?} rad", state(world, pendulum)?.displacements);
    }
    Ok(())
}
