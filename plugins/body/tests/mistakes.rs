//! Mistakes in model files: each is found at its place, named by a code, and no input makes the reader panic.
#![allow(clippy::expect_used, clippy::unwrap_used)] // Helpers of tests are tests.

mod common;

use std::time::{Duration, Instant};

use bunraku_body::{Body, LoadOptions, kinematics};
use bunraku_document::{Diagnostic, Position, Reporter, Severity, SourceFile};
use common::{HEAD, list, read_text, read_with_one_finding, with_links};
use nalgebra::Isometry3;

/// In the texts below this marks where the finding must be.
const MARK: char = '§';

fn take_mark(marked: &str) -> (String, Position) {
    let (before, after) = marked.split_once(MARK).expect("a mark in the text");
    let line = u32::try_from(before.matches('\n').count()).unwrap() + 1;
    let column = u32::try_from(before.rsplit('\n').next().unwrap().chars().count()).unwrap() + 1;
    (format!("{before}{after}"), Position { line, column })
}

/// Asserts that a text has exactly one finding, where the mark is; a body comes out unless it is an error.
#[track_caller]
fn assert_finding(marked: &str, severity: Severity, code: &str, help: Option<&str>) -> Diagnostic {
    let (text, place) = take_mark(marked);
    let (body, mut findings) = read_text(&text);
    assert_eq!(findings.len(), 1, "findings:\n{}in:\n{text}", list(&findings));
    let finding = findings.remove(0);
    assert_eq!((finding.severity, finding.code), (severity, code), "{finding}");
    assert_eq!(finding.position(), Some(place), "{finding}");
    assert_eq!(finding.help.as_deref(), help, "{finding}");
    assert_eq!(finding.file(), Some(std::path::Path::new("x.body")));
    assert_eq!(body.is_some(), severity != Severity::Error);
    finding
}

#[track_caller]
fn assert_error(links: &str, code: &str, help: Option<&str>) -> Diagnostic {
    assert_finding(&with_links(links), Severity::Error, code, help)
}

#[track_caller]
fn assert_warning(links: &str, code: &str, help: Option<&str>) -> Diagnostic {
    assert_finding(&with_links(links), Severity::Warning, code, help)
}

#[test]
fn the_marked_place_is_where_an_editor_shows_it() {
    let (text, place) = take_mark("a: 1\n  b: §2\n");
    assert_eq!((text.as_str(), place), ("a: 1\n  b: 2\n", Position { line: 2, column: 6 }));
}

// --- joints

#[test]
fn an_unknown_joint_type_is_told_what_it_was_meant_to_be() {
    let finding = assert_error(
        "  - name: BASE\n    joint_type: §revolutte\n",
        "unknown-joint-type",
        Some("did you mean `revolute`?"),
    );
    assert_eq!(finding.position(), Some(Position { line: 5, column: 17 }));
    assert!(finding.message.contains("revolutte"), "{finding}");
}

#[test]
fn words_of_other_robot_formats_are_translated() {
    for (foreign, ours) in
        [("continuous", "revolute"), ("floating", "free"), ("hinge", "revolute"), ("slider", "prismatic")]
    {
        assert_error(
            &format!("  - name: BASE\n    joint_type: §{foreign}\n"),
            "unknown-joint-type",
            Some(&format!("did you mean `{ours}`?")),
        );
    }
}

#[test]
fn a_joint_type_like_no_other_gets_the_list_of_types() {
    assert_error(
        "  - name: BASE\n    joint_type: §helicoidal\n",
        "unknown-joint-type",
        Some("the joint types are revolute, prismatic, fixed, free and pseudo_continuous_track"),
    );
}

#[test]
fn an_axis_is_one_of_six_letters_or_three_numbers() {
    for word in ["W", "+X", "XY", "--Z", "1"] {
        assert_error(
            &format!("  - name: BASE\n    joint_type: revolute\n    joint_axis: §{word}\n"),
            "bad-axis",
            Some("write one of X, Y, Z, -X, -Y, -Z, or a list of 3 numbers"),
        );
    }
    assert_error("  - name: BASE\n    joint_axis: §[ 0, 1 ]\n", "wrong-length", None);
}

