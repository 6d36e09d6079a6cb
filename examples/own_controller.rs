//! A controller of your own: a Bevy system in `SimulationSystems::Control`.
//!
//! Look at: `Query<Robot>` has the state and the commands of a body, with joints by name. The controller compensates
//! the weight of the arm by inverse dynamics of the model, so that a soft spring is enough to hold it stretched out,
//! where the torque of its weight is largest.
//!
//! `cargo run --example own_controller`
#![allow(clippy::print_stdout)]

use std::f64::consts::FRAC_PI_2;

use bevy::prelude::*;
use bunraku::body::dynamics::{BodyMotionState, InverseDynamics};
use bunraku::prelude::*;

/// Half a turn less 90 degrees from hanging down, the upper rod points to +X, and the lower one is in line with it.
const TARGETS: [(&str, f64); 2] = [("SHOULDER", -FRAC_PI_2), ("ELBOW", 0.0)];

fn hold(mut robots: Query<Robot>, parameters: Res<PhysicsParameters>) -> Result {
    for mut robot in &mut robots {
        // The efforts that hold the arm at rest in this pose.
        let state = robot.state;
        let rest = BodyMotionState { root_pose: state.link_poses[0], displacements: &state.displacements, ..default() };
        let weight = InverseDynamics::of(&robot.model.0, &rest, &parameters.gravity, &[]).efforts;
        for (name, target) in TARGETS {
            let joint = robot.joint(name)?;
            let spring = 8.0 * (target - robot.displacement(joint)) - 3.0 * robot.velocity(joint);
            robot.set_effort(joint, weight[joint.0] + spring);
        }
    }
    Ok(())
}

fn main() -> Result {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.add_systems(SimulationStep, hold.in_set(SimulationSystems::Control));
    let arm = app.world_mut().spawn(BodyModel::open("assets/models/pendulum.body")?).id();
    app.run_steps(6000);

    let found = &app.world().get::<BodyState>(arm).ok_or("no arm")?.displacements;
    println!("the joints are at {found:.5?} rad");
    assert!(found.iter().zip(TARGETS).all(|(found, (_, target))| (found - target).abs() < 1e-3));
    Ok(())
}
