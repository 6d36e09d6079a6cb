//! Contact points, contact forces and joint forces.
//!
//! Look at: the system parameter `Contacts` gives points and forces of the last step to any system after it, and bodies
//! with a `JointReadings` have the accelerations, efforts and reactions of their joints. The example checks them
//! against the weight of the standing and hanging parts.
//!
//! `cargo run --example contacts_and_forces`
#![allow(clippy::print_stdout)]

mod common;

use bevy::prelude::*;
use bunraku::prelude::*;
use common::{Failure, check, model, spawn, start};
use nalgebra::Vector3;

/// The force of the floor on the box, N, mean over the steps of the last second.
#[derive(Resource, Default)]
struct Push(Vector3<f64>);

/// The box.
#[derive(Component)]
struct Weighed;

fn weigh(clock: Res<SimulationClock>, boxes: Query<Entity, With<Weighed>>, contacts: Contacts, mut push: ResMut<Push>) {
    if clock.time() > 1.0 {
        for contact in boxes.iter().flat_map(|body| contacts.of_body(body)) {
            push.0 += contact.force / 1000.0;
        }
    }
}

fn main() -> Result<(), Failure> {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins)).init_resource::<Push>();
    app.add_systems(SimulationStep, weigh.in_set(SimulationSystems::Sense));
    let world = start(&mut app);
    let gravity = -world.resource::<PhysicsParameters>().gravity.z;

    spawn(world, &model("floor.body")?, Drive::Static);
    let model_of_box = model("box.body")?;
    let on_floor = spawn(world, &model_of_box, Drive::Physics);
    world.entity_mut(on_floor).insert(Weighed);
    let pendulum = model("pendulum.body")?;
    let hanging = spawn(world, &pendulum, Drive::Physics);
    world.entity_mut(hanging).insert(JointReadings::default());
    run_steps(world, 2000);

    let push = world.resource::<Push>().0;
    println!("the floor pushes the box with       {push:.3?} N");
    let weight = model_of_box.mass() * gravity;
    check((push - Vector3::z() * weight).norm() < 0.01 * weight, format!("it weighs {weight} N"))?;

    let readings = world.get::<JointReadings>(hanging).ok_or("no readings")?;
    // By link: the force of the ground on the block, of the block on the upper rod, and of the upper rod on the lower
    // one.
    let carried: Vec<f64> = readings.reactions().iter().map(|wrench| wrench.force.z).collect();
    println!("block, shoulder and elbow hold      {carried:.3?} N");
    let masses: Vec<f64> = pendulum.links().iter().map(|link| link.mass.mass).collect();
    for (link, force) in carried.iter().enumerate() {
        let weight = masses[link..].iter().sum::<f64>() * gravity;
        check((force - weight).abs() < 0.01 * weight, format!("link {link} carries {weight} N"))?;
    }
    Ok(())
}
