//! The `links` of a model.

use bunraku_document::{Mapping, Reporter, Result, Value, ValueKind, closest};
use nalgebra::{Matrix3, Point3};

use super::allowance::own_text;
use super::continuous_track::read_continuous_track;
use super::elements::{Budget, Contents, read_elements};
use super::inherited::Inherited;
use super::pose::read_pose;
use super::property::read_unread;
use super::sub_bodies::read_sub_body;
use super::{Reading, joints, one_or_many};
use crate::model::CONTINUOUS_TRACK;
use crate::{Device, Joint, Link, MassProperties};

/// Link keys that say something to other programs.
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

/// What an entry of `links` may be.
const TYPES: &[&str] = &["ContinuousTrack", "Link", "Skip", "SubBody"];

/// A link as the file gives it, before the tree is built.
pub(super) struct LinkEntry<'a> {
    pub(super) link: Link,
    /// Its devices; their link is set when the tree is built.
    pub(super) devices: Vec<Device>,
    /// What else the model it came from holds, if it is the root of a sub-body.
    pub(super) inherited: Option<Box<Inherited>>,
    /// The link it hangs on.
    pub(super) parent: Option<Parent<'a>>,
    /// Where the name, or else the link, stands.
    pub(super) name_node: Value<'a>,
    /// The link itself, if it is in this file.
    pub(super) own_node: Option<Value<'a>>,
    /// Where the joint ID stands.
    pub(super) joint_id_node: Option<Value<'a>>,
}

/// The name of a parent link and where it stands.
pub(super) struct Parent<'a> {
    pub(super) name: String,
    pub(super) node: Value<'a>,
}

impl<'a> Parent<'a> {
    pub(super) fn read(node: Value<'a>, reporter: &Reporter) -> Option<Self> {
        Some(Self { name: reporter.keep(node.as_text())?.to_owned(), node })
    }
}

pub(super) fn read_links<'a>(links: Value<'a>, reading: &Reading<'_>) -> Option<Vec<LinkEntry<'a>>> {
    let reporter = reading.reporter;
    let items: Vec<(Option<&str>, Value<'a>)> = match links.kind() {
        ValueKind::Sequence => links.items().into_iter().flatten().map(|item| (None, item)).collect(),
        // A link of each type; in the original a mapping has no order but that of the alphabet.
        ValueKind::Mapping if links.entries().into_iter().flatten().all(|(kind, ..)| TYPES.contains(&kind)) => {
            let entries = links.entries().into_iter().flatten();
            let mut entries: Vec<_> = entries.map(|(kind, _, value)| (Some(kind), value)).collect();
            entries.sort_by_key(|&(kind, _)| kind);
            entries
        }
        _ => {
            let help = "write the links one after another, each beginning with `- name: …`";
            reporter.report(links.expected("a list of links").help(help));
            return None;
        }
    };
    if items.is_empty() {
        reporter.report(
            links.error("no-links", "a model needs at least one link").help("write `- name: …` below `links:`"),
        );
        return None;
    }
    // A link that cannot be read must not make its children look orphaned: it is enough to have said so.
    let mut budget = Budget::new(reading.allowance.get());
    let entries: Vec<_> = items.into_iter().map(|(kind, item)| read_entry(kind, item, reading, &mut budget)).collect();
    reading.allowance.set(budget.left);
    let entries: Vec<_> = entries.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
    if entries.is_empty() {
        let help = "take `type: Skip` away from one of them";
        reporter.report(links.error("no-links", "every link of the model is skipped").help(help));
        return None;
    }
    Some(entries)
}

/// The links that an entry stands for: one, none or many; `None` if it cannot be read. `kind` is its type if the key
/// above it says so.
fn read_entry<'a>(
    kind: Option<&'a str>,
    value: Value<'a>,
    reading: &Reading<'_>,
    budget: &mut Budget,
) -> Option<Vec<LinkEntry<'a>>> {
    let link = Mapping::new(value, "a link", reading.reporter)?;
    let inner = link.text(&["type"]);
    if let (Some(kind), Some(inner)) = (kind, inner)
        && kind != inner
    {
        let message = format!("the type differs from the key above it, `{kind}`");
        reading.reporter.report(value.error("type-mismatch", message).help("remove `type` here, or write the same"));
    }
    match kind.or(inner) {
        None | Some("Link") => {
            let admitted = budget.left.take_links(1, own_text(value), value, reading.reporter);
            admitted.then(|| vec![read_link(value, link, reading, budget)])
        }
        Some("Skip") => Some(Vec::new()),
        Some("SubBody") => read_sub_body(value, link, reading, budget),
        Some("ContinuousTrack") => read_continuous_track(value, link, reading, budget),
        Some(other) => {
            let node = link.get(&["type"]).unwrap_or(value);
            let diagnostic = node.error("unknown-link-type", format!("a link of type `{other}` cannot be read"));
            reading.reporter.report(match closest(other, TYPES.iter().copied()) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic.help("the types are `Link`, `SubBody`, `ContinuousTrack` and `Skip`"),
            });
            None
        }
    }
}

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
            // A node of another type stands here as it would among the elements.
            if imported.get("type").is_some_and(|kind| kind.text() != Some("Link")) {
                imported_elements.push(imported);
            } else {
                link.import(imported);
            }
        }
        let message = "`import` gives the link what it lacks, as the manual says; Choreonoid reads its own keys first";
        reporter.report(import.note("manual-wins", message).help("`<<: *anchor` does the same in both"));
    }
    let name_node = link.get(&["name"]);
    let name = link.text(&["name"]).unwrap_or_default().to_owned();
    link.rename(if name.is_empty() { "a link without name".to_owned() } else { format!("link `{name}`") });
    let parent = link.get(&["parent"]).and_then(|node| Parent::read(node, reporter));
    let offset = read_pose(&link, unit);
    let joint = joints::read_joint(&link, unit, Joint::default());
    let material = link.text(&["material"]).and_then(material_name);

    let mut contents = Contents::default();
    for elements in link.get(&["elements"]).into_iter().chain(imported_elements) {
        contents.append(read_elements(elements, reading, budget));
    }
    let mass = read_link_mass(&link, contents.rigid_bodies);
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
            scenery: contents.scenery,
            info: read_unread(&link, &mut budget.left.properties),
        },
        devices: contents.devices,
        inherited: None,
        parent,
        name_node: name_node.unwrap_or(value),
        own_node: Some(value),
        joint_id_node,
    };
    link.finish_except(OTHER_LINK_KEYS);
    entry
}

/// A contact material by name; `None` for the default one.
pub(super) fn material_name(name: &str) -> Option<String> {
    (!matches!(name, "" | "default" | "Default")).then(|| name.to_owned())
}

/// Mass properties of a link: its own keys and the `RigidBody` nodes below it.
fn read_link_mass(link: &Mapping<'_, '_>, mut parts: Vec<MassProperties>) -> MassProperties {
    let own = MassKeys::read(link);
    if parts.is_empty() {
        // A link that says nothing weighs 1 kg and has 1 kg·m² about each axis.
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
                    let diagnostic = value.error("negative-mass", format!("the mass {mass} kg is negative"));
                    return Err(Box::new(diagnostic.help("write 0 for what weighs nothing")));
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
            let message = format!("an inertia has 6 numbers or 9, found {}", numbers.len());
            let help = "write `[ xx, xy, xz, yy, yz, zz ]`, or all 9 numbers of the matrix row by row";
            Err(Box::new(value.error("wrong-length", message).help(help)))
        }
    }
}