#[test]
fn an_axis_of_zero_length_is_refused_where_it_matters() {
    for kind in ["revolute", "prismatic", "slide"] {
        assert_error(
            &format!("  - name: BASE\n    joint_type: {kind}\n    joint_axis: §[ 0, 0, 0 ]\n"),
            "zero-axis",
            None,
        );
    }
    common::clean_links("  - name: BASE\n    joint_type: fixed\n    joint_axis: [ 0, 0, 0 ]\n");
}

#[test]
fn limits_are_numbers_or_unlimited() {
    assert_error(
        "  - name: BASE\n    joint_type: revolute\n    joint_range: [ 0, §endless ]\n",
        "not-a-number",
        Some("a limit is a number or the word `unlimited`"),
    );
    assert_error("  - name: BASE\n    joint_type: revolute\n    joint_range: §[ 0, 1, 2 ]\n", "wrong-type", None);
    assert_error("  - name: BASE\n    joint_type: revolute\n    joint_velocity_range: §3\n", "wrong-type", None);
}

#[test]
fn a_joint_id_beyond_all_reason_is_refused() {
    assert_error("  - name: BASE\n    joint_id: §2000000000\n", "joint-id", None);
}

#[test]
fn an_unknown_actuation_mode_is_told_what_it_was_meant_to_be() {
    assert_error(
        "  - name: BASE\n    actuation_mode: §joint_velosity\n",
        "unknown-actuation-mode",
        Some("did you mean `joint_velocity`?"),
    );
}

// --- the tree

#[test]
fn a_parent_that_does_not_exist_is_told_what_it_was_meant_to_be() {
    let finding = assert_error(
        "  - name: WAIST\n  - name: ARM\n    parent: §WAITS\n",
        "unknown-link",
        Some("did you mean `WAIST`?"),
    );
    assert_eq!(finding.position(), Some(Position { line: 6, column: 13 }));
    assert_error(
        "  - name: WAIST\n  - name: ARM\n    parent: §TURBINE\n",
        "unknown-link",
        Some("it must be the name of a link in this file"),
    );
}

#[test]
fn a_root_link_that_does_not_exist_is_told_what_it_was_meant_to_be() {
    assert_finding(
        "format: ChoreonoidBody\nformat_version: 2.0\nroot_link: §WASIT\nlinks:\n  - name: WAIST\n",
        Severity::Error,
        "unknown-link",
        Some("did you mean `WAIST`?"),
    );
}

#[test]
fn three_links_in_a_circle_are_reported_once_with_the_way_round() {
    let finding = assert_error(
        "  - name: BASE
  - name: A
    parent: §C
  - name: B
    parent: A
  - name: C
    parent: B
",
        "parent-cycle",
        Some("one of these links must hang on a link nearer to the root"),
    );
    assert!(finding.message.ends_with("A → C → B → A"), "{finding}");
}

#[test]
fn links_that_hang_on_a_circle_are_not_reported_again() {
    let finding = assert_error(
        "  - name: BASE
  - name: TAIL
    parent: A
  - name: A
    parent: §B
  - name: B
    parent: A
",
        "parent-cycle",
        Some("one of these links must hang on a link nearer to the root"),
    );
    assert!(finding.message.ends_with("A → B → A"), "{finding}");
}

#[test]
fn two_circles_are_two_findings() {
    let text = with_links(
        "  - name: BASE\n  - { name: A, parent: B }\n  - { name: B, parent: A }\n  - { name: C, parent: C }\n",
    );
    let (body, findings) = read_text(&text);
    assert!(body.is_none());
    let found: Vec<_> = findings.iter().map(|f| (f.code, f.position().unwrap().line)).collect();
    assert_eq!(found, [("parent-cycle", 5), ("parent-cycle", 7)]);
}

#[test]
fn a_link_cannot_be_its_own_parent() {
    let finding = assert_error(
        "  - name: BASE\n  - name: A\n    parent: §A\n",
        "parent-cycle",
        Some("one of these links must hang on a link nearer to the root"),
    );
    assert!(finding.message.ends_with("A → A"), "{finding}");
}

#[test]
fn the_root_link_cannot_have_a_parent() {
    assert_error("  - name: BASE\n    parent: §ARM\n  - name: ARM\n    parent: BASE\n", "root-with-parent", None);
}

