//! The state machine on our arm: both branches of decisions, merges, loops, limits, attaching, failures.

use std::sync::Arc;

use bunraku_document::Reporter;
use bunraku_task::execution::{Event, Execution, Limits, Status, run};
use bunraku_task::expression::Value;
use bunraku_task::model::{Frame, ModelName, ParameterName, ParameterValue, StateId, Task, ToolId};
use bunraku_task::robot::{KinematicRobot, Progress, Robot, RobotSetup, TIME_STEP, load_mapping};
use bunraku_task::variables::{ModelPoses, Variables};

use crate::arms::assets;
use crate::common::{findings, read};

/// A rotation has several angle triples; those of the file are used until the model has moved, as in the original.
#[test]
fn an_unmoved_model_has_the_angles_of_the_file() {
    let text = r#"- taskName: "angles"
  models:
  - { name: m, master_name: M, type: Work, pos: [ 0, 0, 0, 270, 100, 400 ] }
  - { name: k, master_name: M, type: Work, pos: [ 0.4, 0.2, 0.872, 10, 90, 20 ] }
  states: [ { id: 1, type: 1, pos: [0, 0] }, { id: 2, type: 2, pos: [0, 0] } ]
  transitions: [ { source_id: 1, target_id: 2 } ]
  parameters: [ { name: f, disp_name: f, param_type: 3, values: [ 0, 0, 0, 0, 0, 0 ], model_name: k } ]
  model_master: [ { name: M, file_name: "" } ]
"#;
    let task = read(text).remove(0);
    let mut robot = KinematicRobot::new(arm(), &task);
    let angles = |robot: &KinematicRobot, name: &str| match Variables::new(&task).value_of(name, robot) {
        Ok(Value::Vector6(frame)) => [frame[3], frame[4], frame[5]],
        other => panic!("{other:?}"),
    };
    assert_eq!(angles(&robot, "m"), [270.0, 100.0, 400.0]);
    assert_eq!(angles(&robot, "k"), [10.0, 90.0, 20.0]);
    assert_eq!(angles(&robot, "f"), [10.0, 90.0, 20.0], "bound to it");
    robot.place(&ModelName::from("k"), Frame([0.4, 0.2, 0.9, 10.0, 90.0, 20.0]).to_isometry());
    let moved = angles(&robot, "k");
    assert!((moved[0] + 10.0).abs() < 1e-6 && (moved[1] - 90.0).abs() < 1e-6 && moved[2] == 0.0, "{moved:?}");
}

/// Our arm on its table.
pub fn arm() -> Arc<RobotSetup> {
    let reporter = Reporter::new();
    let mapping = load_mapping(&assets("tasks/arm.robot.yaml"), &reporter).unwrap();
    let setup = RobotSetup::new(
        Arc::new(mapping.body.load(&bunraku_body::LoadOptions::default(), &reporter).unwrap()),
        &mapping,
        &reporter,
    )
    .unwrap();
    assert_eq!(reporter.into_diagnostics().len(), 0);
    Arc::new(setup)
}

/// A task with these states and transitions, each indented by two, with a parameter `w` of 0 and a model `cup`.
fn task(states: &str, transitions: &str) -> Task {
    let text = format!(
        r#"- taskName: "test"
  models: [ {{ name: cup, master_name: CUP, type: Work, pos: [0.4, 0.2, 0.872, 0, 0, 0] }} ]
  states:
{states}
  transitions:
{transitions}
  parameters:
  - {{ param_type: 2, name: w, disp_name: w, values: 0 }}
  - {{ param_type: 1, name: hand, disp_name: hand, values: 0 }}
  model_master: [ {{ name: CUP, file_name: "" }} ]
"#
    );
    let errors: Vec<String> = findings(&text)
        .iter()
        .filter(|found| found.severity == bunraku_document::Severity::Error)
        .map(ToString::to_string)
        .collect();
    assert_eq!(errors, Vec::<String>::new());
    read(&text).remove(0)
}

/// Result of a task on our arm: the events, and the error.
fn outcome(task: &Task, limits: Limits) -> (Vec<Event>, Option<String>, KinematicRobot) {
    let mut robot = KinematicRobot::new(arm(), task);
    let mut events = Vec::new();
    let error = run(task.clone(), limits, &mut robot, &mut events).err().map(|error| error.to_string());
    (events, error, robot)
}

