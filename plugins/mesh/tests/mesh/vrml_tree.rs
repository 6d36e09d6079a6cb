//! The tree of a VRML file, as specified in `reference/openhrp-vrml.md` §§2–4 and VRML97.

use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Limits, Reporter};
use bunraku_mesh::vrml::{Document, FieldType, Node, NodeType, Value};

fn parse(text: impl AsRef<[u8]>) -> (bunraku_document::Result<Document>, Vec<Diagnostic>) {
    let reporter = Reporter::new();
    let document = Document::parse(Path::new("model.wrl"), text.as_ref(), &Limits::default(), &reporter);
    (document, reporter.into_diagnostics())
}

/// The tree of a valid text.
fn tree(text: &str) -> Document {
    let (document, findings) = parse(text);
    assert!(findings.is_empty(), "{findings:?}");
    document.unwrap()
}

/// Code, line and column of the error.
fn error(text: impl AsRef<[u8]>) -> (&'static str, u32, u32) {
    at(&parse(text).0.unwrap_err())
}

fn at(finding: &Diagnostic) -> (&'static str, u32, u32) {
    let position = finding.position().unwrap();
    (finding.code, position.line, position.column)
}

/// The tree and the findings.
fn warned(text: &str) -> (Document, Vec<(&'static str, u32, u32)>) {
    let (document, findings) = parse(text);
    (document.unwrap(), findings.iter().map(at).collect())
}

fn vec3(node: &Node, field: &str) -> [f64; 3] {
    match node.field(field).unwrap().value {
        Value::SFVec3f(vector) => *vector,
        other => panic!("{other:?}"),
    }
}

fn integers(node: &Node, field: &str) -> Vec<i32> {
    match node.field(field).unwrap().value {
        Value::MFInt32(numbers) => numbers.to_vec(),
        other => panic!("{other:?}"),
    }
}

fn children(node: &Node) -> &[Arc<Node>] {
    node.field("children").unwrap().value.nodes()
}

#[test]
fn nodes_and_fields_have_locations() {
    let file = tree("#VRML V2.0 utf8\nDEF A Transform {\n  translation 1 2 3\n}");
    let node = &file.nodes()[0];
    assert_eq!((node.name(), node.type_name()), ("A", "Transform"));
    assert_eq!(vec3(node, "translation"), [1.0, 2.0, 3.0]);
    let start = |location| file.place(location).span.unwrap().start;
    assert_eq!((start(node.location()).line, start(node.location()).column), (2, 7));
    let field = node.field("translation").unwrap();
    assert_eq!((start(field.location).line, start(field.location).column), (3, 3));
    let end = file.place(field.location).span.unwrap().end;
    assert_eq!((end.line, end.column), (3, 14));
    assert!(node.field("rotation").is_none());
    assert!(Arc::ptr_eq(file.definition("A").unwrap(), node));
}

#[test]
fn lines_end_in_each_of_the_three_ways() {
    for end in ["\n", "\r\n", "\r"] {
        assert_eq!(error(["#VRML V2.0 utf8", "Group {", "  children 7", "}"].join(end)), ("syntax", 3, 12), "{end:?}");
    }
}

#[test]
fn a_byte_order_mark_and_a_missing_header_do_not_matter() {
    let (file, _) = parse(b"\xef\xbb\xbf#VRML V2.0 utf8\nGroup {}");
    assert_eq!(file.unwrap().nodes().len(), 1);
    assert_eq!(error(b"\xef\xbb\xbf ]"), ("unopened-bracket", 1, 2));
    assert_eq!(tree("# no header\nGroup {}").nodes().len(), 1);
    assert_eq!(error("#VRML V1.0 ascii\nSeparator {}"), ("vrml-1", 1, 1));
}

#[test]
fn commas_are_white_space_everywhere() {
    let file = tree(",Group{,children,[,Group{},,,Group{,},],},");
    assert_eq!(children(&file.nodes()[0]).len(), 2);
}

#[test]
fn lists_may_be_bare_or_bracketed_or_empty() {
    let file = tree("IndexedFaceSet { coordIndex 3 colorIndex [] normalIndex [ 1, -1 0x10 ] }");
    let node = &file.nodes()[0];
    assert_eq!(integers(node, "coordIndex"), [3]);
    assert_eq!(integers(node, "colorIndex"), [0; 0]);
    assert_eq!(integers(node, "normalIndex"), [1, -1, 16]);
    assert_eq!(children(&tree("Group { children Group {} }").nodes()[0]).len(), 1);
    assert_eq!(children(&tree("Group { children [ NULL Group {} NULL ] }").nodes()[0]).len(), 1);
    assert_eq!(error("Coordinate { point [ 0 0 0, 1 1 ] }"), ("syntax", 1, 33));
}

#[test]
fn numbers_with_a_leading_zero_are_octal() {
    let (file, findings) = warned("IndexedFaceSet { coordIndex [ 010 08 2.0 0xFFFFFFFF ] }");
    assert_eq!(integers(&file.nodes()[0], "coordIndex"), [8, 8, 2, -1]);
    assert_eq!(findings, [("odd-integer", 1, 31), ("odd-integer", 1, 35), ("odd-integer", 1, 38)]);
    assert_eq!(error("Switch { whichChoice 1.5 }"), ("syntax", 1, 22));
    assert_eq!(error("Switch { whichChoice 4294967296 }"), ("bad-integer", 1, 22));
}

#[test]
fn names_hold_points_and_dashes_and_end_at_brackets() {
    let file = tree("Group { children [ DEF a.b-c+1 Group {}] }");
    assert!(file.definition("a.b-c+1").is_some());
    let file = tree("DEF A Group{} Group{children[USE A]}");
    assert!(Arc::ptr_eq(&file.nodes()[0], &children(&file.nodes()[1])[0]));
}

#[test]
fn a_missing_type_is_the_name() {
    let (file, findings) = warned("DEF Transform {\n translation 1 0 0 }");
    assert_eq!(file.nodes()[0].standard().unwrap().node_type(), NodeType::Transform);
    assert_eq!(findings, [("missing-node-type", 1, 5)]);
    assert_eq!(error("DEF Chassis { }"), ("unknown-node", 1, 5));
}

#[test]
fn the_last_of_several_definitions_counts_from_there_on() {
    let text = "DEF A Group {} USE A DEF A Transform {}";
    assert_eq!(tree(text).definition("A").unwrap().type_name(), "Transform");
    let (file, findings) = warned(&format!("{text}\nUSE A"));
    assert!(Arc::ptr_eq(&file.nodes()[0], &file.nodes()[1]));
    assert!(Arc::ptr_eq(&file.nodes()[2], &file.nodes()[3]));
    assert_eq!(findings, [("repeated-name", 2, 5)]);
}

#[test]
fn a_name_in_a_body_does_not_hide_one_outside() {
    let text = "PROTO P [ ] { Group { children DEF A Group {} } } DEF A Transform {} P {} USE A";
    let file = tree(text);
    assert!(Arc::ptr_eq(&file.nodes()[0], &file.nodes()[2]));
    // If it is not defined outside, it can be used there, as in the original.
    let file = tree("PROTO P [ ] { Group { children DEF A Billboard {} } } P {} USE A");
    assert_eq!(file.nodes()[1].type_name(), "Billboard");
}

#[test]
fn a_name_cannot_be_used_before_or_in_its_definition() {
    assert_eq!(error("Group { children USE A } DEF A Group {}"), ("unknown-use", 1, 22));
    assert_eq!(error("DEF A Group { children [ USE A ] }"), ("recursive-use", 1, 30));
    assert_eq!(error("USE"), ("syntax", 1, 4));
    let (file, _) = parse("DEF Wheel Group {} USE Whel");
    assert_eq!(file.unwrap_err().help.unwrap(), "did you mean `Wheel`?");
}

const JOINT: &str = "PROTO Joint [
  exposedField SFVec3f translation 0 0 0
  field MFNode children []
  field MFFloat ulimit []
  field SFInt32 jointId -1
  eventIn MFNode addChildren
] {
  Transform { translation IS translation children IS children addChildren IS addChildren }
  Group {}
  ROUTE a.b TO c.d
}
";

