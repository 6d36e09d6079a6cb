//! Appearance: materials and textures. Nothing here prevents loading a robot: invalid values are warnings, and the
//! default is used.

use bunraku_document::{Mapping, Value, ValueKind};
use bunraku_mesh::{Texture, TextureImage, TextureTransform};
use nalgebra::{Vector2, Vector3};

use super::pose::AngleUnit;
use super::reading::Reading;
use crate::Appearance;

pub(super) fn read_appearance(value: Value<'_>, reading: &Reading<'_>) -> Appearance {
    let mut appearance = Appearance::default();
    let Some(mapping) = Mapping::forgiving(value, "an appearance", reading.reporter) else {
        return appearance;
    };
    if let Some(material) = mapping.get(&["material"])
        && let Some(material) = Mapping::forgiving(material, "a material", reading.reporter)
    {
        read_material(&material, &mut appearance);
        material.finish();
    }
    let texture = mapping.get(&["texture"]).and_then(|value| read_texture(value, reading));
    let transform = mapping.get(&["texture_transform", "textureTransform"]);
    let transform = transform.map(|value| read_texture_transform(value, reading));
    if let Some(mut texture) = texture {
        texture.transform = transform.unwrap_or_default();
        appearance.texture = Some(texture);
    }
    mapping.finish();
    appearance
}

fn read_material(material: &Mapping<'_, '_>, appearance: &mut Appearance) {
    let color = |names: &[&'static str]| {
        let color = Vector3::from(material.array::<3>(names)?);
        Some(share(material, names, color, color.map(|part| part.clamp(0.0, 1.0))))
    };
    let number = |names: &[&'static str]| {
        let number = material.number(names)?;
        Some(share(material, names, number, number.clamp(0.0, 1.0)))
    };
    let set = |slot: &mut Vector3<f64>, value: Option<Vector3<f64>>| *slot = value.unwrap_or(*slot);
    set(&mut appearance.diffuse, color(&["diffuse", "diffuseColor"]));
    set(&mut appearance.emissive, color(&["emissive", "emissiveColor"]));
    set(&mut appearance.specular, color(&["specular", "specularColor"]));
    // The older `shininess` ranges from 0 to 1.
    let shininess = number(&["shininess"]).map(|shininess| 127.0 * shininess + 1.0);
    appearance.specular_exponent = material.number(&["specular_exponent"]).or(shininess).unwrap_or(25.0);
    appearance.ambient = number(&["ambient", "ambientIntensity"]).unwrap_or(1.0);
    appearance.transparency = number(&["transparency"]).unwrap_or(0.0);
}

/// Clamps the numbers of a value to 0…1, with a warning if any changed.
fn share<T: PartialEq>(material: &Mapping<'_, '_>, names: &[&'static str], written: T, cut: T) -> T {
    if written != cut
        && let Some(value) = material.get(names)
    {
        let name = names.first().copied().unwrap_or_default();
        let message = format!("`{name}` of a material goes from 0 to 1: values beyond are clamped");
        let help = "write numbers from 0 to 1; Choreonoid accepts others";
        material.reporter().report(value.warning("out-of-range", message).help(help));
    }
    cut
}

/// A texture without its transform. As in the original, a missing file is left out with a warning.
fn read_texture(value: Value<'_>, reading: &Reading<'_>) -> Option<Texture> {
    let mapping = Mapping::forgiving(value, "a texture", reading.reporter)?;
    let mut repeat = [true; 2];
    if let Some(both) = mapping.get(&["repeat"]) {
        repeat = match both.kind() {
            ValueKind::Sequence => mapping
                .read(&["repeat"], |value, _| {
                    let flags: Vec<bool> =
                        value.items().into_iter().flatten().map(Value::as_bool).collect::<Result<_, _>>()?;
                    flags.try_into().map_err(|_| Box::new(value.expected("a list of two truth values")))
                })
                .unwrap_or(repeat),
            _ => mapping.bool(&["repeat"]).map_or(repeat, |flag| [flag; 2]),
        };
        mapping.accept(&["repeat_s", "repeatS", "repeat_t", "repeatT"]);
    } else {
        repeat[0] = mapping.bool(&["repeat_s", "repeatS"]).unwrap_or(true);
        repeat[1] = mapping.bool(&["repeat_t", "repeatT"]).unwrap_or(true);
    }
    let uri = mapping.required(&["uri", "url"]).filter(|uri| mapping.keep(uri.as_text()).is_some());
    mapping.finish();
    let uri = uri?;
    let text = uri.text()?;
    match reading.roots.find(reading.directory, text) {
        Ok(path) => Some(Texture { image: TextureImage::File(path), repeat, transform: TextureTransform::default() }),
        Err(error) => {
            reading.reporter.report(error.to_diagnostic().at(uri.source(), uri.span()).into_warning());
            None
        }
    }
}

fn read_texture_transform(value: Value<'_>, reading: &Reading<'_>) -> TextureTransform {
    let mut transform = TextureTransform::default();
    let Some(mapping) = Mapping::forgiving(value, "a texture transform", reading.reporter) else {
        return transform;
    };
    let pair = |name: &'static str| mapping.array::<2>(&[name]).map(Vector2::from);
    transform.center = pair("center").unwrap_or(transform.center);
    transform.scale = pair("scale").unwrap_or(transform.scale);
    transform.translation = pair("translation").unwrap_or(transform.translation);
    let unit: AngleUnit = reading.unit;
    transform.rotation = mapping.number(&["rotation"]).map_or(0.0, |angle| unit.to_radian(angle));
    mapping.finish();
    transform
}
