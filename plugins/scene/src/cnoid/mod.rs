//! Choreonoid projects (`.cnoid`) as scenes.
//!
//! A project is converted to the text of a scene file, which is then read like any other: the scene that runs is the
//! one that `convert` writes. Findings in that text are shown at the project item that the lines come from.

mod body_item;
mod choice;
mod controllers;
mod items;
mod missing;
mod project;
mod settings;
mod simulator;
mod text;
mod time_bar;
mod views;
mod vision;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_document::{Origins, Reporter, SourceFile};

use super::context::SceneOptions;
use super::model::Scene;
pub use missing::{MissingKind, MissingPart};
use project::Project;
use text::SceneText;

/// Whether the extension of a file is that of a project.
pub fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("cnoid"))
}

/// A project converted to a scene.
#[derive(Debug)]
pub struct ProjectScene {
    /// The text of a scene file.
    pub source: Arc<SourceFile>,
    /// The project items from which its lines come.
    origins: Origins,
    /// The parts that are missing.
    pub missing: Vec<MissingPart>,
    /// The projects and their subprojects.
    pub projects: Vec<PathBuf>,
    /// The name of the chosen simulator item.
    pub simulator: Option<String>,
}

/// Converts a project to a scene, with paths relative to the directory of `target` (or else of the project).
///
/// Those of [`SceneOptions::merged`] are added to it. Reports everything without a counterpart to `reporter`: with a note at its item, or with a warning if the run will
/// differ because of it. Returns `None` after an error.
pub fn read_project(
    path: &Path,
    target: Option<&Path>,
    options: &SceneOptions,
    reporter: &Reporter,
) -> Option<ProjectScene> {
    reporter.quote_only(&options.load.roots.around(path));
    let mut project = Project::read(path, options, reporter)?;
    if options.leaves_out_missing {
        missing::finding(&project.missing, true).into_iter().for_each(|finding| reporter.report(finding));
        project.bodies.retain(|body| body.model.is_some());
    }
    let simulator = choice::choose(&project, options.simulator.as_deref(), reporter)?;
    let base = target.unwrap_or(path).parent().unwrap_or(Path::new(""));
    let text = SceneText::write(&project, simulator.as_ref(), base, reporter);
    if reporter.has_errors() {
        return None;
    }
    let source = SourceFile::from_text(path, text.text);
    let simulator = simulator.map(|simulator| simulator.name);
    let Project { files: projects, missing, .. } = project;
    Some(ProjectScene { source, origins: text.origins, missing, projects, simulator })
}

/// Loads a project as a scene.
pub(super) fn load(path: &Path, options: &SceneOptions, reporter: &Reporter) -> Option<Scene> {
    let project = read_project(path, None, options, reporter)?;
    let about_text = Reporter::new();
    let scene = Scene::load_source(path, &project.source, options, &about_text);
    for diagnostic in about_text.into_diagnostics() {
        reporter.report(project.origins.relocated(&project.source, diagnostic));
    }
    if !options.leaves_out_missing {
        missing::finding(&project.missing, false).into_iter().for_each(|finding| reporter.report(finding));
    }
    let scene = scene.filter(|_| !reporter.has_errors())?;
    let sources = [&scene.sources[..], project.projects.get(1..).unwrap_or_default()].concat();
    Some(Scene { sources, simulator: project.simulator, missing: project.missing, ..scene })
}
