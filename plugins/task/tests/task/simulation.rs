//! Tasks on our arm in a running simulation: kinematic and dynamic, paused, stepped, stopped, and restored.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{Actuation, Body, BodyPlugin, BodyState, Drive, JointActuation, spawn_body};
use bunraku_control::ControlPlugin;
use bunraku_motion::MotionPlugin;
use bunraku_physics::{ExtraJointBetween, JointSolver, PhysicsParameters, PhysicsPlugin};
use bunraku_simulation::{
    Pace, SimulationClock, SimulationPlugin, SimulationSnapshot, SimulationStatus, SimulationWarnings, run_steps,
    unregistered_state,
};
use bunraku_task::designer::{Pattern, design};
use bunraku_task::execution::{Event, Limits, Status};
use bunraku_task::model::{Frame, ModelName, ParameterValue, StateId, Task};
use bunraku_task::{Control, TaskEnded, TaskEvent, TaskPlugin, TaskRun};
use nalgebra::Isometry3;

use crate::arms::{assets, body};
use crate::execution::arm;

const TIME_STEP: f64 = 0.002;

/// Recorded events.
#[derive(Resource, Default)]
struct Recorded(Vec<Event>, Vec<Option<String>>);

/// The arm on its table, with a block as the object of the task.
struct Bench {
    app: App,
    robot: Entity,
    block: Entity,
}

impl Bench {
    fn new(task: Task, drives: [Drive; 2], joints: JointSolver) -> Self {
        let mut app = App::new();
        let parameters = PhysicsParameters { joints, ..default() };
        app.add_plugins((
            MinimalPlugins,
            TransformPlugin,
            SimulationPlugin { time_step: TIME_STEP, pace: Pace::Paused },
            BodyPlugin,
            MotionPlugin,
            PhysicsPlugin { parameters },
            ControlPlugin,
            TaskPlugin,
        ));
        app.init_resource::<Recorded>();
        app.add_observer(|recorded: On<TaskEvent>, mut all: ResMut<Recorded>| all.0.push(recorded.event.clone()));
        app.add_observer(|ended: On<TaskEnded>, mut all: ResMut<Recorded>| all.1.push(ended.failure.clone()));
        app.update();
        let world = app.world_mut();
        let setup = arm();
        let spawn = |world: &mut World, model: &Arc<Body>, state: BodyState, drive: Drive| {
            let entity = spawn_body(&mut world.commands(), Arc::clone(model), state, drive);
            world.flush();
            entity
        };
        let table = Arc::new(body(&assets("models/table.body")));
        let state = BodyState::initial(&table);
        spawn(world, &table, state, Drive::Static);
        let state = BodyState::at_rest(&setup.body, &setup.root, setup.initial.clone());
        let robot = spawn(world, &setup.body, state, drives[0]);
        let servo = Actuation::Displacement { stiffness: 2e5, damping: 2e3 };
        world.entity_mut(robot).insert(JointActuation::all(&setup.body, servo));
        let model = Arc::new(body(&assets("models/block.body")));
        let name = ModelName::from("picked_obj");
        let state = BodyState::at_rest(&model, &task.model(&name).unwrap().pose.to_isometry(), Vec::new());
        let block = spawn(world, &model, state, drives[1]);
        let bodies = BTreeMap::from([(name, block)]);
        world.entity_mut(robot).insert(TaskRun::new(task, setup, bodies, Limits::default()));
        Self { app, robot, block }
    }

    fn steps(&mut self, steps: u64) {
        run_steps(self.app.world_mut(), steps);
        let status = self.app.world().resource::<SimulationStatus>();
        assert_eq!(*status, SimulationStatus::Running);
    }

    fn run(&mut self) -> &TaskRun {
        self.app.world().get::<TaskRun>(self.robot).unwrap()
    }

    fn control(&mut self, control: Control) {
        self.app.world_mut().get_mut::<TaskRun>(self.robot).unwrap().set_control(control);
    }

    fn state(&self, entity: Entity) -> &BodyState {
        self.app.world().get(entity).unwrap()
    }

    fn time(&self) -> f64 {
        self.app.world().resource::<SimulationClock>().time()
    }

