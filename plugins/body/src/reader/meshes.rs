//! Geometry that a file spells out: faces, extrusions, grids.

use std::collections::HashMap;
use std::sync::Arc;

use bunraku_document::{Mapping, NodeIdentity, Reporter, Value};
use bunraku_mesh::{ElevationGrid, Extrusion, FaceSetInput, MeshError, TriangleMesh, indexed_face_set, triangle_mesh};
use nalgebra::{Point2, Point3, Vector2};

use super::pose::AngleUnit;

/// Geometry types that become triangles when they are read.
pub(super) const MESHES: &[&str] = &["Extrusion", "ElevationGrid", "IndexedFaceSet", "TriangleMesh"];

const VERTICES: &[&str] = &["vertices", "coordinate"];
const FACES: &[&str] = &["faces", "coordIndex"];
const HEIGHT: &[&str] = &["height"];
const CROSS_SECTION: &[&str] = &["cross_section", "crossSection"];
const SPINE: &[&str] = &["spine"];

/// Meshes by the node they were read from, so that an alias is the same mesh.
pub(super) type MeshCache = HashMap<NodeIdentity, Option<Arc<TriangleMesh>>>;

/// The mesh of a geometry node; `None`, and a finding, if there is none.
pub(super) fn read_mesh(
    kind: &str,
    mapping: Mapping<'_, '_>,
    unit: AngleUnit,
    cache: &mut MeshCache,
) -> Option<Arc<TriangleMesh>> {
    let node = mapping.node();
    if let Some(known) = cache.get(&node.identity()) {
        return known.clone();
    }
    // How surfaces are shaded and textured says nothing about their form.
    mapping.accept(&[
        "crease_angle",
        "creaseAngle",
        "normal_indices",
        "normals",
        "solid",
        "texCoord",
        "texCoordIndex",
        "tex_coord",
        "tex_coord_indices",
        "tex_coords",
    ]);
    let result = match kind {
        "Extrusion" => read_extrusion(&mapping, unit).tessellate(),
        "ElevationGrid" => read_elevation_grid(&mapping).tessellate(),
        "TriangleMesh" => {
            let (vertices, faces) = (numbers(&mapping, VERTICES), faces(&mapping));
            let input = FaceSetInput { vertices: &vertices, faces: &faces, ..FaceSetInput::default() };
            triangle_mesh(&input).map(|set| set.mesh)
        }
        _ => read_indexed_face_set(&mapping),
    };
    let reporter = mapping.reporter();
    mapping.finish();
    let mesh = match result {
        Ok(mesh) => Some(Arc::new(mesh)),
        Err(error) => {
            if !has_unreadable_numbers(node) {
                let (place, help) = advice(node, &error);
                reporter.report(place.error("bad-mesh", error.to_string()).help(help));
            }
            None
        }
    };
    cache.insert(node.identity(), mesh.clone());
    mesh
}

/// Whether a list among the keys is none of numbers, which has been said: the mesh is then incomplete through no fault
/// of its own.
fn has_unreadable_numbers(node: Value<'_>) -> bool {
    let lists = [VERTICES, FACES, HEIGHT, CROSS_SECTION, SPINE, &["orientation"], &["scale"]];
    let quiet = Reporter::new();
    lists.into_iter().flatten().filter_map(|key| node.get(key)).any(|list| list.as_numbers(&quiet).is_err())
}

/// Where a mistake in a mesh is, and what to do about it.
fn advice<'a>(node: Value<'a>, error: &MeshError) -> (Value<'a>, &'static str) {
    let item = |names, position| {
        let list = value_of(node, names);
        list.items().and_then(|mut items| items.nth(position)).unwrap_or(list)
    };
    match *error {
        MeshError::NoVertices => (node, "write `vertices: [ x, y, z, x, y, z, … ]`"),
        MeshError::NoFaces => (value_of(node, FACES), "write `faces:` and the numbers of the corners of each face"),
        MeshError::IncompleteVertex { .. } => (value_of(node, VERTICES), "write three coordinates for each vertex"),
        MeshError::IncompleteTriangle { .. } => (value_of(node, FACES), "write three corners for each triangle"),
        MeshError::IndexOutOfRange { position, .. } => {
            (item(FACES, position), "vertices are counted from 0: take one of those, or add the vertex")
        }
        MeshError::NotFinite { .. } => (node, "write ordinary lengths in metres"),
        MeshError::TooManyCorners { .. } => (value_of(node, FACES), "cut the face into smaller ones"),
        MeshError::TooManyVertices { .. } => (node, "make the mesh coarser"),
        MeshError::SectionTooShort { .. } => (value_of(node, CROSS_SECTION), "write `[ x, z, x, z, … ]`"),
        MeshError::SpineTooShort { .. } | MeshError::SpineWithoutLength => {
            (value_of(node, SPINE), "write the points that the section is drawn along: `[ x, y, z, x, y, z, … ]`")
        }
        MeshError::GridTooSmall { .. } => (node, "write `x_dimension` and `z_dimension`, both at least 2"),
        MeshError::BadSpacing { .. } => (node, "write `x_spacing` and `z_spacing` in metres, greater than 0"),
        MeshError::WrongHeightCount { .. } => {
            (value_of(node, HEIGHT), "write `x_dimension` times `z_dimension` heights")
        }
    }
}

