//! `bunraku task run`: runs a task on the robot of a scene.

use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bunraku::describe;
use bunraku::document::{Diagnostic, Reporter, Severity};
use bunraku::prelude::*;
use bunraku::scene::{Repeat, RepeatedTask, SceneOptions, SceneTask, TaskOptions};
use bunraku::simulation::{RecordingRewind, SimulationFault, SimulationStatus};
use bunraku::task::execution::{Event, Limits, Status};
use bunraku::task::model::{Frame, ModelName, ParameterName, Task};
use bunraku::task::verbs::choose;
use bunraku::task::{TaskEvent, TaskPlugin, TaskRun, adjust};
use clap::Args;

use super::super::common::{CommonArgs, Failure};
use super::super::directory::default_out;
use super::super::mcap::McapArgs;
use super::super::messages;
use super::super::output::{document, line};
use super::super::panics::caught;
use super::super::run::{Job, ModelSummary, OutputFormat, TaskSummary, carry_out, name_of};
use super::super::view::WindowArgs;

#[derive(Args)]
pub struct TaskRunArgs {
    /// The task file (.yaml)
    task: PathBuf,
    /// The scene with the robot: a body with `robot`, the mapping file for tasks
    #[arg(long, value_name = "SCENE")]
    scene: PathBuf,
    /// Name of the task to run, in a file with several [default: the first]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Where results go [default: out/<task>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Move robot and models by forces: servos move the joints, and attached objects are fixed by a joint
    #[arg(long)]
    physics: bool,
    /// Change a parameter or the pose of a model, as in `finger_interval=0.05` or `picked_obj=[0.4, 0.1, 0.84, 0, 0,
    /// 90]`, or a value of the scene, as in `simulation.time_step=0.002`
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// The longest that the task may take, in simulated seconds
    #[arg(long, value_name = "S", default_value_t = Limits::default().time)]
    max_time: f64,
    /// The most states that may be entered
    #[arg(long, value_name = "N", default_value_t = Limits::default().states)]
    max_states: usize,
    #[command(flatten)]
    mcap: McapArgs,
    /// Print the summary as one JSON document
    #[arg(long)]
    pub(in super::super) json: bool,
    /// Print nothing but warnings and errors
    #[arg(long)]
    quiet: bool,
    /// Repeat the interactions of another run, from its summary.json
    #[arg(long, value_name = "SUMMARY")]
    hands: Option<PathBuf>,
    /// Show the run in a window, with the states of the task and its parameters; it ends when the window is closed
    #[arg(long)]
    view: bool,
    #[command(flatten)]
    window: WindowArgs,
}

impl TaskRunArgs {
    /// The arguments that affect the results.
    fn repeat(&self, common: &CommonArgs) -> Repeat {
        let task = RepeatedTask {
            file: name_of(&self.task),
            name: self.name.clone(),
            physics: self.physics,
            max_time: self.max_time,
            max_states: self.max_states,
        };
        Repeat {
            scene: name_of(&self.scene),
            set: self.set.clone(),
            simulator: common.simulator.clone(),
            mcap: self.mcap.mcap,
            mcap_profile: self.mcap.mcap_profile,
            task: Some(task),
            ..Repeat::default()
        }
    }

    /// Repeats the run into another directory, without output.
    pub fn again(repeat: Repeat, task: RepeatedTask, out: PathBuf, hands: Option<PathBuf>) -> Self {
        let RepeatedTask { file, name, physics, max_time, max_states } = task;
        let mcap = McapArgs::again(&repeat);
        let Repeat { scene, set, .. } = repeat;
        Self {
            task: file,
            scene,
            name,
            out: Some(out),
            physics,
            set,
            max_time,
            max_states,
            mcap,
            json: false,
            quiet: true,
            hands,
            view: false,
            window: WindowArgs::default(),
        }
    }
}

pub fn run(arguments: &TaskRunArgs, common: &CommonArgs) -> Result<(), Failure> {
    if arguments.window.are_given() && !arguments.view {
        return Err(Failure::Usage("options of the window go with `--view`".to_owned()));
    }
    #[cfg(not(feature = "viewer"))]
    if arguments.view {
        return Err(super::super::view::no_window());
    }
    if !(arguments.max_time > 0.0 && arguments.max_time.is_finite()) {
        let message = format!("`--max-time {}` is not a positive number of seconds", arguments.max_time);
        return Err(Failure::Usage(message));
    }
    let settings = settings(arguments)?;
    let reporter = common.reporter([&arguments.task, &arguments.scene]);
    let fitted = caught(&arguments.task, &reporter, || fit(arguments, &settings, common, &reporter));
    let findings = reporter.into_diagnostics();
    messages::diagnostics(&findings, Severity::Warning);
    let Some((scene, task)) = fitted else {
        if arguments.json {
            document(&describe::failure("the task cannot be run", &findings))?;
        }
        return Err(Failure::Reported);
    };
    let out = arguments.out.clone().unwrap_or_else(|| default_out(&arguments.task));
    let job = Job {
        ros2: None,
        scene: &scene,
        file: &arguments.scene,
        out,
        mcap: arguments.mcap.profile(),
        format: OutputFormat::new(arguments.json, arguments.quiet),
        hands: arguments.hands.as_deref(),
        profiles: false,
        pictures: None,
        window: arguments.view.then_some(&arguments.window),
        findings,
        repeat: arguments.repeat(common),
        shares: common.shares(),
        strict: common.strict,
    };
    let prints_events = !arguments.json && !arguments.quiet;
    let known = Known { file: arguments.task.clone(), physics: arguments.physics, task: task.task.clone() };
    carry_out(job, |app, entities| begin(app, entities, &task, prints_events), move |world| known.summary(world))
}

