//! `ExtraJoint` nodes.

use bunraku_body::{ExtraJoint, ExtraJointKind};
use bunraku_test_support::assert_all_close;
use nalgebra::Vector3;

use super::{assert_finding, base, clean, one_finding};

const LINKS: &str = "children [ DEF A Joint { jointType \"rotate\" } DEF B Joint { jointType \"rotate\" } ]";

/// A robot with the links `A` and `B` and an extra joint, whose fields are on line 5.
fn text(fields: &str) -> String {
    format!("{}DEF E ExtraJoint {{ link1Name \"A\" link2Name \"B\"\n{fields} }}", base(LINKS))
}

#[track_caller]
fn extra_joint(fields: &str) -> ExtraJoint {
    let mut body = clean(&text(fields));
    assert_eq!(body.extra_joints.len(), 1);
    body.extra_joints.remove(0)
}

#[test]
fn it_connects_two_links_at_points_of_theirs() {
    let joint = extra_joint("link1LocalPos 1 2 3 link2LocalPos 4 5 6");
    assert_eq!(joint.links.map(|link| link.0), [1, 2]);
    assert_all_close(&joint.frames[0].translation.vector, [1.0, 2.0, 3.0]);
    assert_all_close(&joint.frames[1].translation.vector, [4.0, 5.0, 6.0]);
    // Defaults of the manual.
    assert_eq!(joint.kind, ExtraJointKind::Ball);
}

#[test]
fn extra_joint_types_of_the_manual_and_of_choreonoid() {
    let axis = Vector3::z_axis();
    for (word, kind) in [
        ("xyz", ExtraJointKind::Ball),
        ("ball", ExtraJointKind::Ball),
        ("xy", ExtraJointKind::PointOnLine { axis }),
        ("z", ExtraJointKind::PointOnPlane { axis }),
        ("piston", ExtraJointKind::Piston { axis }),
        ("hinge", ExtraJointKind::Hinge { axis }),
        ("fixed", ExtraJointKind::Fixed),
    ] {
        assert_eq!(extra_joint(&format!("jointType \"{word}\" jointAxis 0 0 2")).kind, kind, "{word}");
    }
    assert_eq!(extra_joint("jointType \"xy\"").kind.axis(), Some(Vector3::x_axis()));
}

#[test]
fn it_may_stand_before_the_humanoid_but_not_inside() {
    let body = clean(&format!("ExtraJoint {{ link1Name \"A\" link2Name \"B\" }} {}", base(LINKS)));
    assert_eq!(body.extra_joints.len(), 1);
}

#[test]
fn mistakes_in_it_are_errors() {
    for (fields, start) in [
        ("jointType \"bal\"", "error[unknown-joint-type]: E: `bal` is not a type of extra joint"),
        ("jointAxis 0 0 0 jointType \"xy\"", "error[zero-axis]: E: "),
    ] {
        let (body, finding) = one_finding(&text(fields));
        assert!(body.is_none());
        assert_finding(&finding, start, (5, 1));
    }
    let (body, finding) =
        one_finding(&format!("{}DEF E ExtraJoint {{ link1Name \"A\"\nlink2Name \"BASS\" }}", base(LINKS)));
    assert!(body.is_none());
    assert_finding(&finding, "error[unknown-link]: E: `link2Name`: the link `BASS` does not exist", (5, 1));
    assert_eq!(finding.help.as_deref(), Some("did you mean `BASE`?"));
}
