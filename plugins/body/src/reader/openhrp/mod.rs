//! OpenHRP models: VRML97 files (`.wrl`) with a `Humanoid` of `Joint`s.
//!
//! The meaning of the nodes is given in the manual on OpenHRP's model files. They are instances of prototypes declared
//! in the file, which gives missing fields their default values. Names are `DEF` names. Lengths are in metres, angles
//! in radian.

mod devices;
mod extra_joints;
mod fields;
mod humanoid;
mod joints;
mod links;
mod mass;
mod place;
mod plausibility;
mod sensor_ids;

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use bunraku_document::{Diagnostic, read_bytes};
use bunraku_mesh::vrml::{Converter, Document, Node};
use bunraku_mesh::{DEFAULT_DIVISIONS, LoadContext};
use nalgebra::Vector3;

use self::fields::Fields;
use self::links::{Parts, Walker};
use self::place::{Findings, Place};
use super::file_names::file_stem;
use super::reading::Reading;
use super::{single_link, tree};
use crate::{Body, Geometry, ModelFormat, Property, Shape};

/// Body of a `.wrl` file: that of its `Humanoid`, or else a single fixed link with all shapes of the file.
pub(super) fn read_openhrp(path: &Path, reading: &Reading<'_>) -> Option<Body> {
    let reporter = reading.reporter;
    let bytes = match read_bytes(path, &reading.options.limits) {
        Ok(bytes) => bytes,
        Err(error) => {
            reporter.report(error.to_diagnostic());
            return None;
        }
    };
    let document = reporter.keep(Document::parse(path, bytes, &reading.options.limits, reporter))?;
    let document = Arc::new(document);
    let context = LoadContext { roots: reading.roots, limits: &reading.options.limits, reporter };
    let mut converter = Converter::new(&document, context);
    let findings = Findings::new(reporter);
    let mut body = match find_humanoid(&document, &findings)? {
        Some(humanoid) => read_humanoid(&humanoid, &mut converter, reading, &findings)?,
        None => read_scene(path, &document, &mut converter, &findings)?,
    };
    for link in &mut body.links {
        link.visual.iter_mut().chain(&mut link.collision).for_each(|shape| divide(shape, reading.divisions));
    }
    Some(body)
}

fn of_type<'d>(document: &'d Document, name: &'static str) -> impl Iterator<Item = &'d Arc<Node>> {
    document.nodes().iter().filter(move |node| node.instance().is_some() && node.type_name() == name)
}

/// The `Humanoid` of the file, `Some(None)` if it is missing; several are an error.
fn find_humanoid(document: &Arc<Document>, findings: &Findings<'_>) -> Option<Option<Rc<Place>>> {
    let mut humanoids = of_type(document, "Humanoid");
    let first = humanoids.next().map(|node| Place::new(None, document, node));
    let Some(second) = humanoids.next() else { return Some(first) };
    let place = Place::new(None, document, second);
    let error = Diagnostic::error("several-humanoids", "a model has one `Humanoid`, and this is another one");
    findings.report(&place, second.location(), error.help("put each into a file of its own"));
    None
}

/// Body of a file without a `Humanoid`.
fn read_scene(
    path: &Path,
    document: &Document,
    converter: &mut Converter<'_>,
    findings: &Findings<'_>,
) -> Option<Body> {
    if let Some(joint) = of_type(document, "Joint").next() {
        let message = "the file has joints but no `Humanoid`: it is read as a single fixed link";
        let warning = Diagnostic::warning("no-humanoid", message);
        findings.report_in(
            document,
            joint.location(),
            warning.help("put the root joint into `DEF NAME Humanoid { humanoidBody … }`"),
        );
    }
    if document.nodes().is_empty() {
        let message = format!("neither a `Humanoid` nor anything else is in {}", path.display());
        let error =
            Diagnostic::error("empty-model", message).help("put a `Humanoid` of `Joint`s into it, or a `Shape`");
        findings.report_in(document, document.start(), error);
        return None;
    }
    // Files that only contain lights and fog are bodies, too.
    let shapes = findings.reporter.keep(converter.scene())?.shapes();
    Some(single_link::body_of_shapes(path, shapes.clone(), shapes))
}

fn read_humanoid(
    place: &Rc<Place>,
    converter: &mut Converter<'_>,
    reading: &Reading<'_>,
    findings: &Findings<'_>,
) -> Option<Body> {
    let reporter = reading.reporter;
    let fields = Fields { place, findings };
    warn_of_scaled_humanoid(fields);
    let Parts { links, origins, devices } = reporter.keep(Walker::new(findings).humanoid(place, converter))?;
    let name = fields.noted_name();
    let name = if name.is_empty() { file_stem(place.document.path()) } else { name.to_owned() };
    let mut body = Body::of_links(name, ModelFormat::OpenHrp, links);
    sensor_ids::check_repeats(&devices, findings);
    if reading.options.check_plausibility && !reading.is_sub_body {
        sensor_ids::check_gaps(&devices, findings);
    }
    body.devices = devices.into_iter().map(|(device, _)| device).collect();
    if let Some(texts) = fields.texts("info").filter(|texts| !texts.is_empty()) {
        body.info.push(("info".to_owned(), Property::Text(texts.join("\n"))));
    }
    tree::assign_joints(&mut body, reading.is_sub_body, &mut |link, code, message, help| {
        let origin = link.and_then(|link| origins.get(link.0));
        let place = origin.map_or(place, |origin| &origin.joint);
        Fields { place, findings }.report("jointId", Diagnostic::warning(code, message).help(help));
    });
    for node in of_type(&place.document, "ExtraJoint") {
        let place = Place::new(None, &place.document, node);
        body.extra_joints.extend(extra_joints::read_extra_joint(&place, &body, &origins, findings));
    }
    if reading.options.check_plausibility && !reading.is_sub_body {
        plausibility::warn(&body, &origins, findings);
    }
    Some(body)
}

/// A model is not scaled, as in the original.
fn warn_of_scaled_humanoid(fields: Fields<'_>) {
    if fields.vector("scale").is_some_and(|scale| scale != Vector3::repeat(1.0)) {
        let warning = Diagnostic::warning("no-effect", "`scale` of a `Humanoid` has no effect");
        fields.report("scale", warning.help("scale the shapes of the segments, and their masses"));
    }
}

/// Round shapes of VRML97 do not specify their number of divisions.
fn divide(shape: &mut Shape, wanted: u32) {
    if let Geometry::Primitive { divisions, .. } = &mut shape.geometry
        && *divisions == DEFAULT_DIVISIONS
    {
        *divisions = wanted;
    }
}
