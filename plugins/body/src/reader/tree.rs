//! Construction of the tree, and of the joint order, from link entries.

use std::collections::HashMap;

use bunraku_document::{Reporter, Value, closest};

use super::inherited::Inherited;
use super::link_entry::{LinkEntry, Parent};
use super::per_entry::{EntryIndex, PerEntry};
use super::reading::Reading;
use crate::{Body, Implausibility, JointId, JointKind, JointSlot, Link, LinkIndex, ModelFormat};

pub(super) fn build(
    name: String,
    mut entries: Vec<LinkEntry<'_>>,
    root_link: Option<Value<'_>>,
    links: Value<'_>,
    reading: &Reading<'_>,
) -> Option<(Body, Vec<Inherited>)> {
    let reporter = reading.reporter;
    let inherited: Vec<_> =
        entries.iter_mut().filter_map(|entry| entry.inherited.take()).map(|inherited| *inherited).collect();
    let entries = PerEntry::of(entries);
    let (names, unique) = check_names(&entries, reporter);
    let root = find_root(root_link, &entries, &names, reporter)?;
    let parents = find_parents(&entries, &names, root, reporter)?;
    let order = depth_first(&parents, root);
    if order.len() < entries.len() {
        // If two links share a name, the parent is ambiguous.
        if unique {
            report_cycles(&entries, &parents, &order, reporter);
        }
        return None;
    }
    warn_of_free_inner_links(&entries, root, reporter);

    // Joint IDs are assigned in traversal order: the first link that claims an ID keeps it.
    let mut by_entry: HashMap<EntryIndex, LinkIndex> = HashMap::with_capacity(order.len());
    for (index, &entry) in order.iter().enumerate() {
        by_entry.insert(entry, LinkIndex(index));
    }
    let mut slots = entries.into_options();
    let mut body = Body::of_links(name, ModelFormat::ChoreonoidBody, Vec::new());
    let mut id_nodes = Vec::with_capacity(order.len());
    let mut nodes = Vec::with_capacity(order.len());
    // Links of this file, not of the models that it includes.
    let mut own_nodes = Vec::with_capacity(order.len());
    for &index in &order {
        let Some(mut entry) = slots[index].take() else { continue };
        entry.link.parent = parents[index].and_then(|parent| by_entry.get(&parent).copied());
        let link = LinkIndex(body.links.len());
        body.devices.extend(entry.devices.into_iter().map(|mut device| {
            device.link = link;
            device
        }));
        id_nodes.push(entry.joint_id_node.unwrap_or(links));
        nodes.push(entry.own_node.unwrap_or(entry.name_node));
        own_nodes.push(entry.own_node);
        if entry.has_guessed_inertia {
            body.guessed_inertias.push(link);
        }
        body.links.push(entry.link);
    }
    assign_joints(&mut body, reading.is_sub_body, &mut |link, code, message, help| {
        let node = link.and_then(|link| id_nodes.get(link.0)).copied().unwrap_or(links);
        reporter.report(node.warning(code, message).help(help));
    });
    if !reading.is_sub_body {
        warn_of_shared_device_ids(&body, &own_nodes, reporter);
    }
    // Implausible values of an included model were reported when it was read.
    if reading.options.check_plausibility && !reading.is_sub_body {
        warn_of_implausibilities(&body, &nodes, reporter);
    }
    Some((body, inherited))
}

/// Warns of devices of a kind that have the same ID, by which controllers find them. Two copies of an included model
/// share theirs on purpose.
fn warn_of_shared_device_ids(body: &Body, own_nodes: &[Option<Value<'_>>], reporter: &Reporter) {
    let mut known = HashMap::new();
    for device in &body.devices {
        let (Some(id), Some(Some(node))) = (device.id, own_nodes.get(device.link.0)) else { continue };
        let kind = device.type_name();
        if let Some(first) = known.insert((kind, id), &device.name) {
            let message = format!("`{first}` and `{}` are both {kind} number {id}", device.name);
            let help = "give each device of a kind an `id` of its own";
            reporter.report(node.warning("duplicate-device-id", message).help(help));
        }
    }
}

/// Links by name, and whether all names are unique.
fn check_names<'e>(entries: &'e PerEntry<LinkEntry<'_>>, reporter: &Reporter) -> (HashMap<&'e str, EntryIndex>, bool) {
    let mut names = HashMap::new();
    let mut joint_names = HashMap::new();
    let mut unique = true;
    for (index, entry) in entries.iter() {
        if let Some(first) = names.insert(entry.link.name.as_str(), index) {
            unique = false;
            let line = entries[first].name_node.span().start.line;
            let message = format!("link name `{}` is already taken on line {line}", entry.link.name);
            let help = match entry.own_node {
                Some(_) => "give one of the two another name",
                None => "give the SubBody a `prefix` or a `suffix`: it is put before or behind the names of its links",
            };
            reporter.report(entry.name_node.error("duplicate-link-name", message).help(help));
        }
        if let Some(joint_name) = &entry.link.joint.name
            && let Some(first) = joint_names.insert(joint_name.as_str(), index)
        {
            let line = entries[first].name_node.span().start.line;
            let message = format!("joint name `{joint_name}` is already taken by the link on line {line}");
            let help = "give one of the two another `joint_name`";
            reporter.report(entry.name_node.error("duplicate-joint-name", message).help(help));
        }
    }
    (names, unique)
}

