//! Returning to an earlier time, with the state of your own controller.
//!
//! Look at: the controller below integrates its error, so its output depends on the past. Registered by
//! `register_simulation_state`, that integral is part of every `SimulationSnapshot`. A run continued from a snapshot is
//! identical, bit for bit; as bytes a snapshot may be written to a file.
//!
//! `cargo run --example snapshot_and_rewind`
#![allow(clippy::print_stdout)]

use bevy::prelude::*;
use bunraku::prelude::*;
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

fn main() -> Result {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins))
        .register_simulation_state::<Integrator>()
        .add_systems(SimulationStep, control.in_set(SimulationSystems::Control));
    let model = BodyModel::open("assets/models/pendulum.body")?;
    let lifted = BodyState::at_rest(&model.0, &model.0.root().offset, vec![1.0, -0.5]);
    let pendulum = app.world_mut().spawn((model, lifted, Integrator::default())).id();

    app.run_steps(1000);
    let snapshot = SimulationSnapshot::take(app.world_mut())?;
    let bytes = snapshot.to_bytes(app.world_mut())?;
    println!(
        "at {:.1} s a snapshot of {} bytes is taken",
        app.world().resource::<SimulationClock>().time(),
        bytes.len()
    );
    app.run_steps(1000);
    let first = app.world().get::<BodyState>(pendulum).ok_or("no pendulum")?.clone();
    println!("a second later the joints are at {:?} rad", first.displacements);

    for snapshot in [snapshot, SimulationSnapshot::from_bytes(&bytes, app.world_mut())?] {
        snapshot.restore(app.world_mut())?;
        assert_eq!(app.world().resource::<SimulationClock>().step(), 1000);
        app.run_steps(1000);
        let again = app.world().get::<BodyState>(pendulum).ok_or("no pendulum")?;
        println!("once more                        {:?} rad", again.displacements);
        assert_eq!(*again, first);
    }
    Ok(())
}
