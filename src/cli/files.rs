//! Recognition and loading of the files on the command line.

use std::path::Path;
use std::sync::Arc;

use bunraku::body::{self, Body, LoadOptions};
use bunraku::document::yaml::Document;
use bunraku::document::{Diagnostic, Limits, Reporter, SourceFile, read_bytes};
use bunraku::mesh;
use bunraku::motion::{BodyMotion, CsvNames, LongMotion, ReadCsvOptions, load_csv};
use bunraku::scene::{MissingPart, Scene, SceneOptions, larger_hulls};
use bunraku::task::model::Task;
use bunraku::task::robot::{RobotSetup, load_mapping};
use bunraku::task::verbs::check_file;

use super::common::CommonArgs;
use super::panics::caught;
use super::start;

/// A loaded file of any kind.
pub enum Loaded {
    Model(Box<Body>),
    Motion(Box<BodyMotion>),
    Scene(Box<Scene>),
    Tasks(Vec<Task>),
    Robot(Box<RobotSetup>),
}

/// Opens a recording of which only a frame is in memory, without reading its frames. `None` if it must be loaded.
pub fn open_long(path: &Path, reporter: &Reporter) -> Option<LongMotion> {
    if !ends_in(path, &["seq"]) {
        return None;
    }
    caught(path, reporter, || LongMotion::open(path, reporter))
}

enum Kind {
    Model,
    Motion,
    Scene,
    Tasks,
    Robot,
}

/// Loads a file of any kind. Reports to `reporter`; returns `None` after at least one error.
pub fn load(path: &Path, common: &CommonArgs, reporter: &Reporter) -> Option<Loaded> {
    load_with(path, common, common.load_options(), reporter)
}

/// Loads a file of any kind for its findings only. These include values that a simulation accepts but that are
/// implausible, and problems at the start of a scene.
///
/// Returns the missing parts of a project.
pub fn check(path: &Path, common: &CommonArgs, reporter: &Reporter) -> Vec<MissingPart> {
    let options = LoadOptions { check_plausibility: true, ..common.load_options() };
    match load_with(path, common, options, reporter) {
        Some(Loaded::Scene(scene)) => {
            if !scene.missing.is_empty() {
                let message = "`bunraku run` refuses a project with missing parts";
                let help = "`--allow-missing` runs it without them";
                let error = Diagnostic::error("missing-parts", message).in_file(&SourceFile::from_text(path, ""));
                reporter.report(error.help(help));
            }
            caught(path, reporter, || {
                start::check(&scene, path, reporter);
                Some(())
            });
            return scene.missing.clone();
        }
        Some(Loaded::Model(model)) => {
            larger_hulls(&model.name, &model).into_iter().for_each(|found| reporter.report(found))
        }
        _ => {}
    }
    Vec::new()
}

/// Whether the name of a file found in a directory says that `check` should read it. Of `.wrl` files these are only the
/// robots: the others are mostly shapes of robots and are read with them. Of `.yaml` files without a second extension
/// these are the tasks.
pub fn is_worth_checking(path: &Path) -> bool {
    is_called_like_ours(path) || is_robot(path) || is_task(path)
}

