use std::collections::BTreeMap;
use std::sync::Arc;

use bunraku_document::Diagnostic;

use super::Event;
use super::arguments::{Asked, request, value_of, whole};
use crate::expression::Value;
use crate::model::{
    ActionKind, Branch, CommandState, ExpressionText, ParameterName, ParameterValue, State, StateId, StateKind, Task,
    ToolId,
};
use crate::robot::{AttachFailure, Progress, Robot};

/// Limits of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Number of states entered, with repetitions.
    pub states: usize,
    /// Simulated time, s.
    pub time: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 100_000, time: 86_400.0 }
    }
}

/// Progress of a run.
#[derive(Clone, Debug)]
pub enum Status {
    /// The run is in progress.
    Running,
    /// A final state was reached.
    Finished,
    /// An error ended the run.
    Failed(Box<Diagnostic>),
}

/// Indices of states and of their outgoing transitions in a task, by state number.
#[derive(Clone, Debug, Default)]
struct Places {
    states: BTreeMap<StateId, usize>,
    ways: BTreeMap<StateId, Vec<usize>>,
}

impl Places {
    fn of(task: &Task) -> Self {
        let mut places = Self::default();
        for (index, state) in task.states.iter().enumerate() {
            places.states.entry(state.id).or_insert(index);
        }
        for (index, transition) in task.transitions.iter().enumerate() {
            places.ways.entry(transition.source).or_default().push(index);
        }
        places
    }
}

/// A run of a task: its current state, and the result of the last command.
#[derive(Clone, Debug)]
pub struct Execution {
    pub(super) task: Task,
    places: Arc<Places>,
    limits: Limits,
    pub(super) current: Option<StateId>,
    /// Result of the last command; false initially.
    pub(super) result: bool,
    /// Reason of the failure of the last command.
    pub(super) failure: Option<String>,
    /// Parameter and value to set if the current command succeeds.
    pub(super) out: Option<(ParameterName, f64)>,
    pub(super) moving: bool,
    pub(super) entered: usize,
    pub(super) status: Status,
}

type Fallible<T> = Result<T, Box<Diagnostic>>;

/// Runs a task to its end.
///
/// # Errors
/// The error that ended the run. `events` contains the events before it.
pub fn run(task: Task, limits: Limits, robot: &mut dyn Robot, events: &mut Vec<Event>) -> Result<(), Box<Diagnostic>> {
    let mut execution = Execution::new(task, limits);
    loop {
        match execution.advance(robot, events) {
            Status::Running => {}
            Status::Finished => return Ok(()),
            Status::Failed(error) => return Err(error.clone()),
        }
    }
}

impl Execution {
    /// A run that has not started. The task should have been [checked](crate::check::check).
    pub fn new(task: Task, limits: Limits) -> Self {
        Self {
            places: Arc::new(Places::of(&task)),
            task,
            limits,
            current: None,
            result: false,
            failure: None,
            out: None,
            moving: false,
            entered: 0,
            status: Status::Running,
        }
    }

    /// The task, with parameter values set by commands.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Sets the value of a parameter for the commands that begin from now on; see [`adjust`](fn@crate::adjust).
    ///
    /// # Errors
    /// As for [`adjust`](fn@crate::adjust).
    pub fn adjust(&mut self, name: &str, text: &str) -> Result<(), Box<Diagnostic>> {
        crate::adjust(&mut self.task, name, text)
    }

    /// Current state; `None` before the first.
    pub fn current(&self) -> Option<StateId> {
        self.current
    }

    /// Progress of the run.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Aborts the run and detaches everything.
    pub fn abort(&mut self, robot: &mut dyn Robot) {
        if matches!(self.status, Status::Running) {
            let error = self.task.origin.error("aborted", format!("task `{}` was stopped", self.task.name));
            self.fail(Box::new(error), robot);
        }
    }

    /// Advances by one step of the robot. Between commands, passes through all states that take no time.
    pub fn advance(&mut self, robot: &mut dyn Robot, events: &mut Vec<Event>) -> &Status {
        self.go_on(robot, events);
        while self.is_between_commands() {
            self.enter_next(robot, events);
        }
        &self.status
    }

    /// Advances by one step of the robot, if a command is in progress, but not beyond its end.
    pub fn go_on(&mut self, robot: &mut dyn Robot, events: &mut Vec<Event>) -> &Status {
        if matches!(self.status, Status::Running)
            && self.moving
            && let Err(error) = self.go_on_moving(robot, events)
        {
            self.fail(error, robot);
        }
        &self.status
    }

