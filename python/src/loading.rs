//! Scenes and models from Python arguments.

use std::path::PathBuf;

use bunraku::body::LoadOptions;
use bunraku::document::{Diagnostic, Limits, Reporter, SearchRoots, SourceFile};
use bunraku::scene::{Scene, SceneOptions, SharedFiles};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{detached, with_diagnostics};

/// Where files are looked for, as with the options of the program.
#[derive(Clone)]
pub struct Roots {
    pub share: Option<PathBuf>,
    pub allow_outside: bool,
    pub strict: bool,
}

impl Roots {
    /// Options for reading files; `${SHARE}` is `BUNRAKU_SHARE` unless it is given.
    pub fn load_options(&self) -> LoadOptions {
        let variable = |name| std::env::var_os(name).map(PathBuf::from);
        let roots = SearchRoots::new(self.share.clone().or_else(|| variable("BUNRAKU_SHARE")))
            .with_variables(variable("BUNRAKU_PROGRAM_TOP"), variable("BUNRAKU_PROJECT_DIR"))
            .with_ros_environment()
            .allow_outside(self.allow_outside);
        LoadOptions { roots, limits: Limits::default(), ..LoadOptions::default() }
    }

    /// A reporter of findings.
    pub fn reporter(&self) -> Reporter {
        if self.strict { Reporter::strict() } else { Reporter::new() }
    }
}

/// A scene file, or the text of one.
#[derive(Clone)]
pub enum Source {
    File(PathBuf),
    /// A text that stands at this path.
    Text(PathBuf, String),
}

impl Source {
    /// The source that an argument `scene` means, see `bunraku._scene.source`.
    pub fn of(scene: &Bound<'_, PyAny>, base: Option<PathBuf>) -> PyResult<Self> {
        let helper = scene.py().import("bunraku._scene")?.getattr("source")?;
        let (is_file, text): (bool, String) = helper.call1((scene,))?.extract()?;
        Ok(match is_file {
            true => Self::File(text.into()),
            false => Self::Text(base.unwrap_or_default().join("<scene>"), text),
        })
    }
}

/// Overrides as pairs of path and YAML text.
pub fn overrides(py: Python<'_>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, String)>> {
    match given {
        None => Ok(Vec::new()),
        Some(given) => py.import("bunraku._scene")?.getattr("overrides")?.call1((given,))?.extract(),
    }
}

/// Loads a scene; returns its warnings and notes, too. Scenes with the same `shared` share models and motions.
///
/// # Errors
/// `LoadError` with the findings.
pub fn load(
    py: Python<'_>,
    source: &Source,
    overrides: Vec<(String, String)>,
    roots: &Roots,
    shared: Option<SharedFiles>,
) -> PyResult<(Scene, Vec<Diagnostic>)> {
    let options = SceneOptions { load: roots.load_options(), overrides, shared, ..SceneOptions::default() };
    let (scene, findings) = detached(py, || {
        let reporter = roots.reporter();
        let scene = match source {
            Source::File(path) => Scene::load(path, &options, &reporter),
            Source::Text(path, text) => Scene::read(&SourceFile::from_text(path, text.as_str()), &options, &reporter),
        };
        (scene, reporter.into_diagnostics())
    })?;
    match scene {
        Some(scene) => Ok((scene, findings)),
        None => Err(load_error(py, "the scene cannot be read", &findings)),
    }
}

/// A `LoadError` whose message contains the errors among the findings.
pub fn load_error(py: Python<'_>, what: &str, findings: &[Diagnostic]) -> PyErr {
    let errors = findings.iter().filter(|finding| finding.severity == bunraku::document::Severity::Error);
    let lines: Vec<_> = errors.map(|finding| format!("\n  {finding}")).collect();
    with_diagnostics(py, "LoadError", format!("{what}:{}", lines.concat()), findings)
}

/// Sets the seed of all sensors.
pub fn seed(scene: &mut Scene, seed: Option<u64>) {
    if let Some(seed) = seed {
        for sensors in scene.bodies.iter_mut().filter_map(|body| body.sensors.as_mut()) {
            sensors.seed = seed;
        }
    }
}