fn commands(events: &[Event]) -> Vec<i32> {
    let state = |event: &Event| match event {
        Event::Started { state, .. } => Some(state.0),
        _ => None,
    };
    events.iter().filter_map(state).collect()
}

fn decisions(events: &[Event]) -> Vec<bool> {
    let result = |event: &Event| match event {
        Event::Decided { result, .. } => Some(*result),
        _ => None,
    };
    events.iter().filter_map(result).collect()
}

const GOOD: &str =
    "[ { name: xyz, value: '[0.4, 0.1, 1.1]' }, { name: rpy, value: '[0, -90, 0]' }, { name: tm, value: 1 } ]";
const FAR: &str =
    "[ { name: xyz, value: '[1.4, 0.1, 1.1]' }, { name: rpy, value: '[0, -90, 0]' }, { name: tm, value: 1 } ]";

/// Tries a pose, and if that fails another one; then both branches merge.
fn attempt(arguments: &str, condition: &str) -> Task {
    task(
        &format!(
            "  - {{ id: 10, type: 1, pos: [0, 0] }}
  - {{ id: 3, type: 5, pos: [0, 0], cmd_name: moveArm, disp_name: try, arguments: {arguments} }}
  - {{ id: 7, type: 3, pos: [0, 0], condition: \"{condition}\" }}
  - {{ id: 4, type: 5, pos: [0, 0], cmd_name: moveGripper, disp_name: a, arguments: [ {{ name: width, value: 0.02 }} ] }}
  - {{ id: 5, type: 5, pos: [0, 0], cmd_name: goInitial, disp_name: b, arguments: [] }}
  - {{ id: 6, type: 6, pos: [0, 0] }}
  - {{ id: 8, type: 5, pos: [0, 0], cmd_name: \"true\", disp_name: c, arguments: [] }}
  - {{ id: 9, type: 2, pos: [0, 0] }}"
        ),
        "  - { source_id: 10, target_id: 3 }
  - { source_id: 3, target_id: 7 }
  - { source_id: 7, target_id: 4 }
  - { source_id: 7, target_id: 5, source_index: 1 }
  - { source_id: 4, target_id: 6 }
  - { source_id: 5, target_id: 6 }
  - { source_id: 6, target_id: 8 }
  - { source_id: 8, target_id: 9 }",
    )
}

#[test]
fn a_decision_uses_the_last_result_and_both_branches_merge() {
    for condition in ["", "_RESULT", "_RESULT == 1 && w == 0"] {
        let (events, error, _) = outcome(&attempt(GOOD, condition), Limits::default());
        assert_eq!((commands(&events), decisions(&events), error), (vec![3, 4, 8], vec![true], None), "{condition}");
        let (events, error, _) = outcome(&attempt(FAR, condition), Limits::default());
        assert_eq!((commands(&events), decisions(&events), error), (vec![3, 5, 8], vec![false], None), "{condition}");
    }
}

#[test]
fn a_condition_overrides_the_result_of_the_command() {
    let (events, ..) = outcome(&attempt(GOOD, "w > 0.5"), Limits::default());
    assert_eq!(decisions(&events), [false]);
    let (events, ..) = outcome(&attempt(FAR, "w < 0.5"), Limits::default());
    assert_eq!(decisions(&events), [true]);
}

/// Opens the gripper by 10 mm in each round, until `condition` does not hold.
fn rounds(condition: &str) -> Task {
    task(
        &format!(
            "  - {{ id: 1, type: 1, pos: [0, 0] }}
  - {{ id: 2, type: 6, pos: [0, 0] }}
  - id: 3
    type: 5
    pos: [0, 0]
    cmd_name: moveGripperTest
    disp_name: open
    arguments:
    - {{ name: width, value: \"w + 0.01\" }}
    - {{ name: tm, value: 0.1 }}
    - {{ name: gripperID, value: hand }}
    - {{ name: result, value: w }}
  - {{ id: 4, type: 3, pos: [0, 0], condition: \"{condition}\" }}
  - {{ id: 5, type: 2, pos: [0, 0] }}"
        ),
        "  - { source_id: 1, target_id: 2 }
  - { source_id: 2, target_id: 3 }
  - { source_id: 3, target_id: 4 }
  - { source_id: 4, target_id: 2 }
  - { source_id: 4, target_id: 5, source_index: 1 }",
    )
}

#[test]
fn a_loop_runs_until_its_condition_fails() {
    let task = rounds("w < 0.045");
    let (events, error, robot) = outcome(&task, Limits::default());
    assert_eq!((commands(&events), error), (vec![3; 5], None));
    assert_eq!(decisions(&events), [true, true, true, true, false]);
    assert!((robot.time() - 0.5).abs() < 1e-9);
    let finger = robot.setup().body.find_joint("FINGER_L").unwrap();
    assert!((robot.displacements()[finger.0] - 0.025).abs() < 1e-12, "half of 50 mm");
    let mut execution = Execution::new(task, Limits::default());
    let mut robot = KinematicRobot::new(arm(), execution.task());
    while matches!(execution.advance(&mut robot, &mut Vec::new()), Status::Running) {}
    let w = &execution.task().parameter(&ParameterName::from("w")).unwrap().value;
    assert!(matches!(w, ParameterValue::Double(w) if (w - 0.05).abs() < 1e-12), "{w:?}");
}

#[test]
fn an_endless_loop_is_stopped() {
    let limits = Limits { states: 100, ..Limits::default() };
    let (events, error, _) = outcome(&rounds("w >= 0"), limits);
    assert_eq!(commands(&events).len(), 33, "three states a round, after the initial one");
    let error = error.unwrap();
    assert!(error.contains("error[endless-loop]: task `test` has entered 100 states and is in state 2"), "{error}");
    let (_, error, robot) = outcome(&rounds("w >= 0"), Limits { time: 2.0, ..Limits::default() });
    assert!(error.unwrap().contains("out-of-time"));
    assert!((1.9..2.2).contains(&robot.time()));
}

#[test]
fn a_failed_command_without_a_decision_ends_the_task_with_a_reason() {
    let text = attempt(FAR, "");
    let mut task = text.clone();
    task.transitions.retain(|way| way.source != StateId(3));
    let mut way = text.transitions[0].clone();
    (way.source, way.target) = (StateId(3), StateId(8));
    task.transitions.push(way);
    let (events, error, robot) = outcome(&task, Limits::default());
    assert_eq!(commands(&events), [3]);
    let error = error.unwrap();
    assert!(error.contains("task `test`, state 3 (`moveArm`): tool 0 does not reach ("), "{error}");
    assert!(error.contains(" mm and "), "{error}");
    assert_eq!(robot.displacements(), &*arm().initial, "nothing has moved");
    assert_eq!(robot.time(), 0.0);
}

/// Grips at the cup, moves 0.3 m to the right, releases, moves on.
#[test]
fn an_attached_model_follows_the_tool_until_it_is_detached() {
    let go = |y: f64| {
        format!(
            "[ {{ name: xyz, value: '[0.4, {y}, 1.052]' }}, {{ name: rpy, value: '[0, -90, 30]' }}, {{ name: tm, value: 0.5 }} ]"
        )
    };
    let action = |kind: &str| format!("model_actions: [ {{ action: {kind}, model: cup, target: hand }} ]");
    let states = format!(
        "  - {{ id: 1, type: 1, pos: [0, 0] }}
  - {{ id: 2, type: 5, pos: [0, 0], cmd_name: moveArm, disp_name: a, arguments: {}, {} }}
  - {{ id: 3, type: 5, pos: [0, 0], cmd_name: moveArm, disp_name: b, arguments: {}, {} }}
  - {{ id: 4, type: 5, pos: [0, 0], cmd_name: moveArm, disp_name: c, arguments: {} }}
  - {{ id: 5, type: 2, pos: [0, 0] }}",
        go(0.1),
        action("attach"),
        go(-0.2),
        action("detach"),
        go(0.0)
    );
    let ways = "  - { source_id: 1, target_id: 2 }
  - { source_id: 2, target_id: 3 }
  - { source_id: 3, target_id: 4 }
  - { source_id: 4, target_id: 5 }";
    let task = task(&states, ways);
    let (events, error, robot) = outcome(&task, Limits::default());
    assert_eq!(error, None);
    assert_eq!(events.iter().filter(|event| matches!(event, Event::Acted { .. })).count(), 2);
    let cup = robot.model_pose(&ModelName::from("cup")).unwrap();
    let expected = Frame([0.4, -0.1, 0.872, 0.0, 0.0, 0.0]).to_isometry();
    assert!((cup.translation.vector - expected.translation.vector).norm() < 1e-7);
    assert!(cup.rotation.angle_to(&expected.rotation) < 1e-7);
    // In every frame of the recording the cup is at rest, is carried without slipping, or is at rest again.
    let recording = robot.recording().unwrap();
    let poses = recording.objects[0].1.link_positions.as_ref().unwrap();
    let joints = recording.robot.joint_displacements.as_ref().unwrap();
    assert_eq!(poses.num_frames(), 31, "three moves of 0.5 s at {TIME_STEP} s, and the frame at the start");
    let tool = |index: usize| {
        let setup = arm();
        let poses = bunraku_body::kinematics::link_poses(&setup.body, &setup.root, joints.frame(index));
        poses[setup.tool(ToolId(0)).unwrap().link.0]
    };
    let held = tool(10).inverse() * poses.frame(10)[0];
    for index in 0..31 {
        let pose = poses.frame(index)[0];
        let expected = match index {
            0..=10 => poses.frame(0)[0],
            11..=20 => tool(index) * held,
            _ => poses.frame(20)[0],
        };
        assert!((pose.to_homogeneous() - expected.to_homogeneous()).norm() < 1e-9, "frame {index}");
    }
}

/// The path is a straight line, with cubic timing; the rotation is uniform.
#[test]
fn the_tool_moves_on_a_straight_line_by_a_cubic() {
    let task = attempt(GOOD, "");
    let mut robot = KinematicRobot::new(arm(), &task);
    let from = robot.tool_pose(ToolId(0)).unwrap();
    let to = Frame([0.4, 0.1, 1.1, 0.0, -90.0, 0.0]).to_isometry();
    let command = bunraku_task::robot::RobotCommand::MoveArm { tool: ToolId(0), pose: to, duration: 1.03 };
    assert_eq!(robot.start(&command).unwrap(), []);
    let mut samples = 0;
    loop {
        let progress = robot.advance();
        samples += 1;
        let share = robot.time() / 1.03;
        let pose = robot.tool_pose(ToolId(0)).unwrap();
        let way = to.translation.vector - from.translation.vector;
        let expected = from.translation.vector + way * (3.0 * share * share - 2.0 * share * share * share);
        assert!((pose.translation.vector - expected).norm() < 1e-7);
        let turned = from.rotation.angle_to(&pose.rotation);
        assert!((turned - share * from.rotation.angle_to(&to.rotation)).abs() < 1e-6);
        if progress == Progress::Done {
            break;
        }
    }
    assert_eq!(samples, 21, "twenty of 0.05 s and one at the very end");
    assert_eq!(robot.time(), 1.03);
}

#[test]
fn stopping_detaches_everything() {
    let task = rounds("w >= 0");
    let mut robot = KinematicRobot::new(arm(), &task);
    let mut execution = Execution::new(task, Limits::default());
    execution.advance(&mut robot, &mut Vec::new());
    assert_eq!(robot.attach(&ModelName::from("cup"), ToolId(0)), Ok(()));
    assert_eq!(execution.current(), Some(StateId(3)));
    execution.abort(&mut robot);
    assert!(matches!(execution.status(), Status::Failed(error) if error.code == "aborted"));
    assert!(!robot.is_attached(&ModelName::from("cup")));
}

#[test]
fn irregular_arguments_are_reported_and_executed() {
    for (width, time, message) in
        [("0.5", "0.1", "out of the gripper's range"), ("0.01", "0", "jumps there in one step")]
    {
        let states = format!(
            "  - {{ id: 1, type: 1, pos: [0, 0] }}
  - {{ id: 2, type: 5, pos: [0, 0], cmd_name: moveGripper, disp_name: a, arguments: [ {{ name: width, value: {width} }}, {{ name: tm, value: {time} }} ] }}
  - {{ id: 3, type: 2, pos: [0, 0] }}"
        );
        let task = task(&states, "  - { source_id: 1, target_id: 2 }\n  - { source_id: 2, target_id: 3 }");
        let (events, error, _) = outcome(&task, Limits::default());
        assert_eq!(error, None);
        assert!(events.iter().any(|event| event.to_string().contains(message)), "{events:?}");
    }
}
