//! Shape nodes: geometry and appearance.

use bunraku_document::{Mapping, Reporter, Result, Value, closest};
use bunraku_mesh::{DEFAULT_DIVISIONS, Primitive};
use nalgebra::Vector3;

use super::meshes::{MESHES, MeshCache, read_mesh};
use super::pose::{AngleUnit, read_transform};
use crate::{Appearance, Geometry, Shape};

/// Geometry types whose keys are read.
const PRIMITIVES: &[&str] = &["Box", "Sphere", "Cylinder", "Cone", "Capsule"];
/// Geometry types that exist but are not read yet.
const UNREAD: &[&str] = &["Resource"];

/// A shape in the coordinates of the node around it; `None` if it has no geometry or none that can be read.
pub(super) fn read_shape(mapping: &Mapping<'_, '_>, unit: AngleUnit, meshes: &mut MeshCache) -> Option<Shape> {
    let transform = read_transform(mapping, unit);
    let appearance = mapping
        .get(&["appearance"])
        .map_or_else(Appearance::default, |value| read_appearance(value, mapping.reporter()));
    let geometry = read_geometry(mapping.get(&["geometry"])?, unit, meshes, mapping.reporter())?;
    Some(Shape { geometry, transform, appearance })
}

fn read_geometry(value: Value<'_>, unit: AngleUnit, meshes: &mut MeshCache, reporter: &Reporter) -> Option<Geometry> {
    let mut mapping = Mapping::new(value, "a geometry", reporter)?;
    let type_node = mapping.required(&["type"])?;
    let kind = reporter.keep(type_node.as_text())?;
    mapping.rename(format!("{kind} geometry"));
    if MESHES.contains(&kind) {
        return read_mesh(kind, mapping, unit, meshes).map(Geometry::Mesh);
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
        _ if UNREAD.contains(&kind) => {
            let message = format!("{kind} geometry is not read by this version: the shape is left out");
            reporter.report(type_node.warning("unread-geometry", message));
            return None;
        }
        _ => {
            let diagnostic = type_node.error("unknown-geometry", format!("`{kind}` is not a geometry type"));
            reporter.report(match closest(kind, PRIMITIVES.iter().chain(MESHES).chain(UNREAD).copied()) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic.help(format!(
                    "the geometry types are {} and {}",
                    PRIMITIVES.join(", "),
                    UNREAD.join(", ")
                )),
            });
            return None;
        }
    };
    let divisions =
        mapping.integer(&["division_number", "divisionNumber"]).and_then(|number| u32::try_from(number).ok());
    mapping.accept(&["extra_division_number"]);
    mapping.finish();
    // The original ignores fewer than 4 divisions; above some thousands a primitive would fill the memory.
    let divisions = divisions.filter(|number| (4..=1000).contains(number)).unwrap_or(DEFAULT_DIVISIONS);
    Some(Geometry::Primitive { primitive, divisions })
}

fn read_positive(value: Value<'_>, reporter: &Reporter) -> Result<f64> {
    let number = value.as_number(reporter)?;
    if number <= 0.0 {
        return Err(Box::new(value.error("not-positive", format!("a length of {number} m is not positive"))));
    }
    Ok(number)
}

fn read_not_negative(value: Value<'_>, reporter: &Reporter) -> Result<f64> {
    let number = value.as_number(reporter)?;
    if number < 0.0 {
        return Err(Box::new(value.error("negative-length", format!("a length of {number} m is negative"))));
    }
    Ok(number)
}

fn read_box_size(value: Value<'_>, reporter: &Reporter) -> Result<Vector3<f64>> {
    let size = Vector3::from(value.as_array::<3>(reporter)?);
    if size.min() < 0.0 {
        return Err(Box::new(value.error("negative-length", "an edge of the box is negative")));
    }
    Ok(size)
}

fn read_appearance(value: Value<'_>, reporter: &Reporter) -> Appearance {
    let mut appearance = Appearance::default();
    let Some(mapping) = Mapping::new(value, "an appearance", reporter) else {
        return appearance;
    };
    if let Some(material) = mapping.get(&["material"])
        && let Some(material) = Mapping::new(material, "a material", reporter)
    {
        let color = |names: &[&'static str]| material.array::<3>(names).map(Vector3::from);
        let set = |slot: &mut Vector3<f64>, value: Option<Vector3<f64>>| *slot = value.unwrap_or(*slot);
        set(&mut appearance.diffuse, color(&["diffuse", "diffuseColor"]));
        set(&mut appearance.emissive, color(&["emissive", "emissiveColor"]));
        set(&mut appearance.specular, color(&["specular", "specularColor"]));
        // The older `shininess` runs from 0 to 1.
        let shininess = material.number(&["shininess"]).map(|shininess| 127.0 * shininess.clamp(0.0, 1.0) + 1.0);
        appearance.specular_exponent = material.number(&["specular_exponent"]).or(shininess).unwrap_or(25.0);
        appearance.ambient = material.number(&["ambient", "ambientIntensity"]).unwrap_or(1.0);
        appearance.transparency = material.number(&["transparency"]).unwrap_or(0.0);
        material.finish();
    }
    mapping.accept(&["texture", "texture_transform", "textureTransform"]);
    mapping.finish();
    appearance
}
