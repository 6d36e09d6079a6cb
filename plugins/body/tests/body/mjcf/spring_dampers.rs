//! `springdamper`: stiffness and damping by a time constant and the inertia of the model.

use bunraku_body::JointIndex;
use bunraku_document::Severity;

use super::{clean, codes, read};

const JOINTS: &str = r#"<joint name="a" axis="0 1 0" ref="0.4" springdamper="0.3 0.7"/>
<geom type="capsule" fromto="0 0 0 .4 0 0" size=".05" mass="2"/>
<body pos=".4 0 0"><joint name="b" type="slide" axis="1 0 0" stiffness="5" damping="7" springdamper="0.2 1.1" armature="0.1"/>
<joint name="c" axis="0 0 1" stiffness="3" springdamper="0 0"/><geom type="box" pos=".1 0 0" size=".1 .05 .02" mass=".5"/></body>"#;

#[track_caller]
fn assert_suggested(elements: &str, expected: [[f64; 2]; 3]) {
    let body = clean(&format!("<compiler angle=\"radian\"/><worldbody>{elements}</worldbody>"));
    for (joint, [stiffness, damping]) in expected.into_iter().enumerate() {
        let found = body.joint(JointIndex(joint)).unwrap().suggested;
        let is_near = |found: f64, expected: f64| (found - expected).abs() <= 1e-12 * expected;
        assert!(is_near(found.stiffness, stiffness) && is_near(found.damping, damping), "{joint}: {found:?}");
    }
}

/// Figures of MuJoCo 3.17.
#[test]
fn time_constants_become_stiffness_and_damping_by_the_inertia() {
    let fixed = [[5.544649605874096, 1.6301269841269843], [12.396694214876028, 5.999999999999999], [3.0, 0.0]];
    assert_suggested(&format!("<body>{JOINTS}</body>"), fixed);
    // The base is free to move, so that the joints have less inertia.
    let floating = [[0.253938056725139, 0.07465778867719088], [11.457550713749056, 5.545454545454545], [3.0, 0.0]];
    let elements =
        format!("<body><freejoint/><geom type=\"sphere\" size=\".1\" mass=\"3\"/><body>{JOINTS}</body></body>");
    assert_suggested(&elements, floating);
}

#[test]
fn what_cannot_be_computed_is_reported_at_its_place() {
    let joint = |attributes: &str| format!("<body><joint {attributes}/><geom size=\"0.1\"/></body>");
    let (body, findings) = read(&format!("<worldbody>{}</worldbody>", joint("springdamper=\"0.1 0\"")));
    assert!(body.is_none() && codes(&findings) == ["out-of-range"] && findings[0].place.is_some(), "{findings:?}");
    let free = "<body><freejoint/><geom size=\"0.1\"/></body>";
    for elements in [joint("type=\"ball\" springdamper=\"0.1 1\""), joint("springdamper=\"0.1 1\"") + free] {
        let (body, findings) = read(&format!("<worldbody>{elements}</worldbody>"));
        let warned = findings.iter().filter(|finding| finding.severity == Severity::Warning).collect::<Vec<_>>();
        assert!(body.is_some() && warned.len() == 1 && warned[0].place.is_some(), "{findings:?}");
        assert!(warned[0].message.contains("`springdamper` is ignored"), "{findings:?}");
    }
}
