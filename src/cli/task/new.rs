//! `bunraku task new`: writes a task from a pattern.

use std::fs;
use std::path::{Path, PathBuf};

use bunraku::document::{Severity, write_atomically};
use bunraku::task::designer::Pattern;
use bunraku::task::verbs::new_file;
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::super::common::Failure;
use super::super::messages;
use super::super::output::line;

/// The model of the objects in all patterns, embedded for users who have only the program.
const BLOCK: &str = include_str!("../../../assets/models/block.body");
const BLOCK_NAME: &str = "block.body";

#[derive(Args)]
pub struct TaskNewArgs {
    /// Pattern of the task
    #[arg(value_parser = PossibleValuesParser::new(Pattern::ALL.map(Pattern::name)))]
    pattern: String,
    /// The task file to write [default: the pattern with `.yaml`]
    file: Option<PathBuf>,
    /// Name of the task [default: that of the file]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Directory of the models, relative to the task file; without it block.body is written beside the task
    #[arg(long, value_name = "DIR")]
    models: Option<String>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

pub fn new(arguments: &TaskNewArgs) -> Result<(), Failure> {
    let Some(pattern) = Pattern::of_name(&arguments.pattern) else {
        return Err(Failure::Usage(format!("there is no pattern `{}`", arguments.pattern)));
    };
    let file = arguments.file.clone().unwrap_or_else(|| PathBuf::from(format!("{}.yaml", pattern.name())));
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = arguments.name.clone().or(stem).unwrap_or_else(|| pattern.name().to_owned());
    let models = match arguments.models.as_deref().map(|models| models.trim_end_matches('/')) {
        None | Some("") => String::new(),
        Some(models) => format!("{models}/"),
    };
    new_file(pattern, &name, &models, &file, arguments.force).map_err(|finding| {
        messages::diagnostics(std::slice::from_ref(&*finding), Severity::Error);
        Failure::Reported
    })?;
    line(format!("written    {}", file.display()))?;
    if arguments.models.is_none() {
        write_block(&file.parent().unwrap_or(Path::new("")).join(BLOCK_NAME))?;
    }
    Ok(())
}

/// Writes the model of the objects, unless the file exists.
fn write_block(path: &Path) -> Result<(), Failure> {
    if fs::symlink_metadata(path).is_ok() {
        return Ok(());
    }
    write_atomically(path, |file| std::io::Write::write_all(file, BLOCK.as_bytes()))
        .map_err(|error| Failure::Message(format!("cannot write {}: {error}", path.display())))?;
    line(format!("written    {}", path.display()))
}