fn find_root(
    root_link: Option<Value<'_>>,
    entries: &PerEntry<LinkEntry<'_>>,
    names: &HashMap<&str, EntryIndex>,
    reporter: &Reporter,
) -> Option<EntryIndex> {
    let Some(node) = root_link else {
        return entries.iter().next().map(|(first, _)| first);
    };
    let name = reporter.keep(node.as_text())?;
    let root = names.get(name).copied();
    if root.is_none() {
        report_unknown_link(node, name, "the root link", names, reporter);
    }
    root
}

fn report_unknown_link(
    node: Value<'_>,
    name: &str,
    what: &str,
    names: &HashMap<&str, EntryIndex>,
    reporter: &Reporter,
) {
    let mut known: Vec<&str> = names.keys().copied().collect();
    known.sort_unstable();
    let diagnostic = node.error("unknown-link", format!("{what} `{name}` does not exist"));
    reporter.report(match closest(name, known) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic.help("it must be the name of a link in this file"),
    });
}

fn find_parents(
    entries: &PerEntry<LinkEntry<'_>>,
    names: &HashMap<&str, EntryIndex>,
    root: EntryIndex,
    reporter: &Reporter,
) -> Option<PerEntry<Option<EntryIndex>>> {
    let mut failed = false;
    let parents = entries.map(|index, entry| match &entry.parent {
        Some(Parent { node, .. }) if index == root => {
            let message = format!("the root link `{}` has a parent", entry.link.name);
            let help = "remove `parent`, or name another link with `root_link` at the top";
            reporter.report(node.error("root-with-parent", message).help(help));
            failed = true;
            None
        }
        None if index == root => None,
        None => {
            let message = format!("link `{}` has no `parent`, and it is not the root link", entry.link.name);
            let root = &entries[root].link.name;
            reporter.report(
                entry
                    .name_node
                    .error("no-parent", message)
                    .help(format!("write `parent:` and the name of a link; the root link is `{root}`")),
            );
            failed = true;
            None
        }
        Some(Parent { name, node }) => {
            let parent = names.get(name.as_str()).copied();
            if parent.is_none() {
                report_unknown_link(*node, name, "the parent link", names, reporter);
                failed = true;
            }
            parent
        }
    });
    (!failed).then_some(parents)
}

/// Entries from the root down, children in file order.
fn depth_first(parents: &PerEntry<Option<EntryIndex>>, root: EntryIndex) -> Vec<EntryIndex> {
    let mut children = parents.map(|_, _| Vec::new());
    for (index, parent) in parents.iter() {
        if let Some(parent) = *parent {
            children[parent].push(index);
        }
    }
    let mut order = Vec::with_capacity(parents.len());
    let mut pending = vec![root];
    while let Some(index) = pending.pop() {
        order.push(index);
        pending.extend(children[index].iter().rev());
    }
    order
}

/// Links that cannot be reached from the root are attached to a cycle of parents. Each cycle is reported once, at its
/// first link.
fn report_cycles(
    entries: &PerEntry<LinkEntry<'_>>,
    parents: &PerEntry<Option<EntryIndex>>,
    reached: &[EntryIndex],
    reporter: &Reporter,
) {
    let mut done = entries.map(|_, _| false);
    for &index in reached {
        done[index] = true;
    }
    for (start, _) in entries.iter() {
        let mut path = Vec::new();
        let mut index = start;
        while !done[index] {
            done[index] = true;
            path.push(index);
            let Some(parent) = parents[index] else { break };
            index = parent;
        }
        let cycle = path.iter().skip_while(|visited| **visited != index).map(|&index| &entries[index]);
        let Some(first) = cycle.clone().next() else { continue };
        let names: Vec<&str> = cycle.chain([first]).map(|entry| entry.link.name.as_str()).collect();
        let message = format!("the parents form a cycle: {}", names.join(" → "));
        let node = first.parent.as_ref().map_or(first.name_node, |parent| parent.node);
        reporter
            .report(node.error("parent-cycle", message).help("attach one of these links to a link nearer to the root"));
    }
}

