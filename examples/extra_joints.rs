//! A joint between two bodies, made and undone while the simulation runs.
//!
//! Look at: an entity with an `ExtraJointBetween` hooks a cart onto a rover, which drives off. When that entity is
//! despawned, the cart stays behind.
//!
//! `cargo run --example extra_joints`
#![allow(clippy::print_stdout)]

use bevy::prelude::*;
use bunraku::body::{ContactMaterials, ExtraJointForm, ExtraJointKind};
use bunraku::physics::{ExtraJointBetween, JointEnd, SurfaceMaterials};
use bunraku::prelude::*;
use nalgebra::Isometry3;

fn main() -> Result {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.insert_resource(SurfaceMaterials(ContactMaterials::open("assets/models/materials.yaml")?));
    let world = app.world_mut();
    world.spawn((BodyModel::open("assets/models/floor.body")?, Drive::Static));
    let model = BodyModel::open("assets/models/rover.body")?;
    let servo = JointActuation::all(&model.0, Actuation::Displacement { stiffness: 40.0, damping: 0.8 });
    let motion = BodyMotion::open("assets/motions/rover_turn.seq")?;
    let rover = world.spawn((model, servo, FollowMotion::new(motion.into()))).id();
    let cart = (BodyModel::open("assets/models/cart.body")?, Transform::from_xyz(-0.47, 0.0, 0.06));
    let cart = world.spawn(cart).id();

    // The hook on the rover and the eye on the drawbar of the cart, in the frames of their links.
    let frames = [Isometry3::translation(-0.22, 0.0, 0.0), Isometry3::translation(0.25, 0.0, 0.02)];
    let ends = [rover, cart].map(|body| JointEnd::Link { body, link: LinkIndex::ROOT });
    let form = ExtraJointForm { kind: ExtraJointKind::Ball, frames };
    let hitch = world.spawn(ExtraJointBetween { form, ends }).id();
    let gap = |world: &World| {
        let [hook, eye] = [rover, cart].map(|body| world.get::<BodyState>(body).map(|state| state.link_poses[0]));
        Some(((hook? * frames[0]).translation.vector - (eye? * frames[1]).translation.vector).norm())
    };

    app.run_steps(2400);
    let driven = app.world().get::<BodyState>(rover).ok_or("no rover")?.link_poses[0].translation.x;
    let apart = gap(app.world()).ok_or("no gap")?;
    println!("the rover has driven {driven:.3} m, hook and eye are {apart:.1e} m apart");
    assert!(driven > 0.9 && apart < 1e-3);

    app.world_mut().despawn(hitch);
    app.run_steps(3600);
    let apart = gap(app.world()).ok_or("no gap")?;
    println!("without the hitch they are           {apart:.3} m apart");
    assert!(apart > 0.3);
    Ok(())
}
