//! Whole tasks on our arm: those of the corpus and of the designer.

use std::path::Path;

use bunraku_body::LoadOptions;
use bunraku_body::kinematics::link_poses;
use bunraku_document::Reporter;
use bunraku_motion::BodyMotion;
use bunraku_task::designer::{Pattern, design, new_task};
use bunraku_task::execution::{Event, Limits};
use bunraku_task::model::{Frame, ModelName, ToolId};
use bunraku_task::verbs::{RunArguments, RunReport, check_file, new_file, run_file};
use nalgebra::UnitQuaternion;

use crate::arms::assets;
use crate::common::{corpus_file, read};
use crate::execution::arm;

/// Runs a task on our arm.
fn run(task: &Path, out: Option<&Path>) -> (Option<RunReport>, Vec<String>, Vec<String>) {
    run_with(task, &[], out)
}

/// As [`run`], with changed parameters.
fn run_with(task: &Path, set: &[(&str, &str)], out: Option<&Path>) -> (Option<RunReport>, Vec<String>, Vec<String>) {
    let arguments = RunArguments {
        task: task.to_owned(),
        name: None,
        robot: assets("tasks/arm.robot.yaml"),
        set: set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        out: out.map(Path::to_owned),
        limits: Limits::default(),
        load: LoadOptions::default(),
    };
    let (reporter, mut events) = (Reporter::new(), Vec::new());
    let report = run_file(&arguments, &reporter, &mut |event: &Event| events.push(event.to_string()));
    (report, reporter.into_diagnostics().iter().map(ToString::to_string).collect(), events)
}

fn model(report: &RunReport, name: &str) -> Frame {
    report.models.iter().find(|(found, _)| *found == ModelName::from(name)).unwrap().1
}

/// Asserts that a model is at a frame within 1 mm and 0.1°.
#[track_caller]
fn stands_at(found: Frame, expected: Frame) {
    let (found, expected) = (found.to_isometry(), expected.to_isometry());
    let left = (found.translation.vector - expected.translation.vector).norm();
    let turned = found.rotation.angle_to(&expected.rotation).to_degrees();
    assert!(left < 1e-3 && turned < 0.1, "{left} m, {turned}°");
}

#[test]
fn the_pick_and_place_of_the_corpus_runs_on_our_arm() {
    let Some(task) = corpus_file("tasks/teachingplugin-2019/pick_place.yaml") else { return };
    let out = tempfile::tempdir().unwrap();
    let (report, findings, events) = run(&task, Some(out.path()));
    // Only the model files of the objects are missing.
    assert!(findings.iter().all(|found| found.contains("missing-file")), "{findings:?}");
    let report = report.unwrap();
    assert!(report.failure.is_none(), "{:?}\n{}", report.failure, events.join("\n"));
    assert_eq!(report.commands, 9);
    assert!((report.time - 5.6).abs() < 1e-9, "{}", report.time);
    stands_at(model(&report, "picked_obj"), Frame([0.4, -0.2, 0.872, 0.0, 0.0, 0.0]));
    stands_at(model(&report, "target_obj"), Frame([0.4, -0.2, 0.872, 0.0, 0.0, 0.0]));
    // The recordings read back, and end where the run ended.
    assert_eq!(report.written.len(), 3);
    let load = |name: &str| BodyMotion::load(&out.path().join(name), &Reporter::new()).unwrap();
    let object = load("picked_obj.seq").link_positions.unwrap();
    let last = object.frame(object.num_frames() - 1)[0];
    stands_at(Frame::of_isometry(&last), Frame([0.4, -0.2, 0.872, 0.0, 0.0, 0.0]));
    assert_eq!((object.start(), object.end()), (0.0, report.time));
    let robot = load("Arm.seq");
    assert_eq!((robot.num_joints(), robot.num_frames()), (8, object.num_frames()));
    // In the recordings, the object is carried 0.18 m in front of the tool without slipping.
    let setup = arm();
    let (joints, link) = (robot.joint_displacements.unwrap(), setup.tool(ToolId(0)).unwrap().link);
    let grasp = Frame([0.0, 0.0, 0.18, 0.0, -90.0, 0.0]).to_isometry();
    let mut carried = 0;
    for (index, frame) in joints.frames().enumerate() {
        // Attached when the gripper has closed, at 1.9 s; detached when it has opened, at 4.6 s.
        if (1.901..4.599).contains(&joints.time(index)) {
            let poses = link_poses(&setup.body, &setup.root, frame);
            let expected = poses[link.0] * grasp.inverse();
            stands_at(Frame::of_isometry(&object.frame(index)[0]), Frame::of_isometry(&expected));
            carried += 1;
        }
    }
    assert!(carried > 50, "{carried}");
}

#[test]
fn the_other_tasks_of_the_corpus_run_too() {
    for (name, commands) in [("hold", 4), ("pick_screw", 14)] {
        let Some(task) = corpus_file(&format!("tasks/teachingplugin-2019/{name}.yaml")) else { return };
        let (report, _, events) = run(&task, None);
        let report = report.unwrap();
        assert!(report.failure.is_none(), "{name}: {:?}\n{}", report.failure, events.join("\n"));
        assert_eq!(report.commands, commands, "{name}");
        if name == "pick_screw" {
            stands_at(model(&report, "picked_obj"), Frame([0.4, -0.2, 0.872, 0.0, 0.0, -90.0]));
        }
    }
}

