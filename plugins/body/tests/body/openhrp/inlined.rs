//! Models that consist of several files.

use super::{Files, PROTOS, base, head_lines};
use crate::common::list;

const BOX: &str = "#VRML V2.0 utf8\nShape { geometry Box { size 2 2 2 } }\n";

#[test]
fn shapes_of_segments_may_be_in_other_files() {
    let files = Files::new();
    files.write("box.wrl", BOX);
    files.write("model.wrl", &format!("{PROTOS}{}", base("children Segment { children Inline { url \"box.wrl\" } }")));
    let (body, findings) = files.load("model.wrl");
    assert!(findings.is_empty(), "{}", list(&findings));
    assert_eq!(body.unwrap().root().visual.len(), 1);
}

#[test]
fn a_missing_shape_is_a_warning() {
    let files = Files::new();
    files.write(
        "model.wrl",
        &format!("{PROTOS}{}", base("children Segment { mass 1 children\nInline { url \"none.wrl\" } }")),
    );
    let (body, findings) = files.load("model.wrl");
    assert_eq!(findings.len(), 1, "{}", list(&findings));
    assert_eq!((findings[0].severity.as_str(), findings[0].position().unwrap().line), ("warning", head_lines() + 3));
    assert_eq!(body.unwrap().mass(), 1.0);
}

#[test]
fn joints_of_another_file_belong_to_the_model() {
    let files = Files::new();
    let arm = "DEF ARM Joint { jointType \"rotate\" jointId 0 children [ DEF S Segment { mass 2 children Inline { url \"box.wrl\" } } DEF G Gyro { } ] }\n";
    files.write("box.wrl", BOX);
    files.write("arm.wrl", &format!("{PROTOS}{arm}"));
    files.write("model.wrl", &format!("{PROTOS}{}", base("children [ Inline { url \"arm.wrl\" } ]")));
    let (body, findings) = files.load("model.wrl");
    assert!(findings.is_empty(), "{}", list(&findings));
    let body = body.unwrap();
    assert_eq!((body.links()[1].name.as_str(), body.num_joints(), body.mass()), ("ARM", 1, 2.0));
    assert_eq!((body.devices[0].link.0, body.links()[1].visual.len()), (1, 1));
}

#[test]
fn a_mistake_in_another_file_is_named_there() {
    let files = Files::new();
    files.write("arm.wrl", &format!("{PROTOS}DEF ARM Joint {{\njointType \"rotat\" }}\n"));
    files.write("model.wrl", &format!("{PROTOS}{}", base("children [ Inline { url \"arm.wrl\" } ]")));
    let (body, findings) = files.load("model.wrl");
    assert!(body.is_none());
    assert_eq!(findings.len(), 1, "{}", list(&findings));
    super::assert_finding(&findings[0], "error[unknown-joint-type]: ROBOT > BASE > ARM: ", (2, 1));
    assert_eq!(findings[0].file().unwrap().file_name().unwrap(), "arm.wrl");
}

#[test]
fn a_file_that_includes_itself_is_an_error() {
    let files = Files::new();
    files.write("model.wrl", &format!("{PROTOS}{}", base("children [\nInline { url \"model.wrl\" } ]")));
    let (body, findings) = files.load("model.wrl");
    assert!(body.is_none());
    assert_eq!(findings[0].code, "recursive-inline", "{}", list(&findings));
}
