//! Contacts: messages when they begin and end, their points and forces, and the reactions of joints.
//!
//! Look at: a body with `ReportContacts` has messages when its contacts begin and end. The system parameter `Contacts`
//! gives points and forces of the last step to any system after it, and bodies with a `JointReadings` have the
//! accelerations, efforts and reactions of their joints.
//!
//! `cargo run --example contacts_and_forces`
#![allow(clippy::print_stdout)]

use bevy::prelude::*;
use bunraku::physics::{ContactBegan, ReportContacts};
use bunraku::prelude::*;
use nalgebra::Vector3;

/// Force on the box, N, mean over the steps of the last second.
#[derive(Resource, Default)]
struct Push(Vector3<f64>);

fn listen(mut began: MessageReader<ContactBegan>, clock: Res<SimulationClock>, names: Query<&Name>) -> Result {
    for ContactBegan { links: [(first, _), (second, _)] } in began.read() {
        println!("at {:.3} s {} touches {}", clock.time(), names.get(*first)?, names.get(*second)?);
    }
    Ok(())
}

fn weigh(
    clock: Res<SimulationClock>,
    boxes: Query<Entity, With<ReportContacts>>,
    contacts: Contacts,
    mut push: ResMut<Push>,
) {
    if clock.time() > 1.0 {
        for contact in boxes.iter().flat_map(|body| contacts.of_body(body)) {
            push.0 += contact.force / 1000.0;
        }
    }
}

fn main() -> Result {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins)).init_resource::<Push>();
    app.add_systems(SimulationStep, (listen, weigh).in_set(SimulationSystems::Sense));
    let (cube, pendulum) =
        (BodyModel::open("assets/models/box.body")?, BodyModel::open("assets/models/pendulum.body")?);
    let world = app.world_mut();
    world.spawn((BodyModel::open("assets/models/floor.body")?, Drive::Static));
    world.spawn((cube.clone(), ReportContacts, Transform::from_xyz(0.0, 0.0, 0.2)));
    let hanging = world.spawn((pendulum.clone(), JointReadings::default())).id();
    app.run_steps(2000);

    let world = app.world();
    let gravity = -world.resource::<PhysicsParameters>().gravity.z;
    let push = world.resource::<Push>().0;
    println!("the floor pushes the box with       {push:.3?} N");
    let weight = cube.0.mass() * gravity;
    assert!((push - Vector3::z() * weight).norm() < 0.01 * weight);

    // By link: force of the ground on the block, of the block on the upper rod, and of the upper rod on the lower one.
    let readings = world.get::<JointReadings>(hanging).ok_or("no readings")?;
    let carried: Vec<f64> = readings.reactions().iter().map(|wrench| wrench.force.z).collect();
    println!("block, shoulder and elbow hold      {carried:.3?} N");
    for (link, force) in carried.iter().enumerate() {
        let weight = pendulum.0.links()[link..].iter().map(|link| link.mass.mass).sum::<f64>() * gravity;
        assert!((force - weight).abs() < 0.01 * weight);
    }
    Ok(())
}
