//! Touch sensors, and force sensors of links that something lies on.

use std::sync::Arc;

use bevy::prelude::Entity;
use bunraku_body::{Body, Drive};
use bunraku_sensors::{Channel, Measurement, SensorKind, ValuesKind};

use super::{G, SOLVERS, World, assert_near, model, with_sensors};

/// A box of 2 kg that stands on the table, or falls from far above it.
fn stone(height: f64) -> Arc<Body> {
    model(
        "Stone",
        &format!(
            "
  - name: STONE
    joint_type: free
    translation: [ 0, 0, {height} ]
    mass: 2
    inertia: [ 0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.02 ]
    elements:
      - {{ type: Shape, geometry: {{ type: Box, size: [ 0.2, 0.2, 0.2 ] }} }}
"
        ),
    )
}

/// A plate of 3 kg, with its upper side at 0, on a foot that touches nothing.
const TABLE: &str = "
  - { name: FOOT, joint_type: fixed, translation: [ 0, 0, -1 ] }
  - name: PLATE
    parent: FOOT
    joint_type: fixed
    translation: [ 0, 0, 0.95 ]
    mass: 3
    inertia: [ 1, 0, 0, 0, 1, 0, 0, 0, 1 ]
    elements:
      - { type: Shape, geometry: { type: Box, size: [ 2, 2, 0.1 ] } }
      - { type: ForceSensor, name: LOAD }
";

/// Adds a body with a touch sensor on a link.
fn add_touching(world: &mut World, body: &Arc<Body>, link: &str, drive: Drive) -> Entity {
    let kind = SensorKind::Touch { threshold: 5.0, force: Channel::default() };
    let (body, sensors) = with_sensors(body, link, &[(ValuesKind::TouchSensor, kind)]);
    let entity = world.add(&body, drive);
    world.app.world_mut().entity_mut(entity).insert(sensors);
    entity
}

/// Whether a touch sensor is touched, as 1 or 0, and the force, N.
fn touch(world: &World, body: Entity) -> [f64; 2] {
    match world.last(body, ValuesKind::TouchSensor.device_type()).unwrap().measurement {
        Measurement::Values(values) => values.numbers.try_into().unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_touch_sensor_reads_the_weight_on_its_link_alone() {
    for solver in SOLVERS {
        let mut world = World::new(0.001, solver);
        let plate = add_touching(&mut world, &model("Table", TABLE), "PLATE", Drive::Static);
        let foot = add_touching(&mut world, &model("Other", TABLE), "FOOT", Drive::Static);
        let standing = add_touching(&mut world, &stone(0.1), "STONE", Drive::Physics);
        let falling = add_touching(&mut world, &stone(8.0), "STONE", Drive::Physics);
        world.run(1000);
        // The two tables are at the same place, and share the weight.
        let [is_touched, force] = touch(&world, standing);
        assert!(is_touched == 1.0 && (force - 2.0 * G).abs() < 0.01 * G, "{solver:?}: {is_touched} {force}");
        let [is_touched, force] = touch(&world, plate);
        assert!(is_touched == 1.0 && force > 5.0 && force < 2.01 * G, "{solver:?}: {is_touched} {force}");
        assert_eq!(touch(&world, foot), [0.0; 2]);
        assert_eq!(touch(&world, falling), [0.0; 2]);
    }
}

#[test]
fn a_force_sensor_in_a_static_table_reads_what_lies_on_it() {
    for (solver, drive) in SOLVERS.into_iter().flat_map(|solver| [(solver, Drive::Static), (solver, Drive::Motion)]) {
        let mut world = World::new(0.001, solver);
        let table = world.add(&model("Table", TABLE), drive);
        world.add(&stone(0.1), Drive::Physics);
        world.run(1000);
        assert_near(world.force(table, "LOAD").force, [0.0, 0.0, -5.0 * G], 0.01 * G);
    }
}