#[test]
fn tasks_of_the_designer_have_no_findings_and_run() {
    let directory = tempfile::tempdir().unwrap();
    let models = format!("{}/", assets("models").display());
    for pattern in Pattern::ALL {
        let path = directory.path().join(format!("{}.yaml", pattern.name()));
        new_file(pattern, "my task", &models, &path, false).unwrap();
        let reporter = Reporter::new();
        let tasks = check_file(&path, &reporter).unwrap();
        let found: Vec<String> = reporter.into_diagnostics().iter().map(ToString::to_string).collect();
        assert_eq!(found, Vec::<String>::new(), "{}", pattern.name());
        assert_eq!(tasks, [design(pattern, "my task", &models)], "the comments say nothing more");
        let (report, _, events) = run(&path, None);
        let report = report.unwrap();
        assert!(report.failure.is_none(), "{:?}\n{}", report.failure, events.join("\n"));
        let expected = match pattern {
            Pattern::PickPlace => Frame([0.4, -0.2, 0.84, 0.0, 0.0, 0.0]),
            Pattern::PlaceOn => Frame([0.4, -0.2, 0.92, 0.0, 0.0, 0.0]),
            Pattern::ScrewIn => Frame([0.4, -0.2, 0.92, 0.0, 0.0, -90.0]),
            Pattern::Hold => Frame([0.4, 0.2, 0.84, 0.0, 0.0, 0.0]),
        };
        stands_at(model(&report, "picked_obj"), expected);
        assert_eq!(Pattern::of_name(pattern.name()), Some(pattern));
        assert!(new_file(pattern, "again", &models, &path, false).is_err(), "nothing is overwritten");
        new_file(pattern, "again", &models, &path, true).unwrap();
    }
}

/// The task in `assets` equals the output of the designer, so that it stays up to date; `INSTA_UPDATE=always` rewrites
/// it.
#[test]
fn the_task_in_assets_equals_that_of_the_designer() {
    let path = assets("tasks/pick_place.yaml");
    let text = new_task(Pattern::PickPlace, "pick and place", "../models/");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let (report, findings, _) = run(&path, None);
    assert_eq!(findings, Vec::<String>::new());
    assert!(report.unwrap().failure.is_none());
}

/// The object has a rotated pose: the hand rotates with it.
#[test]
fn an_adjusted_task_places_at_the_adjusted_pose() {
    let directory = tempfile::tempdir().unwrap();
    let mut task = design(Pattern::PickPlace, "adjusted", "");
    let place = Frame([0.35, -0.25, 0.86, 0.0, 0.0, 40.0]);
    let value = bunraku_task::model::ParameterValue::Frame(place);
    assert!(task.set_parameter(&"placeF".into(), value.clone()));
    assert!(!task.set_parameter(&"placeG".into(), value));
    task.models[0].pose = Frame([0.45, 0.15, 0.84, 0.0, 0.0, -25.0]);
    let path = directory.path().join("adjusted.yaml");
    bunraku_task::save(&[task], &path).unwrap();
    let (report, _, events) = run(&path, None);
    let report = report.unwrap();
    assert!(report.failure.is_none(), "{:?}\n{}", report.failure, events.join("\n"));
    stands_at(model(&report, "picked_obj"), place);
    assert!(model(&report, "picked_obj").to_isometry().rotation.angle_to(&UnitQuaternion::identity()) > 0.5);
    assert_eq!(read(&std::fs::read_to_string(&path).unwrap()).len(), 1);
}

#[test]
fn parameters_are_set_for_a_run() {
    let task = assets("tasks/pick_place.yaml");
    let set =
        [("placeF", "[0.4, -0.1, 0.84, 0, 0, 2 * 45]"), ("picked_obj", "[0.45, 0.1, 0.84, 0, 0, 0]"), ("handID", "0")];
    let (report, findings, _) = run_with(&task, &set, None);
    assert_eq!(findings, Vec::<String>::new());
    stands_at(model(&report.unwrap(), "picked_obj"), Frame([0.4, -0.1, 0.84, 0.0, 0.0, 90.0]));
    for (name, value, message) in [
        ("placeG", "1", "did you mean `placeF`?"),
        ("placeF", "1", "`placeF` must be a 6-vector, `1` is a number"),
        ("handID", "0.5", "must be a whole number"),
        ("finger_interval", "1 / 0", "must be finite"),
        ("finger_interval", "1 +", "`finger_interval`, column 3: expected a value, found the end"),
        ("finger_interval", "handID", "there is no `handID` here"),
        ("pickF", "[0, 0, 0, 0, 0, 0]", "set `picked_obj`"),
        ("handID", "3", "the robot has no tool 3"),
    ] {
        let (report, findings, _) = run_with(&task, &[(name, value)], None);
        assert!(report.is_none(), "{name} {value}");
        assert!(findings.iter().any(|found| found.contains(message)), "{name} {value}: {findings:?}");
    }
}
