//! Self-collision rules.

use bunraku_body::{Body, LinkIndex};

use crate::common::{read_clean, read_with_one_finding};

/// A chain A–B–C–D with E on A, connected by hinges except for a free joint above E; `rules` at the top.
fn chain(rules: &str) -> String {
    let links = [("B", "A", "revolute"), ("C", "B", "revolute"), ("D", "C", "fixed"), ("E", "A", "free")]
        .map(|(name, parent, kind)| format!("  - {{ name: {name}, parent: {parent}, joint_type: {kind} }}\n"));
    format!(
        "format: ChoreonoidBody\nformat_version: 2.0\n{rules}links:\n  - {{ name: A, joint_type: free }}\n{}",
        links.concat()
    )
}

fn ignored(body: &Body) -> String {
    let name = |link: LinkIndex| body.link(link).name.clone();
    let pairs = body.collision_filter().ignored_pairs;
    pairs.into_iter().map(|(first, second)| name(first) + &name(second)).collect::<Vec<_>>().join(" ")
}

/// Reads a model, ignoring the note about the free joint of E.
fn read(rules: &str) -> Body {
    let (body, note) = read_with_one_finding(&chain(rules));
    assert_eq!(note.code, "inner-free-joint");
    body
}

#[test]
fn neighbours_do_not_collide_unless_rules_are_given() {
    assert_eq!(ignored(&read("")), "AB BC CD");
    assert_eq!(ignored(&read("collision_detection_rules: []\n")), "");
}

#[test]
fn a_chain_level_ends_at_a_free_joint() {
    assert_eq!(ignored(&read("collision_detection_rules: [ { disabled_link_chain_level: 2 } ]\n")), "AB AC BC BD CD");
    assert_eq!(
        ignored(&read(
            "collisionDetection: { excludeTreeDepth: 2, excludeLinkGroups: [ { name: x, links: [ D, E ] } ] }\n"
        )),
        "AB AC BC BD CD DE"
    );
}

#[test]
fn rules_apply_in_their_order() {
    let rules = "collision_detection_rules: [ { disabled_link_group: [ A, C, E ] }, { enabled_link_group: [ E, A ] }, { disabled_links: all }, \
                 { enabled_links: [ B, C ] } ]\n";
    let body = read(rules);
    assert_eq!(ignored(&body), "AC CE");
    let disabled = body.collision_filter().disabled_links;
    assert_eq!(disabled.into_iter().map(|link| body.link(link).name.as_str()).collect::<String>(), "ADE");
}

#[test]
fn mistakes_in_rules_are_warnings() {
    let one = |rules: &str| {
        let text =
            chain(rules).replace("name: E, parent: A, joint_type: free", "name: E, parent: A, joint_type: fixed");
        let (_, finding) = read_with_one_finding(&text);
        (finding.code, finding.help.unwrap_or_default())
    };
    let (code, help) = one("collision_detection_rules: [ { disabled_link: [ A ] } ]\n");
    assert_eq!((code, help.as_str()), ("unknown-collision-rule", "did you mean `disabled_links`?"));
    let (code, _) = one("collision_detection_rules: [ { disabled_links: [ ZZTOP ] } ]\n");
    assert_eq!(code, "unknown-link");
    let text = "format: ChoreonoidBody\nformat_version: 2.0\nlinks: [ { name: A } ]\ncollision_detection_rules: [ { enabled_links: all } ]\n";
    assert!(read_clean(text).collision_filter().ignored_pairs.is_empty());
}
