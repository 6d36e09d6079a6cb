//! Choreonoid projects (`.cnoid`) as scenes.
//!
//! A project becomes the text of a scene file, which is then read as any other: what runs is what `convert` writes. Findings
//! about that text are shown at the item of the project that the lines come from.

mod body_item;
mod choice;
mod controllers;
mod items;
mod project;
mod settings;
mod simulator;
mod text;
mod time_bar;
mod views;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_document::{Diagnostic, Place, Reporter, SourceFile};

use super::context::SceneOptions;
use super::model::Scene;
use project::Project;
use text::SceneText;

/// Whether a file is a project, by its name.
pub fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("cnoid"))
}

/// A project as a scene.
#[derive(Debug)]
pub struct ProjectScene {
    /// The text of a scene file.
    pub source: Arc<SourceFile>,
    /// The first lines of what comes from an item of the project, and that item, in order.
    origins: Vec<(u32, Place)>,
    /// The project and those inside it.
    pub projects: Vec<PathBuf>,
    /// The simulator item that counts, by its name.
    pub simulator: Option<String>,
}

/// Writes a project as a scene, with paths relative to the directory of `target` (or else of the project).
///
/// What has no counterpart goes to `reporter`: a note with the name of its item, a warning if the run will differ for it.
/// `None` means that there was an error.
pub fn read_project(
    path: &Path,
    target: Option<&Path>,
    options: &SceneOptions,
    reporter: &Reporter,
) -> Option<ProjectScene> {
    reporter.quote_only(&options.load.roots.around(path));
    let project = Project::read(path, options, reporter)?;
    let simulator = choice::choose(&project, options.simulator.as_deref(), reporter)?;
    let base = target.unwrap_or(path).parent().unwrap_or(Path::new(""));
    let text = SceneText::write(&project, simulator.as_ref(), base, reporter);
    if reporter.has_errors() {
        return None;
    }
    let source = SourceFile::from_text(path, text.text);
    let simulator = simulator.map(|simulator| simulator.name);
    Some(ProjectScene { source, origins: text.origins, projects: project.files, simulator })
}

impl ProjectScene {
    /// A finding about the text of the scene, at the item of the project that it comes from.
    fn relocated(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        if let Some(place) = &diagnostic.place
            && Arc::ptr_eq(&place.source, &self.source)
        {
            let line = place.span.map_or(1, |span| span.start.line);
            let after = self.origins.partition_point(|(first, _)| *first <= line);
            let origin = after.checked_sub(1).and_then(|last| self.origins.get(last));
            diagnostic.place = origin.map(|(_, origin)| origin.clone());
        }
        diagnostic
    }
}

/// Loads a project as a scene.
pub(super) fn load(path: &Path, options: &SceneOptions, reporter: &Reporter) -> Option<Scene> {
    let project = read_project(path, None, options, reporter)?;
    let about_text = Reporter::new();
    let scene = Scene::load_source(path, &project.source, options, &about_text);
    for diagnostic in about_text.into_diagnostics() {
        reporter.report(project.relocated(diagnostic));
    }
    let scene = scene.filter(|_| !reporter.has_errors())?;
    let sources = [&scene.sources[..], project.projects.get(1..).unwrap_or_default()].concat();
    Some(Scene { sources, simulator: project.simulator, ..scene })
}
