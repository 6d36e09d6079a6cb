//! A recorded motion moves a body, without physics.
//!
//! Look at: `Drive::Motion` and a `MotionPlayer` are sufficient. When the motion ends, an observer plays it backwards
//! at twice the speed. There are no forces in this example, so `PhysicsPlugin` and the controllers that need it are
//! left out of the `SandboxPlugins`.
//!
//! `cargo run --example play_motion`
#![allow(clippy::print_stdout)]

mod common;

use bevy::prelude::*;
use bunraku::prelude::*;
use common::{Failure, check, model, motion, spawn, start, state};

/// How often the motion has ended.
#[derive(Resource, Default)]
struct Ends(usize);

fn turn_back(ended: On<MotionEnded>, mut players: Query<&mut MotionPlayer>, mut ends: ResMut<Ends>) {
    ends.0 += 1;
    if let Ok(mut player) = players.get_mut(ended.entity)
        && ends.0 == 1
    {
        player.set_speed(-2.0);
        player.play();
    }
}

fn main() -> Result<(), Failure> {
    let mut app = App::new();
    let sandbox = SandboxPlugins.build().disable::<PhysicsPlugin>().disable::<ControlPlugin>();
    app.add_plugins((MinimalPlugins, TransformPlugin, sandbox)).init_resource::<Ends>().add_observer(turn_back);
    let world = start(&mut app);

    let motion = motion("rover_turn.seq")?;
    let rover = spawn(world, &model("rover.body")?, Drive::Motion);
    world.entity_mut(rover).insert(MotionPlayer::new(motion.clone()));

    let wheels = motion.joint_displacements.as_ref().ok_or("the motion moves no joints")?;
    // 6 s forwards and 3 s backwards, in steps of 1 ms.
    for (steps, time) in [(3000, 3.0), (3000, 6.0), (1500, 3.0), (1500, 0.0)] {
        run_steps(world, steps);
        let angles = &state(world, rover)?.displacements;
        println!("{:.1} s: the wheels at {angles:.4?} rad", world.resource::<SimulationClock>().time());
        let mut expected = vec![0.0; angles.len()];
        wheels.sample(time, &mut expected);
        let is_there = angles.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-9);
        check(is_there, format!("they should be at {expected:?}"))?;
    }
    check(world.resource::<Ends>().0 >= 1, "the end of the motion was not observed")
}
