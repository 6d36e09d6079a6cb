//! Data that a model inherits from included models besides their links: loop closures, and missing keys at the top.

use std::collections::HashMap;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, SourceFile, Span, Value};

use super::joint_couplings;
use crate::{Body, CollisionRule, ExtraJoint, JointCoupling, JointIndex, JointSlot, LinkIndex, Property};

/// Data of an included model besides its links. Links are given by their index in it until all models are combined.
pub(super) struct Inherited {
    /// Names of its links in the whole model.
    names: Vec<String>,
    extra_joints: Vec<ExtraJoint>,
    couplings: Vec<JointCoupling>,
    rules: Option<Vec<CollisionRule>>,
    /// Joint displacements by link.
    standard_pose: Vec<(LinkIndex, f64)>,
    info: Vec<(String, Property)>,
    /// Location of the reference to the model.
    place: (Arc<SourceFile>, Span),
}

impl Inherited {
    /// Extracts the data from a body whose links will be renamed to `names`.
    pub(super) fn take(body: &mut Body, names: Vec<String>, node: Value<'_>) -> Self {
        let pose = body.standard_pose.take().unwrap_or_default();
        let by_link = pose.iter().enumerate().filter_map(|(place, &value)| {
            let link = body.joint_link(JointIndex(place))?;
            Some((link, value))
        });
        let standard_pose = by_link.collect();
        Self {
            names,
            extra_joints: std::mem::take(&mut body.extra_joints),
            couplings: std::mem::take(&mut body.joint_couplings),
            rules: body.collision_rules.take(),
            standard_pose,
            info: std::mem::take(&mut body.info),
            place: (Arc::clone(node.source()), node.span()),
        }
    }

    /// Number of values stored under its keys.
    pub(super) fn property_count(&self) -> usize {
        self.info.iter().map(|(_, value)| count(value)).sum()
    }
}

fn count(property: &Property) -> usize {
    1 + match property {
        Property::Text(_) => 0,
        Property::List(items) => items.iter().map(count).sum(),
        Property::Mapping(entries) => entries.iter().map(|(_, value)| count(value)).sum(),
    }
}

/// Links of the whole model by name.
struct Links(HashMap<String, LinkIndex>);

impl Links {
    fn of(body: &Body) -> Self {
        Self(body.indexed_links().map(|(index, link)| (link.name.clone(), index)).collect())
    }

    fn find(&self, part: &Inherited, link: LinkIndex) -> Option<LinkIndex> {
        self.0.get(part.names.get(link.0)?).copied()
    }

    fn rule(&self, part: &Inherited, rule: &CollisionRule) -> CollisionRule {
        let links = |links: &[LinkIndex]| links.iter().filter_map(|&link| self.find(part, link)).collect();
        match rule {
            CollisionRule::DisabledChainLevel(level) => CollisionRule::DisabledChainLevel(*level),
            CollisionRule::DisabledLinks(of) => CollisionRule::DisabledLinks(links(of)),
            CollisionRule::EnabledLinks(of) => CollisionRule::EnabledLinks(links(of)),
            CollisionRule::DisabledGroup(of) => CollisionRule::DisabledGroup(links(of)),
            CollisionRule::EnabledGroup(of) => CollisionRule::EnabledGroup(links(of)),
        }
    }
}

/// Adds the loop closures and the couplings of joints of the included models.
pub(super) fn connect(body: &mut Body, parts: &[Inherited], reporter: &Reporter) {
    let links = Links::of(body);
    for part in parts {
        for joint in &part.extra_joints {
            if let [Some(first), Some(second)] = joint.links.map(|link| links.find(part, link)) {
                body.extra_joints.push(ExtraJoint { links: [first, second], ..*joint });
            }
        }
        for coupling in &part.couplings {
            let [follower, leader] = [coupling.follower, coupling.leader].map(|link| links.find(part, link));
            if let (Some(follower), Some(leader)) = (follower, leader) {
                // A root whose joint the including model has replaced may have no displacement any more.
                let coupling = JointCoupling { follower, leader, ..*coupling };
                if let Err(error) = body.couple(coupling) {
                    let (source, span) = &part.place;
                    let message = joint_couplings::message(error, body, &coupling);
                    let warning = Diagnostic::warning(error.code(), message).at(source, *span);
                    reporter.report(warning.help(joint_couplings::help(error)));
                }
            }
        }
    }
}

/// Fills in missing keys at the top from the first included model that has them, as in the original. Collision rules
/// are taken from all included models, because each refers to its own links.
pub(super) fn fill(body: &mut Body, parts: Vec<Inherited>, reporter: &Reporter) {
    let links = Links::of(body);
    let has_rules = body.collision_rules.is_some();
    let mut pose = None;
    for part in parts {
        if let Some(rules) = &part.rules {
            if has_rules {
                note_of_rules(&part, reporter);
            } else {
                let rules = rules.iter().map(|rule| links.rule(&part, rule));
                body.collision_rules.get_or_insert_default().extend(rules);
            }
        }
        if body.standard_pose.is_none() {
            for &(link, value) in &part.standard_pose {
                let joint = links.find(&part, link).and_then(|link| joint_of(body, link));
                if let Some(JointIndex(joint)) = joint {
                    let (values, last) = pose.get_or_insert_with(|| (body.initial_displacements(), 0));
                    if let Some(slot) = values.get_mut(joint) {
                        *slot = value;
                    }
                    *last = joint.max(*last);
                }
            }
        }
        for (key, value) in part.info {
            if !body.info.iter().any(|(known, _)| *known == key) {
                body.info.push((key, value));
            }
        }
    }
    if let Some((mut values, last)) = pose {
        values.truncate(last + 1);
        body.standard_pose = Some(values);
    }
}

/// Joint between a link and its parent.
fn joint_of(body: &Body, link: LinkIndex) -> Option<JointIndex> {
    body.indexed_joints().find(|(_, slot)| *slot == JointSlot::Link(link)).map(|(joint, _)| joint)
}

fn note_of_rules(part: &Inherited, reporter: &Reporter) {
    let (source, span) = &part.place;
    let message = "the collision rules of the included model are ignored: this file has its own";
    let note = Diagnostic::note("rules-replaced", message).at(source, *span);
    reporter.report(note.help("copy the rules to keep into `collision_detection_rules` of this file"));
}
