//! `bunraku task check`: findings in task files of any name.

use std::path::PathBuf;

use bunraku::task::verbs::check_file;
use clap::Args;

use super::super::check::check_each;
use super::super::common::{CommonArgs, Failure};
use super::super::panics::caught;

#[derive(Args)]
pub struct TaskCheckArgs {
    /// Task files (.yaml)
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub fn check(arguments: &TaskCheckArgs, common: &CommonArgs) -> Result<(), Failure> {
    let named: Vec<_> = arguments.files.iter().map(|file| (file.clone(), file.clone())).collect();
    check_each(&named, (0, 0), common, &|file, reporter| {
        caught(file, reporter, || check_file(file, reporter));
    })
}
