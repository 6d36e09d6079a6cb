//! A mesh or scene file used as a model: a body with one fixed link.

use std::path::Path;
use std::sync::Arc;

use bunraku_document::yaml::Document;
use bunraku_document::{Reporter, Result, SourceFile};
use bunraku_mesh::{LoadContext, ShapeOrigin, load_scene};
use nalgebra::Affine3;

use super::budget::Budget;
use super::elements::{Contents, read_elements};
use super::file_names::file_stem;
use super::pose::read_angle_unit;
use super::reading::Reading;
use crate::{Body, Joint, JointKind, Link, MassProperties, ModelFormat, Shape};

/// Name of the link, as in the original.
const LINK_NAME: &str = "Root";

/// Body of a mesh file (its shapes are visual and collision shapes) or of a Choreonoid scene (`.scen`). As in the
/// original, its link has 1 kg and 1 kg·m² about each axis.
pub(super) fn read_single_link(path: &Path, reading: &Reading<'_>) -> Option<Body> {
    let reporter = reading.reporter;
    let is_scene = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("scen"));
    let Contents { visual, collision, scenery, .. } = if is_scene {
        let source = SourceFile::read(path, &reading.options.limits, reporter)
            .map_err(|error| reporter.report(error.to_diagnostic()))
            .ok()?;
        let document = reporter.keep(Document::parse(&source, &reading.options.limits, reporter))?;
        read_scene(&document, reading)?
    } else {
        let shapes = reporter.keep(read_mesh(path, reading, reporter))?;
        Contents { visual: shapes.clone(), collision: shapes, ..Contents::default() }
    };
    let mut body = body_of_shapes(path, visual, collision);
    body.links.iter_mut().for_each(|link| link.scenery.clone_from(&scenery));
    Some(body)
}

/// A fixed link with these shapes, named after the file.
pub(super) fn body_of_shapes(path: &Path, visual: Vec<Shape>, collision: Vec<Shape>) -> Body {
    let joint = Joint { kind: JointKind::Fixed, ..Joint::default() };
    let link = Link::new(LINK_NAME.to_owned(), None, nalgebra::Isometry3::identity(), joint);
    let link = Link { mass: MassProperties::UNSAID, visual, collision, ..link };
    Body::of_links(file_stem(path), ModelFormat::Shapes, vec![link])
}

fn read_mesh(path: &Path, reading: &Reading<'_>, reporter: &Reporter) -> Result<Vec<Shape>> {
    let context = LoadContext { roots: reading.roots, limits: &reading.options.limits, reporter };
    let origin = Arc::new(ShapeOrigin {
        file: path.to_owned(),
        part: None,
        unit: 1.0,
        y_up: false,
        transform: Affine3::identity(),
        as_geometry: false,
    });
    let shapes = load_scene(path, &context)?.shapes().into_iter();
    Ok(shapes.map(|shape| Shape { origin: Some(Arc::clone(&origin)), ..shape }).collect())
}

fn read_scene(document: &Document, reading: &Reading<'_>) -> Option<Contents> {
    let top = bunraku_document::Mapping::new(document.root(), "the scene", reading.reporter)?;
    top.accept(&["format", "formatVersion", "format_version", "name"]);
    let unit = read_angle_unit(&top, 1.0);
    let scene = top.required(&["scene"])?;
    let directory = document.source().directory();
    let reading = Reading { unit, directory: &directory, ..*reading };
    let contents = read_elements(scene, &reading, &mut Budget::new(reading.allowance.get()));
    top.finish();
    Some(contents)
}
