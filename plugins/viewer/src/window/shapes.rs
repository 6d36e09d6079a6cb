//! Bodies of one primitive shape.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use bevy::prelude::*;
use bunraku_document::write_atomically;

use super::pictures::{free_name, make_folder};
use super::state::OutputFolder;
use crate::view::Primitive;

/// Writes a model of a shape with this size, m, and mass, kg, into the output folder; returns its path.
///
/// # Errors
/// The reason why it cannot be written.
pub fn write(world: &World, shape: Primitive, size: f64, mass: f64) -> Result<PathBuf, String> {
    let text = model(shape, size, mass)?;
    let folder = world.resource::<OutputFolder>().0.join("shapes");
    let path = free_name(&folder, shape.word(), "body");
    make_folder(&path).map_err(|error| error.to_string())?;
    write_atomically(&path, |file| file.write_all(text.as_bytes())).map_err(|error| error.to_string())?;
    Ok(path)
}

/// Text of the model: all extents are `size`, the mass is distributed uniformly, and a cylinder stands upright.
fn model(shape: Primitive, size: f64, mass: f64) -> Result<String, String> {
    if !(size > 0.0 && size.is_finite() && mass > 0.0 && mass.is_finite()) {
        return Err("size and mass must be positive".to_owned());
    }
    let half = size / 2.0;
    let (geometry, inertia) = match shape {
        Primitive::Box => (format!("{{ type: Box, size: [ {size}, {size}, {size} ] }}"), [mass * size * size / 6.0; 3]),
        Primitive::Sphere => (format!("{{ type: Sphere, radius: {half} }}"), [0.4 * mass * half * half; 3]),
        Primitive::Cylinder => {
            let across = mass * (3.0 * half * half + size * size) / 12.0;
            let geometry = format!("{{ type: Cylinder, radius: {half}, height: {size} }}");
            (geometry, [across, across, 0.5 * mass * half * half])
        }
    };
    let [x, y, z] = inertia;
    // Cylinders of models have their axis along Y.
    let turned = if shape == Primitive::Cylinder { "rotation: [ 1, 0, 0, 90 ], " } else { "" };
    let (name, mut text) = (shape.word(), String::new());
    let _ = writeln!(text, "# A {name} added in the window: size in m, mass in kg.");
    let _ = writeln!(text, "format: ChoreonoidBody\nformat_version: 2.0\nname: {name}\nlinks:");
    let _ = writeln!(text, "  - name: {name}\n    joint_type: free\n    mass: {mass}\n    center_of_mass: [ 0, 0, 0 ]");
    let _ = writeln!(text, "    inertia: [ {x}, 0, 0, 0, {y}, 0, 0, 0, {z} ]\n    elements:");
    let _ = writeln!(text, "      - {{ type: Shape, {turned}geometry: {geometry},");
    let _ = writeln!(text, "          appearance: {{ material: {{ diffuse: [ 0.85, 0.55, 0.20 ] }} }} }}");
    Ok(text)
}

#[cfg(test)]
mod tests {
    use bunraku_body::{LinkIndex, LoadOptions};
    use bunraku_document::{Reporter, SourceFile};
    use nalgebra::Vector3;

    use super::*;

    #[test]
    fn shapes_are_models_with_their_size_and_mass() {
        for (shape, upright) in
            [(Primitive::Box, 2.0 / 12.0), (Primitive::Sphere, 0.4 * 0.25), (Primitive::Cylinder, 0.5 * 0.25)]
        {
            let source = SourceFile::from_text("shape.body", model(shape, 0.2, 3.0).expect("a model"));
            let reporter = Reporter::strict();
            let body = bunraku_body::read(&source, &LoadOptions::default(), &reporter);
            let body = body.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()));
            let link = body.link(LinkIndex::ROOT);
            assert!((body.mass() - 3.0).abs() < 1e-12 && !body.is_fixed(), "{shape:?}");
            assert!((link.mass.inertia[(2, 2)] - 3.0 * 0.04 * upright).abs() < 1e-9, "{shape:?}");
            for shapes in [&link.visual, &link.collision] {
                let bounds = shapes.iter().find_map(bunraku_body::Shape::bounding_box).expect("a shape");
                // The axis of a cylinder, +Y of its mesh, is upright.
                let is_upright = shapes.iter().all(|shape| (shape.transform * Vector3::y()).z.abs() > 0.999);
                assert_eq!(is_upright, shape == Primitive::Cylinder, "{shape:?}");
                assert!(((bounds.max - bounds.min).add_scalar(-0.2)).norm() < 5e-3, "{shape:?} {bounds:?}");
            }
        }
        for (size, mass) in [(0.0, 1.0), (f64::NAN, 1.0), (1.0, -1.0), (1.0, f64::INFINITY)] {
            assert!(model(Primitive::Box, size, mass).is_err());
        }
    }
}
