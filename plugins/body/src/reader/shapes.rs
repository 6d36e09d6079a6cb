//! Shape nodes: geometry and appearance.

use std::sync::Arc;

use bunraku_document::{Mapping, Reporter, Result, Value, closest};
use bunraku_mesh::{MAX_LENGTH, Primitive, ShapeOrigin};
use nalgebra::Vector3;

use super::appearance::read_appearance;
use super::budget::Budget;
use super::meshes::{MESHES, read_mesh};
use super::pose::read_transform;
use super::reading::Reading;
use super::resource_geometry::read_resource_geometry;
use crate::{Appearance, Geometry, Shape};

/// Geometry types with supported keys.
const PRIMITIVES: &[&str] = &["Box", "Sphere", "Cylinder", "Cone", "Capsule"];
/// Geometry type that refers to a mesh file.
const RESOURCE: &str = "Resource";
/// Reads a shape, in the coordinates of its parent node; `None` without a valid geometry.
pub(super) fn read_shape(mapping: &Mapping<'_, '_>, reading: &Reading<'_>, budget: &mut Budget) -> Option<Shape> {
    let transform = read_transform(mapping, reading.unit);
    let appearance =
        mapping.get(&["appearance"]).map_or_else(Appearance::default, |value| read_appearance(value, reading));
    let (geometry, origin) = read_geometry(mapping.get(&["geometry"])?, reading, budget)?;
    let origin = origin.map(|origin| Arc::new(ShapeOrigin { transform, ..origin }));
    Some(Shape { origin, ..Shape::new(geometry, transform, appearance) })
}

/// The geometry, and the mesh file it was read from.
fn read_geometry(
    value: Value<'_>,
    reading: &Reading<'_>,
    budget: &mut Budget,
) -> Option<(Geometry, Option<ShapeOrigin>)> {
    let reporter = reading.reporter;
    let mut mapping = Mapping::new(value, "a geometry", reporter)?;
    let type_node = mapping
        .required_or(&["type"], "write the form: `type: Box`, `Sphere`, `Cylinder`, `IndexedFaceSet` or another")?;
    let kind = reporter.keep(type_node.as_text())?;
    mapping.rename(format!("{kind} geometry"));
    if MESHES.contains(&kind) {
        return read_mesh(kind, mapping, reading.unit, &mut budget.meshes).map(|mesh| (Geometry::Mesh(mesh), None));
    }
    if kind == RESOURCE {
        return read_resource_geometry(mapping, reading, budget);
    }
    let length = |names: &[&'static str]| mapping.read(names, read_positive).unwrap_or(1.0);
    let flag = |names: &[&'static str]| mapping.bool(names).unwrap_or(true);
    let primitive = match kind {
        "Box" => {
            mapping.accept(&["extra_division_number", "extra_division_mode"]);
            Primitive::Box { size: mapping.read(&["size"], read_box_size).unwrap_or_else(|| Vector3::repeat(1.0)) }
        }
        "Sphere" => Primitive::Sphere { radius: length(&["radius"]) },
        "Cylinder" => Primitive::Cylinder {
            radius: length(&["radius"]),
            height: length(&["height"]),
            top: flag(&["top"]),
            bottom: flag(&["bottom"]),
        },
        "Cone" => {
            Primitive::Cone { radius: length(&["radius"]), height: length(&["height"]), bottom: flag(&["bottom"]) }
        }
        "Capsule" => Primitive::Capsule {
            radius: length(&["radius"]),
            height: mapping.read(&["height"], read_not_negative).unwrap_or(1.0),
        },
        _ => {
            let diagnostic = type_node.error("unknown-geometry", format!("`{kind}` is not a geometry type"));
            let types = || PRIMITIVES.iter().chain(MESHES).copied().chain([RESOURCE]);
            reporter.report(match closest(kind, types()) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic.help(format!("the geometry types are {}", types().collect::<Vec<_>>().join(", "))),
            });
            return None;
        }
    };
    let divisions =
        mapping.integer(&["division_number", "divisionNumber"]).and_then(|number| u32::try_from(number).ok());
    mapping.accept(&["extra_division_number"]);
    mapping.finish();
    // The original ignores fewer than 4 divisions; with more than some thousands a primitive would exhaust the memory.
    let divisions = divisions.filter(|number| (4..=1000).contains(number)).unwrap_or(reading.divisions);
    Some((Geometry::Primitive { primitive, divisions }, None))
}

fn read_positive(value: Value<'_>, reporter: &Reporter) -> Result<f64> {
    let number = value.as_number(reporter)?;
    if number <= 0.0 {
        let diagnostic = value.error("not-positive", format!("a length of {number} m is not positive"));
        return Err(Box::new(diagnostic.help("write a length greater than 0, in metres")));
    }
    limited(value, number)
}

/// The length, which must not be too large for the vertices of the shape.
fn limited(value: Value<'_>, length: f64) -> Result<f64> {
    if length > MAX_LENGTH {
        let diagnostic = value.error("too-large", format!("a length of {length} m is too large for a shape"));
        return Err(Box::new(diagnostic.help("write a length in metres")));
    }
    Ok(length)
}

fn read_not_negative(value: Value<'_>, reporter: &Reporter) -> Result<f64> {
    let number = value.as_number(reporter)?;
    if number < 0.0 {
        let diagnostic = value.error("negative-length", format!("a length of {number} m is negative"));
        return Err(Box::new(diagnostic.help("write a length of 0 or more, in metres")));
    }
    limited(value, number)
}

fn read_box_size(value: Value<'_>, reporter: &Reporter) -> Result<Vector3<f64>> {
    let size = Vector3::from(value.as_array::<3>(reporter)?);
    if size.min() < 0.0 {
        let diagnostic = value.error("negative-length", "an edge of the box is negative");
        return Err(Box::new(diagnostic.help("write the lengths of its edges, in metres")));
    }
    limited(value, size.max())?;
    Ok(size)
}