    /// Enters the next state, unless a command is in progress.
    pub fn enter_next(&mut self, robot: &mut dyn Robot, events: &mut Vec<Event>) -> &Status {
        if self.is_between_commands()
            && let Err(error) = self.next().and_then(|id| self.enter(id, robot, events))
        {
            self.fail(error, robot);
        }
        &self.status
    }

    /// Whether it is running and the next state can be entered.
    pub fn is_between_commands(&self) -> bool {
        matches!(self.status, Status::Running) && !self.moving
    }

    fn fail(&mut self, error: Box<Diagnostic>, robot: &mut dyn Robot) {
        robot.detach_all();
        self.status = Status::Failed(error);
    }

    fn go_on_moving(&mut self, robot: &mut dyn Robot, events: &mut Vec<Event>) -> Fallible<()> {
        let failure = match robot.advance() {
            Progress::Moving => return self.check_time(robot.time()),
            Progress::Done => None,
            Progress::Failed(failure) => Some(failure.to_string()),
        };
        self.moving = false;
        self.end_command(failure.is_none(), failure, robot, events)
    }

    /// Number of the next state.
    fn next(&self) -> Fallible<StateId> {
        let Some(current) = self.current else {
            let initial = self.task.states.iter().find(|state| state.kind == StateKind::Initial);
            return initial.map(|state| state.id).ok_or_else(|| {
                let message = format!("task `{}` has no initial state", self.task.name);
                Box::new(self.task.origin.error("no-initial-state", message).help("add a state of type 1"))
            });
        };
        let branch = match self.state(current)?.kind {
            StateKind::Decision { .. } if !self.result => Branch::False,
            _ => Branch::True,
        };
        let is_decision = matches!(self.state(current)?.kind, StateKind::Decision { .. });
        let ways = self.places.ways.get(&current).into_iter().flatten();
        let mut ways = ways.filter_map(|index| self.task.transitions.get(*index));
        ways.find(|way| !is_decision || way.branch == branch).map(|way| way.target).ok_or_else(|| {
            let message = format!("task `{}`: nothing follows state {current}", self.task.name);
            let origin = self.state(current).map(|state| state.origin.clone()).unwrap_or_default();
            Box::new(origin.error("no-way-on", message).help("add a transition from it"))
        })
    }

    fn state(&self, id: StateId) -> Fallible<&State> {
        let found = self.places.states.get(&id).and_then(|index| self.task.states.get(*index));
        found.ok_or_else(|| {
            let message = format!("task `{}` has no state {id}", self.task.name);
            Box::new(self.task.origin.error("unknown-state", message).help("check the task first"))
        })
    }

    fn enter(&mut self, id: StateId, robot: &mut dyn Robot, events: &mut Vec<Event>) -> Fallible<()> {
        let state = self.state(id)?.clone();
        self.entered += 1;
        if self.entered > self.limits.states {
            let message = format!(
                "task `{}` has entered {} states and is in state {id}: it does not seem to end",
                self.task.name, self.limits.states
            );
            let help = "does one of its loops never end? The limit can be raised";
            return Err(Box::new(state.origin.error("endless-loop", message).help(help)));
        }
        self.current = Some(id);
        match &state.kind {
            StateKind::Initial | StateKind::Merge => {}
            StateKind::Final => {
                events.push(Event::Finished { state: id, time: robot.time() });
                self.status = Status::Finished;
            }
            StateKind::Fork => {
                let diagnostic = state.origin.error("fork", format!("state {id} is a fork, which cannot be run"));
                return Err(Box::new(diagnostic.help("do one thing after the other")));
            }
            StateKind::Decision { condition } => {
                if let Some(condition) = condition {
                    self.result = self.decide(id, condition, robot)?;
                }
                events.push(Event::Decided { state: id, result: self.result });
            }
            StateKind::Command(command) => self.start_command(&state, command, robot, events)?,
        }
        Ok(())
    }

    /// Evaluates a decision. Its condition becomes the result of the last command, so that a decision without condition
    /// that follows directly takes the same branch.
    fn decide(&self, id: StateId, condition: &ExpressionText, robot: &dyn Robot) -> Fallible<bool> {
        let what = format!("state {id}, condition");
        let poses: &dyn crate::variables::ModelPoses = &Poses(robot);
        match value_of(&self.task, condition, &what, poses, Some(self.result))? {
            Value::Scalar(number) => Ok(number != 0.0),
            other => {
                let message = format!("{what} must be a number, it is {}", other.kind().as_str());
                Err(Box::new(condition.origin.error("wrong-type", message).help("0 is false, anything else true")))
            }
        }
    }

