//! Included models: `type: SubBody` among the links.

use std::path::Path;

use bunraku_document::{Diagnostic, Mapping, SourceFile, Value};

use super::allowance::weight;
use super::budget::Budget;
use super::elements::read_elements;
use super::file_names::identity;
use super::inherited::Inherited;
use super::joints::read_joint;
use super::link::material_name;
use super::link_entry::{LinkEntry, Parent};
use super::model::read_model;
use super::pose::{read_rotation_key, read_translation_key};
use super::reading::Reading;
use crate::{Body, JointId, LinkIndex};

/// Maximum number of included models, over all levels: each may be included many times.
const MOST_SUB_BODIES: usize = 1_000;

/// Links of another model, renamed and attached to a link of this one; `None` if it is invalid.
pub(super) fn read_sub_body<'a>(
    value: Value<'a>,
    mut mapping: Mapping<'a, '_>,
    reading: &Reading<'_>,
    budget: &mut Budget,
) -> Option<Vec<LinkEntry<'a>>> {
    mapping.rename("SubBody");
    let uri = mapping.required(&["uri"])?;
    let parent = mapping.get(&["parent"]).and_then(|node| Parent::read(node, reading.reporter));
    let prefix = mapping.text(&["prefix"]).unwrap_or_default();
    let suffix = mapping.text(&["suffix"]).unwrap_or_default();
    let device_prefix = mapping.text(&["device_prefix", "devicePrefix"]).unwrap_or(prefix);
    let id_offset = mapping.integer(&["joint_id_offset", "jointIdOffset"]).unwrap_or(0);
    let rename = |name: &str| format!("{prefix}{name}{suffix}");

    let mut body = load(uri, reading, budget)?;
    for joint in body.links.iter_mut().map(|link| &mut link.joint) {
        joint.id = joint
            .id
            .and_then(|JointId(id)| usize::try_from(i64::try_from(id).ok()? + i64::from(id_offset)).ok().map(JointId));
    }
    // Unusually long names count as further links.
    let around = prefix.len() + suffix.len() + device_prefix.len();
    let names = body.links.len() + body.devices.len();
    if weight(around) > 1 && !budget.left.take_links(names, around, value, reading.reporter) {
        return None;
    }
    override_root(&mut body, &mapping, reading, budget);
    mapping.accept(&["center_of_mass", "centerOfMass", "inertia", "mass", "name"]);
    mapping.finish();

    let names: Vec<String> = body.links.iter().map(|link| rename(&link.name)).collect();
    let inherited = Inherited::take(&mut body, names.clone(), value);
    if !budget.left.take_properties(inherited.property_count(), value, reading.reporter) {
        return None;
    }
    let guessed = std::mem::take(&mut body.guessed_inertias);
    let mut entries = Vec::with_capacity(names.len());
    #[expect(clippy::indexing_slicing, reason = "there is a name for each link, and parents are links of the model")]
    let name_of = |link: LinkIndex| names[link.0].clone();
    for (index, mut link) in body.links.into_iter().enumerate() {
        let index = LinkIndex(index);
        let parent_name = link.parent.take().map(name_of);
        link.name = name_of(index);
        link.joint.name = link.joint.name.map(|name| rename(&name));
        let parent = match parent_name {
            Some(name) => Some(Parent { name, node: value }),
            None => parent.as_ref().map(|parent| Parent { name: parent.name.clone(), node: parent.node }),
        };
        entries.push(LinkEntry {
            link,
            devices: Vec::new(),
            inherited: None,
            parent,
            name_node: value,
            own_node: None,
            has_guessed_inertia: guessed.contains(&index),
            joint_id_node: None,
        });
    }
    for mut device in body.devices {
        device.name = format!("{device_prefix}{}", device.name);
        entry_of(&mut entries, device.link).devices.push(device);
    }
    entry_of(&mut entries, LinkIndex::ROOT).inherited = Some(Box::new(inherited));
    Some(entries)
}

