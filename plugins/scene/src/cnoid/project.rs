//! The parts of a project that a scene needs.

use std::path::{Path, PathBuf};

use bunraku_body::LoadOptions;
use bunraku_document::yaml::Document;
use bunraku_document::{Diagnostic, Place, Reporter, SourceFile, Value};

use super::super::context::SceneOptions;
use super::body_item::ProjectBody;
use super::items::{Item, place};
use super::simulator::Simulator;
use super::time_bar::TimeBar;
use super::views::{self, View};
use super::vision::{self, VisionRecording};

/// Maximum nesting depth of projects.
const DEEPEST: usize = 8;

/// Maximum nesting depth of items; real projects nest five levels.
const DEEPEST_ITEM: usize = 32;

/// Items without a meaning of their own: they structure the tree, or are read with their parents.
const SILENT: &[&str] = &["RootItem", "WorldItem", "FolderItem", "BodyItem", "SubProjectItem"];

/// A project and its subprojects.
pub(super) struct Project {
    /// The files, the project itself first.
    pub(super) files: Vec<PathBuf>,
    /// Directory of the project.
    pub(super) directory: PathBuf,
    /// Load options with `${PROJECT_DIR}`.
    pub(super) load: LoadOptions,
    /// The place of the world item.
    pub(super) world: Option<Place>,
    /// Material tables: the names in the project, and the directory that each is relative to.
    pub(super) materials: Vec<(String, PathBuf)>,
    pub(super) bodies: Vec<ProjectBody>,
    pub(super) simulators: Vec<Simulator>,
    pub(super) vision: Vec<VisionRecording>,
    pub(super) time_bar: TimeBar,
    pub(super) view: Option<View>,
}

impl Project {
    pub(super) fn read(path: &Path, options: &SceneOptions, reporter: &Reporter) -> Option<Self> {
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut load = options.load.clone();
        load.roots = load.roots.with_default_project(&directory);
        let mut project = Self {
            files: Vec::new(),
            directory,
            load,
            world: None,
            materials: Vec::new(),
            bodies: Vec::new(),
            simulators: Vec::new(),
            vision: Vec::new(),
            time_bar: TimeBar::default(),
            view: None,
        };
        project.add_file(path, reporter)?;
        if project.world.is_none() && !reporter.has_errors() {
            let message = format!("the project has no WorldItem, so that nothing is simulated: {}", path.display());
            reporter
                .report(Diagnostic::error("no-world", message).help("add a world in Choreonoid, with bodies in it"));
        }
        (!reporter.has_errors()).then_some(project)
    }

    fn add_file(&mut self, path: &Path, reporter: &Reporter) -> Option<()> {
        let limits = self.load.limits;
        let source =
            SourceFile::read(path, &limits, reporter).map_err(|error| reporter.report(error.to_diagnostic())).ok()?;
        let document = reporter.keep(Document::parse(&source, &limits, reporter))?;
        let is_main = self.files.is_empty();
        self.files.push(path.to_owned());
        let root = document.root();
        let Some(items) = root.get("items") else {
            let error = Diagnostic::error("unknown-format", "this is not a Choreonoid project: it has no `items`");
            reporter.report(error.in_file(&source).help("projects are saved by Choreonoid's menu `File`"));
            return None;
        };
        if is_main {
            self.time_bar = TimeBar::read(root, reporter);
            self.view = views::read_camera(root);
            views::note_others(root, reporter);
        }
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        self.add_items(Item::new(items), &directory, 0, reporter);
        Some(())
    }

    fn add_items(&mut self, item: Item<'_>, directory: &Path, depth: usize, reporter: &Reporter) {
        if depth > DEEPEST_ITEM {
            reporter.report(item.value().error("limit-depth", "the items are nested too deep"));
            return;
        }
        match item.class() {
            "WorldItem" => self.add_world(item, directory, reporter),
            "BodyItem" => self.bodies.extend(ProjectBody::read(item, directory, &self.load, reporter)),
            "MaterialTableItem" => self.add_materials(item.settings().get(&["file", "filename"]), directory),
            "SubProjectItem" => self.add_sub_project(item, directory, reporter),
            class if Simulator::is_simulator(class) => self.simulators.push(Simulator::read(item, reporter)),
            vision::CLASS => self.vision.extend(VisionRecording::read(item, reporter)),
            class if SILENT.contains(&class) || ProjectBody::reads(class) => {}
            class => note_other(item, class, reporter),
        }
        for child in item.children() {
            self.add_items(child, directory, depth + 1, reporter);
        }
    }

    fn add_world(&mut self, item: Item<'_>, directory: &Path, reporter: &Reporter) {
        if self.world.is_some() {
            let message = format!("`{}` is another world: its bodies are put into the first one", item.name());
            reporter.report(item.value().note("several-worlds", message));
        }
        self.world.get_or_insert_with(|| item.place());
        let table = ["default_material_table_file", "materialTableFile", "material_table_file"];
        self.add_materials(item.settings().get(&table), directory);
    }

    fn add_materials(&mut self, value: Option<Value<'_>>, directory: &Path) {
        if let Some(text) = value.and_then(Value::text).filter(|text| !text.is_empty()) {
            let entry = (text.to_owned(), directory.to_owned());
            if !self.materials.contains(&entry) {
                self.materials.push(entry);
            }
        }
    }

    fn add_sub_project(&mut self, item: Item<'_>, directory: &Path, reporter: &Reporter) {
        let Some(file) = item.settings().get(&["file", "filename"]) else { return };
        let found = match self.load.roots.find(directory, file.text().unwrap_or_default()) {
            Ok(found) => found,
            Err(error) => {
                reporter.report(error.to_diagnostic().at(file.source(), place(file).span.unwrap_or(file.span())));
                return;
            }
        };
        let same = |known: &PathBuf| known.canonicalize().ok() == found.canonicalize().ok();
        if self.files.len() >= DEEPEST || self.files.iter().any(same) {
            let message = format!("the project `{}` is inside itself, or there are too many", found.display());
            reporter.report(file.error("limit-projects", message));
            return;
        }
        self.add_file(&found, reporter);
    }
}

/// Notes an item that is left out, with a reason for the classes that come with Choreonoid.
fn note_other(item: Item<'_>, class: &str, reporter: &Reporter) {
    let why = match class {
        "" => return,
        "BodyMotionItem" => "a motion that no controller plays is not used by a simulation",
        "PoseSeqItem" => "a sequence of poses is made into a motion by Choreonoid only: save it there as `.seq`",
        "LightingItem" | "SceneItem" => "lights and scenery change pictures only",
        "BodySyncCameraItem" | "BodyTrackingCameraItem" => "a camera that follows a body changes pictures only",
        "SensorVisualizerItem" | "SensorVisualizer" => "it shows sensors and changes nothing",
        "PythonSimScriptItem" => "Python scripts are not run",
        class if class.contains("RTC") || class.contains("RTSystem") || class.contains("RTM") => {
            "RT components are programs, and not run"
        }
        _ => "it has no counterpart",
    };
    let message = format!("`{}` ({class}) is left out: {why}", item.name());
    reporter.report(item.value().note("no-counterpart", message));
}
