//! `bunraku check`: findings only.

use std::path::PathBuf;

use bunraku::document::Severity;
use clap::Args;

use super::messages::{self, count};
use super::{CommonArgs, Failure, files};

#[derive(Args)]
pub struct CheckArgs {
    /// Models (.body), motions (.seq) and scenes (.scene.yaml)
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub fn check(arguments: &CheckArgs, common: &CommonArgs) -> Result<(), Failure> {
    let (mut errors, mut warnings, mut notes) = (0, 0, 0);
    for file in &arguments.files {
        let reporter = common.reporter();
        files::load(file, common, &reporter);
        errors += reporter.count(Severity::Error);
        warnings += reporter.count(Severity::Warning);
        notes += reporter.count(Severity::Note);
        messages::diagnostics(&reporter.into_diagnostics(), Severity::Note);
    }
    println!(
        "{}: {}, {}, {}",
        count(arguments.files.len(), "file"),
        count(errors, "error"),
        count(warnings, "warning"),
        count(notes, "note"),
    );
    if errors > 0 { Err(Failure::Reported) } else { Ok(()) }
}
