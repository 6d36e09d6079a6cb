//! Collection of the displayed data from the world.

use std::path::PathBuf;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, Drive, JointActuation, JointTargets};
use bunraku_document::{Diagnostic, Severity};
use bunraku_physics::JointReadings;
use bunraku_sensors::{Measurement, SensorEntities, SensorModel, SensorReading};
use bunraku_simulation::{Pace, SimulationClock, SimulationStatus, SimulationWarnings, StopAfter};
use bunraku_task::TaskRun;
use bunraku_task::execution::Status;

use super::clock::{FirstPicture, Timings};
use super::files::FileOpener;
use super::state::{Findings, IsRecording, Panels, RecordSwitch, SaveRecordings, SceneEnd, WindowState};
use crate::camera::{Followed, Orbit, Through};
use crate::curves::numbers_of;
use crate::timeline::Timeline;
use crate::view::{
    Doing, Gallery, Moments, Problem, Selected, Selection, Shown, ShownBody, ShownSensor, ShownTask, ShownThrough,
    ShownValue, Speed, TaskProgress,
};

/// All data displayed now.
pub fn gather(world: &mut World) -> Shown {
    let bodies = gather_bodies(world);
    let tasks = gather_tasks(world);
    let clock = *world.resource::<SimulationClock>();
    let timeline = world.resource::<Timeline>();
    let timings = world.resource::<Timings>();
    let state = world.resource::<WindowState>();
    let switched = world.get_resource::<IsRecording>().map(|recording| recording.0);
    let is_recording = switched.unwrap_or(world.contains_resource::<SaveRecordings>());
    let pace = *world.resource::<Pace>();
    let doing = match world.resource::<SimulationStatus>() {
        SimulationStatus::Failed(fault) => Doing::Failed(fault.to_string()),
        SimulationStatus::Finished => Doing::Finished,
        _ if pace == Pace::Paused => Doing::Paused,
        _ => Doing::Running,
    };
    Shown {
        doing,
        speed: state.speed,
        time: clock.time(),
        time_step: clock.time_step(),
        step: clock.step(),
        last_step: timeline.history.last_step().unwrap_or(0).max(clock.step()),
        end: world.resource::<StopAfter>().0,
        scene_end: world.get_resource::<SceneEnd>().and_then(|end| end.0),
        is_orthographic: world.resource::<Orbit>().is_orthographic,
        is_following: world.resource::<Followed>().0.is_some(),
        through: world.resource::<Through>().0.as_ref().map(|camera| ShownThrough {
            device: Selection { body: camera.body, link: None, device: Some(camera.device) },
            label: camera.label.clone(),
            extent: camera.extent(),
        }),
        num_remembered: timeline.history.len(),
        moments: world.get_resource::<Moments>().cloned().unwrap_or_default(),
        // After a picture that took long, a run makes up for it: that is no higher speed.
        real_time_factor: match state.speed {
            Speed::RealTime(speed) => timings.real_time_factor.min(speed),
            Speed::Unlimited => timings.real_time_factor,
        },
        step_time: timings.step_time,
        frame_time: timings.frame_time,
        first_picture: world.get_resource::<FirstPicture>().and_then(FirstPicture::seconds),
        is_recording,
        can_record: world.contains_resource::<RecordSwitch>(),
        can_open: world.contains_resource::<FileOpener>(),
        notice: state.notice.clone(),
        selection: world.resource::<Selected>().0,
        problems: problems(world),
        recent: recent(world, &bodies),
        bodies,
        tasks,
        gallery: world.get_resource::<Gallery>().map(|gallery| Arc::clone(&gallery.0)).unwrap_or_default(),
    }
}

/// Files that were opened before and still exist, for an empty window.
fn recent(world: &World, bodies: &[ShownBody]) -> Vec<Vec<PathBuf>> {
    let Some(panels) = world.get_resource::<Panels>().filter(|_| bodies.is_empty()) else { return Vec::new() };
    panels.desk.kept.recent.iter().filter(|paths| paths.iter().all(|path| path.exists())).cloned().collect()
}

