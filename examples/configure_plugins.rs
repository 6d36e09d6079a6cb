//! Configuring plugins before they are added.
//!
//! Look at: `SandboxPlugins` is a Bevy plugin group: `set` replaces a plugin by one with other settings, `disable`
//! leaves one out. In this example a stone falls on the moon, in steps of 2 ms, and no table of joints is written.
//!
//! `cargo run --example configure_plugins`
#![allow(clippy::print_stdout)]

mod common;

use bevy::prelude::*;
use bunraku::prelude::*;
use common::{Failure, check, model, spawn_at, start, state};
use nalgebra::{Isometry3, Vector3};

/// Free fall on the moon, m/s².
const MOON: f64 = 1.62;

fn main() -> Result<(), Failure> {
    let parameters = PhysicsParameters { gravity: Vector3::new(0.0, 0.0, -MOON), ..default() };
    let sandbox = SandboxPlugins
        .set(SimulationPlugin { time_step: 0.002, pace: Pace::Unpaced })
        .set(PhysicsPlugin { parameters })
        .disable::<JointLogPlugin>();
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, sandbox));
    let world = start(&mut app);
    let stone = spawn_at(world, &model("box.body")?, Isometry3::translation(0.0, 0.0, 10.0), Drive::Physics);

    run_steps(world, 1000);
    let time = world.resource::<SimulationClock>().time();
    let fallen = 10.0 - state(world, stone)?.link_poses[0].translation.z;
    println!("after {time} s it has fallen {fallen:.3} m");
    check(time == 2.0 && (fallen - MOON * time * time / 2.0).abs() < 0.01, "that is not how things fall on the moon")
}
