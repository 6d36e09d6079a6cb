//! Errors in the VRML text.

use crate::openhrp_messages::Mistake;

#[test]
fn empty_file() {
    Mistake::file("").shows("empty_file");
}

#[test]
fn header_alone() {
    Mistake::file("#VRML V2.0 utf8\n").shows("header_alone");
}

#[test]
fn vrml_1() {
    Mistake::file("#VRML V1.0 ascii\nSeparator { Cube { } }\n").shows("vrml_1");
}

#[test]
fn unterminated_string() {
    Mistake::elbow("jointType \"rotate translation 0 0 1\nulimit 3").shows("unterminated_string");
}

#[test]
fn missing_opening_quote() {
    Mistake::elbow("jointType rotate\"").shows("missing_opening_quote");
}

#[test]
fn missing_opening_brace() {
    Mistake::base("DEF ELBOW Joint\n  jointType \"rotate\" }").shows("missing_opening_brace");
}

#[test]
fn missing_closing_brace() {
    Mistake::base("DEF ELBOW Joint {\n  jointType \"rotate\"\n  children DEF HAND Segment { mass 1 \n}")
        .shows("missing_closing_brace");
}

#[test]
fn closing_brace_too_many() {
    Mistake::model("DEF ARM Humanoid { humanoidBody DEF BASE Joint { jointType \"fixed\" } } }\n")
        .shows("closing_brace_too_many");
}

#[test]
fn missing_closing_bracket() {
    Mistake::hand("momentsOfInertia [ 1 0 0 0 1 0 0 0 1\nmass 1").shows("missing_closing_bracket");
}

#[test]
fn list_open_at_the_end() {
    Mistake::model("DEF ARM Humanoid { humanoidBody [\n").shows("list_open_at_the_end");
}

#[test]
fn comma_soup() {
    // Commas are white space everywhere.
    Mistake::elbow(",, translation ,0,,0,1,, ,jointTyp,e \"rotate\",").shows("comma_soup");
}

#[test]
fn decimal_comma() {
    Mistake::elbow("jointType \"rotate\" translation 0,5 0,5 0,5").shows("decimal_comma");
}

#[test]
fn shift_jis_names() {
    // 右肘 and 右手; the second bytes of 表 and ソ look like a backslash, and that of ボ like a brace.
    let text = "DEF 右肘 Joint { jointType \"rotat\"\n children [ DEF 表ソボ Segment { mass -1 } USE 右手 ] }";
    let (encoded, _, failed) = encoding_rs::SHIFT_JIS.encode(text);
    assert!(!failed);
    Mistake::base(encoded).shows("shift_jis_names");
}

#[test]
fn shift_jis_names_of_a_model_that_can_be_read() {
    let text = "DEF 右肘 Joint { jointType \"rotat\"\n children [ DEF 表ソボ Segment { mass -1 } ] }";
    let (encoded, _, failed) = encoding_rs::SHIFT_JIS.encode(text);
    assert!(!failed);
    Mistake::base(encoded).shows("shift_jis_names_of_a_model_that_can_be_read");
}

#[test]
fn random_bytes() {
    Mistake::file(bunraku_test_support::Random::new(1).bytes(1000)).shows("random_bytes");
}
