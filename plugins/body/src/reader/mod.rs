//! Reading model files.

mod allowance;
mod appearance;
mod continuous_track;
mod devices;
mod elements;
mod extra_joints;
mod inherited;
mod joints;
mod links;
mod meshes;
mod openhrp;
mod pose;
mod property;
mod resource_geometry;
mod resources;
mod scene_nodes;
mod self_collision;
mod shapes;
mod single_link;
mod sub_bodies;
mod tree;
mod urdf;
mod wrapper;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_document::yaml::Document;
use bunraku_document::{Diagnostic, Limits, Mapping, Reporter, SearchRoots, SourceFile, Value, ValueKind, closest};
use bunraku_mesh::DEFAULT_DIVISIONS;

use crate::Body;
use allowance::{Allowance, MOST_PROPERTIES};
pub use extra_joints::ExtraJointForm;
use pose::AngleUnit;
use property::read_unread;
use resources::SceneCache;

/// What a load may use and cost.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Where `${SHARE}` and its like lead.
    pub roots: SearchRoots,
    /// How much one document may cost.
    pub limits: Limits,
    /// Whether to warn of what a simulation takes and that yet cannot be meant; see [`Body::implausibilities`].
    pub check_plausibility: bool,
}

/// The first `format_version` that is not understood, in the original neither.
const TOO_NEW: f64 = 2.1;

/// Keys at the top that say something to other programs, or to parts of this one that look them up later.
const OTHER_TOP_KEYS: &[&str] = &[
    // The older spellings stand in real files; so do slips of the pen that were copied.
    "author",
    "bodyMarkers",
    "defaultIkInterpolationLinks",
    "divisionNumberOfPrimitiveGeometries",
    "poseConversionInfo",
    "possibleIkInterpolationLinks",
    "possileSupportLinks",
    "selfCollisionDetection",
    "symmetricIkLinks",
    "symmetricJoints",
    "available_ik_interpolation_links",
    "body_handlers",
    "copyright",
    "defaultIKsetup",
    "default_ik_interpolation_links",
    "default_ik_setup",
    "footLinks",
    "foot_links",
    // The comments of an OpenHRP model that was converted.
    "info",
    "license",
    "linkGroup",
    "link_group",
    "pose_conversion_info",
    "preset_poses",
    "symmetric_ik_links",
    "symmetric_joints",
];

/// Loads a model file (`.body`, `.urdf`, `.wrl`, a mesh); the format is told by the extension. A `.wrl` file is an OpenHRP model if it has a `Humanoid` node;
/// other mesh and scene files make a body of one fixed link.
///
/// Findings go to `reporter`. `None` means that at least one of them is an error.
pub fn load(path: &Path, options: &LoadOptions, reporter: &Reporter) -> Option<Body> {
    start(path, options, reporter, |reading| read_model_file(path, reading))
}

/// Reads a `.body` text. Findings go to `reporter`; `None` means that at least one of them is an error.
pub fn read(source: &Arc<SourceFile>, options: &LoadOptions, reporter: &Reporter) -> Option<Body> {
    start(source.path(), options, reporter, |reading| read_model(source, reading))
}

fn start(
    path: &Path,
    options: &LoadOptions,
    reporter: &Reporter,
    read: impl Fn(&Reading<'_>) -> Option<Body>,
) -> Option<Body> {
    let roots = options.roots.around(path);
    // A bare file name lies in the current directory, which messages should call by a name.
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let scenes = SceneCache::default();
    let read = || {
        read(&Reading {
            unit: AngleUnit::Degree,
            options,
            roots: &roots,
            directory,
            chain: &[sub_bodies::identity(path)],
            sub_bodies: &Cell::new(0),
            allowance: &Cell::default(),
            is_sub_body: false,
            scenes: &scenes,
            divisions: DEFAULT_DIVISIONS,
            reporter,
        })
    };
    let mut body = read();
    if body.is_some() && scenes.is_late() {
        body = read();
    }
    if reporter.has_errors() { None } else { body }
}

/// Reads a file of any kind that makes a body.
fn read_model_file(path: &Path, reading: &Reading<'_>) -> Option<Body> {
    let reporter = reading.reporter;
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "body" | "yaml" | "yml" => match SourceFile::read(path, &reading.options.limits, reporter) {
            Ok(source) => read_model(&source, reading),
            Err(error) => {
                reporter.report(error.to_diagnostic());
                None
            }
        },
        "scen" => single_link::read_single_link(path, reading),
        "wrl" => openhrp::read_openhrp(path, reading),
        // What an XML file is, its first element says: there are messages for those of other programs.
        "urdf" | "xacro" | "xml" | "sdf" | "world" => urdf::read_urdf(path, reading),
        mesh if bunraku_mesh::extensions().any(|known| known == mesh) => single_link::read_single_link(path, reading),
        _ => {
            let message = match extension.as_str() {
                "" => format!("a model file needs an extension: {}", path.display()),
                other => format!("a model file of type `.{other}` cannot be read: {}", path.display()),
            };
            reporter.report(
                Diagnostic::error("unknown-file-type", message)
                    .help("the model files that are read end in `.body`, `.urdf` or `.wrl`"),
            );
            None
        }
    }
}

