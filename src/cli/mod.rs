//! Arguments, verbs and exit codes.

mod check;
mod common;
mod compare;
mod convert;
mod directory;
mod files;
mod info;
mod interrupts;
mod messages;
mod output;
mod panics;
mod plot;
mod run;
mod task;
mod view;

use std::process::ExitCode;
use std::sync::LazyLock;

use bunraku::describe;
use clap::{Parser, Subcommand};

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
    Run(run::RunArgs),
    /// Show models, motions and scenes in a window
    View(view::ViewArgs),
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
    /// Check, run and write tasks: state machines of robot commands
    #[command(subcommand)]
    Task(task::TaskVerb),
}

pub fn main() -> ExitCode {
    LazyLock::force(&common::BEGUN);
    let cli = Cli::parse();
    let as_json = match &cli.verb {
        Verb::Run(arguments) => arguments.json,
        Verb::Info(arguments) => arguments.json,
        Verb::Convert(arguments) => arguments.json,
        Verb::Compare(arguments) => arguments.json,
        Verb::Task(verb) => verb.json(),
        Verb::View(_) | Verb::Check(_) | Verb::Plot(_) => false,
    };
    let result = match cli.verb {
        Verb::Run(arguments) => run::run(&arguments, &cli.common),
        Verb::View(arguments) => view::view(&arguments, &cli.common),
        Verb::Info(arguments) => info::info(&arguments, &cli.common),
        Verb::Check(arguments) => check::check(&arguments, &cli.common),
        Verb::Convert(arguments) => convert::convert(&arguments, &cli.common),
        Verb::Compare(arguments) => compare::compare(&arguments, &cli.common),
        Verb::Plot(arguments) => plot::plot(&arguments, &cli.common),
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
        // If stdout cannot be written, that was what failed, or it is told no better by another line.
        let _ = output::document(&describe::failure(&message, &[]));
    }
    ExitCode::from(code)
}
