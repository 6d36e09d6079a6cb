//! A controller of your own: a Bevy system in `SimulationSystems::Control`.
//!
//! Look at: it reads `BodyState` and writes `JointEfforts`, and its gains are a component like any other. It
//! compensates the weight of the arm by inverse dynamics of the model, so that a soft spring is enough to hold the arm
//! stretched out, where the torque of its weight is largest.
//!
//! `cargo run --example own_controller`
#![allow(clippy::print_stdout)]

mod common;

use bevy::prelude::*;
use bunraku::body::dynamics::{BodyMotionState, InverseDynamics};
use bunraku::prelude::*;
use common::{Failure, check, model, spawn, start, state};

/// Target displacements of the joints, and the gains that hold them there.
#[derive(Component)]
struct HoldAt {
    /// rad or m, joint order.
    displacements: Vec<f64>,
    gains: Gains,
}

fn hold(mut bodies: Query<(&HoldAt, &BodyModel, &BodyState, &mut JointEfforts)>, parameters: Res<PhysicsParameters>) {
    for (HoldAt { displacements, gains }, BodyModel(body), state, mut efforts) in &mut bodies {
        // The efforts that hold the arm at rest in this pose.
        let rest = BodyMotionState { root_pose: state.link_poses[0], displacements: &state.displacements, ..default() };
        let weight = InverseDynamics::of(body, &rest, &parameters.gravity, &[]).efforts;
        for (joint, effort) in efforts.0.iter_mut().enumerate() {
            let error = displacements[joint] - state.displacements[joint];
            *effort = weight[joint] + gains.proportional * error - gains.derivative * state.velocities[joint];
        }
    }
}

fn main() -> Result<(), Failure> {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.add_systems(SimulationStep, hold.in_set(SimulationSystems::Control));
    let world = start(&mut app);

    // At first the arm hangs down. Half a turn less 90 degrees later the upper rod points to +X, and the lower one is
    // in line with it.
    let pendulum = spawn(world, &model("pendulum.body")?, Drive::Physics);
    let displacements = vec![-std::f64::consts::FRAC_PI_2, 0.0];
    let gains = Gains { proportional: 8.0, derivative: 3.0 };
    world.entity_mut(pendulum).insert(HoldAt { displacements: displacements.clone(), gains });

    run_steps(world, 6000);
    let found = &state(world, pendulum)?.displacements;
    println!("the joints are at {found:.5?} rad");
    let largest = found.iter().zip(&displacements).map(|(found, wanted)| (found - wanted).abs()).fold(0.0, f64::max);
    check(largest < 1e-3, format!("they should be at {displacements:?}"))
}
