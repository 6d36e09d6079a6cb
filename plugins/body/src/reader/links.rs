//! The `links` of a model.

use bunraku_document::{Mapping, Reporter, Result, Value};
use nalgebra::{Matrix3, Point3};

use super::elements::{Budget, Elements};
use super::pose::{AngleUnit, read_pose};
use super::{joints, one_or_many};
use crate::{Device, Link, MassProperties};

/// Link keys that say something to other programs.
const OTHER_LINK_KEYS: &[&str] = &["AMOR", "childLinks", "convexDecomposition", "density", "isCrawler"];

/// A link as the file gives it, before the tree is built.
pub(super) struct LinkEntry<'a> {
    pub(super) link: Link,
    /// Its devices; their link is set when the tree is built.
    pub(super) devices: Vec<Device>,
    /// The name of the parent and where it stands.
    pub(super) parent: Option<(&'a str, Value<'a>)>,
    /// Where the name, or else the link, stands.
    pub(super) name_node: Value<'a>,
    /// Where the joint ID stands.
    pub(super) joint_id_node: Option<Value<'a>>,
}

pub(super) fn read_links<'a>(links: Value<'a>, unit: AngleUnit, reporter: &Reporter) -> Option<Vec<LinkEntry<'a>>> {
    let Some(items) = links.items() else {
        reporter.report(links.expected("a list of links"));
        return None;
    };
    if items.len() == 0 {
        reporter.report(links.error("no-links", "a model needs at least one link"));
        return None;
    }
    // A link that cannot be read must not make its children look orphaned: it is enough to have said so.
    let mut budget = Budget::new();
    let entries: Vec<_> = items.map(|item| read_link(item, unit, reporter, &mut budget)).collect();
    let entries = entries.into_iter().flatten().collect::<Option<Vec<_>>>()?;
    if entries.is_empty() {
        reporter.report(links.error("no-links", "every link of the model is skipped"));
        return None;
    }
    Some(entries)
}

/// The inner `None` is an entry that failed, the outer one an entry that is to be left out.
fn read_link<'a>(
    value: Value<'a>,
    unit: AngleUnit,
    reporter: &Reporter,
    budget: &mut Budget,
) -> Option<Option<LinkEntry<'a>>> {
    let Some(mut link) = Mapping::new(value, "a link", reporter) else {
        return Some(None);
    };
    match link.text(&["type"]) {
        None | Some("Link") => {}
        Some("Skip") => return None,
        Some(other) => {
            let node = link.get(&["type"]).unwrap_or(value);
            let diagnostic = node.error("unknown-link-type", format!("a link of type `{other}` cannot be read"));
            reporter.report(diagnostic.help("the types that are read are `Link` and `Skip`"));
            return Some(None);
        }
    }
    let name_node = link.get(&["name"]);
    let name = link.text(&["name"]).unwrap_or_default().to_owned();
    link.rename(if name.is_empty() { "a link without name".to_owned() } else { format!("link `{name}`") });
    let parent = link.get(&["parent"]).and_then(|node| Some((reporter.keep(node.as_text())?, node)));
    let offset = read_pose(&link, unit);
    let joint = joints::read_joint(&link, unit);
    let material = link.text(&["material"]).filter(|name| !is_default_material(name)).map(str::to_owned);

    let mut elements = Elements::new(unit, reporter, budget);
    if let Some(value) = link.get(&["elements"]) {
        elements.read(value);
    }
    let mass = read_link_mass(&link, elements.rigid_bodies);
    let entry = LinkEntry {
        link: Link {
            name,
            parent: None,
            offset,
            joint,
            mass,
            material,
            visual: elements.visual,
            collision: elements.collision,
        },
        devices: elements.devices,
        parent,
        name_node: name_node.unwrap_or(value),
        joint_id_node: link.get(&["joint_id", "jointId"]),
    };
    if let Some(import) = link.get(&["import"]) {
        for imported in one_or_many(import, "a mapping to import", reporter) {
            let message = "`import` adds nothing that is read here";
            reporter.report(imported.warning("import", message).help("merge link keys with `<<: *anchor` instead"));
        }
    }
    link.finish_except(OTHER_LINK_KEYS);
    Some(Some(entry))
}

fn is_default_material(name: &str) -> bool {
    matches!(name, "" | "default" | "Default")
}

/// Mass properties of a link: its own keys and the `RigidBody` nodes below it.
fn read_link_mass(link: &Mapping<'_, '_>, mut parts: Vec<MassProperties>) -> MassProperties {
    let own = MassKeys::read(link);
    if parts.is_empty() {
        // A link that says nothing weighs 1 kg and has 1 kg·m² about each axis.
        let mass = own.mass.unwrap_or(1.0);
        if mass <= 0.0 {
            return MassProperties::ZERO;
        }
        return MassProperties {
            mass,
            center_of_mass: own.center_of_mass.unwrap_or_default(),
            inertia: own.inertia.unwrap_or_else(Matrix3::identity),
        };
    }
    if own.is_any() {
        parts.push(own.or_zero());
    }
    MassProperties::combine(&parts)
}

/// `mass`, `center_of_mass` and `inertia` of a link or `RigidBody`.
#[derive(Clone, Copy)]
pub(super) struct MassKeys {
    mass: Option<f64>,
    center_of_mass: Option<Point3<f64>>,
    inertia: Option<Matrix3<f64>>,
}

impl MassKeys {
    pub(super) fn read(mapping: &Mapping<'_, '_>) -> Self {
        Self {
            mass: mapping.read(&["mass"], |value, reporter| {
                let mass = value.as_number(reporter)?;
                if mass < 0.0 {
                    return Err(Box::new(value.error("negative-mass", format!("the mass {mass} kg is negative"))));
                }
                Ok(mass)
            }),
            center_of_mass: mapping.array::<3>(&["center_of_mass", "centerOfMass"]).map(Point3::from),
            inertia: mapping.read(&["inertia"], read_inertia),
        }
    }

    fn is_any(&self) -> bool {
        self.mass.is_some() || self.center_of_mass.is_some() || self.inertia.is_some()
    }

    /// What is not given is zero.
    pub(super) fn or_zero(self) -> MassProperties {
        MassProperties {
            mass: self.mass.unwrap_or(0.0),
            center_of_mass: self.center_of_mass.unwrap_or_default(),
            inertia: self.inertia.unwrap_or_else(Matrix3::zeros),
        }
    }
}

fn read_inertia(value: Value<'_>, reporter: &Reporter) -> Result<Matrix3<f64>> {
    let numbers = value.as_numbers(reporter)?;
    match *numbers.as_slice() {
        [xx, xy, xz, yy, yz, zz] => Ok(Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)),
        [_, _, _, _, _, _, _, _, _] => Ok(Matrix3::from_row_slice(&numbers)),
        _ => {
            let message =
                format!("an inertia has 9 numbers (row by row) or 6 (xx, xy, xz, yy, yz, zz), found {}", numbers.len());
            Err(Box::new(value.error("wrong-length", message)))
        }
    }
}
