//! Implausible values.

use bunraku_body::{ImplausibilityKind, LoadOptions};
use bunraku_document::{Reporter, Severity, SourceFile};
use bunraku_test_support::{model_text, read_links};

use crate::common::list;

/// Codes of implausible values, by link name.
fn codes(links: &str) -> Vec<String> {
    let body = read_links(links);
    let found = body.implausibilities();
    found.iter().map(|found| format!("{}: {}", body.link(found.link).name, found.kind.code())).collect()
}

fn base_and(arm: &str) -> String {
    format!("  - {{ name: BASE, joint_type: free }}\n  - {{ name: ARM, parent: BASE, {arm} }}\n")
}

fn inertia_code(inertia: &str) -> Vec<String> {
    codes(&base_and(&format!("joint_type: revolute, inertia: [ {inertia} ]")))
}

#[test]
fn an_ordinary_robot_is_plausible() {
    assert!(codes(&base_and("joint_type: revolute, joint_range: [ -90, 90 ], joint_angle: 10")).is_empty());
    assert!(inertia_code("1, 0, 0, 2, 0, 2.9").is_empty());
    assert!(inertia_code("1, 0, 0, 1, 0, 2").is_empty(), "a thin disc is the limit");
    assert!(codes("  - { name: GROUND, mass: 0 }\n").is_empty(), "what is fixed to the world may weigh nothing");
}

#[test]
fn an_inertia_must_be_positive_and_obey_the_triangle_inequality() {
    assert_eq!(inertia_code("1, 0, 0, 2, 0, 3.1"), ["ARM: inertia-triangle"]);
    assert_eq!(inertia_code("1, 2, 0, 1, 0, 1"), ["ARM: inertia-not-positive"]);
    assert_eq!(inertia_code("0, 0, 0, 0, 0, 0"), ["ARM: inertia-not-positive"]);
    assert_eq!(inertia_code("1, 0.1, 0, 0, 1, 0, 0, 0, 1"), ["ARM: inertia-asymmetric"]);
    // After a rotation by 45°, the moments 1, 2 and 3.1 are accompanied by products of inertia.
    assert_eq!(inertia_code("1.5, 0.5, 0, 1.5, 0, 3.1"), ["ARM: inertia-triangle"]);
    assert!(inertia_code("1.5, 0.5, 0, 1.5, 0, 2.9").is_empty());
}

#[test]
fn a_moving_rigid_part_must_have_a_mass() {
    assert_eq!(codes(&base_and("joint_type: revolute, mass: 0")), ["ARM: no-mass"]);
    let with_tool = base_and("joint_type: revolute, mass: 0") + "  - { name: TOOL, parent: ARM, mass: 0.5 }\n";
    assert!(codes(&with_tool).is_empty());
    assert_eq!(codes("  - { name: BASE, joint_type: free, mass: 0 }\n"), ["BASE: no-mass"]);
}

#[test]
fn a_large_ratio_of_masses_across_a_joint_is_named() {
    let light = "joint_type: revolute, mass: 0.00099, inertia: [ 1, 0, 0, 1, 0, 1 ]";
    assert_eq!(codes(&base_and(light)), ["ARM: mass-ratio"]);
    assert!(codes(&base_and(&light.replace("revolute", "fixed"))).is_empty());
    assert!(codes(&base_and(light).replace("joint_type: free", "joint_type: fixed")).is_empty(), "the world is heavy");
    assert!(codes(&base_and(&light.replace("0.00099", "0.0011"))).is_empty());
}

#[test]
fn axes_and_limits() {
    assert_eq!(codes(&base_and("joint_type: prismatic, joint_axis: [ 0, 0, 2 ]")), ["ARM: axis-length"]);
    assert!(codes(&base_and("joint_axis: [ 0, 0, 2 ]")).is_empty(), "a fixed joint has no use for it");
    assert_eq!(codes(&base_and("joint_type: revolute, joint_range: [ 90, -90 ]")), ["ARM: crossing-limits"]);
    assert_eq!(codes(&base_and("joint_type: revolute, joint_range: -90")), ["ARM: crossing-limits"]);
    assert_eq!(codes(&base_and("joint_type: revolute, joint_velocity_range: [ 1, 0 ]")), ["ARM: crossing-limits"]);
    assert_eq!(codes(&base_and("joint_type: revolute, max_joint_effort: -1")), ["ARM: crossing-limits"]);
    assert_eq!(codes(&base_and("joint_type: revolute, joint_range: 5, joint_angle: 6")), ["ARM: outside-limits"]);
}

#[test]
fn plausibility_warnings_are_located() {
    let text = model_text(&base_and("joint_type: revolute, inertia: [ 1, 0, 0, 2, 0, 3.1 ]"));
    let read = |check_plausibility| {
        let options = LoadOptions { check_plausibility, ..LoadOptions::default() };
        let reporter = Reporter::new();
        assert!(bunraku_body::read(&SourceFile::from_text("x.body", text.clone()), &options, &reporter).is_some());
        reporter.into_diagnostics()
    };
    assert!(read(false).is_empty());
    let findings = read(true);
    assert_eq!(findings.len(), 1, "{}", list(&findings));
    assert_eq!((findings[0].severity, findings[0].code), (Severity::Warning, "inertia-triangle"));
    let expected = "x.body:5:63: warning[inertia-triangle]: link `ARM`: the principal moments of inertia are 1.000e0, 2.000e0 and \
                    3.100e0 kg·m²";
    assert!(findings[0].to_string().starts_with(expected), "{}", findings[0]);
    assert!(ImplausibilityKind::NoMass.help().contains("mass"));
}

#[test]
fn a_range_of_a_single_value_is_named() {
    assert_eq!(codes(&base_and("joint_type: revolute, joint_range: [ 0, 0 ]")), ["ARM: single-value-range"]);
    assert_eq!(codes(&base_and("joint_type: prismatic, joint_range: 0")), ["ARM: single-value-range"]);
    assert!(codes(&base_and("joint_type: fixed, joint_range: [ 0, 0 ]")).is_empty());
    assert!(codes(&base_and("joint_type: revolute, joint_range: [ 0, 1 ]")).is_empty());
}

#[test]
fn point_masses_fixed_to_other_links_are_plausible() {
    let point = "inertia: [ 0, 0, 0, 0, 0, 0 ]";
    assert!(codes(&base_and(&format!("joint_type: fixed, {point}"))).is_empty());
    assert!(codes(&format!("  - {{ name: BASE, {point} }}\n")).is_empty(), "it is fixed to the world");
    assert_eq!(codes(&format!("  - {{ name: BASE, joint_type: free, {point} }}\n")), ["BASE: inertia-not-positive"]);
}
