//! Reading of one link.

use bunraku_document::{Mapping, Reporter, Result, Value, ValueKind};

use super::budget::Budget;
use super::elements::{Contents, read_elements};
use super::joints::read_joint;
use super::link_entry::{LinkEntry, Parent};
use super::mass_keys::MassKeys;
use super::pose::read_pose;
use super::property::read_unread;
use super::reading::Reading;
use super::shape_mass;
use crate::model::CONTINUOUS_TRACK;
use crate::{CollisionShape, Joint, Link, MassProperties};

/// Link keys for other programs.
const OTHER_LINK_KEYS: &[&str] = &[
    "AMOR",
    "autoSleep",
    "childLinks",
    "convexDecomposition",
    "density",
    CONTINUOUS_TRACK,
    "isCrawler",
    // Joints of a commercial physics engine.
    "jointLock",
    "jointLockCompliance",
    "jointLockForceRange",
    "jointLockSpookDamping",
    "jointMotor",
    "jointMotorCompliance",
    "jointMotorForceRange",
    "jointMotorSpookDamping",
    "massType",
];

/// Reads a link with all its keys. The caller that builds the tree sets parent and links of devices.
pub(super) fn read_link<'a>(
    value: Value<'a>,
    mut link: Mapping<'a, '_>,
    reading: &Reading<'_>,
    budget: &mut Budget,
) -> LinkEntry<'a> {
    let Reading { unit, reporter, .. } = *reading;
    let mut imported_elements = Vec::new();
    if let Some(import) = link.get(&["import"]) {
        for imported in one_or_many(import, "a mapping to import", reporter) {
            // A node of another type is treated like an element.
            if imported.get("type").is_some_and(|kind| kind.text() != Some("Link")) {
                imported_elements.push(imported);
            } else {
                link.import(imported);
            }
        }
        let message = "`import` supplies missing keys, as the manual says; Choreonoid reads its own keys first";
        reporter.report(import.note("manual-wins", message).help("`<<: *anchor` does the same in both"));
    }
    let name_node = link.get(&["name"]);
    let name = link.text(&["name"]).unwrap_or_default().to_owned();
    link.rename(if name.is_empty() { "a link without name".to_owned() } else { format!("link `{name}`") });
    let parent = link.get(&["parent"]).and_then(|node| Parent::read(node, reporter));
    let offset = read_pose(&link, unit);
    let joint = read_joint(&link, unit, Joint::default());
    let material = link.text(&["material"]).and_then(material_name);
    let collision_shape = link.read(&["collision_shape"], |value, _| read_collision_shape(value));

    let mut contents = Contents::default();
    for elements in link.get(&["elements"]).into_iter().chain(imported_elements) {
        contents.append(read_elements(elements, reading, budget));
    }
    let mut has_guessed_inertia = false;
    let mass = match shape_mass::asked_for(&link) {
        Some(node) => {
            let shapes = if contents.collision.is_empty() { &contents.visual } else { &contents.collision };
            let mut parts = contents.rigid_bodies;
            parts.extend(shape_mass::read(&link, node, shapes));
            MassProperties::combine(&parts)
        }
        None => {
            // Only `mass` is given, as in hand-written models.
            has_guessed_inertia =
                contents.rigid_bodies.is_empty() && link.get(&["inertia"]).is_none() && link.get(&["mass"]).is_some();
            read_link_mass(&link, contents.rigid_bodies)
        }
    };
    has_guessed_inertia &= mass.mass > 0.0;
    let joint_id_node = link.get(&["joint_id", "jointId"]);
    let entry = LinkEntry {
        link: Link {
            name,
            parent: None,
            offset,
            joint,
            mass,
            material,
            visual: contents.visual,
            collision: contents.collision,
            collision_shape,
            scenery: contents.scenery,
            info: read_unread(&link, &mut budget.left.properties),
        },
        devices: contents.devices,
        inherited: None,
        parent,
        name_node: name_node.unwrap_or(value),
        own_node: Some(value),
        has_guessed_inertia,
        joint_id_node,
    };
    link.finish_except(OTHER_LINK_KEYS);
    entry
}

/// Bunraku's extension: collision shape of the meshes of a link.
fn read_collision_shape(value: Value<'_>) -> Result<CollisionShape> {
    let word = value.text().unwrap_or_default();
    let known = CollisionShape::WORDS.iter().find(|(known, _)| *known == word);
    known.map(|(_, shape)| *shape).ok_or_else(|| {
        let words = CollisionShape::WORDS.map(|(word, _)| format!("`{word}`")).join(", ");
        Box::new(value.expected(&format!("one of {words}")))
    })
}

/// A contact material by name; `None` for the default one.
pub(super) fn material_name(name: &str) -> Option<String> {
    (!matches!(name, "" | "default" | "Default")).then(|| name.to_owned())
}

/// Mass properties of a link: its own keys combined with the `RigidBody` nodes below it.
fn read_link_mass(link: &Mapping<'_, '_>, mut parts: Vec<MassProperties>) -> MassProperties {
    let own = MassKeys::read(link);
    if parts.is_empty() {
        // A link without mass keys has 1 kg and 1 kg·m² about each axis.
        let unsaid = MassProperties::UNSAID;
        let mass = own.mass.unwrap_or(unsaid.mass);
        if mass <= 0.0 {
            return MassProperties::ZERO;
        }
        return MassProperties {
            mass,
            center_of_mass: own.center_of_mass.unwrap_or(unsaid.center_of_mass),
            inertia: own.inertia.unwrap_or(unsaid.inertia),
        };
    }
    if own.is_any() {
        parts.push(own.or_zero());
    }
    MassProperties::combine(&parts)
}

/// The mappings in a mapping or a list of mappings; other values are reported.
fn one_or_many<'a>(value: Value<'a>, what: &str, reporter: &Reporter) -> Vec<Value<'a>> {
    match value.kind() {
        ValueKind::Sequence => value.items().into_iter().flatten().collect(),
        ValueKind::Mapping => vec![value],
        ValueKind::Null => vec![],
        ValueKind::Scalar => {
            reporter.report(value.expected(what));
            vec![]
        }
    }
}