#[test]
fn a_link_name_can_be_given_only_once() {
    let finding = assert_error(
        "  - name: BASE\n  - name: A\n    parent: BASE\n  - name: §A\n    parent: BASE\n",
        "duplicate-link-name",
        None,
    );
    assert!(finding.message.contains("line 5"), "{finding}");
}

#[test]
fn a_joint_name_can_be_given_only_once() {
    assert_error(
        "  - { name: BASE, joint_name: J }\n  - { name: §A, parent: BASE, joint_name: J }\n",
        "duplicate-joint-name",
        None,
    );
}

#[test]
fn a_link_without_parent_that_is_not_the_root_is_an_orphan() {
    assert_error("  - name: BASE\n  - name: §ARM\n", "no-parent", Some("the root link is `BASE`"));
}

#[test]
fn every_orphan_is_reported_not_only_the_first() {
    let (_, findings) = read_text(&with_links("  - name: BASE\n  - name: A\n  - name: B\n"));
    let found: Vec<_> = findings.iter().map(|f| (f.code, f.position().unwrap().line)).collect();
    assert_eq!(found, [("no-parent", 5), ("no-parent", 6)]);
}

// --- keys and values

const MISSPELT: &str = "  - name: BASE\n    joint_type: revolute\n    §joit_axis: X\n";

#[test]
fn a_misspelt_key_is_a_warning_that_names_the_right_one() {
    let finding = assert_warning(MISSPELT, "unknown-key", Some("did you mean `joint_axis`?"));
    assert_eq!(finding.position(), Some(Position { line: 6, column: 5 }));
    assert!(finding.message.contains("`joit_axis` in link `BASE`"), "{finding}");
}

#[test]
fn a_misspelt_key_is_an_error_when_strict() {
    let (text, place) = take_mark(&with_links(MISSPELT));
    let reporter = Reporter::strict();
    let body = bunraku_body::read(&SourceFile::from_text("x.body", text), &LoadOptions::default(), &reporter);
    let findings = reporter.into_diagnostics();
    assert!(body.is_none());
    assert_eq!(findings.len(), 1, "{}", list(&findings));
    assert_eq!((findings[0].severity, findings[0].code), (Severity::Error, "unknown-key"));
    assert_eq!(findings[0].position(), Some(place));
    assert_eq!(findings[0].help.as_deref(), Some("did you mean `joint_axis`?"));
}

#[test]
fn a_key_like_no_other_is_ignored_with_a_warning() {
    assert_warning("  - name: BASE\n    §smell_of_oil: 3\n", "unknown-key", Some("it is ignored"));
    assert_finding(
        &format!("§favourite_food: oil\n{HEAD}  - name: BASE\n"),
        Severity::Warning,
        "unknown-key",
        Some("it is ignored"),
    );
}

#[test]
fn vectors_have_three_numbers() {
    let finding = assert_error("  - name: BASE\n    translation: §[ 0, 1 ]\n", "wrong-length", None);
    assert_eq!(finding.message, "expected a list of 3 numbers, found 2");
    assert_error("  - name: BASE\n    center_of_mass: §[ 0, 1, 2, 3 ]\n", "wrong-length", None);
    assert_error("  - name: BASE\n    translation: [ [ 0, 0, 1 ], §[ 0, 1 ] ]\n", "wrong-length", None);
    assert_error("  - name: BASE\n    translation: [ 0, §up, 0 ]\n", "not-a-number", None);
}

#[test]
fn rotations_have_an_axis_and_an_angle() {
    assert_error(
        "  - name: BASE\n    rotation: §[ 0, 0, 1 ]\n",
        "wrong-length",
        Some("a rotation is an axis and an angle: `[ x, y, z, angle ]`"),
    );
    assert_error("  - name: BASE\n    rotation: §[ 0, 0, 0, 90 ]\n", "zero-axis", None);
}

#[test]
fn numbers_are_finite() {
    for word in [".nan", "nan", "inf", "1e999"] {
        let (body, findings) = read_text(&with_links(&format!("  - name: BASE\n    mass: {word}\n")));
        assert!(body.is_none(), "{word}");
        assert_eq!(findings[0].position(), Some(Position { line: 5, column: 11 }), "{}", list(&findings));
    }
}

