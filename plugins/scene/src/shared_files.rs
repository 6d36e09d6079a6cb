//! Models and motions that several scenes share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::profiles::is_table;
use bunraku_body::{Body, JointIndex, LoadOptions};
use bunraku_document::{Diagnostic, FoundFiles, Reporter};
use bunraku_motion::{BodyMotion, CsvNames, JointDisplacements, ReadCsvOptions, Sampling, SequenceError, load_csv};

/// Models and motions by their files, each read once: for scenes that are loaded again with other values, such as the
/// worlds of a batch and the runs of a sweep. All of these must have the same [`LoadOptions`], and files must not change
/// meanwhile.
#[derive(Clone, Debug, Default)]
pub struct SharedFiles {
    models: Arc<Mutex<BTreeMap<ModelKey, Read<Body>>>>,
    motions: Arc<Mutex<BTreeMap<MotionKey, Read<SharedMotion>>>>,
}

/// The file of a model, and the keyframe in which it starts.
type ModelKey = (PathBuf, Option<String>);

/// The file of a motion. A table (`.csv`) also depends on the names of the links and joints that its columns name.
type MotionKey = (PathBuf, Option<[Vec<String>; 2]>);

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
    /// The model of a file; with a keyframe in place of that of the options.
    pub(super) fn model(&self, file: &Path, keyframe: Option<&str>, reading: Reading<'_>) -> Shared<Body> {
        let key = (file.to_owned(), keyframe.map(str::to_owned));
        share(&self.models, key, reading, |options, reporter| {
            let keyframe = keyframe.map(str::to_owned).or_else(|| options.keyframe.clone());
            bunraku_body::load(file, &LoadOptions { keyframe, ..options.clone() }, reporter)
        })
    }

    /// The motion of a file for a body.
    pub(super) fn motion(&self, file: &Path, body: &Body, reading: Reading<'_>) -> Shared<SharedMotion> {
        let names = is_table(file).then(|| {
            let links = body.links().iter().map(|link| link.name.clone()).collect();
            let joints = (0..body.num_joints()).map(|joint| body.joint_name(JointIndex(joint)).to_owned()).collect();
            [links, joints]
        });
        share(&self.motions, (file.to_owned(), names.clone()), reading, |_, reporter| {
            let motion = match &names {
                Some([links, joints]) => {
                    load_csv(file, &CsvNames { links, joints }, &ReadCsvOptions::default(), reporter)
                }
                None => BodyMotion::load(file, reporter),
            };
            Some(SharedMotion::new(&reporter.keep(motion)?))
        })
    }
}

/// The result of `read` for a file, computed once; its findings are reported each time.
fn share<K: Ord, T>(
    known: &Mutex<BTreeMap<K, Read<T>>>,
    key: K,
    Reading { directory, options, reporter }: Reading<'_>,
    read: impl FnOnce(&LoadOptions, &Reporter) -> Option<T>,
) -> Shared<T> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.entry(key).or_insert_with(|| {
        let (named, own) = (FoundFiles::default(), Reporter::new());
        own.quote_only(&options.roots.around_directory(directory));
        let options = LoadOptions { roots: options.roots.clone().noting(&named), ..options.clone() };
        let content = read(&options, &own).map(Arc::new);
        Read { content, findings: own.into_diagnostics(), files: named.files() }
    });
    found.findings.iter().for_each(|finding| reporter.report(finding.clone()));
    (found.content.clone(), found.files.clone())
}
