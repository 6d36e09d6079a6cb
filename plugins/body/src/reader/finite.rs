//! What is left to check when a model is complete: numbers that are valid one by one may overflow together, by nested
//! scales, by densities of large shapes, or by units. One place for all readers.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, SourceFile};
use nalgebra::Isometry3;

use crate::{Body, Geometry, Link, Shape};

/// Reports an error for each link and device with a number that is infinite or NaN.
pub(super) fn check(body: &Body, path: &Path, reporter: &Reporter) {
    let mut meshes = HashSet::new();
    let places = body.links().iter().filter_map(|link| Some((&link.name, wrong(link, &mut meshes)?)));
    let devices =
        body.devices.iter().filter(|device| !device.transform.matrix().iter().all(|number| number.is_finite()));
    for (name, what) in places.chain(devices.map(|device| (&device.name, "the pose"))) {
        let message = format!("{what} of `{name}` has infinite or NaN numbers");
        let help = "numbers that are too large together become infinite: look at its lengths, scales, units and masses";
        reporter.report(Diagnostic::error("not-finite", message).in_file(&SourceFile::from_text(path, "")).help(help));
    }
}

/// The part of a link that is not finite. Meshes with addresses in `meshes` have been checked.
fn wrong(link: &Link, meshes: &mut HashSet<usize>) -> Option<&'static str> {
    let mass = &link.mass;
    if !(mass.mass.is_finite()
        && mass.center_of_mass.iter().chain(mass.inertia.iter()).all(|number| number.is_finite()))
    {
        return Some("the mass");
    }
    if !(is_finite(&link.offset) && link.joint.axis.iter().all(|number| number.is_finite())) {
        return Some("the joint");
    }
    let mut shapes = link.visual.iter().chain(&link.collision);
    shapes.any(|shape| !is_finite_shape(shape, meshes)).then_some("a shape")
}

fn is_finite(pose: &Isometry3<f64>) -> bool {
    pose.translation.vector.iter().chain(pose.rotation.coords.iter()).all(|number| number.is_finite())
}

fn is_finite_shape(shape: &Shape, meshes: &mut HashSet<usize>) -> bool {
    let mesh = match &shape.geometry {
        // Readers limit lengths.
        Geometry::Primitive { .. } => return shape.transform.matrix().iter().all(|number| number.is_finite()),
        Geometry::Mesh(mesh) => mesh,
    };
    let is_new = meshes.insert(Arc::as_ptr(mesh) as usize);
    let vertices = || mesh.vertices.iter().flat_map(|vertex| vertex.iter()).all(|coordinate| coordinate.is_finite());
    shape.transform.matrix().iter().all(|number| number.is_finite()) && (!is_new || vertices())
}
