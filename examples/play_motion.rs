//! A recorded motion moves a body, without physics.
//!
//! Look at: `Drive::Motion` and a `MotionPlayer` are sufficient. When the motion ends, an observer plays it backwards
//! at twice the speed. There are no forces in this example, so `PhysicsPlugin` and the controllers that need it are
//! left out of the `SandboxPlugins`.
//!
//! `cargo run --example play_motion`
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use bevy::prelude::*;
use bunraku::control::ControlPlugin;
use bunraku::prelude::*;

fn turn_back(ended: On<MotionEnded>, mut players: Query<&mut MotionPlayer>) -> Result {
    let mut player = players.get_mut(ended.entity)?;
    if player.speed() > 0.0 {
        player.set_speed(-2.0);
        player.play();
    }
    Ok(())
}

fn main() -> Result {
    let mut app = App::new();
    let sandbox = SandboxPlugins.build().disable::<PhysicsPlugin>().disable::<ControlPlugin>();
    app.add_plugins((MinimalPlugins, TransformPlugin, sandbox)).add_observer(turn_back);
    let motion = Arc::new(BodyMotion::open("assets/motions/rover_turn.seq")?);
    let rover = (BodyModel::open("assets/models/rover.body")?, Drive::Motion, MotionPlayer::new(motion.clone()));
    let rover = app.world_mut().spawn(rover).id();

    let wheels = motion.joint_displacements.as_ref().ok_or("the motion moves no joints")?;
    // 6 s forwards and 3 s backwards, in steps of 1 ms.
    for (steps, time) in [(3000, 3.0), (3000, 6.0), (1500, 3.0), (1500, 0.0)] {
        app.run_steps(steps);
        let angles = &app.world().get::<BodyState>(rover).ok_or("no rover")?.displacements;
        println!("{:.1} s: the wheels at {angles:.4?} rad", app.world().resource::<SimulationClock>().time());
        let mut expected = vec![0.0; angles.len()];
        wheels.sample(time, &mut expected);
        assert!(angles.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-9));
    }
    Ok(())
}