/// The value of a key under one of its spellings, or else the node.
fn value_of<'a>(node: Value<'a>, names: &[&str]) -> Value<'a> {
    names.iter().find_map(|name| node.get(name)).unwrap_or(node)
}

fn read_indexed_face_set(mapping: &Mapping<'_, '_>) -> Result<TriangleMesh, MeshError> {
    let vertices = numbers(mapping, VERTICES);
    let faces = faces(mapping);
    let set = indexed_face_set(&FaceSetInput { vertices: &vertices, faces: &faces, ..FaceSetInput::default() })?;
    let place = value_of(mapping.node(), FACES);
    let warn = |code, message: &str, help| mapping.reporter().report(place.warning(code, message).help(help));
    if set.unterminated {
        let message = "the last face has no -1 behind it; it is read all the same";
        warn("unterminated-face", message, "write -1 behind the corners of each face");
    }
    if set.skipped > 0 {
        let message = format!("faces with fewer than three corners or without area are left out: {}", set.skipped);
        warn("empty-face", &message, "write at least three different corners and then -1 for each face");
    }
    Ok(set.mesh)
}

fn faces(mapping: &Mapping<'_, '_>) -> Vec<i32> {
    let read = mapping.read(FACES, |value, reporter| {
        let expected = || Box::new(value.expected("a list of vertex numbers").help("write `[ 0, 1, 2, -1, … ]`"));
        let items = value.items().ok_or_else(expected)?;
        items.map(|item| item.as_integer(reporter)).collect::<Result<Vec<_>, _>>()
    });
    read.unwrap_or_default()
}

fn read_extrusion(mapping: &Mapping<'_, '_>, unit: AngleUnit) -> Extrusion {
    let default = Extrusion::default();
    let section = mapping.get(CROSS_SECTION).map(|value| groups::<2>(mapping, value));
    let spine = mapping.get(SPINE).map(|value| groups::<3>(mapping, value));
    let orientation = mapping.get(&["orientation"]).map(|value| groups::<4>(mapping, value)).unwrap_or_default();
    let scale = mapping.get(&["scale"]).map(|value| groups::<2>(mapping, value)).unwrap_or_default();
    Extrusion {
        cross_section: section.map_or(default.cross_section, |section| section.into_iter().map(Point2::from).collect()),
        spine: spine.map_or(default.spine, |spine| spine.into_iter().map(Point3::from).collect()),
        orientation: orientation.into_iter().map(|[x, y, z, angle]| [x, y, z, unit.to_radian(angle)]).collect(),
        scale: scale.into_iter().map(Vector2::from).collect(),
        begin_cap: mapping.bool(&["begin_cap", "beginCap"]).unwrap_or(default.begin_cap),
        end_cap: mapping.bool(&["end_cap", "endCap"]).unwrap_or(default.end_cap),
    }
}

fn read_elevation_grid(mapping: &Mapping<'_, '_>) -> ElevationGrid {
    let dimension = |names| mapping.integer(names).and_then(|number| u32::try_from(number).ok()).unwrap_or(0);
    ElevationGrid {
        x_dimension: dimension(&["x_dimension", "xDimension"]),
        z_dimension: dimension(&["z_dimension", "zDimension"]),
        x_spacing: mapping.number(&["x_spacing", "xSpacing"]).unwrap_or(1.0),
        z_spacing: mapping.number(&["z_spacing", "zSpacing"]).unwrap_or(1.0),
        height: numbers(mapping, HEIGHT),
        ccw: mapping.bool(&["ccw"]).unwrap_or(true),
    }
}

fn numbers(mapping: &Mapping<'_, '_>, names: &[&'static str]) -> Vec<f64> {
    mapping.read(names, Value::as_numbers).unwrap_or_default()
}

/// A flat list as groups of `N`; values behind the last whole group are dropped with a warning.
fn groups<const N: usize>(mapping: &Mapping<'_, '_>, value: Value<'_>) -> Vec<[f64; N]> {
    let reporter = mapping.reporter();
    let numbers = reporter.keep(value.as_numbers(reporter)).unwrap_or_default();
    let (groups, rest) = numbers.as_chunks::<N>();
    if !rest.is_empty() {
        let message = format!("the numbers come in groups of {N}; {} at the end are left out", rest.len());
        reporter.report(value.warning("odd-numbers", message).help("is a number missing, or one too many?"));
    }
    groups.to_vec()
}
