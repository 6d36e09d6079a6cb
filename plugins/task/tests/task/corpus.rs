//! Real task files: read, checked, every argument evaluated, written and read again.

use bunraku_document::{Reporter, SourceFile};
use bunraku_task::expression::{Expression, Value};
use bunraku_task::model::{ModelName, StateKind, Task};
use bunraku_task::variables::{ModelPoses, Variables};
use bunraku_task::{check, reader, write};
use nalgebra::Isometry3;

use crate::common::corpus_file;

/// The initial state, before any motion.
struct AtStart;

impl ModelPoses for AtStart {
    fn model_pose(&self, _: &ModelName) -> Option<Isometry3<f64>> {
        None
    }
}

fn tasks() -> Option<Vec<(String, Task)>> {
    let directory = corpus_file("tasks/teachingplugin-2019")?;
    let mut tasks = Vec::new();
    for name in ["hold", "pick_place", "pick_screw"] {
        let reporter = Reporter::new();
        let read = reader::load(&directory.join(format!("{name}.yaml")), &reporter).unwrap();
        assert_eq!(reporter.into_diagnostics().len(), 0, "{name}");
        tasks.extend(read.into_iter().map(|task| (name.to_owned(), task)));
    }
    Some(tasks)
}

fn arguments(task: &Task) -> Vec<(i32, &str, &str)> {
    let commands = task.states.iter().filter_map(|state| match &state.kind {
        StateKind::Command(command) => Some((state.id.0, command)),
        _ => None,
    });
    commands
        .flat_map(|(id, command)| {
            command.arguments.iter().map(move |found| (id, found.name.as_str(), found.value.text.as_str()))
        })
        .collect()
}

#[test]
fn every_task_is_read_without_a_finding_and_checked_without_an_error() {
    let Some(tasks) = tasks() else { return };
    assert_eq!(tasks.len(), 3);
    for (name, task) in &tasks {
        let reporter = Reporter::new();
        check::check(task, &reporter);
        let found: Vec<String> = reporter.into_diagnostics().iter().map(ToString::to_string).collect();
        assert_eq!(found, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn all_98_arguments_evaluate() {
    let Some(tasks) = tasks() else { return };
    let mut count = 0;
    for (name, task) in &tasks {
        let variables = Variables::new(task);
        for (state, argument, text) in arguments(task) {
            let expression = Expression::parse(text).unwrap();
            let kind = expression.check(&|name| variables.type_of(name)).unwrap();
            let value = expression.evaluate(&|name| variables.value_of(name, &AtStart)).unwrap();
            assert_eq!(value.kind(), kind, "{name}, state {state}, {argument}");
            assert!(value.is_finite(), "{name}, state {state}, {argument}");
            count += 1;
        }
    }
    assert_eq!(count, 98);
}

/// The table of the worked example, with all models at their initial poses. From state 6 on `pickF` would be the pose
/// of the carried object; the positions here are those of the locations, which do not move.
#[test]
fn the_worked_example_agrees_to_1e_9() {
    let Some(tasks) = tasks() else { return };
    let task = &tasks.iter().find(|(name, _)| name == "pick_place").unwrap().1;
    let variables = Variables::new(task);
    let value = |state: i32, argument: &str| {
        let found = arguments(task).into_iter().find(|found| found.0 == state && found.1 == argument).unwrap();
        Expression::parse(found.2).unwrap().evaluate(&|name| variables.value_of(name, &AtStart)).unwrap()
    };
    let near = |found: Value, expected: &[f64], what: &str| {
        let found: Vec<f64> = match found {
            Value::Scalar(number) => vec![number],
            Value::Vector3(vector) => vector.iter().copied().collect(),
            other => panic!("{other:?}"),
        };
        assert_eq!(found.len(), expected.len(), "{what}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{what}: {found} {expected}");
        }
    };
    for (state, width) in [(2, 0.053), (5, 0.013), (9, 0.053)] {
        near(value(state, "width"), &[width], "width");
        near(value(state, "tm"), &[0.2], "tm");
        near(value(state, "gripperID"), &[0.0], "gripperID");
    }
    for (state, y, z, time) in [
        (3, 0.2, 1.102, 1.0),
        (4, 0.2, 1.052, 0.5),
        (6, 0.2, 1.102, 1.0),
        (7, -0.2, 1.102, 1.0),
        (8, -0.2, 1.052, 0.5),
        (10, -0.2, 1.102, 1.0),
    ] {
        near(value(state, "xyz"), &[0.4, y, z], "xyz");
        near(value(state, "rpy"), &[0.0, -90.0, 0.0], "rpy");
        near(value(state, "tm"), &[time], "tm");
    }
}

#[test]
fn every_task_round_trips() {
    let Some(tasks) = tasks() else { return };
    for (name, task) in tasks {
        let text = write(std::slice::from_ref(&task));
        let reporter = Reporter::new();
        let again = reader::read(&SourceFile::from_text("again.yaml", &*text), &reporter).unwrap();
        assert_eq!(reporter.into_diagnostics().len(), 0, "{name}");
        assert_eq!(again, [task], "{name}");
        assert_eq!(write(&again), text);
    }
}