#[test]
fn a_mass_is_not_negative() {
    assert_error("  - name: BASE\n    mass: §-1\n", "negative-mass", None);
    assert_error(
        "  - name: BASE\n    elements:\n      - type: RigidBody\n        mass: §-0.5\n",
        "negative-mass",
        None,
    );
}

#[test]
fn an_inertia_has_six_or_nine_numbers() {
    let finding = assert_error("  - name: BASE\n    inertia: §[ 1, 2, 3, 4, 5 ]\n", "wrong-length", None);
    assert!(finding.message.ends_with("found 5"), "{finding}");
}

// --- the head of the file

#[test]
fn links_are_a_list() {
    for value in ["5", "{ name: BASE }", "BASE"] {
        let text = format!("format: ChoreonoidBody\nformat_version: 2.0\nlinks: §{value}\n");
        assert_finding(&text, Severity::Error, "wrong-type", None);
    }
    assert_error("  - §BASE\n", "wrong-type", None);
}

#[test]
fn a_model_has_links() {
    let head = "format: ChoreonoidBody\nformat_version: 2.0\n";
    assert_finding(&format!("{head}links: §[]\n"), Severity::Error, "no-links", None);
    assert_finding(&format!("§{head}"), Severity::Error, "missing-key", None);
    assert_finding(&format!("§{head}links:\n"), Severity::Error, "missing-key", None);
}

#[test]
fn a_model_whose_links_are_all_skipped_has_none() {
    assert_error("  §- { type: Skip, name: BASE }\n  - { type: Skip }\n", "no-links", None);
}

#[test]
fn an_unknown_link_type_is_an_error() {
    assert_error(
        "  - type: §SubBodi\n    name: BASE\n",
        "unknown-link-type",
        Some("the types are `Link`, `SubBody`, `ContinuousTrack` and `Skip`"),
    );
}

#[test]
fn an_unknown_format_is_refused() {
    assert_finding(
        "format: §ChoreonoidBodyMotion\nformat_version: 2.0\nlinks:\n  - name: BASE\n",
        Severity::Error,
        "unknown-format",
        Some("write `format: ChoreonoidBody`"),
    );
    assert_finding("§format_version: 2.0\nlinks:\n  - name: BASE\n", Severity::Error, "missing-key", None);
}

#[test]
fn a_version_of_the_future_is_refused() {
    let finding = assert_finding(
        "format: ChoreonoidBody\nformat_version: §2.1\nlinks:\n  - name: BASE\n",
        Severity::Error,
        "unknown-version",
        None,
    );
    assert!(finding.message.contains("2.1") && finding.message.ends_with("2.0"), "{finding}");
}

#[test]
fn a_file_says_its_version() {
    let finding =
        assert_finding("§format: ChoreonoidBody\nlinks:\n  - name: BASE\n", Severity::Error, "missing-key", None);
    assert!(finding.message.contains("`format_version`"), "{finding}");
}

#[test]
fn radian_ends_with_version_2() {
    let text = |version: &str, mark: &str| {
        format!("format: ChoreonoidBody\nformat_version: {version}\nangle_unit: {mark}radian\nlinks:\n  - name: BASE\n")
    };
    assert_finding(&text("2.0", "§"), Severity::Error, "angle-unit", None);
    common::read_clean(&text("1.0", ""));
    common::read_clean(&text("1.9", ""));
}

#[test]
fn an_angle_unit_is_degree_or_radian() {
    assert_finding(
        "format: ChoreonoidBody\nformat_version: 1.0\nangle_unit: §gon\nlinks:\n  - name: BASE\n",
        Severity::Error,
        "wrong-type",
        None,
    );
}

// --- elements

#[test]
fn a_radius_is_positive() {
    for (geometry, code) in [
        ("Sphere, radius: §-0.1", "not-positive"),
        ("Sphere, radius: §0", "not-positive"),
        ("Cylinder, radius: 1, height: §-2", "not-positive"),
        ("Cone, radius: §-1", "not-positive"),
        ("Capsule, radius: 1, height: §-1", "negative-length"),
        ("Box, size: §[ 1, -1, 1 ]", "negative-length"),
    ] {
        assert_error(
            &format!("  - name: BASE\n    elements:\n      - type: Shape\n        geometry: {{ type: {geometry} }}\n"),
            code,
            None,
        );
    }
}

