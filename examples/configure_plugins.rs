//! Configuring plugins before they are added.
//!
//! Look at: `SandboxPlugins` is a Bevy plugin group: `set` replaces a plugin by one with other settings, `disable`
//! leaves one out. In this example a box falls on the moon, in steps of 2 ms, and no table of joints is written.
//!
//! `cargo run --example configure_plugins`
#![allow(clippy::print_stdout)]

use bevy::prelude::*;
use bunraku::prelude::*;
use bunraku::sensors::JointLogPlugin;
use nalgebra::Vector3;

fn main() -> Result {
    let moon = 1.62; // m/s²
    let parameters = PhysicsParameters { gravity: Vector3::new(0.0, 0.0, -moon), ..default() };
    let sandbox = SandboxPlugins
        .set(SimulationPlugin { time_step: 0.002, pace: Pace::Unpaced })
        .set(PhysicsPlugin { parameters })
        .disable::<JointLogPlugin>();
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, sandbox));
    let falling = (BodyModel::open("assets/models/box.body")?, Transform::from_xyz(0.0, 0.0, 10.0));
    let falling = app.world_mut().spawn(falling).id();

    app.run_steps(1000);
    let time = app.world().resource::<SimulationClock>().time();
    let fallen = 10.0 - app.world().get::<BodyState>(falling).ok_or("no box")?.link_poses[0].translation.z;
    println!("after {time} s it has fallen {fallen:.3} m");
    assert!(time == 2.0 && (fallen - moon * time * time / 2.0).abs() < 0.01);
    Ok(())
}
