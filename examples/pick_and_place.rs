//! A task: the arm picks a block up and puts it down elsewhere, moved by forces.
//!
//! Look at: `TaskRun` runs a task file on the arm. It sets the targets of the joints, and servos move the joints there;
//! an attached object is held by a joint. `TaskEvent` reports events of the task. From a snapshot taken during the
//! task, the run continues in the same way.
//!
//! `cargo run --example pick_and_place`
#![allow(clippy::print_stdout)]

mod common;

use std::collections::BTreeMap;

use bevy::prelude::*;
use bunraku::prelude::*;
use bunraku::task::execution::{Limits, Status};
use bunraku::task::model::{Frame, ModelName};
use bunraku::task::robot::{RobotSetup, load_mapping};
use bunraku::task::verbs::choose;
use common::{Failure, asset, check, findings, model, spawn, spawn_as, spawn_at, state};

fn main() -> Result<(), Failure> {
    let mut app = App::new();
    let parameters = PhysicsParameters { joints: JointSolver::Multibody, ..default() };
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins.set(PhysicsPlugin { parameters }), TaskPlugin));
    app.add_observer(|event: On<TaskEvent>| println!("{}", event.event));
    let world = common::start(&mut app);

    // The robot mapping says which links and joints of the arm the numbers and words of tasks refer to.
    let reporter = Reporter::new();
    let mapping = load_mapping(&asset("tasks/arm.robot.yaml"), &reporter);
    let arm = model("arm.body")?;
    let setup = mapping.and_then(|mapping| RobotSetup::new(arm.clone(), &mapping, &reporter));
    let task = choose(&asset("tasks/pick_place.yaml"), None, &reporter);
    let (Some(setup), Some(task)) = (setup, task) else { return Err(findings(reporter)) };

    spawn(world, &model("table.body")?, Drive::Static);
    let robot = spawn_as(world, &arm, BodyState::at_rest(&arm, &setup.root, setup.initial.clone()), Drive::Physics);
    let servo = Actuation::Displacement { stiffness: 2e5, damping: 2e3 };
    world.entity_mut(robot).insert(JointActuation::all(&arm, servo));
    let object = ModelName::from("picked_obj");
    let start = task.model(&object).ok_or("the task has no such model")?.pose.to_isometry();
    let block = spawn_at(world, &model("block.body")?, start, Drive::Physics);
    world.entity_mut(robot).insert(TaskRun::new(
        task,
        setup.into(),
        BTreeMap::from([(object, block)]),
        Limits::default(),
    ));

    // During the descent to the block.
    run_steps(world, 1800);
    let snapshot = SimulationSnapshot::take(world)?;
    run_steps(world, 300);
    let first = state(world, robot)?.clone();
    snapshot.restore(world)?;
    run_steps(world, 300);
    check(*state(world, robot)? == first, "it went another way")?;

    while world.get::<TaskRun>(robot).is_some_and(|run| matches!(run.execution().status(), Status::Running)) {
        run_steps(world, 100);
    }
    let found = Frame::of_isometry(&state(world, block)?.link_poses[0]).0;
    let placed = [0.4, -0.2, 0.84];
    let off = found.iter().zip(placed).map(|(found, placed)| (found - placed).powi(2)).sum::<f64>().sqrt();
    println!("the block is {:.2} mm from where it should be", off * 1e3);
    check(off < 0.01, format!("it is at {found:?}"))
}
