//! The panel of tasks: states and their branches, controls, parameters.

use bevy::prelude::Entity;
use bevy_egui::egui::{Vec2, accesskit::Role};
use bunraku_document::{Reporter, SourceFile};
use bunraku_scene::{HandAct, TaskOrder};
use bunraku_task::Control;
use bunraku_task::model::{StateId, Task};
use bunraku_viewer::panels::Panel;
use bunraku_viewer::view::{Doing, Request, ShownTask, TaskProgress};
use egui_kittest::kittest::{NodeT, Queryable};

use crate::panels::{Bench, click};

const ROBOT: Entity = Entity::from_bits(7);

/// A grip that is repeated until it succeeds.
const AGAIN: &str = "- taskName: again
  states:
  - { id: 0, type: 1, pos: [0, 0] }
  - { id: 1, type: 5, pos: [0, 1], cmd_name: moveGripper, disp_name: Grip, arguments: [ { name: width, value: width } ] }
  - { id: 2, type: 3, pos: [0, 2] }
  - { id: 3, type: 2, pos: [0, 3] }
  transitions:
  - { source_id: 0, target_id: 1 }
  - { source_id: 1, target_id: 2 }
  - { source_id: 2, target_id: 3 }
  - { source_id: 2, target_id: 1, source_index: 1 }
  parameters:
  - { param_type: 2, name: width, disp_name: Width, values: 0.04, unit: m }
";

fn again() -> Task {
    let reporter = Reporter::new();
    let tasks = bunraku_task::reader::read(&SourceFile::from_text("again.yaml", AGAIN), &reporter);
    let mut tasks = tasks.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()));
    tasks.remove(0)
}

fn bench(task: Task) -> Bench {
    let mut bench = Bench::new(vec![]);
    bench.desk.open(Panel::Task);
    bench.shown.tasks.push(ShownTask {
        robot: ROBOT,
        robot_name: "Arm".to_owned(),
        task,
        current: Some(StateId(1)),
        control: Control::Run,
        progress: TaskProgress::Going,
    });
    bench
}

fn order(order: TaskOrder) -> Request {
    Request::Hand { body: ROBOT, act: HandAct::Task { order } }
}

#[test]
fn states_are_listed_with_their_branches_and_the_running_one_is_marked() {
    let mut harness = bench(again()).harness();
    harness.run_ok();
    for text in ["0  initial state", "2  did it succeed?  true: 3, false: 1", "3  final state"] {
        assert!(harness.query_by_label(text).is_some(), "{text}");
    }
    let is_marked = |harness: &egui_kittest::Harness<'_, Bench>, text: &str| {
        let node = harness.get_by_role_and_label(Role::Button, text);
        node.accesskit_node().is_selected().or(node.accesskit_node().toggled().map(|on| format!("{on:?}") == "True"))
    };
    assert_eq!(is_marked(&harness, "1  moveGripper (Grip)"), Some(true));
    assert_eq!(is_marked(&harness, "3  final state"), Some(false));
    // Without a task the panel explains how to get one.
    harness.state_mut().shown.tasks.clear();
    harness.run_ok();
    assert!(harness.query_by_label_contains("bunraku task run").is_some());
}

#[test]
fn buttons_run_pause_step_and_stop_a_task() {
    let mut harness = bench(again()).harness();
    harness.run_ok();
    // The task is ready to run, the simulation is paused.
    assert_eq!(click(&mut harness, "▶ Run task"), [Request::Run]);
    assert_eq!(click(&mut harness, "⏭ Step task"), [order(TaskOrder::Step), Request::Run]);
    harness.state_mut().shown.doing = Doing::Running;
    harness.run_ok();
    assert_eq!(click(&mut harness, "⏸ Pause task"), [order(TaskOrder::Pause)]);
    harness.state_mut().shown.tasks[0].control = Control::Pause;
    harness.run_ok();
    assert_eq!(click(&mut harness, "▶ Run task"), [order(TaskOrder::Run)]);
    assert_eq!(click(&mut harness, "⏹ Stop task"), [order(TaskOrder::Stop)]);
    harness.state_mut().shown.tasks[0].progress = TaskProgress::Failed("the pose is out of reach".to_owned());
    harness.run_ok();
    assert_eq!(click(&mut harness, "▶ Run task"), []);
    assert!(harness.query_by_label("the pose is out of reach").is_some());
}

#[test]
fn a_parameter_is_dragged_to_another_value() {
    let mut harness = bench(again()).harness();
    harness.run_ok();
    let field =
        harness.query_all_by_role(Role::SpinButton).find(|node| node.value().is_some_and(|text| text.contains("0.04")));
    let center = field.expect("a field").rect().center();
    harness.drag_at(center);
    harness.run_ok();
    harness.hover_at(center + Vec2::new(40.0, 0.0));
    harness.run_ok();
    harness.drop_at(center + Vec2::new(40.0, 0.0));
    harness.run_ok();
    let requests = std::mem::take(&mut harness.state_mut().requests);
    let Some(Request::Hand { body, act: HandAct::Parameter { parameter, value } }) = requests.first() else {
        panic!("{requests:?}")
    };
    assert_eq!((*body, parameter.as_str()), (ROBOT, "width"));
    assert!(value.parse::<f64>().unwrap() > 0.04, "{value}");
}

#[test]
fn tasks_without_states_and_with_many_are_shown() {
    let pick_place = bunraku_task::designer::design(bunraku_task::designer::Pattern::PickPlace, "fetch", "");
    for task in [Task::default(), pick_place] {
        let mut harness = bench(task).harness();
        harness.run_ok();
        assert!(harness.query_by_label("▶ Run task").is_some());
        assert!(harness.state().requests.is_empty());
    }
}