#[test]
fn instances_have_the_defaults_of_the_declaration() {
    let file = tree(&format!("{JOINT}DEF J Joint {{ jointId 3 }}"));
    let node = &file.nodes()[0];
    assert_eq!((node.name(), node.type_name()), ("J", "Joint"));
    let id = node.field("jointId").unwrap();
    assert!(id.given && matches!(id.value, Value::SFInt32(3)));
    assert_eq!(file.place(id.location).span.unwrap().start.line, 12);
    let translation = node.field("translation").unwrap();
    assert!(!translation.given);
    assert_eq!(file.place(translation.location).span.unwrap().start.line, 2);
    let names: Vec<_> = node.fields().filter(|field| field.given).map(|field| field.name).collect();
    assert_eq!(names, ["jointId"]);
}

#[test]
fn fields_that_openhrp_adds_are_there_without_declaration() {
    let file = tree(&format!("{JOINT}Joint {{ climit [ 5 ] }}"));
    let node = &file.nodes()[0];
    assert!(matches!(node.field("climit").unwrap().value, Value::MFFloat(numbers) if ***numbers == [5.0]));
    assert!(matches!(node.field("gearRatio").unwrap().value, Value::SFFloat(1.0)));
    let prototype = node.instance().unwrap().prototype();
    let declared = |name: &str| prototype.fields().iter().find(|field| &*field.name == name).unwrap().declared;
    assert!(declared("ulimit") && !declared("climit"));
    assert_eq!(prototype.fields()[0].field_type(), FieldType::SFVec3f);
}