    /// Runs the task to its end.
    fn finish(&mut self) -> &Status {
        while matches!(self.run().execution().status(), Status::Running) {
            assert!(self.time() < 30.0, "it does not end");
            self.steps(50);
        }
        self.run().execution().status()
    }

    fn joints(&mut self) -> usize {
        let world = self.app.world_mut();
        world.query::<&ExtraJointBetween>().iter(world).count()
    }
}

fn pick_place() -> Task {
    design(Pattern::PickPlace, "test", "")
}

/// Distance, m, and angle, degrees.
fn off(found: &Isometry3<f64>, expected: [f64; 6]) -> (f64, f64) {
    let expected = Frame(expected).to_isometry();
    let distance = (found.translation.vector - expected.translation.vector).norm();
    (distance, found.rotation.angle_to(&expected.rotation).to_degrees())
}

const PLACE: [f64; 6] = [0.4, -0.2, 0.84, 0.0, 0.0, 0.0];

#[test]
fn a_kinematic_robot_carries_the_block_exactly() {
    for block in [Drive::Motion, Drive::Physics] {
        let mut bench = Bench::new(pick_place(), [Drive::Motion, block], JointSolver::Multibody);
        assert!(matches!(bench.finish(), Status::Finished));
        let (distance, angle) = off(&bench.state(bench.block).link_poses[0], PLACE);
        println!("{block:?}: {:.4} mm, {angle:.4}°", distance * 1e3);
        let (nearest, straightest) = if block == Drive::Motion { (1e-6, 1e-4) } else { (2e-3, 0.5) };
        assert!(distance < nearest && angle < straightest, "{block:?}: {distance} m, {angle}°");
        let recorded = bench.app.world().resource::<Recorded>();
        assert_eq!(recorded.0.iter().filter(|event| matches!(event, Event::Started { .. })).count(), 10);
        assert_eq!(recorded.1, [None]);
    }
}

#[test]
fn a_dynamic_block_is_attached_by_a_joint() {
    // Impulse joints do not hold fingers of 50 g under such stiff servos, and report it.
    let mut bench = Bench::new(pick_place(), [Drive::Physics; 2], JointSolver::Multibody);
    let mut farthest = 0.0_f64;
    let mut held = 0;
    while matches!(bench.run().execution().status(), Status::Running) {
        bench.steps(10);
        if bench.joints() == 1 {
            let setup = arm();
            let tool = setup.tools[0].1.link.0;
            let grasp = Frame([0.0, 0.0, 0.18, 0.0, -90.0, 0.0]).to_isometry();
            let hand = bench.state(bench.robot).link_poses[tool] * grasp.inverse();
            let slip = hand.translation.vector - bench.state(bench.block).link_poses[0].translation.vector;
            farthest = farthest.max(slip.norm());
            held += 1;
        }
    }
    assert!(matches!(bench.finish(), Status::Finished), "{:?}", bench.run().execution().status());
    assert_eq!(bench.joints(), 0, "let go");
    bench.steps(200);
    let (distance, angle) = off(&bench.state(bench.block).link_poses[0], PLACE);
    println!("{:.3} mm, {angle:.3}°, in the hand within {:.3} mm", distance * 1e3, farthest * 1e3);
    assert!(held > 100 && farthest < 2e-3, "{held} looks, {farthest} m");
    assert!(distance < 5e-3 && angle < 1.0, "{distance} m, {angle}°");
}

/// A model without a body is carried, too, by either kind of robot.
#[test]
fn a_frame_without_a_body_is_carried() {
    for drive in [Drive::Motion, Drive::Physics] {
        let mut bench = Bench::new(pick_place(), [drive, Drive::Static], JointSolver::Multibody);
        // The block is elsewhere and belongs to no model.
        let setup = arm();
        bench.app.world_mut().despawn(bench.block);
        let run = TaskRun::new(pick_place(), setup, BTreeMap::new(), Limits::default());
        bench.app.world_mut().entity_mut(bench.robot).insert(run);
        assert!(matches!(bench.finish(), Status::Finished));
        let found = bench.run().frames()[&ModelName::from("picked_obj")];
        let (distance, angle) = off(&found, PLACE);
        println!("{drive:?}: {:.3} mm, {angle:.3}°", distance * 1e3);
        let nearest = if drive == Drive::Motion { 1e-6 } else { 2e-3 };
        assert!(distance < nearest && angle < 0.3, "{drive:?}: {distance} m, {angle}°");
    }
}

