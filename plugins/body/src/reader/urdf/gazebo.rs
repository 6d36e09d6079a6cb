//! `<gazebo reference="…">`: colours and friction of links.

use std::collections::HashMap;

use bunraku_document::Diagnostic;
use bunraku_mesh::Appearance;
use nalgebra::Vector3;

use super::super::per_entry::{EntryIndex, PerEntry};
use super::joints::JointEntry;
use super::tree::LinkEntry;
use super::xml::{Element, Xml, child, children, short, suggest};

/// Diffuse colours of the materials that Gazebo provides, by the name after `Gazebo/`.
const COLORS: &[(&str, [f64; 3])] = &[
    ("Black", [0.0, 0.0, 0.0]),
    ("Blue", [0.0, 0.0, 1.0]),
    ("DarkGray", [0.175, 0.175, 0.175]),
    ("DarkGrey", [0.175, 0.175, 0.175]),
    ("FlatBlack", [0.1, 0.1, 0.1]),
    ("Gold", [0.8, 0.649, 0.0]),
    ("Gray", [0.7, 0.7, 0.7]),
    ("Green", [0.0, 1.0, 0.0]),
    ("Grey", [0.7, 0.7, 0.7]),
    ("Indigo", [0.33, 0.0, 0.5]),
    ("Orange", [1.0, 0.509, 0.0]),
    ("Purple", [1.0, 0.0, 1.0]),
    ("Red", [1.0, 0.0, 0.0]),
    ("SkyBlue", [0.13, 0.44, 0.7]),
    ("Turquoise", [0.0, 1.0, 1.0]),
    ("White", [1.0, 1.0, 1.0]),
    ("Yellow", [1.0, 1.0, 0.0]),
    ("ZincYellow", [0.9725, 0.9529, 0.2078]),
];

/// Applies the robot's `<gazebo>` elements to links. A colour is used if the link has none from its own `<material>`s.
/// Friction, which belongs to contact material tables here, and sensors give notes.
pub(super) fn read<'a>(
    robot: Element<'a>,
    links: &mut PerEntry<LinkEntry<'a>>,
    by_name: &HashMap<String, EntryIndex>,
    joints: &[JointEntry<'a>],
    xml: &Xml<'a>,
) {
    for gazebo in children(robot, "gazebo") {
        note_sensors(gazebo, xml);
        // Without a reference it applies to the whole robot; such elements are mostly plugins.
        let Some(reference) = gazebo.attribute("reference") else { continue };
        let Some(entry) = by_name.get(reference).map(|&link| &mut links[link]) else {
            if !joints.iter().any(|joint| joint.name == reference) {
                let message = format!("there is no link and no joint `{}`", short(reference));
                let names: Vec<&str> = by_name.keys().map(String::as_str).collect();
                let warning = Diagnostic::warning("unknown-link", message);
                xml.report_attribute(gazebo, "reference", suggest(warning, reference, &names));
            }
            continue;
        };
        if let Some(material) = child(gazebo, "material") {
            color(material, entry, xml);
        }
        let friction = ["mu1", "mu", "mu2"].into_iter().find_map(|tag| child(gazebo, tag));
        if let Some(element) = friction
            && let Some(value) = xml.text_number(element)
        {
            let message = format!("the friction {value} of link `{}` is not a part of a model", short(reference));
            let help = "give the link a `material` in the `.body` it is converted to, and pairs of it in the scene's `materials`";
            xml.report(element, Diagnostic::note("friction", message).help(help));
        }
    }
}

fn color(material: Element<'_>, entry: &mut LinkEntry<'_>, xml: &Xml<'_>) {
    let word = material.text().unwrap_or_default().trim();
    // A material script of Gazebo, which refers to its own files.
    let Some(name) = word.strip_prefix("Gazebo/") else { return };
    let Some((_, color)) = COLORS.iter().find(|(known, _)| *known == name) else {
        let message = format!("the colour of Gazebo's material `{}` is not known", short(word));
        let names: Vec<&str> = COLORS.iter().map(|(name, _)| *name).collect();
        xml.report(material, suggest(Diagnostic::note("unknown-material", message), name, &names));
        return;
    };
    let has_own = children(entry.element, "visual").any(|visual| child(visual, "material").is_some());
    if has_own {
        return;
    }
    let is_plain = |shape: &&mut crate::Shape| shape.origin.is_none() && shape.appearance == Appearance::default();
    for shape in entry.link.visual.iter_mut().filter(is_plain) {
        shape.appearance.diffuse = Vector3::from(*color);
    }
}

fn note_sensors(gazebo: Element<'_>, xml: &Xml<'_>) {
    for sensor in children(gazebo, "sensor") {
        let name = sensor.attribute("name").unwrap_or_default();
        let kind = sensor.attribute("type").unwrap_or("of no type");
        let message = format!("the sensor `{}` ({}) of Gazebo is left out", short(name), short(kind));
        let help = "add a device to the `.body` that the robot is converted to";
        xml.report(sensor, Diagnostic::note("sensor", message).help(help));
    }
}
