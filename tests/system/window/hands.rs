//! Interactions change a run, and the run can be repeated with them.

use std::path::Path;

use bevy::prelude::*;
use bunraku::physics::JointSolver;
use bunraku::prelude::*;
use bunraku::scene::{HandAct, HandNotes, HandScript, bring_body, lay_hand};
use bunraku::simulation::run_steps;
use bunraku::viewer::timeline::{Timeline, begin, change, remember, run, seek};
use bunraku::viewer::view::Speed;

use super::{assert_same, finish, load, recording, run_through};

fn pull(target: [f64; 3]) -> HandAct {
    HandAct::Pull { link: "CHASSIS".to_owned(), point: [0.1, 0.0, 0.0], target }
}

#[test]
fn a_pulled_run_differs_and_is_repeated_identically() {
    let scene = load("rover.scene.yaml", 0.6);
    let root = scene.bodies[0].body.root().name.clone();
    let pull = |target| match pull(target) {
        HandAct::Pull { point, target, .. } => HandAct::Pull { link: root.clone(), point, target },
        other => other,
    };
    let straight = run_through(&scene, |_, _| {});
    let out = tempfile::tempdir().unwrap();
    let (mut app, entities) = recording(&scene, out.path());
    app.insert_resource(Timeline::default());
    begin(app.world_mut());
    let world = app.world_mut();
    run_steps(world, 100);
    remember(world);
    lay_hand(world, entities[0], pull([0.5, 0.5, 0.4]));
    run_steps(world, 50);
    lay_hand(world, entities[0], pull([0.6, 0.6, 0.4]));
    run_steps(world, 50);
    // Return to an earlier step, and repeat the interaction.
    seek(world, 100);
    run(world, Speed::Unlimited);
    lay_hand(world, entities[0], pull([0.0, 0.8, 0.5]));
    run_steps(world, 80);
    lay_hand(world, entities[0], HandAct::LetGo);
    run_steps(world, u64::MAX);
    let notes = world.resource::<HandNotes>().0.clone();
    let steps: Vec<u64> = notes.iter().map(|note| note.step).collect();
    assert_eq!(steps, [100, 180], "{notes:?}");
    let by_hand = finish(&scene, world, &entities, out.path());
    assert!(by_hand != straight, "the hand did nothing");
    let text = serde_json::to_string(&notes).unwrap();
    let script = serde_json::from_str::<Vec<_>>(&text).unwrap();
    let again = run_through(&scene, |world, _| world.insert_resource(HandScript(script.into())));
    assert_same(&again, &by_hand);
}

#[test]
fn invalid_interactions_have_no_effect() {
    let scene = load("falling_box.scene.yaml", 0.1);
    let straight = run_through(&scene, |_, _| {});
    let found = run_through(&scene, |world, entities| {
        lay_hand(world, entities[0], pull([0.0, 0.0, f64::NAN]));
        lay_hand(world, entities[0], HandAct::Target { joint: "ELBOW".to_owned(), displacement: 1.0 });
        lay_hand(world, Entity::PLACEHOLDER, HandAct::LetGo);
        assert!(world.resource::<HandNotes>().0.is_empty());
    });
    assert_same(&found, &straight);
}

#[test]
fn moving_adding_and_removing_bodies_is_repeated() {
    for joints in [JointSolver::Impulse, JointSolver::Multibody] {
        come_and_go(joints);
    }
}

fn come_and_go(joints: JointSolver) {
    let mut scene = load("falling_box.scene.yaml", 0.8);
    scene.parameters.joints = joints;
    let straight = run_through(&scene, |_, _| {});
    let out = tempfile::tempdir().unwrap();
    let (mut app, entities) = recording(&scene, out.path());
    app.insert_resource(Timeline::default());
    let world = app.world_mut();
    begin(world);
    run_steps(world, 100);
    let moved = scene.bodies.iter().position(|body| !body.body.is_fixed()).unwrap();
    let translation = [0.4, -0.3, 0.9];
    change(world, |world| {
        lay_hand(world, entities[moved], HandAct::Place { translation, rpy: [0.0, 0.0, 0.5] });
    });
    run_steps(world, 1);
    let put = world.get::<BodyState>(entities[moved]).unwrap().link_poses[0];
    // It has fallen for a step.
    assert!((put.translation.vector - nalgebra::Vector3::from(translation)).norm() < 2e-5, "{put}");
    run_steps(world, 99);
    let fallen = world.get::<BodyState>(entities[moved]).unwrap().link_poses[0].translation.z;
    let expected = 0.9 - 9.80665 / 2.0 * 0.1_f64.powi(2);
    assert!((fallen - expected).abs() < 2e-3, "{fallen} instead of {expected}: it falls from where it was put");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/box.body");
    let brought = bring_body(world, "Stone", file.clone(), [0.0, 0.0, 1.5]).unwrap();
    assert!(bring_body(world, "Stone", file, [0.0, 0.0, 1.5]).unwrap_err().contains("already"));
    assert!(bring_body(world, "None", "nowhere.body".into(), [0.0; 3]).is_err());
    run_steps(world, 200);
    assert!(world.get::<BodyState>(brought).unwrap().link_poses[0].translation.z < 1.4, "it falls");
    lay_hand(world, brought, HandAct::Take);
    run_steps(world, u64::MAX);
    assert!(world.get_entity(brought).is_err());
    let notes = world.resource::<HandNotes>().0.clone();
    assert_eq!(notes.iter().map(|note| note.step).collect::<Vec<_>>(), [100, 200, 400], "{notes:?}");
    let by_hand = finish(&scene, world, &entities, out.path());
    assert!(by_hand != straight, "the hand did nothing");
    let text = serde_json::to_string(&notes).unwrap();
    let script = serde_json::from_str::<Vec<_>>(&text).unwrap();
    let again = run_through(&scene, |world, _| world.insert_resource(HandScript(script.into())));
    assert_same(&again, &by_hand);
}

#[test]
fn an_interaction_at_an_earlier_step_changes_the_later_ones_and_is_kept() {
    let scene = load("rover.scene.yaml", 0.4);
    let out = tempfile::tempdir().unwrap();
    let (mut app, entities) = recording(&scene, out.path());
    app.insert_resource(Timeline::default());
    let world = app.world_mut();
    begin(world);
    for _ in 0..4 {
        run_steps(world, 50);
        remember(world);
    }
    seek(world, 100);
    let link = scene.bodies[0].body.root().name.clone();
    let act = HandAct::Pull { link, point: [0.0; 3], target: [0.5, 0.5, 0.6] };
    change(world, |world| lay_hand(world, entities[0], act));
    // Return once more, and continue from there.
    seek(world, 50);
    seek(world, 100);
    run(world, Speed::Unlimited);
    run_steps(world, u64::MAX);
    let notes = world.resource::<HandNotes>().0.clone();
    assert_eq!(notes.iter().map(|note| note.step).collect::<Vec<_>>(), [100], "{notes:?}");
    let by_hand = finish(&scene, world, &entities, out.path());
    let again = run_through(&scene, |world, _| world.insert_resource(HandScript(notes.into())));
    assert_same(&again, &by_hand);
}
