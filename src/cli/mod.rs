//! Arguments, verbs and exit codes.

mod bitmap;
mod check;
mod common;
mod compare;
mod convert;
mod directory;
mod files;
mod gather;
mod info;
mod interrupts;
mod mcap;
mod messages;
mod missing;
mod output;
mod panics;
mod picture;
mod plot;
#[cfg(test)]
mod reference;
mod replay;
mod report;
mod rerun;
mod run;
mod shell;
mod start;
mod sweep;
mod table;
mod task;
mod view;

use std::process::ExitCode;
use std::sync::LazyLock;

use bunraku::describe;
use clap::{CommandFactory, Parser, Subcommand};

use common::{CommonArgs, Failure};

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
    /// Run a scene and record it, without a window or in one
    Run(Box<run::RunArgs>),
    /// Show models, motions and scenes in a window
    View(view::ViewArgs),
    /// Show what a model, motion or scene contains
    Info(info::InfoArgs),
    /// Report mistakes in models, motions, scenes, projects and tasks
    Check(check::CheckArgs),
    /// Write a model as a .body file, or a motion as .seq, .json or .csv
    Convert(convert::ConvertArgs),
    /// Run a scene many times with different values, here or by Slurm, GNU parallel or Ray
    Sweep(sweep::SweepArgs),
    /// Write the summaries of a sweep as one table, .csv and .parquet
    Gather(gather::GatherArgs),
    /// Report the largest differences of two motions
    Compare(compare::CompareArgs),
    /// Draw channels of a motion or a table over time
    Plot(plot::PlotArgs),
    /// Draw a picture of a scene, a model, a motion or the results of a run
    Picture(picture::PictureArgs),
    /// Write the results of a run as one HTML page with a 3D replay and plots
    Report(report::ReportArgs),
    /// Repeat the run that made a directory of results, and compare the results bit for bit
    Rerun(rerun::RerunArgs),
    /// Print a script that completes commands of this program in a shell
    Completions(shell::CompletionArgs),
    /// Write the manual pages of this program
    Man(shell::ManArgs),
    /// Check, run and write tasks: state machines of robot commands
    #[command(subcommand)]
    Task(task::TaskVerb),
}

/// The arguments; without any, a build with a window shows its gallery, and another one the help.
fn parse() -> Cli {
    let arguments: Vec<_> = std::env::args_os().collect();
    match cfg!(feature = "viewer") && arguments.len() == 1 {
        true => Cli::parse_from(arguments.into_iter().chain(["view".into()])),
        false => Cli::parse_from(arguments),
    }
}

pub fn main() -> ExitCode {
    LazyLock::force(&common::BEGUN);
    interrupts::survive_file_size_limit();
    let cli = parse();
    let as_json = match &cli.verb {
        Verb::Run(arguments) => arguments.json,
        Verb::Info(arguments) => arguments.json,
        Verb::Convert(arguments) => arguments.json,
        Verb::Compare(arguments) => arguments.json,
        Verb::Task(verb) => verb.json(),
        Verb::Rerun(arguments) => arguments.json,
        Verb::Sweep(arguments) => arguments.json,
        Verb::Gather(arguments) => arguments.json,
        Verb::View(_) | Verb::Check(_) | Verb::Picture(_) | Verb::Plot(_) | Verb::Report(_) => false,
        Verb::Completions(_) | Verb::Man(_) => false,
    };
    let result = match cli.verb {
        Verb::Run(arguments) => run::run(&arguments, &cli.common),
        Verb::View(arguments) => view::view(&arguments, &cli.common),
        Verb::Info(arguments) => info::info(&arguments, &cli.common),
        Verb::Check(arguments) => check::check(&arguments, &cli.common),
        Verb::Convert(arguments) => convert::convert(&arguments, &cli.common),
        Verb::Compare(arguments) => compare::compare(&arguments, &cli.common),
        Verb::Plot(arguments) => plot::plot(&arguments, &cli.common),
        Verb::Picture(arguments) => picture::picture(&arguments, &cli.common),
        Verb::Report(arguments) => report::report(&arguments, &cli.common),
        Verb::Rerun(arguments) => rerun::rerun(&arguments, &cli.common),
        Verb::Sweep(arguments) => sweep::sweep(&arguments, &cli.common),
        Verb::Gather(arguments) => gather::gather(&arguments),
        Verb::Completions(arguments) => shell::completions(&arguments, Cli::command()),
        Verb::Man(arguments) => shell::man(&arguments, Cli::command()),
        Verb::Task(verb) => task::task(&verb, &cli.common),
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
        // If stdout cannot be written, that was the failure already reported, or another line would not report it
        // better.
        let _ = output::document(&describe::failure(&message, &[]));
    }
    ExitCode::from(code)
}
