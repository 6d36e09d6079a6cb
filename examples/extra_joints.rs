//! A joint between two bodies, made and undone while the simulation runs.
//!
//! Look at: an entity with an `ExtraJointBetween` hooks a cart onto a rover, which drives off by a motion. When that
//! entity is despawned, the cart stays behind.
//!
//! `cargo run --example extra_joints`
#![allow(clippy::print_stdout)]

mod common;

use bevy::prelude::*;
use bunraku::prelude::*;
use common::{Failure, check, materials, model, motion, spawn, spawn_at, start, state};
use nalgebra::{Isometry3, Point3};

/// Positions of the hook on the rover and of the eye on the drawbar of the cart; link frames, m.
const HOOK: [f64; 3] = [-0.22, 0.0, 0.0];
const EYE: [f64; 3] = [0.25, 0.0, 0.02];

fn main() -> Result<(), Failure> {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins)).insert_resource(materials()?);
    let world = start(&mut app);
    spawn(world, &model("floor.body")?, Drive::Static);
    let model_of_rover = model("rover.body")?;
    let rover = spawn(world, &model_of_rover, Drive::Physics);
    let cart = spawn_at(world, &model("cart.body")?, Isometry3::translation(-0.47, 0.0, 0.06), Drive::Physics);
    let gains = vec![Gains { proportional: 40.0, derivative: 0.8 }; model_of_rover.num_joints()];
    let wheels = motion("rover_turn.seq")?.joint_displacements.clone().ok_or("the motion moves no joints")?;
    world.entity_mut(rover).insert(PdController::new(&model_of_rover, gains, Some(wheels.into()))?);

    let end = |body| JointEnd::Link { body, link: LinkIndex::ROOT };
    let frames = [HOOK, EYE].map(|[x, y, z]| Isometry3::translation(x, y, z));
    let form = ExtraJointForm { kind: ExtraJointKind::Ball, frames };
    let hitch = world.spawn(ExtraJointBetween { form, ends: [end(rover), end(cart)] }).id();

    run_steps(world, 2400);
    let (driven, apart) = (state(world, rover)?.link_poses[0].translation.x, gap(world, rover, cart)?);
    println!("the rover has driven {driven:.3} m, hook and eye are {apart:.1e} m apart");
    check(driven > 0.9 && apart < 1e-3, "the cart does not follow")?;

    world.despawn(hitch);
    run_steps(world, 3600);
    let apart = gap(world, rover, cart)?;
    println!("without the hitch they are           {apart:.3} m apart");
    check(apart > 0.3, "the cart follows all the same")
}

/// Distance between the eye and the hook, m.
fn gap(world: &World, rover: Entity, cart: Entity) -> Result<f64, Failure> {
    let point = |body, point| Ok::<_, Failure>(state(world, body)?.link_poses[0] * Point3::from(point));
    Ok((point(rover, HOOK)? - point(cart, EYE)?).norm())
}
