//! Models and motions that several scenes share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Diagnostic, FoundFiles, Reporter};
use bunraku_motion::{BodyMotion, JointDisplacements, Sampling, SequenceError};

/// Models and motions by their files, each read once: for scenes that are loaded again with other values, such as the
/// worlds of a batch and the runs of a sweep. All of these must have the same [`LoadOptions`], and files must not change
/// meanwhile.
#[derive(Clone, Debug, Default)]
pub struct SharedFiles {
    models: Arc<Mutex<BTreeMap<PathBuf, Read<Body>>>>,
    motions: Arc<Mutex<BTreeMap<PathBuf, Read<SharedMotion>>>>,
}

/// A motion with frames at a fixed rate, or why it cannot have them.
#[derive(Debug)]
pub(super) struct SharedMotion {
    pub(super) motion: Result<Arc<BodyMotion>, SequenceError>,
    reference: OnceLock<Option<Arc<JointDisplacements>>>,
}

impl SharedMotion {
    /// Frames without times, as the manual specifies and as Choreonoid does on loading.
    fn new(file: &BodyMotion) -> Self {
        let motion = file.import(Sampling::Hold).map(|motion| Arc::new(motion.without_offset()));
        Self { motion, reference: OnceLock::new() }
    }

    /// Its joint displacements, for controllers of efforts; a copy that is made once.
    pub(super) fn reference(&self) -> Option<Arc<JointDisplacements>> {
        let copy = || self.motion.as_ref().ok()?.joint_displacements.clone().map(Arc::new);
        self.reference.get_or_init(copy).clone()
    }
}

/// The content of a file, with all that reading it has reported.
#[derive(Debug)]
struct Read<T> {
    content: Option<Arc<T>>,
    findings: Vec<Diagnostic>,
    /// The files that it names.
    files: Vec<PathBuf>,
}

/// Inputs of a scene for reading its files.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    /// The directory of the scene.
    pub(super) directory: &'a Path,
    pub(super) options: &'a LoadOptions,
    pub(super) reporter: &'a Reporter,
}

/// The content of a file, and the files that it names.
pub(super) type Shared<T> = (Option<Arc<T>>, Vec<PathBuf>);

impl SharedFiles {
    /// The model of a file.
    pub(super) fn model(&self, file: &Path, reading: Reading<'_>) -> Shared<Body> {
        share(&self.models, file, reading, |options, reporter| bunraku_body::load(file, options, reporter))
    }

    /// The motion of a file.
    pub(super) fn motion(&self, file: &Path, reading: Reading<'_>) -> Shared<SharedMotion> {
        share(&self.motions, file, reading, |_, reporter| {
            let motion = reporter.keep(BodyMotion::load(file, reporter))?;
            Some(SharedMotion::new(&motion))
        })
    }
}

/// The result of `read` for a file, computed once; its findings are reported each time.
fn share<T>(
    known: &Mutex<BTreeMap<PathBuf, Read<T>>>,
    file: &Path,
    Reading { directory, options, reporter }: Reading<'_>,
    read: impl FnOnce(&LoadOptions, &Reporter) -> Option<T>,
) -> Shared<T> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.entry(file.to_owned()).or_insert_with(|| {
        let (named, own) = (FoundFiles::default(), Reporter::new());
        own.quote_only(&options.roots.around_directory(directory));
        let options = LoadOptions { roots: options.roots.clone().noting(&named), ..options.clone() };
        let content = read(&options, &own).map(Arc::new);
        Read { content, findings: own.into_diagnostics(), files: named.files() }
    });
    found.findings.iter().for_each(|finding| reporter.report(finding.clone()));
    (found.content.clone(), found.files.clone())
}
