//! `geometry: { type: Resource }`: a mesh file as the geometry of a shape.

use std::sync::Arc;

use bunraku_document::Mapping;
use bunraku_mesh::{Geometry, Normals, Shape, ShapeOrigin, TriangleMesh};
use nalgebra::Affine3;

use super::budget::Budget;
use super::elements::read_shapes_of;
use super::reading::Reading;
use super::resources::Resource;

/// Geometry of the file or its named part, and its origin if it is a mesh file; for a YAML file, the geometry of its
/// shapes. Colours and textures of the file are ignored: the shape has its own.
pub(super) fn read_resource_geometry(
    mapping: Mapping<'_, '_>,
    reading: &Reading<'_>,
    budget: &mut Budget,
) -> Option<(Geometry, Option<ShapeOrigin>)> {
    let node = mapping.node();
    let crease = mapping.number(&["crease_angle", "creaseAngle"]).map(|angle| reading.unit.to_radian(angle));
    // Equal vertices are merged in any case.
    mapping.accept(&["remove_redundant_vertices", "removeRedundantVertices"]);
    let resource = Resource::read(&mapping, reading);
    mapping.finish();
    let resource = resource?;
    if resource.is_yaml() {
        let shapes = read_shapes_of(&resource, reading, budget);
        if let ([shape], None) = (shapes.as_slice(), crease)
            && shape.transform == Affine3::identity()
        {
            return Some((shape.geometry.clone(), None));
        }
        return Some((Geometry::Mesh(one_mesh(&shapes, crease, &resource, reading)?), None));
    }
    let mesh = match budget.meshes.get(&node.identity()) {
        Some(known) => known.clone(),
        None => {
            let scene = resource.scene(reading);
            let mesh = scene.and_then(|scene| one_mesh(&scene.shapes(), crease, &resource, reading));
            budget.meshes.insert(node.identity(), mesh.clone());
            mesh
        }
    };
    let origin = resource.origin(Affine3::identity(), true);
    Some((Geometry::Mesh(mesh?), Some(Arc::unwrap_or_clone(origin))))
}

/// Triangles of all shapes in one mesh.
fn one_mesh(
    shapes: &[Shape],
    crease: Option<f64>,
    resource: &Resource<'_>,
    reading: &Reading<'_>,
) -> Option<Arc<TriangleMesh>> {
    let mut mesh = match shapes {
        [] => {
            let message = format!("there is no shape in {}", resource.path.display());
            let help = "was it exported with nothing selected?";
            reading.reporter.report(resource.uri().warning("empty-mesh", message).help(help));
            return None;
        }
        [shape] if shape.transform == Affine3::identity() => match &shape.geometry {
            Geometry::Mesh(mesh) => Arc::clone(mesh),
            Geometry::Primitive { .. } => Arc::new(shape.geometry.triangles().into_owned()),
        },
        shapes => Arc::new(TriangleMesh::merged(shapes)),
    };
    if let Some(crease) = crease {
        Arc::make_mut(&mut mesh).normals = Normals::Crease(crease);
    }
    Some(mesh)
}
