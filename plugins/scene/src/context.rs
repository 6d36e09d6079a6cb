//! Options and context for reading a scene.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Reporter, Result, SourceFile, Value};

use super::shared_files::{Reading, Shared, SharedFiles, SharedMotion};

/// Time step of a scene that specifies none, s: Choreonoid's default.
pub(super) const DEFAULT_TIME_STEP: f64 = 0.001;

/// Options for reading a scene, and overrides of its values.
#[derive(Clone, Debug, Default)]
pub struct SceneOptions {
    /// The directories for `${SHARE}`, and limits for every file.
    pub load: LoadOptions,
    /// Overrides of values in the file: path (`simulation.time_step`, `bodies.SR1.controller.kp`) and YAML text.
    pub overrides: Vec<(String, String)>,
    /// Whether the scene must have a duration, because nobody is there to stop it.
    pub needs_end: bool,
    /// Name of the simulator item to use in a Choreonoid project; `None`: the first AISTSimulator.
    pub simulator: Option<String>,
    /// Further Choreonoid projects, whose items are added to those of the first.
    pub merged: Vec<PathBuf>,
    /// Whether missing parts of a Choreonoid project are left out; otherwise they are errors.
    pub leaves_out_missing: bool,
    /// Models and motions that other scenes have read already, and may read after this one.
    pub shared: Option<SharedFiles>,
}

/// Context for reading the parts of a scene.
pub(super) struct SceneContext<'a> {
    pub(super) directory: PathBuf,
    pub(super) options: &'a LoadOptions,
    pub(super) reporter: &'a Reporter,
    /// The files that the scene names.
    pub(super) sources: RefCell<Vec<PathBuf>>,
    pub(super) shared: SharedFiles,
    /// Whether the scene may have no bodies.
    pub(super) may_be_empty: bool,
    /// Length of a step, s; set before bodies are read.
    pub(super) time_step: Cell<f64>,
}

impl<'a> SceneContext<'a> {
    /// The context of a source, with the time step of a scene that specifies none.
    pub(super) fn new(
        source: &SourceFile,
        options: &'a LoadOptions,
        reporter: &'a Reporter,
        shared: SharedFiles,
    ) -> Self {
        let directory = source.directory().into_owned();
        let time_step = Cell::new(DEFAULT_TIME_STEP);
        Self { directory, options, reporter, sources: RefCell::default(), shared, may_be_empty: false, time_step }
    }
}

impl SceneContext<'_> {
    /// The model of a file.
    pub(super) fn model(&self, file: &Path, keyframe: Option<&str>) -> Option<Arc<Body>> {
        self.note(self.shared.model(file, keyframe, self.reading()))
    }

    /// The motion of a file for a body.
    pub(super) fn motion(&self, file: &Path, body: &Body) -> Option<Arc<SharedMotion>> {
        self.note(self.shared.motion(file, body, self.reading()))
    }

    fn reading(&self) -> Reading<'_> {
        Reading { directory: &self.directory, options: self.options, reporter: self.reporter }
    }

    /// Adds the files that a file names to those of the scene.
    fn note<T>(&self, (content, files): Shared<T>) -> Option<Arc<T>> {
        self.sources.borrow_mut().extend(files);
        content
    }

    /// The file that a value names, relative to the scene file; `None` with a finding if it does not exist.
    pub(super) fn file(&self, value: Value<'_>) -> Option<PathBuf> {
        let text = self.reporter.keep(value.as_text())?;
        let path = match self.options.roots.resolve(&self.directory, text) {
            Ok(path) => path,
            Err(error) => {
                self.reporter.report(error.to_diagnostic().at(value.source(), value.span()));
                return None;
            }
        };
        if path.is_file() {
            self.sources.borrow_mut().push(path.clone());
            return Some(path);
        }
        self.reporter.report(
            value
                .error("file-not-found", format!("file not found: {text}"))
                .help(format!("it was looked for at {}", path.display())),
        );
        None
    }
}

/// A positive number.
pub(super) fn positive(value: Value<'_>, what: &str, unit: &str, reporter: &Reporter) -> Result<f64> {
    let number = value.as_number(reporter)?;
    if number <= 0.0 {
        return Err(Box::new(value.error("not-positive", format!("a {what} of {number} {unit} is not positive"))));
    }
    Ok(number)
}
