//! `geometry: { type: Resource }`: a mesh file as the form of a shape.

use std::sync::Arc;

use bunraku_document::Mapping;
use bunraku_mesh::{Geometry, Normals, ShapeOrigin, TriangleMesh};
use nalgebra::Affine3;

use super::Reading;
use super::meshes::MeshCache;
use super::resources::Resource;

/// All triangles of the file, or of the part of it that is named, and where they come from. Its colours and textures
/// do not count: the shape has its own.
pub(super) fn read_resource_geometry(
    mapping: Mapping<'_, '_>,
    reading: &Reading<'_>,
    cache: &mut MeshCache,
) -> Option<(Arc<TriangleMesh>, ShapeOrigin)> {
    let node = mapping.node();
    let crease = mapping.number(&["crease_angle", "creaseAngle"]).map(|angle| reading.unit.to_radian(angle));
    // Equal vertices are welded in any case.
    mapping.accept(&["remove_redundant_vertices", "removeRedundantVertices"]);
    let resource = Resource::read(&mapping, reading);
    mapping.finish();
    let resource = resource?;
    if resource.is_yaml() {
        let help = "write `type: Resource` in place of `type: Shape`, and the `uri` right below it";
        let diagnostic = resource.uri().error("bad-mesh", "a geometry must be a mesh file, and this is a YAML file");
        reading.reporter.report(diagnostic.help(help));
        return None;
    }
    let mesh = match cache.get(&node.identity()) {
        Some(known) => known.clone(),
        None => {
            let mesh = read_mesh(&resource, crease, reading);
            cache.insert(node.identity(), mesh.clone());
            mesh
        }
    };
    let origin = resource.origin(Affine3::identity(), true);
    Some((mesh?, Arc::unwrap_or_clone(origin)))
}

fn read_mesh(resource: &Resource<'_>, crease: Option<f64>, reading: &Reading<'_>) -> Option<Arc<TriangleMesh>> {
    let shapes = resource.scene(reading)?.shapes();
    let mut mesh = match shapes.as_slice() {
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
