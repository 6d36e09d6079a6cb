//! URDF robots: XML files with a `<robot>` of links and joints.
//!
//! Lengths are in metres, angles in radian. A joint and its child link share one frame, whose pose in the parent link
//! is the joint's `<origin>`. Roll, pitch and yaw rotate about the fixed axes X, Y and Z in this order. The root floats
//! unless its name is `world`.

mod gazebo;
mod geometry;
mod inertia;
mod joints;
mod materials;
mod mimics;
mod motors;
mod tree;
mod xml;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, SourceFile, Span, refuse_crowded_elements};
use roxmltree::{Document, ParsingOptions};

use self::geometry::ShapeReader;
use self::materials::Materials;
use self::tree::LinkEntry;
use self::xml::{Element, Xml};
use super::Reading;
use super::allowance::MOST_LINKS;
use super::mjcf::read_mujoco;
use super::per_entry::{EntryIndex, PerEntry};
use super::xacro;
use crate::{Body, Implausibility, ImplausibilityKind, Link};

/// Allowed children of `<robot>`; the last three are for other programs.
const ROBOT_CHILDREN: &[&str] =
    &["link", "joint", "material", "transmission", "gazebo", "sensor", "group", "ros2_control"];
const LINK_CHILDREN: &[&str] =
    &["inertial", "visual", "collision", "contact", "sensor", "self_collision_checking", "gravity"];

/// Body of a `.urdf` file, or of an `.xml` file that contains URDF or MJCF.
pub(super) fn read_urdf(path: &Path, reading: &Reading<'_>) -> Option<Body> {
    let reporter = reading.reporter;
    let limits = &reading.options.limits;
    let source =
        SourceFile::read(path, limits, reporter).map_err(|error| reporter.report(error.to_diagnostic())).ok()?;
    read_source(&source, path, false, reading)
}

/// Body of a text of these kinds.
pub(super) fn read_xml(source: &Arc<SourceFile>, reading: &Reading<'_>) -> Option<Body> {
    read_source(source, source.path(), false, reading)
}

/// Reads a text; `is_expanded` if it has no macros.
fn read_source(source: &Arc<SourceFile>, path: &Path, is_expanded: bool, reading: &Reading<'_>) -> Option<Body> {
    let reporter = reading.reporter;
    let limits = &reading.options.limits;
    reporter.keep(refuse_crowded_elements(source))?;
    let nodes_limit = u32::try_from(limits.nodes).unwrap_or(u32::MAX);
    let options = ParsingOptions { nodes_limit, ..ParsingOptions::default() };
    let document = match Document::parse_with_options(source.text(), options) {
        Ok(document) => document,
        Err(error) => {
            let message = format!("this is not well-formed XML: {error}");
            let position = Span::at(error.pos().row, error.pos().col);
            reporter.report(
                Diagnostic::error("urdf-malformed", message)
                    .at(source, position)
                    .help("each `<tag>` is closed by `</tag>`, or is written `<tag/>`"),
            );
            return None;
        }
    };
    let robot = document.root_element();
    if robot.tag_name().name() == "mujoco" {
        return read_mujoco(source, &document, path, reading);
    }
    if robot.tag_name().name() == "robot" && !is_expanded && xacro::is_used(robot, path) {
        return read_xacro(source, &document, path, reading);
    }
    let xml = Xml::new(&document, Arc::clone(source), reporter);
    if !is_plain_urdf(robot, &xml) {
        return None;
    }
    read_robot(robot, path, &xml, reading)
}

/// Reads a file with macros: expands it, and reads the result. Its findings are shown where its elements come from.
fn read_xacro(source: &Arc<SourceFile>, document: &Document<'_>, path: &Path, reading: &Reading<'_>) -> Option<Body> {
    let expanded = xacro::expand(source, document, reading)?;
    let about_text = Reporter::new();
    let body = read_source(&expanded.source, path, true, &Reading { reporter: &about_text, ..*reading });
    for finding in about_text.into_diagnostics() {
        reading.reporter.report(expanded.origins.relocated(&expanded.source, finding));
    }
    body
}

/// Reports files of another format, with the way to convert them to URDF.
fn is_plain_urdf(root: Element<'_>, xml: &Xml<'_>) -> bool {
    let tag = root.tag_name().name();
    if tag != "robot" {
        let (code, message, help) = match tag {
            "mujocoinclude" => (
                "mjcf-include",
                "this is a part of a model of MuJoCo".to_owned(),
                "name the file with `<mujoco>` that includes it",
            ),
            "sdf" | "gazebo" => (
                "sdf",
                "this is a model of Gazebo (SDF), which is not read".to_owned(),
                "convert it to URDF first: `sdf2urdf IN.sdf OUT.urdf` of ROS's pysdf writes one of each model",
            ),
            "COLLADA" => {
                ("unknown-format", "this is a COLLADA mesh".to_owned(), "give the file a name that ends in `.dae`")
            }
            other => (
                "unknown-format",
                format!("a URDF file begins with <robot>, this one with <{}>", xml::short(other)),
                "is this the right file?",
            ),
        };
        xml.report(root, Diagnostic::error(code, message).help(help));
        return false;
    }
    true
}

