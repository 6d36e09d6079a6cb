//! Converts a Choreonoid project, or a model, to a scene.

use std::io::Write;
use std::path::{Path, PathBuf};

use bunraku::document::{Reporter, write_atomically};
use bunraku::scene::{Scene, SceneOptions, is_project, read_project};

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
    let options = SceneOptions {
        load: common.load_options(),
        simulator: common.simulator.clone(),
        leaves_out_missing: true,
        ..SceneOptions::default()
    };
    let text = if is_project(input) {
        let scene = caught(input, reporter, || read_project(input, Some(output), &options, reporter));
        let scene = scene.ok_or(Failure::Reported)?;
        missing::print(&scene.missing);
        scene.source.text().to_owned()
    } else if Scene::is_around_model(input) {
        let text = caught(input, reporter, || Scene::text_around_model(input, output, &options, reporter));
        text.ok_or(Failure::Reported)?
    } else {
        return Err(Failure::Usage(format!(
            "only a project (`.cnoid`) or a model becomes a scene: {}",
            input.display()
        )));
    };
    write_atomically(output, |file| file.write_all(text.as_bytes()))
        .map_err(|error| Failure::Message(format!("cannot write the file: {error}: {}", output.display())))?;
    Ok(vec![output.to_owned()])
}
