//! `<material>`: colours and images, by name.

use std::collections::HashMap;

use bunraku_document::Diagnostic;
use bunraku_mesh::{Appearance, Texture, TextureImage, TextureTransform};
use nalgebra::Vector3;
use roxmltree::NodeId;

use super::super::Reading;
use super::xml::{Element, Xml, child, children, short, suggest};

/// Materials of a robot: those at its top level, then those defined in visuals. The first of a name is used.
pub(super) struct Materials {
    named: HashMap<String, Appearance>,
    /// Elements that define a colour or an image.
    own: HashMap<NodeId, Appearance>,
}

impl Materials {
    pub(super) fn read<'a>(robot: Element<'a>, xml: &Xml<'a>, reading: &Reading<'_>) -> Self {
        let (mut named, mut own) = (HashMap::new(), HashMap::new());
        let of_visuals = children(robot, "link").flat_map(|link| children(link, "visual"));
        let materials = children(robot, "material").chain(of_visuals.flat_map(|visual| children(visual, "material")));
        for material in materials {
            xml.check(material, &["name"], &["color", "texture"]);
            let Some(appearance) = read_appearance(material, xml, reading) else { continue };
            if let Some(name) = material.attribute("name") {
                named.entry(name.to_owned()).or_insert_with(|| appearance.clone());
            }
            own.insert(material.id(), appearance);
        }
        Self { named, own }
    }

    /// Appearance for a `<material>` element: its content, or the material with its name.
    pub(super) fn of(&self, material: Element<'_>, xml: &Xml<'_>) -> Option<Appearance> {
        if let Some(own) = self.own.get(&material.id()) {
            return Some(own.clone());
        }
        let name = material.attribute("name")?;
        let known = self.named.get(name);
        if known.is_none() {
            let message = format!("no `<material>` called `{}` has a colour: the shape is white", short(name));
            let mut names: Vec<&str> = self.named.keys().map(String::as_str).collect();
            names.sort_unstable();
            let warning = suggest(Diagnostic::warning("unknown-material", message), name, &names);
            xml.report_attribute(material, "name", warning);
        }
        known.cloned()
    }
}

/// Appearance of an element; `None` if it has neither colour nor image.
fn read_appearance<'a>(material: Element<'a>, xml: &Xml<'a>, reading: &Reading<'_>) -> Option<Appearance> {
    let color = child(material, "color").and_then(|color| {
        xml.check(color, &["rgba"], &[]);
        xml.numbers::<4>(color, "rgba")
    });
    let texture = child(material, "texture").and_then(|texture| read_texture(texture, xml, reading));
    if color.is_none() && texture.is_none() {
        return None;
    }
    let [red, green, blue, opacity] = color.unwrap_or([1.0; 4]).map(|part| part.clamp(0.0, 1.0));
    let diffuse = Vector3::new(red, green, blue);
    Some(Appearance { diffuse, transparency: 1.0 - opacity, texture, ..Appearance::default() })
}

fn read_texture<'a>(texture: Element<'a>, xml: &Xml<'a>, reading: &Reading<'_>) -> Option<Texture> {
    xml.check(texture, &["filename"], &[]);
    // Some exporters write an empty name if there is no image.
    let name = texture.attribute("filename").filter(|name| !name.is_empty())?;
    match reading.roots.find(reading.directory, name) {
        Ok(file) => {
            Some(Texture { image: TextureImage::File(file), repeat: [true; 2], transform: TextureTransform::default() })
        }
        Err(error) => {
            xml.report_attribute(texture, "filename", error.to_diagnostic().into_warning());
            None
        }
    }
}