fn warn_of_free_inner_links(entries: &PerEntry<LinkEntry<'_>>, root: EntryIndex, reporter: &Reporter) {
    for (index, entry) in entries.iter() {
        if index != root && entry.link.joint.kind == JointKind::Free {
            let message = format!("link `{}` has a free joint: it moves independently of its parent", entry.link.name);
            reporter.report(
                entry
                    .name_node
                    .note("inner-free-joint", message)
                    .help("a joint of another type connects it to its parent"),
            );
        }
    }
}

/// Reports implausible values; `nodes` are those of the links, in link order.
fn warn_of_implausibilities(body: &Body, nodes: &[Value<'_>], reporter: &Reporter) {
    #[expect(clippy::indexing_slicing, reason = "there is a node for each link")]
    let node_of = |link: LinkIndex| nodes[link.0];
    for Implausibility { link, kind } in body.implausibilities() {
        let node = node_of(link);
        let place = kind.keys().iter().find_map(|key| node.get(key)).or(node.get("name")).unwrap_or(node);
        let message = format!("link `{}`: {kind}", body.link(link).name);
        reporter.report(place.warning(kind.code(), message).help(kind.help()));
    }
    for link in body.guessed_inertias() {
        let node = node_of(link);
        let Link { name, mass, .. } = body.link(link);
        let message = format!(
            "link `{name}` has a mass of {} kg and no `inertia`, which counts as 1 kg·m² about each axis",
            mass.mass
        );
        let place = node.get("mass").unwrap_or(node);
        reporter.report(place.warning("no-inertia", message).help(INERTIA_HELP));
    }
}

/// Remedy for a missing inertia.
const INERTIA_HELP: &str =
    "write `inertia: from_shapes`, which takes mass and inertia from the shapes, or numbers in kg·m²";

/// Formats ascending numbers as `0, 3–5`; only the first few.
pub(super) fn runs(numbers: &[usize]) -> String {
    const MOST: usize = 5;
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let more = if runs.len() > MOST { ", …" } else { "" };
    let run = |&(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}–{last}"),
    };
    runs.iter().take(MOST).map(run).collect::<Vec<_>>().join(", ") + more
}

/// Fills the joint vector of a body whose links are complete. Irregular IDs are passed to `warn`: the link concerned,
/// if it is a single one, a code, a message and a remedy.
pub(super) fn assign_joints(
    body: &mut Body,
    is_sub_body: bool,
    warn: &mut dyn FnMut(Option<LinkIndex>, &'static str, String, String),
) {
    let num_ids = body.links.iter().filter_map(|link| link.joint.id).map(|JointId(id)| id + 1).max().unwrap_or(0);
    let mut holders: Vec<Option<LinkIndex>> = vec![None; num_ids];
    for index in (0..body.links.len()).map(LinkIndex) {
        let Some(JointId(id)) = body.link(index).joint.id else { continue };
        let Some(slot) = holders.get_mut(id) else { continue };
        match slot {
            None => *slot = Some(index),
            Some(first) => {
                let holder = &body.link(*first).name;
                let message = format!(
                    "joint ID {id} is already taken by link `{holder}`; link `{}` gets none",
                    body.link(index).name
                );
                warn(Some(index), "duplicate-joint-id", message, "give each joint an ID of its own".to_owned());
                body.link_mut(index).joint.id = None;
            }
        }
    }
    let unused: Vec<usize> = (0..).zip(&holders).filter(|(_, holder)| holder.is_none()).map(|(id, _)| id).collect();
    // An included model may leave IDs for the model that includes it.
    if !unused.is_empty() && !is_sub_body {
        let message = format!("no link has joint ID {}; the entry in joint vectors is unused", runs(&unused));
        let help = format!("number the joints from 0 without gaps; the largest ID is {}", holders.len() - 1);
        warn(holders.last().copied().flatten(), "unused-joint-id", message, help);
    }
    body.num_joint_ids = holders.len();
    body.joints = holders.into_iter().map(|holder| holder.map_or(JointSlot::Unused, JointSlot::Link)).collect();
    let without_id = body
        .indexed_links()
        .skip(1)
        .filter(|(_, Link { joint, .. })| joint.id.is_none() && joint.kind != JointKind::Fixed);
    let slots: Vec<JointSlot> = without_id.map(|(index, _)| JointSlot::Link(index)).collect();
    body.joints.extend(slots);
}
