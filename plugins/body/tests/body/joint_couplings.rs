//! The key `joint_couplings` of `.body` files.

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Diagnostic, Reporter, SourceFile};

/// A gripper with a hinge J and two sliders K and L.
fn read(couplings: &str) -> (Option<Body>, Vec<Diagnostic>) {
    let joint = |name: &str, id: u32, kind: &str| {
        format!(
            "  - {{ name: {name}_LINK, parent: A, joint_name: {name}, joint_id: {id}, joint_type: {kind}, joint_axis: Z }}\n"
        )
    };
    let links = [joint("J", 0, "revolute"), joint("K", 1, "prismatic"), joint("L", 2, "prismatic")].concat();
    let text = format!(
        "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n  - {{ name: A, joint_type: fixed }}\n{links}joint_couplings:\n{couplings}"
    );
    let reporter = Reporter::new();
    let source = SourceFile::from_text("gripper.body", text);
    let body = bunraku_body::read(&source, &LoadOptions::default(), &reporter);
    (body, reporter.into_diagnostics())
}

#[test]
fn joints_follow_by_multiplier_and_offset_or_by_a_polynomial() {
    let (body, findings) = read(
        "  - { joint: J, leader: K, multiplier: 2, offset: 90 }\n  - { joint: L, leader: J_LINK, polynomial: [ 0.5, 0, 1 ] }\n",
    );
    assert!(findings.is_empty(), "{findings:?}");
    let body = body.unwrap();
    let [first, second] = body.joint_couplings() else { panic!("{:?}", body.joint_couplings()) };
    assert_eq!(first.as_linear(), Some((2.0, std::f64::consts::FRAC_PI_2)));
    assert_eq!(second.polynomial, [0.5, 0.0, 1.0, 0.0, 0.0]);
    let mut displacements = [7.0, 0.25, 0.0];
    body.follow_leaders(&mut displacements);
    let turned = 0.5 + std::f64::consts::FRAC_PI_2;
    assert_eq!(displacements, [turned, 0.25, 0.5 + turned * turned]);
}

#[test]
fn mistakes_have_a_place_and_a_remedy() {
    for (text, code, place) in [
        ("  - { joint: J, leader: J }\n", "coupling-cycle", "gripper.body:9:5"),
        ("  - { joint: J, leader: K }\n  - { joint: K, leader: J_LINK }\n", "coupling-cycle", "gripper.body:10:5"),
        ("  - { joint: J, leader: K }\n  - { joint: J, leader: L }\n", "coupling-twice", "gripper.body:10:5"),
        ("  - { joint: J, leader: M }\n", "unknown-joint", "gripper.body:9:25"),
        ("  - { joint: J }\n", "missing-key", "gripper.body:9:5"),
        ("  - { joint: J, leader: K, polynomial: [ 1, 2, 3, 4, 5, 6 ] }\n", "wrong-length", "gripper.body:9:40"),
        ("  - { joint: J, leader: K, factor: 2 }\n", "unknown-key", "gripper.body:9:28"),
        ("  - { joint: J, leader: K, polynomial: [ 1 ], offset: 1 }\n", "coupling-polynomial", "gripper.body:9:40"),
        ("  J: K\n", "wrong-type", "gripper.body:9:3"),
    ] {
        let (_, findings) = read(text);
        let [finding] = findings.as_slice() else { panic!("{text}: {findings:?}") };
        assert_eq!(finding.code, code, "{finding}");
        assert!(finding.to_string().starts_with(place), "{finding}");
    }
}