/// Loads the scene of these arguments, with the models of the task.
pub fn load_again(arguments: &TaskRunArgs, common: &CommonArgs) -> Result<Scene, Failure> {
    let settings = settings(arguments)?;
    let reporter = common.reporter([&arguments.task, &arguments.scene]);
    let fitted = caught(&arguments.task, &reporter, || fit(arguments, &settings, common, &reporter));
    messages::diagnostics(&reporter.into_diagnostics(), Severity::Warning);
    fitted.map(|(scene, _)| scene).ok_or(Failure::Reported)
}

/// The names and values of `--set`.
fn settings(arguments: &TaskRunArgs) -> Result<Vec<(String, String)>, Failure> {
    let settings = arguments.set.iter().map(|text| match text.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        None => Err(Failure::Usage(format!("`--set {text}` has no `=`: write `--set NAME=VALUE`"))),
    });
    settings.collect()
}

/// Fits the task into the scene; `None` after an error.
fn fit(
    arguments: &TaskRunArgs,
    settings: &[(String, String)],
    common: &CommonArgs,
    reporter: &Reporter,
) -> Option<(Scene, SceneTask)> {
    let mut task = choose(&arguments.task, arguments.name.as_deref(), reporter)?;
    // A name with a dot that is not a name of the task is a path in the scene.
    let is_of_task = |name: &str| !name.contains('.') || knows(&task, name);
    let (of_task, of_scene): (Vec<_>, Vec<_>) = settings.iter().cloned().partition(|(name, _)| is_of_task(name));
    for (name, value) in &of_task {
        reporter.keep(adjust(&mut task, name, value));
    }
    let simulator = common.simulator.clone();
    let options =
        SceneOptions { load: common.load_options(), overrides: of_scene, simulator, ..SceneOptions::default() };
    let mut scene = Scene::load(&arguments.scene, &options, reporter)?;
    let limits = Limits { states: arguments.max_states, time: arguments.max_time };
    let options = TaskOptions { physics: arguments.physics, limits, load: common.load_options() };
    let directory = arguments.task.parent().unwrap_or(Path::new("."));
    let task = scene.fit_task(task, directory, &options, reporter)?;
    scene.sources.push(arguments.task.clone());
    (!reporter.has_errors()).then_some((scene, task))
}

fn knows(task: &Task, name: &str) -> bool {
    task.parameter(&ParameterName::from(name)).is_some() || task.model(&ModelName::from(name)).is_some()
}

/// The events so far, each with its step.
#[derive(Resource, Default)]
struct Happened(Vec<(u64, Event)>);

fn begin(app: &mut App, entities: &[Entity], task: &SceneTask, prints_events: bool) {
    app.add_plugins(TaskPlugin);
    app.init_resource::<Happened>();
    app.add_observer(|rewind: On<RecordingRewind>, mut happened: ResMut<Happened>| {
        happened.0.retain(|(step, _)| *step < rewind.step);
    });
    app.add_observer(move |event: On<TaskEvent>, clock: Res<SimulationClock>, mut happened: ResMut<Happened>| {
        // Warnings of the run are printed at its end.
        if prints_events && !matches!(event.event, Event::Warned { .. }) {
            // If stdout cannot be written, printing the summary fails, too, and reports it.
            let _ = line(event.event.to_string());
        }
        happened.0.push((clock.step(), event.event.clone()));
    });
    app.add_systems(SimulationStep, stop_with_task.after(SimulationSystems::Record));
    task.insert(app.world_mut(), entities);
}

/// Ends the run when the task ends.
fn stop_with_task(runs: Query<&TaskRun>, clock: Res<SimulationClock>, mut status: ResMut<SimulationStatus>) {
    if *status != SimulationStatus::Running {
        return;
    }
    for run in &runs {
        match run.execution().status() {
            Status::Running => {}
            Status::Finished => *status = SimulationStatus::Finished,
            Status::Failed(error) => {
                let message = error.message.clone();
                *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
            }
        }
    }
}

/// The arguments of the task, for its summary.
struct Known {
    file: PathBuf,
    physics: bool,
    task: Task,
}

impl Known {
    fn summary(self, world: &World) -> Option<TaskSummary> {
        let run = world.iter_entities().find_map(|entity| entity.get::<TaskRun>())?;
        let pose = |name: &ModelName| match run.bodies().get(name) {
            Some(body) => world.get::<BodyState>(*body)?.link_poses.first().copied(),
            None => run.frames().get(name).copied(),
        };
        let models = self.task.models.iter();
        let models =
            models.filter_map(|model| Some(ModelSummary::new(&model.name, Frame::of_isometry(&pose(&model.name)?))));
        let models = models.collect();
        let events: Vec<_> = world.get_resource::<Happened>().into_iter().flat_map(|happened| &happened.0).collect();
        let failure: Option<Box<Diagnostic>> = match run.execution().status() {
            Status::Failed(error) => Some(error.clone()),
            Status::Running | Status::Finished => None,
        };
        Some(TaskSummary {
            file: self.file,
            name: self.task.name,
            physics: self.physics,
            commands: events.iter().filter(|(_, event)| matches!(event, Event::Started { .. })).count(),
            models,
            is_done: matches!(run.execution().status(), Status::Finished),
            events: events.into_iter().map(|(_, event)| describe::task_event(event)).collect(),
            failure,
        })
    }
}