/// What the parts of a load share.
#[derive(Clone, Copy)]
struct Reading<'c> {
    /// Unit of angles in the file.
    unit: AngleUnit,
    options: &'c LoadOptions,
    /// What may be read: that of the options, and what is around the file the load started from.
    roots: &'c SearchRoots,
    /// Where relative paths start.
    directory: &'c Path,
    /// The files that are being read, from the outermost model to this one.
    chain: &'c [PathBuf],
    /// How many models inside others were read so far.
    sub_bodies: &'c Cell<usize>,
    /// What the elements of the models that are read next may still cost.
    allowance: &'c Cell<Allowance>,
    /// Whether this is a model inside another one.
    is_sub_body: bool,
    /// Mesh files that were read already.
    scenes: &'c SceneCache,
    /// Segments around a full turn of round shapes that do not say.
    divisions: u32,
    reporter: &'c Reporter,
}

fn read_model(source: &Arc<SourceFile>, reading: &Reading<'_>) -> Option<Body> {
    let document = reading.reporter.keep(Document::parse(source, &reading.options.limits, reading.reporter))?;
    read_top(&document, reading)
}

fn read_top(document: &Document, reading: &Reading<'_>) -> Option<Body> {
    let reporter = reading.reporter;
    let top = Mapping::new(document.root(), "the model", reporter)?;
    if document.root().get("format").is_none()
        && let Some(model_file) = top.get(&["model_file", "modelFile"])
    {
        let mut body = wrapper::read_wrapper(document.source(), &top, model_file, reading)?;
        read_rest(&top, &mut body, reading);
        return Some(body);
    }
    let format = top
        .required_or(&["format"], "write `format: ChoreonoidBody` on the first line")
        .and_then(|value| Some((value, reporter.keep(value.as_text())?)));
    if let Some((value, format)) = format
        && format != "ChoreonoidBody"
    {
        let message = format!("`{format}` is not a body format");
        reporter.report(value.error("unknown-format", message).help("write `format: ChoreonoidBody`"));
        return None;
    }
    let version = top.required_or(&["format_version", "formatVersion"], "write `format_version: 2.0` below `format`");
    let version = version.and_then(|value| Some((value, reporter.keep(value.as_number(reporter))?)));
    if let Some((value, version)) = version
        && version >= TOO_NEW
    {
        let message = format!("format version {version:?} is newer than the newest known, 2.0");
        reporter
            .report(value.error("unknown-version", message).help("write `format_version: 2.0` if that is what it is"));
    }
    let angle_unit = read_angle_unit(&top, version.map_or(1.0, |(_, version)| version));
    let name = top.text(&["name"]).map_or_else(|| file_stem(document.source().path()), str::to_owned);
    let root_link = top.get(&["root_link", "rootLink"]);
    let extra_joints = top.get(&["extra_joints", "extraJoints"]);
    let links = top.required_or(&["links"], "write `links:` and below it `- name: …` for each link")?;
    let reading = Reading { unit: angle_unit, ..*reading };
    let entries = links::read_links(links, &reading);
    let (mut body, parts) = match tree::build(name, entries?, root_link, links, &reading) {
        Some((body, parts)) => (Some(body), parts),
        None => (None, Vec::new()),
    };
    if let Some(body) = &mut body {
        inherited::connect_extra_joints(body, &parts);
    }
    if let (Some(body), Some(value)) = (&mut body, extra_joints) {
        let joints = extra_joints::read_extra_joints(value, body, angle_unit, &top);
        body.extra_joints.extend(joints);
    }
    if let Some(body) = &mut body {
        read_rest(&top, body, &reading);
        inherited::fill(body, parts, reporter);
    }
    top.finish_except(OTHER_TOP_KEYS);
    body
}

/// The keys at the top that add to a body that stands.
fn read_rest(top: &Mapping<'_, '_>, body: &mut Body, reading: &Reading<'_>) {
    let reporter = reading.reporter;
    if let Some(rules) = top.get(&["collision_detection_rules"]) {
        body.collision_rules = Some(self_collision::read_rules(rules, body, reporter));
        top.accept(&["collisionDetection"]);
    } else if let Some(rules) = top.get(&["collisionDetection"]) {
        body.collision_rules = self_collision::read_older_rules(rules, body, reporter);
    }
    if let Some(pose) = top.read(&["standard_pose", "standardPose"], Value::as_numbers) {
        // The original takes each value as an angle, that of a prismatic joint, too.
        body.standard_pose = Some(pose.into_iter().map(|value| reading.unit.to_radian(value)).collect());
    }
    body.info.extend(read_unread(top, &mut { MOST_PROPERTIES }));
}

fn read_angle_unit(top: &Mapping<'_, '_>, version: f64) -> AngleUnit {
    let Some(value) = top.get(&["angle_unit", "angleUnit"]) else {
        return AngleUnit::Degree;
    };
    match value.text() {
        Some("degree") => AngleUnit::Degree,
        Some("radian") => {
            if version >= 2.0 {
                let message =
                    "the angles are in radian, as the manual allows; Choreonoid refuses that from version 2.0 on";
                let help = "write `format_version: 1.0`, which means the same otherwise";
                top.reporter().report(value.note("manual-wins", message).help(help));
            }
            AngleUnit::Radian
        }
        _ => {
            let diagnostic = value.expected("`degree` or `radian`");
            top.reporter().report(match value.text().and_then(|word| closest(word, ["degree", "radian"])) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic,
            });
            AngleUnit::Degree
        }
    }
}

fn file_stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// What a value that must be a mapping or a list of mappings contains; anything else is reported.
fn one_or_many<'a>(value: Value<'a>, what: &str, reporter: &Reporter) -> Vec<Value<'a>> {
    match value.kind() {
        ValueKind::Sequence => value.items().into_iter().flatten().collect(),
        ValueKind::Mapping => vec![value],
        ValueKind::Null => vec![],
        ValueKind::Scalar => {
            reporter.report(value.expected(what));
            vec![]
        }
    }
}
