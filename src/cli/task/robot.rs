//! `bunraku task robot`: drafts the files with which a robot does tasks.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use bunraku::document::{Severity, write_atomically};
use bunraku::scene::{RobotFiles, SceneOptions};
use clap::Args;

use super::super::common::{CommonArgs, Failure};
use super::super::messages;
use super::super::output::line;
use super::super::panics::caught;

#[derive(Args)]
pub struct TaskRobotArgs {
    /// The model (.body, .urdf, .xacro, .xml, .wrl)
    model: PathBuf,
    /// The mapping file to write; the scene is written beside it [default: the model's name with `.robot.yaml`]
    file: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

pub fn robot(arguments: &TaskRobotArgs, common: &CommonArgs) -> Result<(), Failure> {
    let model = &arguments.model;
    let stem = model.file_stem().map_or_else(|| "robot".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let mapping = arguments.file.clone().unwrap_or_else(|| PathBuf::from(format!("{stem}.robot.yaml")));
    let name = mapping.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".robot.yaml").or_else(|| name.strip_suffix(".yaml")).unwrap_or(&name);
    let scene = mapping.with_file_name(format!("{name}.scene.yaml"));
    let reporter = common.reporter([model]);
    let options = SceneOptions { load: common.load_options(), ..SceneOptions::default() };
    let files = caught(model, &reporter, || RobotFiles::draft(model, [&mapping, &scene], &options, &reporter));
    messages::diagnostics(&reporter.into_diagnostics(), Severity::Warning);
    let files = files.ok_or(Failure::Reported)?;
    if !arguments.force
        && let Some(existing) = [&mapping, &scene].into_iter().find(|path| fs::symlink_metadata(path).is_ok())
    {
        let message = format!("{} is there already: choose another name, or give --force", existing.display());
        return Err(Failure::Message(message));
    }
    write(&mapping, &files.mapping)?;
    write(&scene, &files.scene)?;
    for note in &files.notes {
        line(format!("note       {note}"))?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_atomically(path, |file| file.write_all(text.as_bytes()))
        .map_err(|error| Failure::Message(format!("cannot write {}: {error}", path.display())))?;
    line(format!("written    {}", path.display()))
}
