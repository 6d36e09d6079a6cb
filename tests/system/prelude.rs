//! Bunraku's prelude together with Bevy's: no name is in both.

use std::collections::BTreeSet;

use bevy::prelude::*;
use bunraku::prelude::*;

/// A name in both preludes would be ambiguous, and so an error here.
macro_rules! names {
    ($($name:ident),*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        #[allow(unused_imports)]
        mod each {
            $(use super::$name;)*
        }
    };
}

names!(
    Actuation,
    Body,
    BodyLinks,
    BodyModel,
    BodyMotion,
    BodySpawned,
    BodyState,
    Contacts,
    Drive,
    FollowMotion,
    JointActuation,
    JointEfforts,
    JointIndex,
    JointReadings,
    JointTargets,
    LinkIndex,
    LinkNumber,
    LinkOf,
    MotionEnded,
    MotionPlayer,
    Pace,
    PdController,
    PhysicsParameters,
    PhysicsPlugin,
    RegisterSimulationState,
    Robot,
    RobotReadOnly,
    RunSteps,
    SandboxPlugins,
    Scene,
    SimulationClock,
    SimulationPlugin,
    SimulationSnapshot,
    SimulationStep,
    SimulationSystems,
    StateRecorder,
    Teleport,
    ToBevy,
    ToNalgebra
);

#[test]
fn every_name_of_the_prelude_is_tested() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs")).unwrap();
    let prelude = text.split("pub mod prelude {").nth(1).unwrap();
    let lines = prelude.lines().filter(|line| !line.trim_start().starts_with("//"));
    let text: String = lines.collect::<Vec<_>>().join("\n");
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    let crates = |word: &str| word.starts_with("bunraku_") || ["pub", "use", "crate", "scene", ""].contains(&word);
    let there: BTreeSet<&str> = words.filter(|word| !crates(word)).collect();
    assert_eq!(there, NAMES.iter().copied().collect());
    assert!(NAMES.len() <= 40, "{} names are too many to know", NAMES.len());
}

#[test]
fn a_model_is_opened_in_a_line() {
    let body = Body::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/rover.body")).unwrap();
    assert_eq!(body.name, "Rover");
    let error = Body::open("none.body").unwrap_err();
    assert!(error.to_string().contains("file not found: none.body"), "{error}");
}

/// Rapier is available in the version in use, for rigid bodies of other code.
#[test]
fn rapier_is_reexported() {
    use bunraku::physics::{bevy_rapier3d::prelude::Collider, rapier::prelude::RigidBodyBuilder};
    assert!(RigidBodyBuilder::dynamic().build().is_dynamic());
    let collider = Collider::ball(0.5);
    assert!(collider.as_ball().is_some());
}