    fn start_command(
        &mut self,
        state: &State,
        command: &CommandState,
        robot: &mut dyn Robot,
        events: &mut Vec<Event>,
    ) -> Fallible<()> {
        let (name, label, time) = (command.command.clone(), command.label.clone(), robot.time());
        events.push(Event::Started { state: state.id, command: name, label, time });
        let request = request(&self.task, state, command, &Poses(robot))?;
        self.out = request.out;
        match request.kind {
            Asked::Result(result) => self.end_command(result, None, robot, events),
            Asked::Command(command) => match robot.start(&command) {
                Ok(warnings) => {
                    let state = state.id;
                    events.extend(warnings.into_iter().map(|found| Event::Warned { state, message: found.message }));
                    self.moving = true;
                    Ok(())
                }
                Err(failure) => self.end_command(false, Some(failure.to_string()), robot, events),
            },
        }
    }

    fn end_command(
        &mut self,
        result: bool,
        failure: Option<String>,
        robot: &mut dyn Robot,
        events: &mut Vec<Event>,
    ) -> Fallible<()> {
        let Some(id) = self.current else { return Ok(()) };
        let state = self.state(id)?.clone();
        events.push(Event::Ended { state: id, result, failure: failure.clone(), time: robot.time() });
        (self.result, self.failure) = (result, failure);
        let out = self.out.take();
        let StateKind::Command(command) = &state.kind else { return Ok(()) };
        if result {
            if let Some((name, value)) = out {
                self.store(&name, value);
            }
            self.act(&state, command, robot, events)?;
            return Ok(());
        }
        let next = self.next()?;
        if matches!(self.state(next)?.kind, StateKind::Decision { .. }) {
            return Ok(());
        }
        let why = self.failure.clone().unwrap_or_else(|| "its result is false".to_owned());
        let message = format!("task `{}`, state {id} (`{}`): {why}", self.task.name, command.command);
        let help = "change the pose or the parameters it depends on, or let a decision follow that deals with it";
        Err(Box::new(command.command_origin.error("command-failed", message).help(help)))
    }

    fn store(&mut self, name: &ParameterName, value: f64) {
        let whole = matches!(self.task.parameter(name).map(|found| &found.value), Some(ParameterValue::Integer(_)));
        #[allow(clippy::cast_possible_truncation)]
        let value = if whole { ParameterValue::Integer(value as i32) } else { ParameterValue::Double(value) };
        self.task.set_parameter(name, value);
    }

    fn act(
        &mut self,
        state: &State,
        command: &CommandState,
        robot: &mut dyn Robot,
        events: &mut Vec<Event>,
    ) -> Fallible<()> {
        for action in &command.actions {
            let what = format!("state {}, target of {}", state.id, action.kind.as_str());
            let (model, id) = (action.model.clone(), state.id);
            let target = action.target.as_ref();
            let tool = target.map(|target| whole(&self.task, target, &what, &Poses(robot))).transpose()?.map(ToolId);
            match (action.kind, tool) {
                (ActionKind::Attach, Some(tool)) => {
                    if robot.is_attached(&model) {
                        let message = format!("`{model}` was attached already; it is attached to tool {tool} now");
                        events.push(Event::Warned { state: id, message });
                        robot.detach(&model);
                    }
                    let attached = match self.task.model(&model) {
                        Some(_) => robot.attach(&model, tool),
                        None => Err(AttachFailure::NoModel),
                    };
                    attached.map_err(|failure| {
                        let message = format!("state {id}: cannot attach `{model}` to tool {tool}: {failure}");
                        Box::new(action.origin.error("attach-failed", message).help(failure.help()))
                    })?;
                }
                (ActionKind::Attach, None) => {
                    let diagnostic = action.origin.error("no-target", format!("{what} is missing"));
                    return Err(Box::new(diagnostic.help("name an integer parameter: `target: \"handID\"`")));
                }
                (ActionKind::Detach, _) => robot.detach(&model),
            }
            events.push(Event::Acted { state: id, action: action.kind, model, tool });
        }
        Ok(())
    }

    fn check_time(&self, time: f64) -> Fallible<()> {
        if time <= self.limits.time {
            return Ok(());
        }
        let message = format!("task `{}` has taken {time:.2} s and does not end", self.task.name);
        Err(Box::new(self.task.origin.error("out-of-time", message).help("the limit can be raised")))
    }
}

/// Poses of models as seen by the robot.
struct Poses<'r>(&'r dyn Robot);

impl crate::variables::ModelPoses for Poses<'_> {
    fn model_pose(&self, model: &crate::model::ModelName) -> Option<nalgebra::Isometry3<f64>> {
        self.0.model_pose(model)
    }
}