#[test]
fn a_run_pauses_between_commands_steps_and_stops() {
    let mut bench = Bench::new(pick_place(), [Drive::Motion; 2], JointSolver::Multibody);
    bench.control(Control::Pause);
    bench.steps(100);
    assert_eq!((bench.run().execution().current(), bench.time()), (None, 0.2));
    // The initial state, then the first command, which is finished.
    bench.control(Control::Step);
    bench.steps(1);
    assert_eq!((bench.run().execution().current(), bench.run().control()), (Some(StateId(1)), Control::Pause));
    bench.control(Control::Step);
    bench.steps(400);
    assert_eq!(bench.run().execution().current(), Some(StateId(2)));
    let opened = bench.state(bench.robot).displacements[6];
    assert!((opened - 0.04).abs() < 1e-9, "half of 80 mm: {opened}");
    let recorded = &bench.app.world().resource::<Recorded>().0;
    assert!(matches!(recorded[..], [Event::Started { .. }, Event::Ended { result: true, .. }]), "{recorded:?}");
    bench.control(Control::Run);
    bench.steps(200);
    assert_eq!(bench.run().execution().current(), Some(StateId(3)));
    bench.control(Control::Stop);
    bench.steps(1);
    let stopped = bench.state(bench.robot).displacements.clone();
    bench.steps(100);
    assert_eq!(bench.state(bench.robot).displacements, stopped);
    assert_eq!(bench.state(bench.robot).velocities, [0.0; 8]);
    assert!(matches!(bench.run().execution().status(), Status::Failed(error) if error.code == "aborted"));
    assert_eq!(bench.app.world().resource::<Recorded>().1, [Some("task `test` was stopped".to_owned())]);
}

/// Attached models are detached when the task is stopped.
#[test]
fn stopping_lets_the_block_fall() {
    let mut bench = Bench::new(pick_place(), [Drive::Physics; 2], JointSolver::Multibody);
    while bench.run().execution().current() != Some(StateId(7)) {
        bench.steps(10);
    }
    bench.steps(100);
    assert_eq!(bench.joints(), 1);
    let lifted = bench.state(bench.block).link_poses[0].translation.z;
    bench.control(Control::Stop);
    bench.steps(2);
    assert_eq!(bench.joints(), 0);
    assert!(lifted > 0.88, "{lifted}");
}

/// Models are also detached when the task is replaced or the robot is despawned.
#[test]
fn models_are_detached_with_their_task() {
    for robot_goes in [false, true] {
        let mut bench = Bench::new(pick_place(), [Drive::Physics; 2], JointSolver::Multibody);
        bench.steps(1300);
        assert_eq!(bench.joints(), 1);
        let bodies = bench.run().bodies().clone();
        let mut robot = bench.app.world_mut().entity_mut(bench.robot);
        if robot_goes {
            robot.despawn();
        } else {
            robot.insert(TaskRun::new(pick_place(), arm(), bodies, Limits::default()));
        }
        bench.app.world_mut().flush();
        assert_eq!(bench.joints(), 0);
        bench.steps(10);
    }
}

#[test]
fn a_task_for_another_robot_is_reported_and_does_nothing() {
    let mut bench = Bench::new(pick_place(), [Drive::Physics; 2], JointSolver::Multibody);
    let run = bench.app.world_mut().entity_mut(bench.robot).take::<TaskRun>().unwrap();
    bench.app.world_mut().entity_mut(bench.block).insert(run);
    bench.steps(10);
    let warnings = bench.app.world().resource::<SimulationWarnings>().as_slice();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].message.contains("its robot is `Arm`"), "{warnings:?}");
}

