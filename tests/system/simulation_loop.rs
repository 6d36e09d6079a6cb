//! The simulation loop: the same result at every pace, and no ambiguity between systems.

use std::path::Path;

use bevy::prelude::*;
use bunraku::document::Reporter;
use bunraku::prelude::*;
use bunraku::scene::SceneOptions;
use bunraku::simulation::{FailOnPanic, SimulationStart, SimulationStatus, run_steps};

fn app(scene: &Scene) -> (App, Vec<Entity>) {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.insert_resource(Pace::Unpaced);
    let entities = scene.spawn(app.world_mut());
    (app, entities)
}

fn load(name: &str) -> Scene {
    let reporter = Reporter::strict();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes").join(name);
    Scene::load(&path, &SceneOptions::default(), &reporter).unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()))
}

fn is_over(app: &App) -> bool {
    !matches!(app.world().resource::<SimulationStatus>(), SimulationStatus::Ready | SimulationStatus::Running)
}

fn finish(app: &mut App) {
    while !is_over(app) {
        app.update();
    }
    assert_eq!(*app.world().resource::<SimulationStatus>(), SimulationStatus::Finished);
}

/// The state after the whole scene, at a pace that is set before each update.
fn final_state(scene: &Scene, pace: impl Fn(u64) -> Pace) -> BodyState {
    let (mut app, entities) = app(scene);
    let mut updates = 0;
    while !is_over(&app) {
        app.insert_resource(pace(updates));
        app.update();
        updates += 1;
    }
    assert_eq!(*app.world().resource::<SimulationStatus>(), SimulationStatus::Finished);
    app.world().get::<BodyState>(entities[0]).unwrap().clone()
}

#[test]
fn the_pace_changes_nothing() {
    // Entities move between updates; if that affected the physics, the results would differ.
    for name in ["falling_box.scene.yaml", "pendulum.scene.yaml", "rover.scene.yaml"] {
        let scene = load(name);
        let unpaced = final_state(&scene, |_| Pace::Unpaced);
        for steps in [1, 16, 1000] {
            assert_eq!(final_state(&scene, |_| Pace::Steps(steps)), unpaced, "{name}, {steps} steps an update");
        }
    }
    // By the wall clock, with pauses in between.
    let scene = load("falling_box.scene.yaml");
    let unpaced = final_state(&scene, |_| Pace::Unpaced);
    for speed in [0.25, 1.0, 8.0] {
        let paced = |update: u64| if update % 3 == 2 { Pace::Paused } else { Pace::RealTime { speed } };
        assert_eq!(final_state(&scene, paced), unpaced, "at {speed}");
    }
}

#[test]
fn two_apps_in_one_process_do_not_disturb_each_other() {
    let scene = load("rover.scene.yaml");
    let (mut first, entities) = app(&scene);
    let (mut second, _) = app(&scene);
    while *second.world().resource::<SimulationStatus>() != SimulationStatus::Finished {
        second.update();
        first.update();
    }
    finish(&mut first);
    assert_eq!(*first.world().get::<BodyState>(entities[0]).unwrap(), final_state(&scene, |_| Pace::Unpaced));
}

#[test]
fn schedules_contain_no_ambiguity() {
    // Both schedules treat ambiguity as an error, so building them is the test.
    let (mut app, _) = app(&load("falling_box.scene.yaml"));
    app.world_mut().schedule_scope(SimulationStep, |world, schedule| schedule.initialize(world).unwrap());
    app.world_mut().schedule_scope(SimulationStart, |world, schedule| schedule.initialize(world).unwrap());
}

#[test]
#[should_panic(expected = "indeterminate execution order")]
fn an_ambiguous_system_is_an_error() {
    fn push(mut efforts: Query<&mut JointEfforts>) {
        for mut efforts in &mut efforts {
            efforts.0.fill(0.0);
        }
    }
    fn pull(mut efforts: Query<&mut JointEfforts>) {
        for mut efforts in &mut efforts {
            efforts.0.fill(1.0);
        }
    }
    let (mut app, _) = app(&load("falling_box.scene.yaml"));
    app.add_systems(SimulationStep, (push, pull).in_set(SimulationSystems::Control));
    app.update();
}

#[test]
fn a_users_controller_needs_no_ordering() {
    fn twist(clock: Res<SimulationClock>, mut bodies: Query<(&BodyState, &mut JointEfforts)>) {
        for (state, mut efforts) in &mut bodies {
            for (effort, displacement) in efforts.0.iter_mut().zip(&state.displacements) {
                *effort = clock.time() - displacement;
            }
        }
    }
    let scene = load("pendulum.scene.yaml");
    let (mut app, entities) = app(&scene);
    app.add_systems(SimulationStep, twist.in_set(SimulationSystems::Control));
    finish(&mut app);
    assert_ne!(*app.world().get::<BodyState>(entities[0]).unwrap(), final_state(&scene, |_| Pace::Unpaced));
}

#[test]
fn link_entities_have_the_poses_of_the_state() {
    let (mut app, entities) = app(&load("pendulum.scene.yaml"));
    finish(&mut app);
    app.update();
    let world = app.world();
    let state = world.get::<BodyState>(entities[0]).unwrap();
    let links = world.get::<BodyLinks>(entities[0]).unwrap();
    for (pose, link) in state.link_poses.iter().zip(links.iter()) {
        let place = world.get::<GlobalTransform>(link).unwrap().translation();
        let expected = pose.translation.vector;
        let error = (f64::from(place.x) - expected.x).abs() + (f64::from(place.z) - expected.z).abs();
        assert!(error < 1e-6, "{place} instead of {expected}");
    }
}

/// Panics once, in the middle of a step.
#[derive(Resource)]
struct BreaksDown(bool);

fn break_down(clock: Res<SimulationClock>, mut breaks: ResMut<BreaksDown>) {
    if clock.step() == 100 && std::mem::take(&mut breaks.0) {
        panic!("the gripper is\nupside down");
    }
}

#[test]
fn a_panic_in_a_step_ends_the_run_if_requested_and_an_earlier_step_can_be_restored() {
    let scene = load("rover.scene.yaml");
    let broken = |is_caught: bool| {
        let (mut app, entities) = app(&scene);
        app.insert_resource(BreaksDown(true))
            .add_systems(SimulationStep, break_down.in_set(SimulationSystems::Control));
        if is_caught {
            app.init_resource::<FailOnPanic>();
        }
        (app, entities)
    };
    let (mut app, entities) = broken(true);
    run_steps(app.world_mut(), 60);
    let before = SimulationSnapshot::take(app.world_mut()).unwrap();
    run_steps(app.world_mut(), 500);
    let SimulationStatus::Failed(fault) = app.world().resource::<SimulationStatus>().clone() else {
        panic!("it failed")
    };
    assert_eq!(fault.message, "a system of the step panicked: the gripper is upside down");
    assert_eq!(app.world().resource::<SimulationClock>().step(), 100);
    before.restore(app.world_mut()).unwrap();
    finish(&mut app);
    let again = app.world().get::<BodyState>(entities[0]).unwrap().clone();
    assert_eq!(again, final_state(&scene, |_| Pace::Unpaced), "all systems of a step go on");
    // Without `FailOnPanic` the panic propagates to the caller.
    let (mut app, _) = broken(false);
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run_steps(app.world_mut(), 500)));
    assert!(unwound.is_err());
}