fn read_robot(robot: Element<'_>, path: &Path, xml: &Xml<'_>, reading: &Reading<'_>) -> Option<Body> {
    xml.check(robot, &["name", "version"], ROBOT_CHILDREN);
    let name = robot.attribute("name").map_or_else(|| super::file_names::file_stem(path), str::to_owned);
    let materials = Materials::read(robot, xml, reading);
    let mut shapes = ShapeReader::new(xml, reading, &materials);
    let links = read_links(robot, xml, &mut shapes)?;
    let by_name: HashMap<String, EntryIndex> =
        links.iter().map(|(index, entry)| (entry.link.name.clone(), index)).collect();
    let mut joints = joints::read_joints(robot, &by_name, xml)?;
    motors::read(robot, &mut joints, xml);
    let mut links = links;
    gazebo::read(robot, &mut links, &by_name, &joints, xml);
    joints::report_losses(&joints, xml);
    let mimics = mimics::read(&joints, xml);
    let (mut body, elements) = tree::build(name, links, joints, xml)?;
    super::tree::assign_joints(&mut body, reading.is_sub_body, &mut |_, code, message, help| {
        xml.report(robot, Diagnostic::warning(code, message).help(help));
    });
    mimics::apply(&mimics, &mut body, xml);
    if reading.options.check_plausibility && !reading.is_sub_body {
        warn_of_implausibilities(&body, &elements, xml);
    }
    Some(body)
}

/// Links in file order. `None` if two share a name, or if the file has no link.
fn read_links<'a>(
    robot: Element<'a>,
    xml: &Xml<'a>,
    shapes: &mut ShapeReader<'_, 'a>,
) -> Option<PerEntry<LinkEntry<'a>>> {
    let mut links: Vec<LinkEntry<'a>> = Vec::new();
    let mut lines: HashMap<String, u32> = HashMap::new();
    let mut failed = false;
    for element in xml::children(robot, "link") {
        xml.check(element, &["name", "type"], LINK_CHILDREN);
        let Some(name) = xml.required(element, "name") else {
            failed = true;
            continue;
        };
        if let Some(line) = lines.insert(name.to_owned(), xml.line(element)) {
            let message = format!("link name `{}` is already taken on line {line}", xml::short(name));
            let error = Diagnostic::error("duplicate-link-name", message);
            xml.report_attribute(element, "name", error.help("give one of the two another name"));
            failed = true;
            continue;
        }
        if links.len() >= MOST_LINKS {
            let message = format!("the model has more than {MOST_LINKS} links");
            xml.report(element, Diagnostic::error("limit-links", message).help("is this the right file?"));
            return None;
        }
        let link = Link {
            mass: inertia::read_inertial(element, xml),
            visual: shapes.visual(element),
            collision: shapes.collision(element),
            ..Link::new(name.to_owned(), None, nalgebra::Isometry3::identity(), crate::Joint::default())
        };
        links.push(LinkEntry { element, link });
    }
    if links.is_empty() && !failed {
        let error = Diagnostic::error("empty-model", "the robot has no `<link>`");
        xml.report(robot, error.help("write `<link name=\"…\"/>` for each rigid part"));
        failed = true;
    }
    (!failed).then_some(PerEntry::of(links))
}

/// Reports implausible values; `elements` are the `<link>` and the `<joint>` of each link of the body, if it has them.
fn warn_of_implausibilities(body: &Body, elements: &[tree::Elements<'_>], xml: &Xml<'_>) {
    for Implausibility { link, kind } in body.implausibilities() {
        let Some(of_link) = elements.get(link.0) else { continue };
        if kind == ImplausibilityKind::SingleValueRange(0.0) {
            // This has been reported as `no-room`.
            continue;
        }
        let child =
            |parent: Option<Element<'_>>, name| parent.and_then(|parent| xml::child(parent, name)).map(|e| e.id());
        let id = match &kind {
            ImplausibilityKind::AsymmetricInertia
            | ImplausibilityKind::InertiaNotPositive(_)
            | ImplausibilityKind::TriangleInequality(_)
            | ImplausibilityKind::NoMass
            | ImplausibilityKind::MassRatio { .. } => child(of_link.link, "inertial"),
            ImplausibilityKind::AxisLength(_) => child(of_link.joint, "axis"),
            ImplausibilityKind::CrossingLimits { .. }
            | ImplausibilityKind::SingleValueRange(_)
            | ImplausibilityKind::InitialDisplacement { .. } => child(of_link.joint, "limit"),
            ImplausibilityKind::NegativeRotorInertia(_) | ImplausibilityKind::GearEfficiency(_) => None,
        };
        let element = id.and_then(|id| xml.by_id(id)).or(of_link.joint).or(of_link.link);
        let message = format!("link `{}`: {kind}", body.link(link).name);
        let warning = Diagnostic::warning(kind.code(), message).help(kind.help());
        match element {
            Some(element) => xml.report(element, warning),
            None => xml.report_file(warning),
        }
    }
}
