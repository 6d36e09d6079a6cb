//! Reading model files.

mod continuous_track;
mod devices;
mod elements;
mod extra_joints;
mod joints;
mod links;
mod meshes;
mod pose;
mod shapes;
mod sub_bodies;
mod tree;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_document::yaml::Document;
use bunraku_document::{Diagnostic, Limits, Mapping, Reporter, SearchRoots, SourceFile, ValueKind};

use crate::Body;
use pose::AngleUnit;

/// What a load may use and cost.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Where `${SHARE}` and its like lead.
    pub roots: SearchRoots,
    /// How much one document may cost.
    pub limits: Limits,
}

/// Newest `format_version` that is understood; the original refuses 2.1 and above.
const NEWEST_VERSION: f64 = 2.0;

/// Keys at the top that say something to other programs, or to parts of this one that look them up later.
const OTHER_TOP_KEYS: &[&str] = &[
    "author",
    "available_ik_interpolation_links",
    "body_handlers",
    "collisionDetection",
    "collision_detection_rules",
    "copyright",
    "defaultIKsetup",
    "default_ik_interpolation_links",
    "default_ik_setup",
    "footLinks",
    "foot_links",
    "license",
    "linkGroup",
    "link_group",
    "pose_conversion_info",
    "preset_poses",
    "standardPose",
    "standard_pose",
    "symmetric_ik_links",
    "symmetric_joints",
];

/// Loads a model file; the format is told by the extension.
///
/// Findings go to `reporter`. `None` means that at least one of them is an error.
pub fn load(path: &Path, options: &LoadOptions, reporter: &Reporter) -> Option<Body> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("body" | "yaml" | "yml") => {}
        other => {
            let message = match other {
                Some(extension) => format!("a model file of type `.{extension}` cannot be read: {}", path.display()),
                None => format!("a model file needs an extension: {}", path.display()),
            };
            reporter.report(
                Diagnostic::error("unknown-file-type", message).help("the model files that are read end in `.body`"),
            );
            return None;
        }
    }
    match SourceFile::read(path, &options.limits, reporter) {
        Ok(source) => read(&source, options, reporter),
        Err(error) => {
            reporter.report(error.to_diagnostic());
            None
        }
    }
}

/// Reads a `.body` text. Findings go to `reporter`; `None` means that at least one of them is an error.
pub fn read(source: &Arc<SourceFile>, options: &LoadOptions, reporter: &Reporter) -> Option<Body> {
    let chain = [sub_bodies::identity(source.path())];
    let body = read_model(
        source,
        &Reading {
            unit: AngleUnit::Degree,
            options,
            directory: &source.directory(),
            chain: &chain,
            sub_bodies: &Cell::new(0),
            reporter,
        },
    );
    if reporter.has_errors() { None } else { body }
}

/// What the parts of a load share.
#[derive(Clone, Copy)]
struct Reading<'c> {
    /// Unit of angles in the file.
    unit: AngleUnit,
    options: &'c LoadOptions,
    /// Where relative paths start.
    directory: &'c Path,
    /// The files that are being read, from the outermost model to this one.
    chain: &'c [PathBuf],
    /// How many models inside others were read so far.
    sub_bodies: &'c Cell<usize>,
    reporter: &'c Reporter,
}

impl Reading<'_> {
    /// Whether this is a model inside another one.
    fn is_sub_body(&self) -> bool {
        self.chain.len() > 1
    }
}

fn read_model(source: &Arc<SourceFile>, reading: &Reading<'_>) -> Option<Body> {
    let document = reading.reporter.keep(Document::parse(source, &reading.options.limits, reading.reporter))?;
    read_top(&document, reading)
}

fn read_top(document: &Document, reading: &Reading<'_>) -> Option<Body> {
    let reporter = reading.reporter;
    let top = Mapping::new(document.root(), "the model", reporter)?;
    let format = top.required(&["format"]).and_then(|value| Some((value, reporter.keep(value.as_text())?)));
    if let Some((value, format)) = format
        && format != "ChoreonoidBody"
    {
        let message = format!("`{format}` is not a body format");
        reporter.report(value.error("unknown-format", message).help("write `format: ChoreonoidBody`"));
        return None;
    }
    let version = top.required(&["format_version", "formatVersion"]);
    let version = version.and_then(|value| Some((value, reporter.keep(value.as_number(reporter))?)));
    if let Some((value, version)) = version
        && version > NEWEST_VERSION
    {
        let message = format!("format version {version} is newer than the newest known, {NEWEST_VERSION:.1}");
        reporter.report(value.error("unknown-version", message));
    }
    let angle_unit = read_angle_unit(&top, version.map_or(1.0, |(_, version)| version));
    let name = top.text(&["name"]).map_or_else(|| file_stem(document.source().path()), str::to_owned);
    let root_link = top.get(&["root_link", "rootLink"]);
    let extra_joints = top.get(&["extra_joints", "extraJoints"]);
    let links = top.required(&["links"])?;
    let reading = Reading { unit: angle_unit, ..*reading };
    let entries = links::read_links(links, &reading);
    let mut body = tree::build(name, entries?, root_link, links, &reading);
    if let (Some(body), Some(value)) = (&mut body, extra_joints) {
        let joints = extra_joints::read_extra_joints(value, body, angle_unit, &top);
        body.extra_joints.extend(joints);
    }
    top.finish_except(OTHER_TOP_KEYS);
    body
}

fn read_angle_unit(top: &Mapping<'_, '_>, version: f64) -> AngleUnit {
    let Some(value) = top.get(&["angle_unit", "angleUnit"]) else {
        return AngleUnit::Degree;
    };
    match value.text() {
        Some("degree") => AngleUnit::Degree,
        Some("radian") => {
            if version >= 2.0 {
                let message = "angles in radian are not allowed from format version 2.0 on";
                top.reporter().report(value.error("angle-unit", message));
            }
            AngleUnit::Radian
        }
        _ => {
            top.reporter().report(value.expected("`degree` or `radian`"));
            AngleUnit::Degree
        }
    }
}

fn file_stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// What a value that must be a mapping or a list of mappings contains; anything else is reported.
fn one_or_many<'a>(
    value: bunraku_document::Value<'a>,
    what: &str,
    reporter: &Reporter,
) -> Vec<bunraku_document::Value<'a>> {
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