#[test]
fn the_actual_node_is_the_first_of_the_body_with_the_values_of_the_instance() {
    let file = tree(&format!("{JOINT}Joint {{ translation 1 2 3 children [ Joint {{ jointId 1 }} Shape {{}} ] }}"));
    let actual = file.nodes()[0].instance().unwrap().actual().unwrap();
    assert_eq!(actual.type_name(), "Transform");
    assert_eq!(vec3(actual, "translation"), [1.0, 2.0, 3.0]);
    let inner = children(actual);
    assert_eq!(inner.len(), 2);
    assert!(Arc::ptr_eq(&inner[0], &children(&file.nodes()[0])[0]));
    assert!(Arc::ptr_eq(file.nodes()[0].resolve().unwrap(), actual));
}

#[test]
fn prototypes_pass_values_through_and_may_be_empty() {
    let file = tree(
        "PROTO A [ field SFVec3f a 1 1 1 ] { Box { size IS a } }
         PROTO B [ field SFVec3f b 2 2 2 ] { A { a IS b } }
         PROTO C [ field SFString s \"\" ] { }
         B {} B { b 3 3 3 } A {} C { s \"x\" }",
    );
    let sizes: Vec<_> = file.nodes()[..3].iter().map(|node| vec3(node.resolve().unwrap(), "size")[0]).collect();
    assert_eq!(sizes, [2.0, 3.0, 1.0]);
    assert!(file.nodes()[3].resolve().is_none());
}

#[test]
fn a_body_without_is_makes_one_node_for_all_instances() {
    let file = tree("PROTO Wheel [ field SFString name \"\" ] { Cylinder {} } Wheel { name \"a\" } Wheel {}");
    assert!(Arc::ptr_eq(file.nodes()[0].resolve().unwrap(), file.nodes()[1].resolve().unwrap()));
}

#[test]
fn names_in_a_body_refer_to_the_same_instance() {
    let text = "PROTO P [ field SFVec3f s 1 1 1 ]
        { Group { children [ DEF A Transform { scale IS s } USE A DEF B Group { } ] } }
        P { } P { s 2 2 2 } USE A";
    let file = tree(text);
    let scale = |node: &Arc<Node>, child: usize| vec3(&children(node.resolve().unwrap())[child], "scale")[0];
    assert_eq!([scale(&file.nodes()[1], 0), scale(&file.nodes()[1], 1)], [2.0, 2.0]);
    // Outside the body, the first node with the name is used.
    assert_eq!(vec3(&file.nodes()[2], "scale")[0], 1.0);
}

#[test]
fn mistakes_with_prototypes_are_named() {
    assert_eq!(error("PROTO A [ ] { A { } }\nA { }"), ("recursive-prototype", 1, 15));
    assert_eq!(error("PROTO A [ ] { B { } }\nPROTO B [ ] { A { } }\nB { }"), ("recursive-prototype", 1, 15));
    assert_eq!(error("Group {}\nPROTO A [ ] { Group {"), ("unclosed-bracket", 2, 13));
    assert_eq!(error("PROTO A [ field SFVec3f"), ("syntax", 1, 24));
    assert_eq!(error("PROTO A [ field Vec3f a 0 0 0 ] { }"), ("syntax", 1, 17));
    assert_eq!(error("Box { size IS a }"), ("misplaced-is", 1, 15));
    assert_eq!(error("PROTO A [ ] { Box { size IS a } } A {}"), ("unknown-is", 1, 29));
    assert_eq!(error("PROTO A [ field SFColor a 0 0 0 ] { Box { size IS a } } A {}"), ("is-type", 1, 51));
    let (file, findings) = warned("PROTO A [ ] { Box {} }\nPROTO A [ ] { Sphere {} } A {}");
    assert_eq!(file.nodes()[0].resolve().unwrap().type_name(), "Box");
    assert_eq!(findings, [("repeated-prototype", 2, 7)]);
}

#[test]
fn undeclared_fields_are_ignored_with_a_warning() {
    for value in
        ["3", "1 2 3", "[ 1 [ 2 ] ]", "\"text\"", "TRUE", "NULL", "USE X", "DEF Y Group { }", "Group { a { } }", ""]
    {
        let (file, findings) = warned(&format!("{JOINT}Joint {{ gearFriction {value} jointId 4 }}"));
        assert!(matches!(file.nodes()[0].field("jointId").unwrap().value, Value::SFInt32(4)), "{value}");
        assert_eq!(findings, [("unknown-field", 12, 9)], "{value}");
    }
    let (_, findings) = parse("Transform { translatoin 1 2 3 }");
    assert_eq!(findings[0].help.as_deref(), Some("did you mean `translation`?"));
}

#[test]
fn a_missing_bracket_is_named() {
    assert_eq!(error("Group {\n children [ Group { ] }"), ("syntax", 2, 21));
    assert_eq!(error("Group {\n children [\n Group {}"), ("unclosed-bracket", 2, 11));
    assert_eq!(error("Group {}\nGroup {"), ("unclosed-bracket", 2, 1));
    assert_eq!(error("Group {} }"), ("unopened-bracket", 1, 10));
    assert_eq!(error("Shape { geometry Box { } Transform { } }"), ("syntax", 1, 26));
    assert_eq!(error("WorldInfo {\n title \"x }"), ("unterminated-string", 2, 8));
    assert_eq!(error("Script { url \"x }"), ("unterminated-string", 1, 14));
    assert_eq!(error("Gruop { }"), ("unknown-node", 1, 1));
}

#[test]
fn routes_scripts_and_sounds_are_gone_over() {
    let file = tree(
        "ROUTE a.b TO c.d Group { ROUTE a.b TO c.d children [ ROUTE a.b TO c.d Sound { source AudioClip { } } ] }",
    );
    assert_eq!(children(&file.nodes()[0]).len(), 1);
    assert_eq!(error("ROUTE a.b OT c.d"), ("syntax", 1, 11));
    let (file, findings) = warned("DEF S Script { field SFNode n Group { } url \"if (\\\"}\\\") { }\" } Group { }");
    assert_eq!(file.nodes().len(), 2);
    assert_eq!(findings, [("script", 1, 7)]);
}

#[test]
fn a_program_may_end_with_a_backslash() {
    // In programs the standard has escapes, of the backslash too.
    for program in [r"path = 'C:\\'; // \\", r#"if (a == \"\\\") { }"#] {
        let (file, _) = warned(&format!("Script {{ url \"{program}\" }} Group {{ }}"));
        assert_eq!(file.nodes().len(), 2, "{program}");
    }
}

#[test]
fn strings_of_external_prototypes_have_no_escapes_either() {
    let (file, _) = warned("EXTERNPROTO E [ field SFString path ] \"e.wrl\"\nE { path \"..\\parts\\\" }\nGroup { }");
    assert_eq!(file.nodes().len(), 1);
}

#[test]
fn external_prototypes_are_left_out() {
    let (file, findings) =
        warned("EXTERNPROTO E [ field SFVec3f a ] [ \"a.wrl\" \"b.wrl\" ]\nDEF X E { a 1 2 3 }\nUSE X Group { }");
    assert_eq!(file.nodes().len(), 1);
    assert_eq!(findings, [("external-prototype", 1, 1), ("external-prototype", 2, 7)]);
}

#[test]
fn rotation_axes_become_unit_vectors() {
    let rotation = |text: &str| match warned(text).0.nodes()[0].field("rotation").unwrap().value {
        Value::SFRotation(rotation) => *rotation,
        other => panic!("{other:?}"),
    };
    assert_eq!(rotation("Transform { rotation 0 3 4 1.5 }"), [0.0, 0.6, 0.8, 1.5]);
    assert_eq!(rotation("Transform { rotation 0 0 0 0 }"), [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(warned("Transform { rotation 0 0 0 0 }").1, [("zero-axis", 1, 22)]);
    assert_eq!(rotation("Transform { rotation nan 0 1 0 }"), [0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn pixels_are_split_into_bytes() {
    let file = tree("PixelTexture { image 2 1 3 0xFF8000 255 }");
    let Value::SFImage(image) = file.nodes()[0].field("image").unwrap().value else { panic!() };
    assert_eq!((image.width, image.height, image.components), (2, 1, 3));
    assert_eq!(image.data, [255, 128, 0, 0, 0, 255]);
    assert_eq!(error("PixelTexture { image 65535 65535 4 1 2 }"), ("syntax", 1, 40));
    assert_eq!(error("PixelTexture { image 1 1 5 0 }"), ("bad-image", 1, 22));
}

#[test]
fn japanese_names_are_read_in_three_encodings() {
    // U+30DC U+30C7 U+30A3, "body"; in Shift_JIS the second byte of the first character is `{`.
    for name in [&b"\x83\x7b\x83\x66\x83\x42"[..], b"\xa5\xdc\xa5\xc7\xa5\xa3", "\u{30dc}\u{30c7}\u{30a3}".as_bytes()] {
        let text = [b"# ", name, b"\nDEF ", name, b" Group { } Group { children USE ", name, b"}"].concat();
        let (file, findings) = parse(text);
        assert!(findings.is_empty());
        assert_eq!(file.unwrap().nodes()[0].name(), "\u{30dc}\u{30c7}\u{30a3}");
    }
    // Neither encoding: reading does not fail, and the column is counted in characters.
    assert_eq!(error(b"DEF \xff\xfe Group { } ]"), ("unopened-bracket", 1, 18));
    assert_eq!(error("DEF \u{30dc} Group { } ]"), ("unopened-bracket", 1, 17));
}

#[test]
fn the_number_of_warnings_is_limited() {
    let (_, findings) = parse("Group { x 1 }".repeat(1000));
    // A hundred findings of a kind, the number of omitted ones, and a note that further ones are dropped.
    assert_eq!(findings.len(), 102);
    assert_eq!(findings.last().unwrap().code, "too-many-warnings");
}
