//! Errors in model files: each is located and has a code.

use bunraku_body::LoadOptions;
use bunraku_document::{Diagnostic, Position, Reporter, Severity, SourceFile};
use bunraku_test_support::{MODEL_HEAD, model_text, read_model};

use crate::common;
use crate::common::{list, read_with_one_finding};

/// Marks the expected location of the finding in the texts below.
const MARK: char = '§';

fn take_mark(marked: &str) -> (String, Position) {
    let (before, after) = marked.split_once(MARK).expect("a mark in the text");
    let line = u32::try_from(before.matches('\n').count()).unwrap() + 1;
    let column = u32::try_from(before.rsplit('\n').next().unwrap().chars().count()).unwrap() + 1;
    (format!("{before}{after}"), Position { line, column })
}

/// Asserts that a text has exactly one finding, at the mark; the model loads unless it is an error. If `help` is empty,
/// any remedy passes: the texts are stored in `messages/snapshots`.
#[track_caller]
fn assert_finding(marked: &str, severity: Severity, code: &str, help: Option<&str>) -> Diagnostic {
    let (text, place) = take_mark(marked);
    let (body, mut findings) = read_model(&text);
    assert_eq!(findings.len(), 1, "findings:\n{}in:\n{text}", list(&findings));
    let finding = findings.remove(0);
    assert_eq!((finding.severity, finding.code), (severity, code), "{finding}");
    assert_eq!(finding.position(), Some(place), "{finding}");
    match help {
        Some(_) => assert_eq!(finding.help.as_deref(), help, "{finding}"),
        None => assert!(finding.help.is_some(), "{finding}"),
    }
    assert_eq!(finding.file(), Some(std::path::Path::new("x.body")));
    assert_eq!(body.is_some(), severity != Severity::Error);
    finding
}

#[test]
fn one_typo_in_many_links_is_reported_once_with_a_count() {
    let links: String = (0..68).map(|number| format!("  - {{ name: L{number}, joitAxis: Z }}\n")).collect();
    let links = links
        .replacen("{ name: L0,", "{ name: L0, joint_type: free,", 1)
        .replace("  - { name: L", "  - { parent: L0, name: L");
    let links = links.replacen("parent: L0, ", "", 1);
    let (body, findings) = read_model(&model_text(&links));
    assert!(body.is_some());
    let unknown: Vec<_> = findings.iter().filter(|finding| finding.code == "unknown-key").collect();
    assert_eq!(unknown.len(), 1, "{}", list(&findings));
    let message = &unknown[0].message;
    assert!(
        message.contains("`joitAxis`") && message.contains("`L0`") && message.contains("67 more times"),
        "{message}"
    );
}

#[track_caller]
fn assert_error(links: &str, code: &str, help: Option<&str>) -> Diagnostic {
    assert_finding(&model_text(links), Severity::Error, code, help)
}

#[track_caller]
fn assert_warning(links: &str, code: &str, help: Option<&str>) -> Diagnostic {
    assert_finding(&model_text(links), Severity::Warning, code, help)
}

#[test]
fn the_marked_location_is_that_of_an_editor() {
    let (text, place) = take_mark("a: 1\n  b: §2\n");
    assert_eq!((text.as_str(), place), ("a: 1\n  b: 2\n", Position { line: 2, column: 6 }));
}

// --- joints

#[test]
fn an_unknown_joint_type_gets_a_suggestion() {
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
            Some("write one of X, Y, Z, -X, -Y, -Z, or a list of 3 numbers such as `[ 0, 0, 1 ]`"),
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
    bunraku_test_support::read_links("  - name: BASE\n    joint_type: fixed\n    joint_axis: [ 0, 0, 0 ]\n");
}

#[test]
fn limits_are_numbers_or_unlimited() {
    assert_error(
        "  - name: BASE\n    joint_type: revolute\n    joint_range: [ 0, §endless ]\n",
        "not-a-number",
        Some("a limit is a number or the word `unlimited`"),
    );
    assert_error("  - name: BASE\n    joint_type: revolute\n    joint_range: §[ 0, 1, 2 ]\n", "wrong-length", None);
    assert_error("  - name: BASE\n    joint_type: revolute\n    joint_velocity_range: §3\n", "wrong-type", None);
}

#[test]
fn an_excessive_joint_id_is_refused() {
    assert_error("  - name: BASE\n    joint_id: §2000000000\n", "joint-id", None);
}

