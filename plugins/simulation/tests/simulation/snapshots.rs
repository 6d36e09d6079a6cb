//! State that is registered goes back; what nobody registered is found.

use bevy::prelude::*;
use bunraku_simulation::{
    RegisterSimulationState, SimulationClock, SimulationSnapshot, SimulationStep, SimulationSystems, SnapshotError,
    run_steps, unregistered_state,
};
use bunraku_test_support::Random;
use serde::{Deserialize, Serialize};

use crate::app;

#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Count(Vec<f64>);

#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Forgotten(u64);

fn count(clock: Res<SimulationClock>, mut all: Query<&mut Count>) {
    for mut count in &mut all {
        count.0.push(clock.time() / 3.0);
    }
}

/// An app with a counter, and the counter.
fn counting() -> (App, Entity) {
    let mut app = app();
    app.register_simulation_state::<Count>();
    app.add_systems(SimulationStep, count.in_set(SimulationSystems::Control));
    let counter = app.world_mut().spawn((Name::new("counter"), Count::default())).id();
    (app, counter)
}

#[test]
fn a_snapshot_takes_clock_and_state_back() {
    let (mut app, counter) = counting();
    run_steps(app.world_mut(), 3);
    let snapshot = SimulationSnapshot::take(app.world_mut()).unwrap();
    let then = app.world().get::<Count>(counter).unwrap().clone();
    run_steps(app.world_mut(), 4);
    let later = app.world().get::<Count>(counter).unwrap().clone();
    snapshot.restore(app.world_mut()).unwrap();
    assert_eq!(app.world().get::<Count>(counter), Some(&then));
    assert_eq!(app.world().resource::<SimulationClock>().step(), 3);
    run_steps(app.world_mut(), 4);
    assert_eq!(app.world().get::<Count>(counter), Some(&later));
}

#[test]
fn bytes_lead_to_the_same_state_in_another_world() {
    let (mut app, counter) = counting();
    run_steps(app.world_mut(), 3);
    let snapshot = SimulationSnapshot::take(app.world_mut()).unwrap();
    let bytes = snapshot.to_bytes(app.world_mut()).unwrap();
    let (mut other, same) = counting();
    let read = SimulationSnapshot::from_bytes(&bytes, other.world_mut()).unwrap();
    read.restore(other.world_mut()).unwrap();
    assert_eq!(other.world().get::<Count>(same), app.world().get::<Count>(counter));
    // A counter of another name is another one.
    let (mut other, same) = counting();
    other.world_mut().entity_mut(same).insert(Name::new("another"));
    let read = SimulationSnapshot::from_bytes(&bytes, other.world_mut()).unwrap();
    assert!(matches!(read.restore(other.world_mut()), Err(SnapshotError::OtherEntities { .. })));
    assert_eq!(other.world().get::<Count>(same), Some(&Count::default()));
}

/// Damage anywhere gives an error or a snapshot, and neither a panic nor memory without bounds.
#[test]
fn random_and_damaged_bytes_are_refused_or_read() {
    let (mut app, _) = counting();
    run_steps(app.world_mut(), 3);
    let snapshot = SimulationSnapshot::take(app.world_mut()).unwrap();
    let whole = snapshot.to_bytes(app.world_mut()).unwrap();
    let mut random = Random::new(46);
    let mut damaged = 0;
    for _ in 0..2000 {
        let mut bytes = whole.clone();
        match random.below(3) {
            0 => bytes.truncate(random.below(whole.len())),
            1 => bytes = (0..random.below(200)).map(|_| random.bits() as u8).collect(),
            _ => {
                let place = random.below(whole.len());
                bytes[place] ^= 1 << random.below(8);
            }
        }
        match SimulationSnapshot::from_bytes(&bytes, app.world_mut()) {
            Ok(snapshot) => drop(snapshot.restore(app.world_mut())),
            Err(_) => damaged += 1,
        }
    }
    assert!(damaged > 1000, "only {damaged} of 2000 were refused");
    assert_eq!(SimulationSnapshot::from_bytes(b"none", app.world_mut()).err(), Some(SnapshotError::NoSnapshot));
    let cut = &whole[..whole.len() - 1];
    assert!(matches!(SimulationSnapshot::from_bytes(cut, app.world_mut()), Err(SnapshotError::Damaged(_))));
}

/// Registered state may change with every version, and its bytes do not describe themselves.
#[test]
fn a_snapshot_of_another_version_is_refused_by_its_version() {
    let (mut app, _) = counting();
    run_steps(app.world_mut(), 3);
    let bytes = SimulationSnapshot::take(app.world_mut()).unwrap().to_bytes(app.world_mut()).unwrap();
    let own = env!("CARGO_PKG_VERSION");
    let start = bytes.windows(own.len()).position(|window| window == own.as_bytes()).unwrap();
    for found in ["9.9.9", own.trim_end_matches(|last: char| last.is_ascii_digit()), "0.10.0-rc.1"] {
        // The length of a text precedes it.
        let mut other = bytes[..start - 1].to_vec();
        other.push(u8::try_from(found.len()).unwrap());
        other.extend_from_slice(found.as_bytes());
        other.extend_from_slice(&bytes[start + own.len()..]);
        let error = SimulationSnapshot::from_bytes(&other, app.world_mut()).err().unwrap();
        let expected = SnapshotError::OtherVersion { found: found.to_owned(), expected: own.to_owned() };
        assert_eq!(error, expected);
        assert_eq!(error.to_string(), format!("the snapshot was written by version {found}, this is version {own}"));
    }
    SimulationSnapshot::from_bytes(&bytes, app.world_mut()).unwrap();
}

#[test]
fn an_entity_that_is_gone_is_named_and_nothing_changes() {
    let (mut app, counter) = counting();
    run_steps(app.world_mut(), 1);
    let snapshot = SimulationSnapshot::take(app.world_mut()).unwrap();
    run_steps(app.world_mut(), 1);
    app.world_mut().despawn(counter);
    assert_eq!(snapshot.restore(app.world_mut()), Err(SnapshotError::NoEntity(counter)));
    assert_eq!(app.world().resource::<SimulationClock>().step(), 2);
}

#[test]
fn state_that_nobody_registered_is_found() {
    let (mut app, _) = counting();
    assert_eq!(unregistered_state(app.world_mut()), [""; 0]);
    app.add_systems(
        SimulationStep,
        (|mut all: Query<&mut Forgotten>| all.iter_mut().for_each(|mut one| one.0 += 1))
            .in_set(SimulationSystems::Sense),
    );
    let found = unregistered_state(app.world_mut());
    assert!(found.len() == 1 && found[0].contains("Forgotten"), "{found:?}");
    app.ignore_simulation_state::<Forgotten>("for this test");
    assert_eq!(unregistered_state(app.world_mut()), [""; 0]);
}
