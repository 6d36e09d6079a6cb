//! A task: the arm picks a block up and puts it down elsewhere, moved by forces.
//!
//! Look at: `TaskRun` runs a task file on the arm. It sets the targets of the joints, and servos move the joints there;
//! an attached object is held by a joint. `TaskEvent` reports events of the task. From a snapshot taken during the
//! task, the run continues in the same way.
//!
//! `cargo run --example pick_and_place`
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::Path;

use bevy::prelude::*;
use bunraku::body::ToBevy;
use bunraku::document::Reporter;
use bunraku::prelude::*;
use bunraku::task::execution::{Limits, Status};
use bunraku::task::model::{Frame, ModelName};
use bunraku::task::robot::{RobotSetup, load_mapping};
use bunraku::task::verbs::choose;
use bunraku::task::{TaskEvent, TaskPlugin, TaskRun};

fn main() -> Result {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins, TaskPlugin));
    app.add_observer(|event: On<TaskEvent>| println!("{}", event.event));

    // The robot mapping says which links and joints of the arm the numbers and words of tasks refer to.
    let [mapping, task] = ["assets/tasks/arm.robot.yaml", "assets/tasks/pick_place.yaml"].map(Path::new);
    let arm = BodyModel::open("assets/models/arm.body")?;
    let reporter = Reporter::new();
    let setup =
        load_mapping(mapping, &reporter).and_then(|mapping| RobotSetup::new(arm.0.clone(), &mapping, &reporter));
    let setup = setup.ok_or_else(|| reporter.into_error(mapping))?;
    let reporter = Reporter::new();
    let task = choose(task, None, &reporter).ok_or_else(|| reporter.into_error(task.as_ref()))?;

    let world = app.world_mut();
    world.spawn((BodyModel::open("assets/models/table.body")?, Drive::Static));
    let object = ModelName::from("picked_obj");
    let start = task.model(&object).ok_or("the task has no such model")?.pose.to_isometry().to_bevy();
    let block = world.spawn((BodyModel::open("assets/models/block.body")?, start)).id();
    let state = BodyState::at_rest(&arm.0, &setup.root, setup.initial.clone());
    let servos = JointActuation::all(&arm.0, Actuation::Displacement { stiffness: 2e5, damping: 2e3 });
    let run = TaskRun::new(task, setup.into(), BTreeMap::from([(object, block)]), Limits::default());
    let robot = world.spawn((arm, state, servos, run)).id();

    // During the descent to the block.
    app.run_steps(1800);
    let snapshot = SimulationSnapshot::take(app.world_mut())?;
    let after = |app: &mut App| app.run_steps(300).world().get::<BodyState>(robot).cloned();
    let first = after(&mut app);
    snapshot.restore(app.world_mut())?;
    assert_eq!(first, after(&mut app));

    let is_running = |run: &TaskRun| matches!(run.execution().status(), Status::Running);
    while app.world().get::<TaskRun>(robot).is_some_and(is_running) {
        app.run_steps(100);
    }
    let found = Frame::of_isometry(&app.world().get::<BodyState>(block).ok_or("no block")?.link_poses[0]).0;
    let placed = [0.4, -0.2, 0.84];
    let off = found.iter().zip(placed).map(|(found, placed)| (found - placed).powi(2)).sum::<f64>().sqrt();
    println!("the block is {:.2} mm from where it should be", off * 1e3);
    assert!(off < 0.01, "it is at {found:?}");
    Ok(())
}
