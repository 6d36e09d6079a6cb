//! Links that do not form a tree.

use crate::messages::Mistake;

#[test]
fn missing_parent() {
    Mistake::links("  - name: BASE\n  - name: ARM\n").shows("missing_parent");
}

#[test]
fn unknown_parent() {
    Mistake::links("  - name: BASE\n  - name: ARM\n    parent: BSAE\n  - name: HAND\n    parent: WRIST\n")
        .shows("unknown_parent");
}

#[test]
fn parent_cycle() {
    Mistake::links("  - name: BASE\n  - name: ARM\n    parent: HAND\n  - name: HAND\n    parent: ARM\n")
        .shows("parent_cycle");
}

#[test]
fn root_with_a_parent() {
    Mistake::links("  - name: BASE\n    parent: ARM\n  - name: ARM\n    parent: BASE\n").shows("root_with_a_parent");
}

#[test]
fn duplicate_link_name() {
    Mistake::links("  - name: BASE\n  - name: ARM\n    parent: BASE\n  - name: ARM\n    parent: BASE\n")
        .shows("duplicate_link_name");
}

#[test]
fn duplicate_joint_name() {
    Mistake::links("  - { name: BASE, joint_name: J }\n  - { name: ARM, parent: BASE, joint_name: J }\n")
        .shows("duplicate_joint_name");
}

#[test]
fn link_without_a_name() {
    Mistake::links("  - mass: 1\n  - { name: ARM, parent: BASE }\n").shows("link_without_a_name");
}

#[test]
fn unknown_root_link() {
    Mistake::model("format: ChoreonoidBody\nformat_version: 2.0\nroot_link: WASIT\nlinks:\n  - name: WAIST\n")
        .shows("unknown_root_link");
}

#[test]
fn unknown_link_type() {
    Mistake::links("  - name: BASE\n  - { type: SubBdy, uri: hand.body, parent: BASE }\n").shows("unknown_link_type");
}

#[test]
fn links_as_a_mapping() {
    Mistake::links("  BASE: { mass: 1 }\n  ARM: { parent: BASE }\n").shows("links_as_a_mapping");
}

#[test]
fn extra_joint_with_an_unknown_link() {
    Mistake::links("  - name: BASE\n  - { name: ARM, parent: BASE }\nextra_joints:\n  - { link1_name: BASE, link2_name: AMR, joint_type: ball }\n")
        .shows("extra_joint_with_an_unknown_link");
}

#[test]
fn extra_joint_of_an_unknown_type() {
    Mistake::links("  - name: BASE\n  - { name: ARM, parent: BASE }\nextra_joints:\n  - { link1_name: BASE, link2_name: ARM, joint_type: bal }\n  - { link1_name: BASE, link2_name: ARM }\n")
        .shows("extra_joint_of_an_unknown_type");
}

#[test]
fn misspelt_collision_rule() {
    Mistake::links("  - name: BASE\ncollision_detection_rules:\n  - disabled_link_chain_lvel: 2\n  - disabled_links: [ BSAE ]\n  - sticky_links: all\n")
        .shows("misspelt_collision_rule");
}

#[test]
fn track_of_too_few_links() {
    Mistake::links("  - name: BASE\n  - { type: ContinuousTrack, name: TRACK, parent: BASE, numJoints: 2, joint_offset: [ 0, 0, 1 ] }\n")
        .shows("track_of_too_few_links");
}

#[test]
fn track_without_an_offset() {
    Mistake::links("  - name: BASE\n  - { type: ContinuousTrack, name: TRACK, parent: BASE, numJoints: 9 }\n")
        .shows("track_without_an_offset");
}
