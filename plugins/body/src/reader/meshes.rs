//! Meshes whose numbers are in the model file: faces, extrusions, grids.

use std::sync::Arc;

use bunraku_document::{Mapping, Reporter, Value};
use bunraku_mesh::{
    Attribute, ElevationGrid, Extrusion, FaceSet, FaceSetInput, MeshError, TriangleMesh, indexed_face_set,
    triangle_mesh,
};
use nalgebra::{Point2, Point3, Vector2};

use super::budget::MeshCache;
use super::pose::AngleUnit;

/// Geometry types that are converted to triangles during reading.
pub(super) const MESHES: &[&str] = &["Extrusion", "ElevationGrid", "IndexedFaceSet", "TriangleMesh"];

const VERTICES: &[&str] = &["vertices", "coordinate"];
const FACES: &[&str] = &["faces", "coordIndex"];
const HEIGHT: &[&str] = &["height"];
const CROSS_SECTION: &[&str] = &["cross_section", "crossSection"];
const SPINE: &[&str] = &["spine"];

/// Mesh of a geometry node; `None`, after a report, if it is invalid.
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
    let result = match kind {
        "Extrusion" => read_extrusion(&mapping, unit).tessellate(),
        "ElevationGrid" => remarked(&mapping, read_elevation_grid(&mapping, unit).face_set()),
        "TriangleMesh" => read_face_set(&mapping, unit, triangle_mesh),
        _ => read_face_set(&mapping, unit, indexed_face_set),
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

/// Whether a key that must be a list of numbers is not one, which has been reported. The mesh is then incomplete for
/// that reason.
fn has_unreadable_numbers(node: Value<'_>) -> bool {
    let lists = [VERTICES, FACES, HEIGHT, CROSS_SECTION, SPINE, &["orientation"], &["scale"]];
    let quiet = Reporter::new();
    lists.into_iter().flatten().filter_map(|key| node.get(key)).any(|list| list.as_numbers(&quiet).is_err())
}

/// Location of an error in a mesh, and its remedy.
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

/// Value of a key under one of its spellings, or else the node.
fn value_of<'a>(node: Value<'a>, names: &[&str]) -> Value<'a> {
    names.iter().find_map(|name| node.get(name)).unwrap_or(node)
}

fn read_face_set(
    mapping: &Mapping<'_, '_>,
    unit: AngleUnit,
    make: fn(&FaceSetInput<'_>) -> Result<FaceSet, MeshError>,
) -> Result<TriangleMesh, MeshError> {
    let vertices = numbers(mapping, VERTICES);
    let faces = indices(mapping, FACES).unwrap_or_default();
    let normals = optional_groups::<3>(mapping, &["normals"]);
    let normal_indices = indices(mapping, &["normal_indices"]);
    let coordinates = optional_groups::<2>(mapping, &["tex_coords", "texCoord"]);
    let place_indices = indices(mapping, &["tex_coord_indices", "texCoordIndex"]);
    let input = FaceSetInput {
        vertices: &vertices,
        faces: &faces,
        solid: solid(mapping),
        crease_angle: crease_angle(mapping, unit),
        normals: attribute(normals.as_deref(), normal_indices.as_deref()),
        texture_coordinates: attribute(coordinates.as_deref(), place_indices.as_deref()),
        ..FaceSetInput::default()
    };
    remarked(mapping, make(&input))
}

fn attribute<'a, const N: usize>(
    values: Option<&'a [[f64; N]]>,
    indices: Option<&'a [i32]>,
) -> Option<Attribute<'a, N>> {
    // An empty list counts as absent, as in the original.
    let values = values.filter(|values| !values.is_empty())?;
    Some(Attribute { values, indices: indices.filter(|indices| !indices.is_empty()), per_vertex: true })
}

/// The mesh; its flaws are reported.
fn remarked(mapping: &Mapping<'_, '_>, set: Result<FaceSet, MeshError>) -> Result<TriangleMesh, MeshError> {
    let set = set?;
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
    for problem in &set.problems {
        warn("bad-attribute", &problem.to_string(), "leave it out, or write one for each corner or vertex");
    }
    Ok(set.mesh)
}

fn crease_angle(mapping: &Mapping<'_, '_>, unit: AngleUnit) -> f64 {
    mapping.number(&["crease_angle", "creaseAngle"]).map_or(0.0, |angle| unit.to_radian(angle))
}

fn solid(mapping: &Mapping<'_, '_>) -> bool {
    mapping.bool(&["solid"]).unwrap_or(false)
}

fn indices(mapping: &Mapping<'_, '_>, names: &[&'static str]) -> Option<Vec<i32>> {
    mapping.read(names, |value, reporter| {
        let expected = || Box::new(value.expected("a list of numbers from 0").help("write `[ 0, 1, 2, -1, … ]`"));
        let items = value.items().ok_or_else(expected)?;
        items.map(|item| item.as_integer(reporter)).collect::<Result<Vec<_>, _>>()
    })
}

fn optional_groups<const N: usize>(mapping: &Mapping<'_, '_>, names: &[&'static str]) -> Option<Vec<[f64; N]>> {
    mapping.get(names).map(|value| groups::<N>(mapping, value))
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
        crease_angle: crease_angle(mapping, unit),
        solid: solid(mapping),
    }
}

fn read_elevation_grid(mapping: &Mapping<'_, '_>, unit: AngleUnit) -> ElevationGrid {
    let dimension = |names| mapping.integer(names).and_then(|number| u32::try_from(number).ok()).unwrap_or(0);
    ElevationGrid {
        x_dimension: dimension(&["x_dimension", "xDimension"]),
        z_dimension: dimension(&["z_dimension", "zDimension"]),
        x_spacing: mapping.number(&["x_spacing", "xSpacing"]).unwrap_or(1.0),
        z_spacing: mapping.number(&["z_spacing", "zSpacing"]).unwrap_or(1.0),
        height: numbers(mapping, HEIGHT),
        ccw: mapping.bool(&["ccw"]).unwrap_or(true),
        crease_angle: crease_angle(mapping, unit),
        solid: solid(mapping),
        texture_coordinates: optional_groups(mapping, &["tex_coord", "texCoord"]).unwrap_or_default(),
        ..ElevationGrid::default()
    }
}

fn numbers(mapping: &Mapping<'_, '_>, names: &[&'static str]) -> Vec<f64> {
    mapping.read(names, Value::as_numbers).unwrap_or_default()
}

/// Splits a flat list into groups of `N`. Surplus values after the last complete group are dropped with a warning.
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
