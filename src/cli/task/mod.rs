//! `bunraku task`: checks, runs and writes tasks.

mod check;
mod new;
mod robot;
mod run;

use std::path::PathBuf;

use bunraku::scene::{Repeat, RepeatedTask, Scene};
use clap::Subcommand;

use super::common::{CommonArgs, Failure};

#[derive(Subcommand)]
pub enum TaskVerb {
    /// Report mistakes in task files
    Check(check::TaskCheckArgs),
    /// Run a task on the robot of a scene, and record it
    Run(Box<run::TaskRunArgs>),
    /// Write a new task of a pattern, with comments and parameters to adjust
    New(new::TaskNewArgs),
    /// Draft the mapping of a robot for tasks from its model, and a scene for it
    Robot(robot::TaskRobotArgs),
}

impl TaskVerb {
    /// Whether a JSON document was requested.
    pub fn json(&self) -> bool {
        match self {
            Self::Run(arguments) => arguments.json,
            Self::Check(_) | Self::New(_) | Self::Robot(_) => false,
        }
    }
}

pub fn task(verb: &TaskVerb, common: &CommonArgs) -> Result<(), Failure> {
    match verb {
        TaskVerb::Check(arguments) => check::check(arguments, common),
        TaskVerb::Run(arguments) => run::run(arguments, common),
        TaskVerb::New(arguments) => new::new(arguments),
        TaskVerb::Robot(arguments) => robot::robot(arguments, common),
    }
}

/// The scene of a task that was run, with the models of the task.
///
/// # Errors
/// If the scene or the task cannot be read, or no longer match.
pub fn scene_again(repeat: Repeat, task: RepeatedTask, common: &CommonArgs) -> Result<Scene, Failure> {
    run::load_again(&run::TaskRunArgs::again(repeat, task, PathBuf::new(), None), common)
}

/// Runs a task again.
pub fn again(
    repeat: Repeat,
    task: RepeatedTask,
    out: PathBuf,
    hands: Option<PathBuf>,
    common: &CommonArgs,
) -> Result<(), Failure> {
    run::run(&run::TaskRunArgs::again(repeat, task, out, hands), common)
}
