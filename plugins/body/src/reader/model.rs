//! Reading of files that define a body, and of the top level of a `.body` file.
//!
//! Models include models: this file, `links`, `sub_bodies` and `wrapper` depend on each other.

use std::path::Path;
use std::sync::Arc;

use bunraku_document::yaml::Document;
use bunraku_document::{Diagnostic, Mapping, SourceFile, Value};

use super::allowance::MOST_PROPERTIES;
use super::file_names::file_stem;
use super::links::read_links;
use super::openhrp::read_openhrp;
use super::pose::read_angle_unit;
use super::property::read_unread;
use super::reading::Reading;
use super::single_link::read_single_link;
use super::tree::build;
use super::urdf::read_urdf;
use super::wrapper::read_wrapper;
use super::{extra_joints, inherited, joint_couplings, self_collision};
use crate::Body;

/// First unsupported `format_version`; the original does not support it either.
const TOO_NEW: f64 = 2.1;

/// Top-level keys for other programs, or for parts of this one that look them up later.
const OTHER_TOP_KEYS: &[&str] = &[
    // Older spellings, and copied typing errors, occur in real files.
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
    // Comments of an OpenHRP model that was converted.
    "info",
    "license",
    "linkGroup",
    "link_group",
    "pose_conversion_info",
    "preset_poses",
    "symmetric_ik_links",
    "symmetric_joints",
];

/// Reads a file of any kind that defines a body.
pub(super) fn read_model_file(path: &Path, reading: &Reading<'_>) -> Option<Body> {
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
        "scen" => read_single_link(path, reading),
        "wrl" => read_openhrp(path, reading),
        // The first element of an XML file determines its format; there are messages for formats of other programs.
        "urdf" | "xacro" | "xml" | "sdf" | "world" => read_urdf(path, reading),
        mesh if bunraku_mesh::extensions().any(|known| known == mesh) => read_single_link(path, reading),
        _ => {
            let message = match extension.as_str() {
                "" => format!("a model file needs an extension: {}", path.display()),
                other => format!("a model file of type `.{other}` cannot be read: {}", path.display()),
            };
            reporter.report(
                Diagnostic::error("unknown-file-type", message)
                    .help("the model files that are read end in `.body`, `.urdf`, `.xml` (MJCF) or `.wrl`"),
            );
            None
        }
    }
}

/// Reads the text of a `.body` file, or of a wrapper of a model file.
pub(super) fn read_model(source: &Arc<SourceFile>, reading: &Reading<'_>) -> Option<Body> {
    let document = reading.reporter.keep(Document::parse(source, &reading.options.limits, reading.reporter))?;
    read_top(&document, reading)
}

fn read_top(document: &Document, reading: &Reading<'_>) -> Option<Body> {
    let reporter = reading.reporter;
    let top = Mapping::new(document.root(), "the model", reporter)?;
    if document.root().get("format").is_none()
        && let Some(model_file) = top.get(&["model_file", "modelFile"])
    {
        let mut body = read_wrapper(document.source(), &top, model_file, reading)?;
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
    let couplings = top.get(&["joint_couplings"]);
    let links = top.required_or(&["links"], "write `links:` and below it `- name: …` for each link")?;
    let reading = Reading { unit: angle_unit, ..*reading };
    let entries = read_links(links, &reading);
    let (mut body, parts) = match build(name, entries?, root_link, links, &reading) {
        Some((body, parts)) => (Some(body), parts),
        None => (None, Vec::new()),
    };
    if let Some(body) = &mut body {
        inherited::connect(body, &parts, reporter);
    }
    if let (Some(body), Some(value)) = (&mut body, extra_joints) {
        let joints = extra_joints::read_extra_joints(value, body, angle_unit, &top);
        body.extra_joints.extend(joints);
    }
    if let Some(body) = &mut body {
        read_rest(&top, body, &reading);
        if let Some(value) = couplings {
            joint_couplings::read_joint_couplings(value, body, angle_unit, &top);
        }
        inherited::fill(body, parts, reporter);
    }
    top.finish_except(OTHER_TOP_KEYS);
    body
}

/// Reads the top-level keys other than links.
fn read_rest(top: &Mapping<'_, '_>, body: &mut Body, reading: &Reading<'_>) {
    let reporter = reading.reporter;
    if let Some(rules) = top.get(&["collision_detection_rules"]) {
        body.collision_rules = Some(self_collision::read_rules(rules, body, reporter));
        top.accept(&["collisionDetection"]);
    } else if let Some(rules) = top.get(&["collisionDetection"]) {
        body.collision_rules = self_collision::read_older_rules(rules, body, reporter);
    }
    if let Some(pose) = top.read(&["standard_pose", "standardPose"], Value::as_numbers) {
        // The original converts each value as an angle, also that of a prismatic joint.
        body.standard_pose = Some(pose.into_iter().map(|value| reading.unit.to_radian(value)).collect());
    }
    body.info.extend(read_unread(top, &mut { MOST_PROPERTIES }));
}
