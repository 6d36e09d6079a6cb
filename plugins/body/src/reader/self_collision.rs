//! Reading of self-collision rules.

use bunraku_document::{Mapping, Reporter, Value, ValueKind, closest};

use crate::{Body, CollisionRule, LinkIndex};

const RULES: &[&str] =
    &["disabled_link_chain_level", "disabled_links", "enabled_links", "disabled_link_group", "enabled_link_group"];

/// Reads `collision_detection_rules`: a list of mappings with one rule each.
pub(super) fn read_rules(value: Value<'_>, body: &Body, reporter: &Reporter) -> Vec<CollisionRule> {
    let Some(items) = value.items() else {
        reporter.report(value.expected("a list of rules"));
        return Vec::new();
    };
    let mut rules = Vec::new();
    for item in items {
        if item.kind() != ValueKind::Mapping {
            reporter.report(item.expected("a mapping with one rule"));
            continue;
        }
        for (word, span, value) in item.entries().into_iter().flatten() {
            let Some(rule) = read_rule(word, value, body, reporter) else {
                let message = format!("unknown collision rule `{word}`");
                let diagnostic = item.warning("unknown-collision-rule", message).at(item.source(), span);
                reporter.report(match closest(word, RULES.iter().copied()) {
                    Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                    None => diagnostic.help(format!("the rules are {}", RULES.join(", "))),
                });
                continue;
            };
            rules.push(rule);
        }
    }
    rules
}

fn read_rule(word: &str, value: Value<'_>, body: &Body, reporter: &Reporter) -> Option<CollisionRule> {
    Some(match word {
        "disabled_link_chain_level" => CollisionRule::DisabledChainLevel(read_level(value, reporter)),
        "disabled_links" => CollisionRule::DisabledLinks(read_links(value, body, reporter)),
        "enabled_links" => CollisionRule::EnabledLinks(read_links(value, body, reporter)),
        "disabled_link_group" => CollisionRule::DisabledGroup(read_links(value, body, reporter)),
        "enabled_link_group" => CollisionRule::EnabledGroup(read_links(value, body, reporter)),
        _ => return None,
    })
}

/// Reads the older `collisionDetection: { excludeTreeDepth, excludeLinks, excludeLinkGroups }`.
pub(super) fn read_older_rules(value: Value<'_>, body: &Body, reporter: &Reporter) -> Option<Vec<CollisionRule>> {
    let mapping = Mapping::new(value, "collisionDetection", reporter)?;
    let level = mapping.get(&["excludeTreeDepth"]).map_or(1, |value| read_level(value, reporter));
    let mut rules = vec![CollisionRule::DisabledChainLevel(level)];
    if let Some(links) = mapping.get(&["excludeLinks"]) {
        rules.push(CollisionRule::DisabledLinks(read_links(links, body, reporter)));
    }
    let groups = mapping.get(&["excludeLinkGroups"]).and_then(Value::items).into_iter().flatten();
    // Real files contain list items without content.
    for group in groups.filter(|group| group.kind() != ValueKind::Null) {
        if let Some(group) = Mapping::new(group, "a link group", reporter) {
            if let Some(links) = group.required(&["links"]) {
                rules.push(CollisionRule::DisabledGroup(read_links(links, body, reporter)));
            }
            group.finish_except(&["name"]);
        }
    }
    // Keys for a commercial physics engine.
    mapping.finish_except(&["excludeLinksDynamic", "excludeLinksWireCollision", "excludeSelfCollisionLinks"]);
    Some(rules)
}

fn read_level(value: Value<'_>, reporter: &Reporter) -> usize {
    let level = reporter.keep(value.as_integer(reporter)).unwrap_or(0);
    usize::try_from(level).unwrap_or_else(|_| {
        let diagnostic = value.error("out-of-range", format!("a chain cannot be {level} joints long"));
        reporter.report(diagnostic.help("write 0 or more"));
        0
    })
}

/// A list of link names, or `all`. Unknown names are left out with a warning.
fn read_links(value: Value<'_>, body: &Body, reporter: &Reporter) -> Vec<LinkIndex> {
    if value.text() == Some("all") {
        return body.indexed_links().map(|(index, _)| index).collect();
    }
    let Some(items) = value.items() else {
        reporter.report(value.expected("a list of link names"));
        return Vec::new();
    };
    let mut links = Vec::new();
    for item in items {
        let Some(name) = reporter.keep(item.as_text()) else { continue };
        match body.find_link(name) {
            Some(link) => links.push(link),
            None => {
                let diagnostic = item.warning("unknown-link", format!("there is no link `{name}`"));
                reporter.report(match closest(name, body.links().iter().map(|link| link.name.as_str())) {
                    Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                    None => diagnostic.help("the name is left out"),
                });
            }
        }
    }
    links
}