/// Whether a name is that of a model, motion, scene or robot file.
pub fn is_called_like_ours(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    [".body", ".urdf", ".seq", ".scene.yaml", ".scene.yml", ".robot.yaml", ".cnoid"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

fn is_robot(path: &Path) -> bool {
    ends_in(path, &["wrl"]) && has_word(path, b"Humanoid")
        || ends_in(path, &["xml"]) && has_word(path, b"<mujoco") && has_word(path, b"<worldbody")
}

fn is_task(path: &Path) -> bool {
    ends_in(path, &["yaml", "yml"]) && (has_word(path, b"taskName") || has_word(path, b"task_name"))
}

fn ends_in(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|extension| endings.iter().any(|ending| extension.eq_ignore_ascii_case(ending)))
}

fn has_word(path: &Path, word: &[u8]) -> bool {
    read_bytes(path, &Limits::default()).is_ok_and(|bytes| bytes.windows(word.len()).any(|window| window == word))
}

fn load_with(path: &Path, common: &CommonArgs, options: LoadOptions, reporter: &Reporter) -> Option<Loaded> {
    caught(path, reporter, || load_any(path, common, options, reporter))
}

fn load_any(path: &Path, common: &CommonArgs, options: LoadOptions, reporter: &Reporter) -> Option<Loaded> {
    match kind(path, common, reporter)? {
        Kind::Model => {
            let options = LoadOptions { keyframe: common.keyframe.clone(), ..options };
            body::load(path, &options, reporter).map(|model| Loaded::Model(Box::new(model)))
        }
        Kind::Motion => {
            let motion = match is_table(path) {
                true => load_csv(path, &CsvNames::default(), &ReadCsvOptions::default(), reporter),
                false => BodyMotion::load(path, reporter),
            };
            let motion = reporter.keep(motion)?;
            (!reporter.has_errors()).then(|| Loaded::Motion(Box::new(motion)))
        }
        Kind::Scene => {
            let simulator = common.simulator.clone();
            let options =
                SceneOptions { load: options, simulator, leaves_out_missing: true, ..SceneOptions::default() };
            Scene::load(path, &options, reporter).map(|scene| Loaded::Scene(Box::new(scene)))
        }
        Kind::Tasks => {
            let tasks = check_file(path, reporter);
            tasks.filter(|_| !reporter.has_errors()).map(Loaded::Tasks)
        }
        Kind::Robot => {
            let mapping = load_mapping(path, reporter)?;
            let model = mapping.body.load(&options, reporter)?;
            let setup = RobotSetup::new(Arc::new(model), &mapping, reporter);
            setup.map(|setup| Loaded::Robot(Box::new(setup)))
        }
    }
}

/// Whether the extension of a file is that of a table (`.csv`).
pub fn is_table(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

/// The error for a directory where a file is expected.
fn directory(path: &Path) -> Diagnostic {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut recordings: Vec<_> = entries.filter(|path| ends_in(path, &["seq"])).collect();
    recordings.sort();
    let help = match recordings.first() {
        Some(first) => format!("name one of its files, such as {}", first.display()),
        None => "name a file in it".to_owned(),
    };
    let message = format!("this is a directory, and a file is expected: {}", path.display());
    Diagnostic::error("file-unreadable", message).help(help)
}

/// The kind of a file by its extension, or for YAML by the keys at the top of the file.
fn kind(path: &Path, common: &CommonArgs, reporter: &Reporter) -> Option<Kind> {
    if path.is_dir() {
        reporter.report(directory(path));
        return None;
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        // A mesh or scene file makes a body of one link.
        Some("body" | "scen" | "urdf" | "xacro" | "xml" | "sdf" | "world") => return Some(Kind::Model),
        Some("cnoid") => return Some(Kind::Scene),
        Some(mesh) if mesh::extensions().any(|known| known == mesh) => return Some(Kind::Model),
        Some("seq" | "csv") => return Some(Kind::Motion),
        Some("partial") if name.ends_with(".seq.partial") => return Some(Kind::Motion),
        Some("yaml" | "yml") if name.contains(".scene.") => return Some(Kind::Scene),
        Some("yaml" | "yml" | "json") => {}
        _ => {
            let known =
                "`.body`, `.urdf`, `.xacro`, `.xml` (MJCF), `.wrl`, `.seq`, `.csv`, `.json`, `.scene.yaml` or `.cnoid`";
            let message = format!("cannot tell what kind of file this is: {}", path.display());
            reporter
                .report(Diagnostic::error("unknown-file-type", message).help(format!("its name must end in {known}")));
            return None;
        }
    }
    let limits = common.load_options().limits;
    let quiet = Reporter::new();
    let source =
        SourceFile::read(path, &limits, &quiet).map_err(|error| reporter.report(error.to_diagnostic())).ok()?;
    let document = reporter.keep(Document::parse(&source, &limits, &quiet))?;
    let text = |key| document.root().get(key).and_then(|value| value.text());
    // A file of tasks is a list of tasks or a single one.
    let first = document.root().items().and_then(|mut items| items.next()).unwrap_or(document.root());
    if ["taskName", "task_name"].iter().any(|key| first.get(key).is_some()) {
        return Some(Kind::Tasks);
    }
    match (text("format"), text("type")) {
        (Some("BunrakuScene"), _) => Some(Kind::Scene),
        (Some("BunrakuRobot"), _) => Some(Kind::Robot),
        (Some("ChoreonoidBody"), _) => Some(Kind::Model),
        _ if ["model_file", "modelFile"].iter().any(|key| document.root().get(key).is_some()) => Some(Kind::Model),
        (_, Some("CompositeSeq" | "BodyMotion" | "BunrakuRecording")) => Some(Kind::Motion),
        _ if ["program", "repeat", "sha256"].iter().all(|key| document.root().get(key).is_some()) => {
            let message = "this is the summary of a run: its origin and outcome";
            let help = "programs that read JSON read it; `bunraku rerun` takes its directory";
            reporter.report(Diagnostic::error("unknown-file-type", message).in_file(&source).help(help));
            None
        }
        _ => {
            let message = "this is neither a model, a motion, a scene nor a task";
            let help = "models begin with `format: ChoreonoidBody`, scenes with `format: BunrakuScene`, tasks with `- taskName: …`";
            reporter.report(Diagnostic::error("unknown-file-type", message).in_file(&source).help(help));
            None
        }
    }
}