#[test]
fn an_unknown_geometry_is_told_what_it_was_meant_to_be() {
    let links = |word: &str| {
        format!("  - name: BASE\n    elements:\n      - type: Shape\n        geometry: {{ type: §{word} }}\n")
    };
    assert_error(&links("Cilinder"), "unknown-geometry", Some("did you mean `Cylinder`?"));
    assert_error(&links("Bxo"), "unknown-geometry", Some("did you mean `Box`?"));
    let (text, place) = take_mark(&with_links(&links("Teapot")));
    let (_, findings) = read_text(&text);
    assert_eq!((findings[0].code, findings[0].position()), ("unknown-geometry", Some(place)));
    assert!(findings[0].help.as_deref().unwrap().contains("Box, Sphere, Cylinder, Cone, Capsule"));
}

#[test]
fn visual_and_collision_cannot_be_inside_each_other() {
    for (outer, inner) in
        [("Collision", "Visual"), ("Visual", "Collision"), ("Visual", "Visual"), ("Collision", "Collision")]
    {
        assert_error(
            &format!(
                "  - name: BASE\n    elements:\n      - type: {outer}\n        elements:\n          - §type: {inner}\n"
            ),
            "nested-purpose",
            None,
        );
    }
}

#[test]
fn an_element_says_its_type() {
    assert_error("  - name: BASE\n    elements:\n      - §name: thing\n", "missing-key", None);
    assert_error("  - name: BASE\n    elements: §Shape\n", "wrong-type", None);
    assert_error("  - name: BASE\n    elements: [ §Shape ]\n", "wrong-type", None);
}

#[test]
fn a_type_inside_must_agree_with_the_key_above() {
    assert_error("  - name: BASE\n    elements:\n      Shape: { type: §Group }\n", "type-mismatch", None);
}

#[test]
fn an_unknown_device_is_kept_with_a_warning() {
    let links = "  - name: BASE\n    elements:\n      - type: §ForceSensr\n        id: 3\n";
    assert_warning(links, "unknown-device", Some("did you mean `ForceSensor`?"));
    let (body, _) = read_with_one_finding(&take_mark(&with_links(links)).0);
    assert_eq!((body.devices[0].kind.as_str(), body.devices[0].id), ("ForceSensr", Some(3)));
    assert_warning("  - name: BASE\n    elements:\n      - type: §Hyperdrive\n", "unknown-device", None);
}

#[test]
fn a_misspelt_node_is_told_what_it_was_meant_to_be() {
    assert_warning(
        "  - name: BASE\n    elements:\n      - type: §Shap\n",
        "unknown-device",
        Some("did you mean `Shape`?"),
    );
}

#[test]
fn a_camera_without_a_format_is_left_out_with_a_warning() {
    let help = Some("the formats are COLOR, DEPTH, COLOR_DEPTH, POINT_CLOUD and COLOR_POINT_CLOUD");
    assert_warning("  - name: BASE\n    elements:\n      - §type: Camera\n", "camera-format", help);
    assert_warning(
        "  - name: BASE\n    elements:\n      - type: Camera\n        format: §COLOUR\n",
        "camera-format",
        help,
    );
}

// --- attacks

/// How long "at once" is. The attacks below would take hours, or all the memory, if they worked.
const AT_ONCE: Duration = Duration::from_secs(20);

/// Asserts that a text is refused at once, with one error of this code and few findings.
#[track_caller]
fn assert_refused_at_once(text: &str, code: &str) {
    let start = Instant::now();
    let (body, findings) = read_text(text);
    assert!(start.elapsed() < AT_ONCE, "took {:?}", start.elapsed());
    assert!(body.is_none());
    assert_eq!(findings.iter().filter(|finding| finding.code == code).count(), 1, "{} findings", findings.len());
}

