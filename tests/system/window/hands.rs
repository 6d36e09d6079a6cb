//! Hands change a run, and the run can be repeated with them.

use bevy::prelude::*;
use bunraku::control::{HandAct, HandNotes, HandScript, lay_hand};
use bunraku::prelude::*;
use bunraku_viewer::timeline::{Timeline, begin, remember, run, seek};
use bunraku_viewer::view::Speed;

use super::{assert_same, finish, load, recording, run_through};

fn pull(target: [f64; 3]) -> HandAct {
    HandAct::Pull { link: "CHASSIS".to_owned(), point: [0.1, 0.0, 0.0], target }
}

#[test]
fn a_pulled_run_is_another_one_and_comes_out_the_same_again() {
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
    // That was a mistake: back, and once more.
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
fn hands_that_hold_nothing_do_nothing() {
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
