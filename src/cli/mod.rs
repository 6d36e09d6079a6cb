//! Arguments, verbs and exit codes.

mod check;
mod compare;
mod convert;
mod files;
mod info;
mod messages;
mod output;
mod panics;
mod plot;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;

use bunraku::body::LoadOptions;
use bunraku::describe;
use bunraku::document::{Limits, Reporter, SearchRoots};
use clap::{Args, Parser, Subcommand};

/// A robot simulation sandbox for Choreonoid and OpenHRP data.
#[derive(Parser)]
#[command(name = "bunraku", version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Subcommand)]
enum Verb {
    /// Run a scene without a window and record it
    Run(run::RunArgs),
    /// Show what a model, motion or scene contains
    Info(info::InfoArgs),
    /// Look for mistakes in models, motions and scenes
    Check(check::CheckArgs),
    /// Write a model as a .body file, or a motion as .seq, .json or .csv
    Convert(convert::ConvertArgs),
    /// Show how far two recordings are from each other
    Compare(compare::CompareArgs),
    /// Draw channels of a motion or a table over time
    Plot(plot::PlotArgs),
}

/// Options of every verb.
#[derive(Args)]
struct CommonArgs {
    /// Choreonoid's share directory: what `${SHARE}` in files stands for
    #[arg(long, value_name = "DIR", env = "BUNRAKU_SHARE", global = true, hide_env_values = true)]
    share: Option<PathBuf>,
    /// Where Choreonoid is installed: what `${PROGRAM_TOP}` in files stands for
    #[arg(long, value_name = "DIR", env = "BUNRAKU_PROGRAM_TOP", global = true, hide_env_values = true)]
    program_top: Option<PathBuf>,
    /// The directory of a Choreonoid project: what `${PROJECT_DIR}` in files stands for
    #[arg(long, value_name = "DIR", env = "BUNRAKU_PROJECT_DIR", global = true, hide_env_values = true)]
    project_dir: Option<PathBuf>,
    /// Which simulator of a Choreonoid project counts, by the name of its item [default: the first AISTSimulator]
    #[arg(long, value_name = "NAME", global = true)]
    simulator: Option<String>,
    /// Read files that models name anywhere on the disk, not only around the model and in the share directory
    #[arg(long, global = true)]
    allow_outside: bool,
    /// Treat warnings as errors
    #[arg(long, global = true)]
    strict: bool,
}

impl CommonArgs {
    fn load_options(&self) -> LoadOptions {
        let roots = SearchRoots::new(self.share.clone())
            .with_variables(self.program_top.clone(), self.project_dir.clone())
            .with_ros_environment()
            .allow_outside(self.allow_outside);
        LoadOptions { roots, limits: Limits::default(), check_plausibility: false }
    }

    fn reporter(&self) -> Reporter {
        if self.strict { Reporter::strict() } else { Reporter::new() }
    }
}

/// How a verb ends when it does not simply succeed.
enum Failure {
    /// The data or the run is at fault, and the user has been told: exit code 1.
    Reported,
    /// The data or the run is at fault: the message is still to be printed, exit code 1.
    Message(String),
    /// A signal has ended the run, and the user has been told: the exit code of that signal.
    Exit(u8),
    /// Wrong usage: the message is still to be printed, exit code 2.
    Usage(String),
}

pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let as_json = match &cli.verb {
        Verb::Run(arguments) => arguments.json,
        Verb::Info(arguments) => arguments.json,
        Verb::Convert(arguments) => arguments.json,
        Verb::Compare(arguments) => arguments.json,
        Verb::Check(_) | Verb::Plot(_) => false,
    };
    let result = match cli.verb {
        Verb::Run(arguments) => run::run(&arguments, &cli.common),
        Verb::Info(arguments) => info::info(&arguments, &cli.common),
        Verb::Check(arguments) => check::check(&arguments, &cli.common),
        Verb::Convert(arguments) => convert::convert(&arguments, &cli.common),
        Verb::Compare(arguments) => compare::compare(&arguments, &cli.common),
        Verb::Plot(arguments) => plot::plot(&arguments, &cli.common),
    };
    let (code, message) = match result {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Reported) => return ExitCode::from(1),
        Err(Failure::Exit(code)) => return ExitCode::from(code),
        Err(Failure::Message(message)) => (1, message),
        Err(Failure::Usage(message)) => (2, message),
    };
    messages::error(&message);
    if as_json {
        // If stdout cannot be written, that was what failed, or it is told no better by another line.
        let _ = output::document(&describe::failure(&message, &[]));
    }
    ExitCode::from(code)
}