/// From a snapshot on, everything repeats bit for bit, whatever was attached or detached since.
#[test]
fn snapshots_restore_any_moment_of_a_task() {
    for (drive, solver) in [(Drive::Motion, JointSolver::Multibody), (Drive::Physics, JointSolver::Multibody)] {
        let mut bench = Bench::new(pick_place(), [drive; 2], solver);
        let mut snapshots = Vec::new();
        let mut states = Vec::new();
        // Before attaching, shortly before detaching, at rest again, and after the end.
        for _ in 0..4 {
            bench.steps(1000);
            snapshots.push(SimulationSnapshot::take(bench.app.world_mut()).unwrap());
            bench.steps(500);
            states.push((bench.state(bench.robot).clone(), bench.state(bench.block).clone(), bench.joints()));
            bench.steps(200);
        }
        let attached: Vec<usize> = states.iter().map(|state| state.2).collect();
        let expected = if drive == Drive::Motion { [0; 4] } else { [1, 0, 0, 0] };
        assert_eq!(attached, expected, "{drive:?}");
        for index in [1, 0, 3, 1, 2, 0] {
            snapshots[index].restore(bench.app.world_mut()).unwrap();
            run_steps(bench.app.world_mut(), 500);
            let found = (bench.state(bench.robot).clone(), bench.state(bench.block).clone(), bench.joints());
            assert!(found == states[index], "{drive:?}, snapshot {index}: {:?}\n{:?}", found.1, states[index].1);
        }
    }
}

#[test]
fn with_impulse_joints_a_snapshot_across_an_attachment_is_refused() {
    let mut bench = Bench::new(pick_place(), [Drive::Motion, Drive::Physics], JointSolver::Impulse);
    bench.steps(500);
    let snapshot = SimulationSnapshot::take(bench.app.world_mut()).unwrap();
    bench.steps(300);
    let then = bench.state(bench.robot).clone();
    snapshot.restore(bench.app.world_mut()).unwrap();
    bench.steps(300);
    assert!(*bench.state(bench.robot) == then);
    bench.steps(1200);
    assert_eq!(bench.joints(), 1);
    let message = snapshot.restore(bench.app.world_mut()).unwrap_err().to_string();
    assert!(message.contains("attached or let go a model"), "{message}");
}

#[test]
fn everything_that_tasks_change_is_registered() {
    let mut bench = Bench::new(pick_place(), [Drive::Physics; 2], JointSolver::Multibody);
    let unknown = unregistered_state(bench.app.world_mut());
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// An obstacle to the hand makes a move fail with the remaining error.
#[test]
fn a_blocked_robot_reports_the_remaining_error() {
    let mut task = pick_place();
    // A target inside the table.
    let place = ParameterValue::Frame(Frame([0.4, -0.2, 0.75, 0.0, 0.0, 0.0]));
    assert!(task.set_parameter(&"placeF".into(), place));
    let mut bench = Bench::new(task, [Drive::Physics; 2], JointSolver::Multibody);
    // A weak arm, so that the table is not dented.
    let servo = Actuation::Displacement { stiffness: 2e4, damping: 500.0 };
    let weak = JointActuation::all(&arm().body, servo);
    bench.app.world_mut().entity_mut(bench.robot).insert(weak);
    let Status::Failed(error) = bench.finish().clone() else { panic!("it went into the table") };
    assert!(error.message.contains("the target is missed by "), "{}", error.message);
}

#[test]
fn a_static_model_cannot_be_attached() {
    let mut bench = Bench::new(pick_place(), [Drive::Motion, Drive::Static], JointSolver::Multibody);
    let Status::Failed(error) = bench.finish() else { panic!("it was attached") };
    assert_eq!(
        (error.code, error.help.as_deref()),
        ("attach-failed", Some("leave `drive: static` of the body out of the scene"))
    );
    assert!(error.message.ends_with("cannot attach `picked_obj` to tool 0: its body is static"), "{}", error.message);
}

#[test]
fn each_irregular_command_is_a_warning_of_the_simulation() {
    let mut task = pick_place();
    bunraku_task::adjust(&mut task, "finger_interval", "2").unwrap();
    let mut bench = Bench::new(task, [Drive::Motion; 2], JointSolver::Multibody);
    assert!(matches!(bench.finish(), Status::Finished));
    let warnings = bench.app.world().resource::<SimulationWarnings>().as_slice();
    let messages: Vec<&str> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    let range = "is out of the gripper's range; it goes to 0.1 m";
    let expected = [(2, "2.04"), (5, "2"), (9, "2.04")]
        .map(|(state, width)| format!("task `test`, state {state}: the width {width} m {range}"));
    assert_eq!(messages, expected);
}