/// Aliases of aliases: `levels` definitions, each of which holds the one below ten times.
fn bomb(innermost: &str, levels: usize, level: impl Fn(&str) -> String) -> String {
    let mut text = format!("a0: &a0 {innermost}\n");
    for number in 1..=levels {
        let below = format!("*a{}, ", number - 1).repeat(10);
        text += &format!("a{number}: &a{number} {}\n", level(&below));
    }
    text
}

#[test]
fn elements_that_are_aliases_of_aliases_are_refused_at_once() {
    let bomb = bomb("{ type: Group }", 30, |below| format!("{{ type: Group, elements: [ {below} ] }}"));
    assert_refused_at_once(&format!("{bomb}{HEAD}  - name: BASE\n    elements: [ *a30 ]\n"), "limit-elements");
}

#[test]
fn the_limit_of_elements_counts_all_links_together() {
    let bomb = bomb("{ type: Group }", 5, |below| format!("{{ type: Group, elements: [ {below} ] }}"));
    let mut text = format!("{bomb}{HEAD}  - name: BASE\n");
    for number in 0..2000 {
        text += &format!("  - {{ name: L{number}, parent: BASE, elements: [ *a4 ] }}\n");
    }
    assert_refused_at_once(&text, "limit-elements");
}

#[test]
fn elements_that_are_no_elements_count_too() {
    let words = "x, ".repeat(1000);
    let groups = bomb(&format!("{{ type: Group, elements: [ {words} ] }}"), 6, |below| {
        format!("{{ type: Group, elements: [ {below} ] }}")
    });
    assert_refused_at_once(&format!("{groups}{HEAD}  - name: BASE\n    elements: [ *a6 ]\n"), "limit-elements");
}

#[test]
fn elements_nested_by_aliases_do_not_overflow_the_stack() {
    let mut text = "a0: &a0 { type: Group }\n".to_owned();
    for number in 1..20_000 {
        text += &format!("a{number}: &a{number} {{ type: Group, elements: [ *a{} ] }}\n", number - 1);
    }
    text += &format!("{HEAD}  - name: BASE\n    elements: [ *a19999 ]\n");
    assert_refused_at_once(&text, "limit-elements");
}

#[test]
fn device_keys_that_are_aliases_of_aliases_are_refused_at_once() {
    let bomb = bomb("[ 1 ]", 30, |below| format!("[ {below} ]"));
    let text = format!("{bomb}{HEAD}  - name: BASE\n    elements: [ {{ type: ForceSensor, data: *a30 }} ]\n");
    assert_refused_at_once(&text, "limit-properties");
}

#[test]
fn the_limit_of_device_keys_counts_all_devices_together() {
    let numbers = "1, ".repeat(5000);
    let devices = "*device, ".repeat(50_000);
    let text = format!(
        "device: &device {{ type: ForceSensor, data: [ {numbers} ] }}\n{HEAD}  - name: BASE\n    elements: [ {devices} ]\n"
    );
    assert_refused_at_once(&text, "limit-properties");
}

#[test]
fn device_keys_nested_by_aliases_do_not_overflow_the_stack() {
    let mut text = "a0: &a0 [ 1 ]\n".to_owned();
    for number in 1..50_000 {
        text += &format!("a{number}: &a{number} [ *a{} ]\n", number - 1);
    }
    text += &format!("{HEAD}  - name: BASE\n    elements: [ {{ type: ForceSensor, data: *a49999 }} ]\n");
    assert_refused_at_once(&text, "limit-properties");
}

#[test]
fn a_hundred_thousand_brackets_are_refused_at_once() {
    for bracket in ["[", "{ a: ", "- "] {
        assert_refused_at_once(&bracket.repeat(100_000), "limit-depth");
    }
    let text = format!("{HEAD}  - name: BASE\n    elements: {}", "[".repeat(100_000));
    assert_refused_at_once(&text, "limit-depth");
}

// --- garbage