fn gather_bodies(world: &mut World) -> Vec<ShownBody> {
    type Parts<'a> = (
        Entity,
        Option<&'a Name>,
        &'a BodyModel,
        &'a BodyState,
        &'a Drive,
        (Option<&'a JointActuation>, Option<&'a JointTargets>, Option<&'a JointReadings>, Option<&'a SensorEntities>),
    );
    let mut query = world.query::<Parts<'_>>();
    let sensors = world.query::<(&SensorModel, &SensorReading)>();
    let bodies = query.iter(world).map(|(entity, name, BodyModel(model), state, drive, more)| {
        let (actuation, targets, readings, entities) = more;
        let of_sensor = |sensor| {
            let (model, SensorReading(reading)) = sensors.get_manual(world, sensor).ok()?;
            Some(ShownSensor {
                entity: sensor,
                device: model.sensor().device,
                label: model.label().to_owned(),
                time: reading.as_ref().map(|sample| sample.time),
                value: reading.as_ref().map_or(ShownValue::Nothing, |sample| value_of(&sample.measurement)),
            })
        };
        ShownBody {
            entity,
            name: name.map_or_else(|| model.name.clone(), |name| name.as_str().to_owned()),
            model: Arc::clone(model),
            state: state.clone(),
            drive: *drive,
            actuation: actuation.map(|actuation| actuation.0.clone()).unwrap_or_default(),
            targets: targets.map(|targets| targets.displacements.clone()).unwrap_or_default(),
            efforts: readings.map(|readings| readings.efforts().to_vec()).unwrap_or_default(),
            sensors: entities.into_iter().flat_map(SensorEntities::iter).filter_map(of_sensor).collect(),
        }
    });
    let mut bodies: Vec<_> = bodies.collect();
    bodies.sort_by_key(|body| body.entity.index_u32());
    bodies
}

fn gather_tasks(world: &mut World) -> Vec<ShownTask> {
    let mut runs = world.query::<(Entity, Option<&Name>, &TaskRun)>();
    let tasks = runs.iter(world).map(|(robot, name, run)| ShownTask {
        robot,
        robot_name: name.map_or_else(String::new, |name| name.as_str().to_owned()),
        task: run.execution().task().clone(),
        current: run.execution().current(),
        control: run.control(),
        progress: match run.execution().status() {
            Status::Running => TaskProgress::Going,
            Status::Finished => TaskProgress::Done,
            Status::Failed(error) => TaskProgress::Failed(error.message.clone()),
        },
    });
    let mut tasks: Vec<_> = tasks.collect();
    tasks.sort_by_key(|task| task.robot.index_u32());
    tasks
}

fn problems(world: &World) -> Vec<Problem> {
    let found = world.resource::<Findings>().0.iter().map(problem);
    let warnings = world.resource::<SimulationWarnings>().as_slice().iter().map(|warning| Problem {
        severity: Severity::Warning,
        code: warning.component.to_owned(),
        message: warning.message.clone(),
        place: String::new(),
        help: None,
    });
    let trouble = world.resource::<Timeline>().trouble.iter().map(|message| Problem {
        severity: Severity::Warning,
        code: "time-line".to_owned(),
        message: message.clone(),
        place: String::new(),
        help: None,
    });
    found.chain(warnings).chain(trouble).collect()
}

fn problem(diagnostic: &Diagnostic) -> Problem {
    let file = diagnostic.file().and_then(|file| file.file_name()).map(|name| name.to_string_lossy().into_owned());
    let place = match (file, diagnostic.position()) {
        (Some(file), Some(position)) => format!("{file}:{}:{}", position.line, position.column),
        (file, _) => file.unwrap_or_default(),
    };
    Problem {
        severity: diagnostic.severity,
        code: diagnostic.code.to_owned(),
        message: diagnostic.message.clone(),
        place,
        help: diagnostic.help.clone(),
    }
}

fn value_of(measurement: &Measurement) -> ShownValue {
    #[allow(clippy::cast_possible_truncation)]
    match measurement {
        Measurement::Range(scan) => {
            let distances = scan.distances.iter().map(|distance| *distance as f32).collect();
            ShownValue::Distances { width: scan.yaw_samples, distances: Arc::new(distances) }
        }
        Measurement::Camera(taken) => {
            let (width, height) = (taken.width as usize, taken.height as usize);
            let colors = if taken.colors.len() == width * height { taken.colors.clone() } else { gray(&taken.depths) };
            match colors.len() == width * height {
                true => ShownValue::Picture { width, height, colors: Arc::new(colors) },
                false => ShownValue::Numbers(vec![("points", "", taken.points.len() as f64)]),
            }
        }
        other => ShownValue::Numbers(numbers_of(other)),
    }
}

/// Depths as grey values, near ones light.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn gray(depths: &[f32]) -> Vec<[u8; 3]> {
    let furthest = depths.iter().copied().filter(|depth| depth.is_finite()).fold(0.0, f32::max);
    let shade = |depth: &f32| match depth.is_finite() && furthest > 0.0 {
        true => (255.0 - 225.0 * depth / furthest) as u8,
        false => 0,
    };
    depths.iter().map(|depth| [shade(depth); 3]).collect()
}