#[test]
fn an_unknown_actuation_mode_gets_a_suggestion() {
    assert_error(
        "  - name: BASE\n    actuation_mode: §joint_velosity\n",
        "unknown-actuation-mode",
        Some("did you mean `joint_velocity`?"),
    );
}

// --- the tree

#[test]
fn an_unknown_parent_gets_a_suggestion() {
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
fn an_unknown_root_link_gets_a_suggestion() {
    assert_finding(
        "format: ChoreonoidBody\nformat_version: 2.0\nroot_link: §WASIT\nlinks:\n  - name: WAIST\n",
        Severity::Error,
        "unknown-link",
        Some("did you mean `WAIST`?"),
    );
}

#[test]
fn a_cycle_of_three_links_is_reported_once_with_its_path() {
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
        Some("attach one of these links to a link nearer to the root"),
    );
    assert!(finding.message.ends_with("A → C → B → A"), "{finding}");
}

#[test]
fn links_below_a_cycle_are_not_reported_again() {
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
        Some("attach one of these links to a link nearer to the root"),
    );
    assert!(finding.message.ends_with("A → B → A"), "{finding}");
}

#[test]
fn two_circles_are_two_findings() {
    let text = model_text(
        "  - name: BASE\n  - { name: A, parent: B }\n  - { name: B, parent: A }\n  - { name: C, parent: C }\n",
    );
    let (body, findings) = read_model(&text);
    assert!(body.is_none());
    let found: Vec<_> = findings.iter().map(|f| (f.code, f.position().unwrap().line)).collect();
    assert_eq!(found, [("parent-cycle", 5), ("parent-cycle", 7)]);
}

#[test]
fn a_link_cannot_be_its_own_parent() {
    let finding = assert_error(
        "  - name: BASE\n  - name: A\n    parent: §A\n",
        "parent-cycle",
        Some("attach one of these links to a link nearer to the root"),
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
    assert_error(
        "  - name: BASE\n  - name: §ARM\n",
        "no-parent",
        Some("write `parent:` and the name of a link; the root link is `BASE`"),
    );
}

#[test]
fn every_orphan_is_reported_not_only_the_first() {
    let (_, findings) = read_model(&model_text("  - name: BASE\n  - name: A\n  - name: B\n"));
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
    let (text, place) = take_mark(&model_text(MISSPELT));
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
    assert_warning(
        "  - name: BASE\n    §smell_of_oil: 3\n",
        "unknown-key",
        Some("it is ignored; does it belong elsewhere?"),
    );
    assert_finding(
        &format!("§favourite_food: oil\n{MODEL_HEAD}  - name: BASE\n"),
        Severity::Warning,
        "unknown-key",
        Some("it is ignored; does it belong elsewhere?"),
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
        let (body, findings) = read_model(&model_text(&format!("  - name: BASE\n    mass: {word}\n")));
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
        "  - type: §Trailer\n    name: BASE\n",
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
fn radian_is_read_in_every_version_as_the_manual_says() {
    let text = |version: &str, mark: &str| {
        format!("format: ChoreonoidBody\nformat_version: {version}\nangle_unit: {mark}radian\nlinks:\n  - name: BASE\n")
    };
    assert_finding(&text("2.0", "§"), Severity::Note, "manual-wins", None);
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
fn an_unknown_geometry_gets_a_suggestion() {
    let links = |word: &str| {
        format!("  - name: BASE\n    elements:\n      - type: Shape\n        geometry: {{ type: §{word} }}\n")
    };
    assert_error(&links("Cilinder"), "unknown-geometry", Some("did you mean `Cylinder`?"));
    assert_error(&links("Bxo"), "unknown-geometry", Some("did you mean `Box`?"));
    let (text, place) = take_mark(&model_text(&links("Teapot")));
    let (_, findings) = read_model(&text);
    assert_eq!((findings[0].code, findings[0].position()), ("unknown-geometry", Some(place)));
    assert!(findings[0].help.as_deref().unwrap().contains("Box, Sphere, Cylinder, Cone, Capsule"));
}

#[test]
fn visual_and_collision_cannot_be_nested() {
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
    let (body, _) = read_with_one_finding(&take_mark(&model_text(links)).0);
    assert_eq!((body.devices[0].type_name(), body.devices[0].id), ("ForceSensr", Some(3)));
    assert_warning("  - name: BASE\n    elements:\n      - type: §Hyperdrive\n", "unknown-device", None);
}

#[test]
fn a_misspelt_node_gets_a_suggestion() {
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