#[expect(clippy::indexing_slicing, reason = "there is an entry for each link of the model")]
fn entry_of<'e, 'a>(entries: &'e mut [LinkEntry<'a>], link: LinkIndex) -> &'e mut LinkEntry<'a> {
    &mut entries[link.0]
}

fn load(uri: Value<'_>, reading: &Reading<'_>, budget: &mut Budget) -> Option<Body> {
    let reporter = reading.reporter;
    let text = reporter.keep(uri.as_text())?;
    // Checked before any file access.
    if budget.is_full() {
        return None;
    }
    let count = reading.sub_bodies.get();
    if count >= MOST_SUB_BODIES {
        if count == MOST_SUB_BODIES {
            let message = format!("the model includes more than {MOST_SUB_BODIES} others");
            let help = "nested models multiply: use fewer";
            reporter.report(uri.error("limit-sub-bodies", message).help(help));
            reading.sub_bodies.set(count + 1);
        }
        return None;
    }
    reading.sub_bodies.set(count + 1);
    let path = match reading.roots.find(reading.directory, text) {
        Ok(path) => path,
        Err(error) => {
            reporter.report(error.to_diagnostic().at(uri.source(), uri.span()));
            return None;
        }
    };
    if let Some(diagnostic) = foreign(&path, uri) {
        reporter.report(diagnostic);
        return None;
    }
    let source = match SourceFile::read(&path, &reading.options.limits, reporter) {
        Ok(source) => source,
        Err(error) => {
            reporter.report(error.to_diagnostic().at(uri.source(), uri.span()));
            return None;
        }
    };
    if !budget.left.take_file(source.text().len(), uri, reporter) {
        return None;
    }
    let identity = identity(&path);
    if reading.chain.contains(&identity) {
        let message = format!("the model `{text}` contains itself");
        reporter
            .report(uri.error("sub-body-cycle", message).help("a model cannot be a part of itself: name another one"));
        return None;
    }
    let mut chain = reading.chain.to_vec();
    chain.push(identity);
    let directory = source.directory();
    // The remaining resources are passed on to the included model.
    reading.allowance.set(budget.left);
    let body = read_model(&source, &Reading { directory: &directory, chain: &chain, is_sub_body: true, ..*reading });
    budget.left = reading.allowance.get();
    body
}

/// The error that the file has another format than YAML. As in the original, such a model needs a wrapper to be
/// included.
fn foreign(path: &Path, uri: Value<'_>) -> Option<Diagnostic> {
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    bunraku_mesh::extensions().find(|known| *known == extension)?;
    let message = format!("an included model must be a `.body` file; one of type `.{extension}` needs a wrapper");
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let wrapper = path.with_extension("yaml");
    let wrapper = wrapper.file_name().unwrap_or_default().to_string_lossy();
    let help = format!("write `model_file: {name}` into a file `{wrapper}` beside it, and name that here");
    Some(uri.error("sub-body-type", message).help(help))
}

/// Keys of the SubBody node override those of the root link of the other model. As in the original, limits and rotor
/// inertia of that joint are those of the node, or absent.
fn override_root(body: &mut Body, mapping: &Mapping<'_, '_>, reading: &Reading<'_>, budget: &mut Budget) {
    let root = body.link_mut(LinkIndex::ROOT);
    if let Some(translation) = read_translation_key(mapping) {
        root.offset.translation = translation;
    }
    if let Some(rotation) = read_rotation_key(mapping, reading.unit) {
        root.offset.rotation = rotation;
    }
    root.joint = read_joint(mapping, reading.unit, root.joint.clone());
    if let Some(material) = mapping.text(&["material"]) {
        root.material = material_name(material);
    }
    if let Some(value) = mapping.get(&["elements"]) {
        let contents = read_elements(value, reading, budget);
        root.visual.extend(contents.visual);
        root.collision.extend(contents.collision);
        root.scenery.extend(contents.scenery);
        body.devices.extend(contents.devices);
    }
}