/// A small model with something of everything.
const SMALL: &str = "\
format: ChoreonoidBody
format_version: 1.0
angleUnit: degree
name: Small
rootLink: A
links:
  - &A
    name: A
    translation: [ 0, 0, 1 ]
    jointType: free
    mass: 2
    elements:
      RigidBody: { mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ] }
      Visual: &V
        rotation: [ 1, 0, 0, 90 ]
        elements:
          - type: Shape
            geometry: { type: Capsule, radius: 0.1, height: 0.5 }
            appearance: { material: { diffuse: [ 1, 0, 0 ] } }
  - <<: *A
    name: B
    parent: A
    jointId: 0
    jointType: revolute
    jointAxis: -Z
    jointRange: [ -90, unlimited ]
    max_joint_velocity: 3
    rotation: [ [ 1, 0, 0, 90 ], [ 0, 1, 0, 90 ] ]
    elements:
      - { type: Skip }
      - { type: Camera, format: COLOR, id: 1, x: [ 1, { y: 2 } ] }
      - { type: Transform, scale: [ 1, 2, 3 ], elements: { Collision: *V } }
";

/// Reads a text and uses what comes out.
fn survive(text: &str) -> Option<Body> {
    let (body, findings) = read_text(text);
    let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
    assert_eq!(body.is_none(), failed, "a body comes out exactly if there is no error:\n{}{text}", list(&findings));
    let body = body?;
    let poses = kinematics::link_poses(&body, &Isometry3::identity(), &body.initial_displacements());
    assert_eq!(poses.len(), body.links().len());
    for (link, pose) in body.links().iter().zip(&poses) {
        if let Some(parent) = link.parent {
            kinematics::measured_displacement(link, &poses[parent.0], pose);
        }
        assert!(!link.visual.iter().chain(&link.collision).any(|shape| shape.bounding_box().is_none()));
    }
    body.center_of_mass(&poses);
    Some(body)
}

#[test]
fn the_small_model_is_sound() {
    let body = common::read_clean(SMALL);
    assert_eq!((body.links().len(), body.num_joints(), body.devices.len()), (2, 1, 1));
    assert_eq!((body.link(bunraku_body::LinkIndex(1)).collision.len(), body.root().visual.len()), (1, 1));
}

#[test]
fn no_byte_left_out_makes_the_reader_panic() {
    let mut sound = 0;
    for index in 0..SMALL.len() {
        sound += usize::from(survive(&format!("{}{}", &SMALL[..index], &SMALL[index + 1..])).is_some());
    }
    // Some letters and blanks do not matter, most do.
    assert!((1..SMALL.len()).contains(&sound), "{sound} of {}", SMALL.len());
}

#[test]
fn no_byte_replaced_makes_the_reader_panic() {
    let mut sound = 0;
    for index in 0..SMALL.len() {
        for other in ["0", "-", "[", "}", ":", " ", "\n", "\t", "*", "&", "x", "\"", "|", "\0", "\u{fffd}", "界"] {
            sound += usize::from(survive(&format!("{}{other}{}", &SMALL[..index], &SMALL[index + 1..])).is_some());
        }
    }
    assert!(sound > 0);
}

#[test]
fn no_file_cut_short_makes_the_reader_panic() {
    for length in 0..SMALL.len() {
        survive(&SMALL[..length]);
    }
}

#[test]
fn no_line_left_out_or_given_twice_makes_the_reader_panic() {
    let lines: Vec<&str> = SMALL.lines().collect();
    for index in 0..lines.len() {
        let without: Vec<&str> = lines.iter().enumerate().filter(|&(i, _)| i != index).map(|(_, &l)| l).collect();
        survive(&without.join("\n"));
        let mut twice = lines.clone();
        twice.insert(index, lines[index]);
        survive(&twice.join("\n"));
    }
}

#[test]
fn random_bytes_are_refused_without_panic() {
    // A linear congruential generator (Knuth's MMIX constants): the same garbage in every run.
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let pieces = ["links:", "\n", "  ", "- ", "name: ", "[", "]", "{", "}", ", ", "*a", "&a ", "type: ", "Shape", "1"];
    for _ in 0..5_000 {
        let bytes: Vec<u8> = (0..random() % 60).map(|_| u8::try_from(random() % 256).unwrap()).collect();
        assert!(survive(&String::from_utf8_lossy(&bytes)).is_none());
        let length = random() % 40;
        let words: String = (0..length).map(|_| pieces[usize::try_from(random()).unwrap() % pieces.len()]).collect();
        assert!(survive(&words).is_none());
        survive(&with_links(&words));
    }
}
