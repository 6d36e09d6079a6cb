//! Loop closures in the notation of the manual and of real files.

use bunraku_body::{Body, ExtraJointKind, LinkIndex, LoadOptions};
use bunraku_document::{Diagnostic, Reporter, SourceFile};
use nalgebra::{Isometry3, Vector3};

fn read(extra_joint: &str) -> (Option<Body>, Vec<Diagnostic>) {
    let text = format!(
        "format: ChoreonoidBody\nformat_version: 1.0\nlinks:\n  - name: A\n  - {{ name: B, parent: A }}\nextra_joints:\n  - {extra_joint}\n"
    );
    let reporter = Reporter::new();
    let body = bunraku_body::read(&SourceFile::from_text("loop.body", text), &LoadOptions::default(), &reporter);
    (body, reporter.into_diagnostics())
}

#[test]
fn all_spellings_mean_the_same() {
    let spellings = [
        "{ link1_name: A, link2_name: B, joint_type: hinge, axis: [ 0, 0, 2 ], translation_in_link1: [ 1, 0, 0 ], translation_in_link2: [ 0, 1, 0 ] }",
        "{ link1_name: A, link2_name: B, joint_type: hinge, axis: [ 0, 0, 2 ], link1_local_pos: [ 1, 0, 0 ], link2_local_pos: [ 0, 1, 0 ] }",
        "{ link1Name: A, link2Name: B, jointType: hinge, jointAxis: [ 0, 0, 2 ], link1LocalPos: [ 1, 0, 0 ], link2LocalPos: [ 0, 1, 0 ] }",
    ];
    for spelling in spellings {
        let (body, diagnostics) = read(spelling);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let joint = body.unwrap().extra_joints[0];
        assert_eq!(joint.kind, ExtraJointKind::Hinge { axis: Vector3::z_axis() });
        assert_eq!(joint.links, [LinkIndex(0), LinkIndex(1)]);
        assert_eq!(joint.frames, [Isometry3::translation(1.0, 0.0, 0.0), Isometry3::translation(0.0, 1.0, 0.0)]);
    }
}

#[test]
fn kinds_and_defaults() {
    for (word, kind) in [
        ("fixed", ExtraJointKind::Fixed),
        ("ball", ExtraJointKind::Ball),
        ("hinge", ExtraJointKind::Hinge { axis: Vector3::x_axis() }),
        ("piston", ExtraJointKind::Piston { axis: Vector3::x_axis() }),
        ("point_on_line", ExtraJointKind::PointOnLine { axis: Vector3::x_axis() }),
        ("point_on_plane", ExtraJointKind::PointOnPlane { axis: Vector3::x_axis() }),
    ] {
        let (body, _) = read(&format!("{{ link1_name: A, link2_name: B, joint_type: {word} }}"));
        let joint = body.unwrap().extra_joints[0];
        assert_eq!((joint.kind, joint.kind.as_str()), (kind, word));
        assert_eq!(joint.frames, [Isometry3::identity(); 2]);
    }
}

#[test]
fn a_frame_may_be_rotated() {
    let (body, _) = read("{ link1_name: A, link2_name: B, joint_type: ball, rotation_in_link2: [ 0, 0, 1, 90 ] }");
    let turned = body.unwrap().extra_joints[0].frames[1] * Vector3::x();
    assert!((turned - Vector3::y()).norm() < 1e-12);
}

#[test]
fn mistakes_have_a_place() {
    let error = |text: &str| {
        let (body, diagnostics) = read(text);
        assert!(body.is_none());
        diagnostics[0].to_string()
    };
    assert_eq!(
        error("{ link1_name: A, link2_name: b, joint_type: ball }"),
        "loop.body:7:34: error[unknown-link]: the link `b` does not exist (did you mean `B`?)"
    );
    assert_eq!(
        error("{ link1_name: A, link2_name: B, joint_type: bal }"),
        "loop.body:7:49: error[unknown-joint-type]: `bal` is not a type of extra joint (did you mean `ball`?)"
    );
    assert!(error("{ link1_name: A, joint_type: ball }").contains("has no `link2_name`"));
    assert!(error("{ link1_name: A, link2_name: B, joint_type: hinge, axis: [ 0, 0, 0 ] }").contains("zero-axis"));
    assert!(error("{ link1_name: A, link2_name: B, joint_type: hinge, axis: Z }").contains("a list of 3 numbers"));
}

#[test]
fn twenty_thousand_extra_joints_are_refused_where_they_become_too_many() {
    let joints = "{ link1_name: A, link2_name: B, joint_type: ball }\n  - ".repeat(19_999);
    let (body, findings) = read(&format!("{joints}{{ link1_name: A, link2_name: B, joint_type: ball }}"));
    assert!(body.is_none());
    let [error] = &findings[..] else { panic!("{findings:?}") };
    // 1365 balls constrain 4095 directions; the first is on line 7.
    assert_eq!((error.code, error.position().map(|position| position.line)), ("limit-extra-joints", Some(7 + 1365)));
}
