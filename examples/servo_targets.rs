//! Servos: joints that follow target displacements.
//!
//! Look at: `JointActuation` says that a servo moves a joint and how stiff it is, and `JointTargets` has the target of
//! the joint. Both may change between any two steps. A servo is computed implicitly: its effort is that at the end of
//! the step.
//!
//! `cargo run --example servo_targets`
#![allow(clippy::print_stdout)]

use bevy::prelude::*;
use bunraku::prelude::*;

fn main() -> Result {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    let world = app.world_mut();
    world.spawn((BodyModel::open("assets/models/table.body")?, Drive::Static));
    let model = BodyModel::open("assets/models/arm.body")?;
    let servos = JointActuation::all(&model.0, Actuation::Displacement { stiffness: 2e4, damping: 200.0 });
    let arm = world.spawn((model, servos, Transform::from_xyz(0.0, 0.0, 0.8))).id();

    // The hand in front of the arm, open; then turned aside, closed.
    let open = [0.0, 0.35, 0.0, 0.0, 1.22, 0.0, 0.03, 0.03];
    let closed = [0.8, 0.35, 0.0, 0.0, 1.22, 0.0, 0.0, 0.0];
    for (name, targets) in [("open", open), ("closed", closed)] {
        // A stiff servo reaches its target at once, so the target itself moves there within a second.
        let start = app.world().get::<BodyState>(arm).ok_or("no arm")?.displacements.clone();
        for step in 1..=1000 {
            let mut commands = app.world_mut().get_mut::<JointTargets>(arm).ok_or("no arm")?;
            for (joint, target) in commands.displacements.iter_mut().enumerate() {
                *target = start[joint] + (targets[joint] - start[joint]) * f64::from(step) / 1000.0;
            }
            app.run_steps(1);
        }
        app.run_steps(500);
        let found = &app.world().get::<BodyState>(arm).ok_or("no arm")?.displacements;
        let largest = found.iter().zip(&targets).map(|(found, target)| (found - target).abs()).fold(0.0, f64::max);
        println!("{name:<6} the joints are within {largest:.1e} rad or m of their targets");
        // The remaining error is the deflection of the springs by the weight of the arm.
        assert!(largest < 2e-3, "they are at {found:?}");
    }
    Ok(())
}
