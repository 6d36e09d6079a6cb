//! Errors are reported with the names of the ancestors, file, line and column.

use bunraku_document::Severity;

use super::{PROTOS, assert_finding, base, load, load_whole, one_finding, robot};
use crate::common::list;

#[test]
fn the_message_names_the_way_to_the_node() {
    let text = robot(
        "DEF WAIST Joint { jointType \"free\" children [
  DEF CHEST Joint { jointType \"rotate\" children [
    Group { children [ Joint { jointType \"rotat\" } ] }
  ] }
] }",
    );
    let (_, findings) = load(&text);
    assert_finding(
        &findings[0],
        "warning[no-link-name]: ROBOT > WAIST > CHEST > Joint: the joint has no name; it is called `JOINT_2`",
        (4, 24),
    );
    assert_finding(
        &findings[1],
        "error[unknown-joint-type]: ROBOT > WAIST > CHEST > Joint: `rotat` is not a joint type",
        (4, 32),
    );
    assert_eq!(findings[1].file().unwrap().file_name().unwrap(), "model.wrl");
}

#[test]
fn a_name_that_is_taken_is_changed() {
    let joint = "DEF J Joint { jointType \"rotate\" }";
    let (body, findings) = load(&base(&format!("children [ {joint}\n{joint}\n{joint} ]")));
    let names: Vec<_> = body.as_ref().unwrap().links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["BASE", "J", "J_2", "J_3"]);
    assert_eq!(findings.len(), 2, "{}", list(&findings));
    assert_finding(&findings[0], "warning[duplicate-link-name]: ROBOT > BASE > J: ", (3, 7));
}

#[test]
fn a_joint_used_twice_is_two_links() {
    let (body, findings) = load(
        "DEF WHEEL Joint { jointType \"rotate\" jointId 0 }
DEF R Humanoid { humanoidBody DEF B Joint { jointType \"free\" children [ USE WHEEL Group { children USE WHEEL } ] } }",
    );
    let body = body.unwrap();
    assert_eq!(body.links().len(), 3);
    assert_eq!(body.num_joints(), 2);
    let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["duplicate-link-name", "duplicate-joint-id"]);
}

#[test]
fn a_field_of_a_wrong_type_is_reported_at_its_declaration() {
    let protos = PROTOS
        .replace("exposedField SFVec3f link1LocalPos 0 0 0", "exposedField SFFloat mass 1")
        .replace("exposedField SFFloat mass 0", "exposedField SFString mass \"0\"");
    let (body, findings) = load_whole(&format!("{protos}{}", base("children Segment { mass \"5\" }")));
    assert!(body.is_none());
    let finding = findings.iter().find(|finding| finding.code == "field-type").unwrap();
    assert_eq!(finding.message, "`mass` of `PROTO Segment` is an `SFString`, but must be an `SFFloat`");
    let line = protos.lines().position(|line| line.contains("SFString mass")).unwrap();
    assert_eq!(finding.position().unwrap().line as usize, line + 1);
}

#[test]
fn a_mistake_in_the_body_of_a_prototype_has_its_place() {
    let part =
        "PROTO Arm [ field SFString kind \"rotate\" ] { Group { children [\nDEF A Joint { jointType IS kind } ] } }\n";
    let (body, findings) = load(&format!("{part}{}", base("children DEF LEFT Arm { }")));
    assert!(findings.is_empty(), "{}", list(&findings));
    assert_eq!(body.unwrap().links()[1].name, "A");
    let (_, finding) = one_finding(&format!("{part}{}", base("children DEF LEFT Arm { kind \"rotat\" }")));
    assert_finding(&finding, "error[unknown-joint-type]: ROBOT > BASE > A: ", (2, 15));
}

#[test]
fn numbers_that_are_not_finite_are_errors() {
    for (fields, column) in [("translation 0 inf 0", 1), ("gearRatio inf", 1), ("ulimit nan", 1)] {
        let (body, findings) = load(&base(&format!("children DEF J Joint {{ jointType \"rotate\"\n{fields} }}")));
        assert!(body.is_none(), "{fields}");
        assert!(findings.iter().all(|finding| finding.severity == Severity::Error), "{}", list(&findings));
        assert_finding(&findings[0], "error[not-finite]: ROBOT > BASE > J: ", (3, column));
    }
    let (body, findings) = load(&base("children DEF S Segment { mass nan\nmomentsOfInertia [ 1 0 0 0 inf 0 0 0 1 ] }"));
    assert!(body.is_none());
    assert_eq!(findings.len(), 2, "{}", list(&findings));
}

#[test]
fn a_syntax_error_is_one_finding_with_its_place() {
    let (body, finding) = one_finding(&base("children [ DEF J Joint {\njointType rotate } ]"));
    assert!(body.is_none());
    assert_eq!((finding.severity, finding.position().unwrap().line), (Severity::Error, super::head_lines() + 3));
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    let (body, findings) = super::Files::new().load("nothing.wrl");
    assert!(body.is_none());
    assert_eq!(findings.len(), 1);
}
