//! Hostile files: the reader refuses them without failing. Without its limits some of them would never terminate.

use bunraku_body::Property;

use super::{Files, PROTOS, base, load, robot};
use crate::common::list;

#[track_caller]
fn assert_refused(text: &str, code: &str) {
    let (body, findings) = load(text);
    assert!(body.is_none());
    assert!(findings.iter().any(|finding| finding.code == code), "{}", list(&findings[..findings.len().min(10)]));
    assert!(findings.len() < 300);
}

#[test]
fn joints_that_use_joints_twice_are_refused() {
    let mut text = "DEF J0 Joint { jointType \"rotate\" }\n".to_owned();
    for level in 1..100 {
        let below = level - 1;
        text += &format!("DEF J{level} Joint {{ jointType \"rotate\" children [ USE J{below} USE J{below} ] }}\n");
    }
    text += &robot("USE J99");
    assert_refused(&text, "limit-links");
}

#[test]
fn groups_that_use_groups_twice_are_refused() {
    let mut text = "DEF G0 Group { }\n".to_owned();
    for level in 1..100 {
        let below = level - 1;
        text += &format!("DEF G{level} Group {{ children [ USE G{below} USE G{below} ] }}\n");
    }
    text += &base("children USE G99");
    assert_refused(&text, "limit-links");
}

#[test]
fn a_long_chain_of_joints_is_read_without_overflow() {
    let mut text = "DEF J0 Joint { jointType \"rotate\" }\n".to_owned();
    for level in 1..200 {
        text += &format!("DEF J{level} Joint {{ jointType \"rotate\" children USE J{} }}\n", level - 1);
    }
    text += &robot("USE J199");
    let (body, findings) = load(&text);
    assert!(findings.is_empty(), "{}", list(&findings));
    assert_eq!(body.unwrap().links().len(), 200);
}

/// Nested groups, `levels` of them around `innermost`, the outermost named `G`.
fn nested(levels: usize, innermost: &str) -> String {
    let mut text = format!("DEF G0 Transform {{ translation 0 0 1 children [ {innermost} ] }}\n");
    for level in 1..levels {
        text += &format!("DEF G{level} Transform {{ translation 0 0 1 children USE G{} }}\n", level - 1);
    }
    text
}

#[test]
fn deep_nodes_in_deep_files_are_refused_without_overflow() {
    let files = Files::new();
    let shape = nested(640, "Shape { geometry Box { } }");
    // The surface is converted, with all its levels in addition to those of its ancestors, before its nodes are
    // visited.
    let segment = "Segment { children Surface { collision USE G639 } }";
    files.write("inner.wrl", &format!("{PROTOS}{shape}{segment}"));
    let outer = nested(650, "Inline { url \"inner.wrl\" }");
    files.write("model.wrl", &format!("{PROTOS}{outer}{}", base("children USE G649")));
    let (body, findings) = files.load("model.wrl");
    assert!(body.is_none());
    assert!(findings.iter().any(|finding| finding.code == "limit-links"), "{}", list(&findings));
}

#[test]
fn nesting_beyond_the_limit_is_refused() {
    let deep = "Group { children ".repeat(5000);
    assert_refused(&base(&format!("children {deep}")), "limit-depth");
}

#[test]
fn the_number_of_findings_about_thousands_of_joints_is_limited() {
    let joints = "Joint { jointType \"rotate\" jointId 0 }\n".repeat(5000);
    let (body, findings) = load(&base(&format!("children [ {joints} ]")));
    assert_eq!(body.unwrap().links().len(), 5001);
    assert!(findings.len() < 300, "{}", findings.len());
    assert_eq!(findings.last().unwrap().code, "too-many-findings");
}

#[test]
fn more_joints_than_any_robot_has_are_refused() {
    let joints = "DEF J Joint { jointType \"rotate\" }\n".to_owned() + &"USE J\n".repeat(20_000);
    assert_refused(&base(&format!("children [ {joints} ]")), "limit-links");
}

#[test]
fn an_error_after_many_warnings_still_counts() {
    let joints = "Joint { jointType \"rotate\" }\n".repeat(1000);
    let (body, findings) = load(&base(&format!("children [ {joints} DEF LAST Joint {{ jointType \"x\" }} ]")));
    assert!(body.is_none());
    assert!(findings.iter().any(|finding| finding.code == "unknown-joint-type"));
}

#[test]
fn a_name_as_long_as_the_file_does_not_fill_the_messages() {
    let name = "A".repeat(1 << 20);
    let joints = format!("DEF {name} Joint {{ jointType \"rotat\" }}\n").repeat(3);
    let (body, findings) = load(&base(&format!("children [ {joints} ]")));
    assert!(body.is_none());
    assert!(findings.iter().all(|finding| finding.message.len() < 1000));
}

#[test]
fn names_and_texts_as_long_as_the_file_are_not_kept_again_and_again() {
    let long = "A".repeat(1 << 20);
    let proto = "PROTO Thing [ field SFInt32 sensorId 0 field SFString text \"\" field MFFloat numbers [ ] ] { }\n";
    let define = format!(
        "DEF {long} Thing {{ text \"{long}\" numbers [ 1 2 3 ] }}\nDEF B{long} Joint {{ jointType \"rotate\" }}"
    );
    let uses = format!("USE {long}\nUSE B{long}\n").repeat(20);
    let (body, findings) = load(&format!("{proto}{}", base(&format!("children [ {define} {uses} ]"))));
    let body = body.unwrap();
    assert!(body.links().iter().all(|link| link.name.len() < 300));
    assert!(body.devices.iter().all(|device| device.name.len() < 300));
    let text = body.devices[0].property("text").unwrap();
    assert!(matches!(text, Property::Text(text) if text.len() == 1000));
    let numbers = body.devices[0].property("numbers").unwrap();
    assert!(matches!(numbers, Property::List(numbers) if numbers.len() == 3));
    assert!(findings.iter().any(|finding| finding.code == "long-name"));
}

#[test]
fn an_unknown_device_with_endless_values_is_refused() {
    let proto = "PROTO Thing [ field SFInt32 sensorId 0 field MFFloat numbers [ ] ] { }\n";
    let define = format!("DEF T Thing {{ numbers [ {} ] }}", "1 ".repeat(2000));
    assert_refused(
        &format!("{proto}{}", base(&format!("children [ {define} {} ]", "USE T ".repeat(100)))),
        "limit-properties",
    );
}
