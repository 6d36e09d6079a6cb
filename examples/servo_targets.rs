//! Servos: joints that follow target displacements.
//!
//! Look at: `JointActuation` says that a servo moves a joint and how stiff it is, and `JointTargets` has the target of
//! the joint. Both may change between any two steps. A servo is computed implicitly: its effort is that at the end of
//! the step.
//!
//! `cargo run --example servo_targets`
#![allow(clippy::print_stdout)]

mod common;

use bevy::prelude::*;
use bunraku::prelude::*;
use common::{Failure, check, model, spawn, spawn_at, start, state};
use nalgebra::Isometry3;

fn main() -> Result<(), Failure> {
    let mut app = App::new();
    // The fingers have very little mass, so each body is solved as one system of its joints.
    let parameters = PhysicsParameters { joints: JointSolver::Multibody, ..default() };
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins.set(PhysicsPlugin { parameters })));
    let world = start(&mut app);
    spawn(world, &model("table.body")?, Drive::Static);
    let model = model("arm.body")?;
    let arm = spawn_at(world, &model, Isometry3::translation(0.0, 0.0, 0.8), Drive::Physics);

    let servo = Actuation::Displacement { stiffness: 2e4, damping: 200.0 };
    world.entity_mut(arm).insert(JointActuation::all(&model, servo));

    // The hand in front of the arm, open; then turned aside, closed.
    let open = [0.0, 0.35, 0.0, 0.0, 1.22, 0.0, 0.03, 0.03];
    let closed = [0.8, 0.35, 0.0, 0.0, 1.22, 0.0, 0.0, 0.0];
    for (name, targets) in [("open", open), ("closed", closed)] {
        // A stiff servo reaches its target at once, so the target itself moves there within a second.
        let start = state(world, arm)?.displacements.clone();
        for step in 1..=1000 {
            let mut commands = world.get_mut::<JointTargets>(arm).ok_or("the arm has no targets")?;
            for (joint, target) in commands.displacements.iter_mut().enumerate() {
                *target = start[joint] + (targets[joint] - start[joint]) * f64::from(step) / 1000.0;
            }
            run_steps(world, 1);
        }
        run_steps(world, 500);
        let found = &state(world, arm)?.displacements;
        let largest = found.iter().zip(&targets).map(|(found, target)| (found - target).abs()).fold(0.0, f64::max);
        println!("{name:<6} the joints are within {largest:.1e} rad or m of their targets");
        // The remaining error is the deflection of the springs by the weight of the arm.
        check(largest < 2e-3, format!("they are at {found:?}"))?;
    }
    Ok(())
}
