//! Converts a Choreonoid project to a scene.

use std::io::Write;
use std::path::{Path, PathBuf};

use bunraku::document::{Reporter, write_atomically};
use bunraku::scene::{SceneOptions, is_project, read_project};

use super::super::common::{CommonArgs, Failure};
use super::super::missing;
use super::super::panics::caught;

/// Whether the name of a file says that it is a scene.
pub(super) fn is_scene(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    [".scene.yaml", ".scene.yml"].iter().any(|ending| name.ends_with(ending))
}

/// Writes the scene; returns the file.
pub(super) fn convert(
    (input, output): (&Path, &Path),
    common: &CommonArgs,
    reporter: &Reporter,
) -> Result<Vec<PathBuf>, Failure> {
    if !is_project(input) {
        return Err(Failure::Usage(format!("only a project (`.cnoid`) becomes a scene: {}", input.display())));
    }
    let options = SceneOptions {
        load: common.load_options(),
        simulator: common.simulator.clone(),
        leaves_out_missing: true,
        ..SceneOptions::default()
    };
    let scene = caught(input, reporter, || read_project(input, Some(output), &options, reporter));
    let scene = scene.ok_or(Failure::Reported)?;
    missing::print(&scene.missing);
    write_atomically(output, |file| file.write_all(scene.source.text().as_bytes()))
        .map_err(|error| Failure::Message(format!("cannot write the file: {error}: {}", output.display())))?;
    Ok(vec![output.to_owned()])
}
