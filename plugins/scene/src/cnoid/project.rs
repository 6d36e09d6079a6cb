//! The parts of a project that a scene needs.

use std::path::{Path, PathBuf};

use bunraku_body::LoadOptions;
use bunraku_document::yaml::Document;
use bunraku_document::{Diagnostic, Place, Reporter, SourceFile};

use super::super::context::SceneOptions;
use super::body_item::ProjectBody;
use super::items::{Item, place};
use super::missing::{MissingKind, MissingPart};
use super::simulator::Simulator;
use super::time_bar::TimeBar;
use super::views::{self, View};
use super::vision::{self, VisionRecording};

/// Maximum number of projects, inside each other and merged.
const DEEPEST: usize = 32;

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
    /// Parts that the project names and that cannot be had.
    pub(super) missing: Vec<MissingPart>,
    leaves_out_missing: bool,
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
            missing: Vec::new(),
            leaves_out_missing: options.leaves_out_missing,
            simulators: Vec::new(),
            vision: Vec::new(),
            time_bar: TimeBar::default(),
            view: None,
        };
        for file in [path].into_iter().chain(options.merged.iter().map(PathBuf::as_path)) {
            if project.files.iter().any(|known| is_same(known, file)) {
                let message = format!("the project is named twice, or is inside another one: {}", file.display());
                let error = Diagnostic::error("limit-projects", message).in_file(&SourceFile::from_text(file, ""));
                reporter.report(error.help("name each project once"));
                return None;
            }
            project.add_file(file, true, reporter)?;
        }
        if project.world.is_none() && !reporter.has_errors() {
            project.add_missing_world(path, reporter);
        }
        (!reporter.has_errors()).then_some(project)
    }

    /// Adds the items of a file. The time bar and the camera are those of the last project that the user has named and
    /// that has them.
    fn add_file(&mut self, path: &Path, is_main: bool, reporter: &Reporter) -> Option<()> {
        let limits = self.load.limits;
        let source =
            SourceFile::read(path, &limits, reporter).map_err(|error| reporter.report(error.to_diagnostic())).ok()?;
        let document = reporter.keep(Document::parse(&source, &limits, reporter))?;
        self.files.push(path.to_owned());
        let root = document.root();
        let Some(items) = root.get("items") else {
            let error = Diagnostic::error("unknown-format", "this is not a Choreonoid project: it has no `items`");
            reporter.report(error.in_file(&source).help("projects are saved by Choreonoid's menu `File`"));
            return None;
        };
        if is_main {
            self.time_bar = TimeBar::read(root, reporter).unwrap_or(self.time_bar);
            self.view = views::read_camera(root).or(self.view.take());
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
            "BodyItem" => self.add_body(item, directory, reporter),
            "MaterialTableItem" => self.add_materials(item, &["file", "filename"], directory),
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
        self.add_materials(item, &table, directory);
    }

    fn add_body(&mut self, item: Item<'_>, directory: &Path, reporter: &Reporter) {
        let Some(body) = ProjectBody::read(item, directory, &self.load, reporter) else { return };
        if let Some(reason) = &body.missing {
            self.missing.push(MissingPart {
                kind: MissingKind::Model,
                name: body.name.clone(),
                file: body.file.clone(),
                reason: reason.clone(),
                place: Some(body.place.clone()),
            });
        }
        self.bodies.push(body);
    }

    fn add_materials(&mut self, item: Item<'_>, keys: &[&str], directory: &Path) {
        let Some(file) = item.settings().text(keys).filter(|file| !file.is_empty()) else { return };
        let entry = (file.to_owned(), directory.to_owned());
        if self.materials.contains(&entry) {
            return;
        }
        match self.load.roots.find(directory, file) {
            Err(error) => {
                let (name, file) = (item.name().to_owned(), file.to_owned());
                let (reason, place) = (error.to_string(), Some(item.place()));
                self.missing.push(MissingPart { kind: MissingKind::Materials, name, file, reason, place });
                if !self.leaves_out_missing {
                    self.materials.push(entry);
                }
            }
            Ok(_) => self.materials.push(entry),
        }
    }

    /// Without a world Choreonoid simulates nothing.
    fn add_missing_world(&mut self, path: &Path, reporter: &Reporter) {
        let message = format!("the project has no WorldItem, so that nothing is simulated: {}", path.display());
        let source = SourceFile::from_text(path, "");
        if self.leaves_out_missing {
            let (name, file, reason) = (String::new(), String::new(), "the project has no WorldItem".to_owned());
            let place = Some(Place { source, span: None });
            self.missing.push(MissingPart { kind: MissingKind::World, name, file, reason, place });
        } else {
            let help = "add a world in Choreonoid, with bodies in it; `--allow-missing` runs the bodies without one";
            reporter.report(Diagnostic::error("no-world", message).in_file(&source).help(help));
        }
    }

    fn add_sub_project(&mut self, item: Item<'_>, directory: &Path, reporter: &Reporter) {
        let Some(file) = item.settings().get(&["file", "filename"]) else { return };
        let found = match self.load.roots.find(directory, file.text().unwrap_or_default()) {
            Ok(found) => found,
            Err(error) if self.leaves_out_missing => {
                let (name, file) = (item.name().to_owned(), file.text().unwrap_or_default().to_owned());
                let (reason, place) = (error.to_string(), Some(item.place()));
                self.missing.push(MissingPart { kind: MissingKind::Project, name, file, reason, place });
                return;
            }
            Err(error) => {
                reporter.report(error.to_diagnostic().at(file.source(), place(file).span.unwrap_or(file.span())));
                return;
            }
        };
        if self.files.len() >= DEEPEST || self.files.iter().any(|known| is_same(known, &found)) {
            let message = format!("the project `{}` is inside itself, or there are too many", found.display());
            reporter.report(file.error("limit-projects", message));
            return;
        }
        self.add_file(&found, false, reporter);
    }
}

/// Whether two paths are of the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
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
