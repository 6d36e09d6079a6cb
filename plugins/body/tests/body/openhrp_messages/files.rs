//! Errors about other files, existing or missing.

use crate::openhrp_messages::Mistake;

#[test]
fn missing_model() {
    let mistake = Mistake::file("").without_place("no file, no line");
    std::fs::remove_file(mistake.directory.path().join(crate::openhrp_messages::MODEL)).unwrap();
    mistake.shows("missing_model");
}

fn inline() -> Mistake {
    Mistake::hand("children DEF PALM Inline { url \"parts/palm.wrl\" }")
}

#[test]
fn missing_inline() {
    inline().shows("missing_inline");
}

#[test]
fn two_missing_inlines_in_one_node() {
    Mistake::hand("children DEF PALM Inline { url [ \"palm.wrl\" \"hand.wrl\" ] }")
        .shows("two_missing_inlines_in_one_node");
}

#[test]
fn missing_inline_where_warnings_are_errors() {
    inline().strict().shows("missing_inline_where_warnings_are_errors");
}

#[test]
fn inline_out_of_the_search_roots() {
    Mistake::hand("children Inline { url \"../../secret.wrl\" }")
        .with("secret.wrl", "")
        .shows("inline_out_of_the_search_roots");
}

#[test]
fn inline_from_the_web() {
    Mistake::hand("children Inline { url \"http://example.com/palm.wrl\" }").shows("inline_from_the_web");
}

#[test]
fn inlined_file_that_is_broken() {
    inline()
        .with("models/arm/parts/palm.wrl", "DEF FINGER Shape {\n  geometry Bax { }\n}\n")
        .shows("inlined_file_that_is_broken");
}

#[test]
fn inline_loop() {
    inline()
        .with("models/arm/parts/palm.wrl", "DEF FINGER Group { children DEF NAIL Inline { url \"nail.wrl\" } }\n")
        .with("models/arm/parts/nail.wrl", "DEF TIP Inline { url \"../arm.wrl\" }\n")
        .shows("inline_loop");
}

#[test]
fn file_that_inlines_itself() {
    Mistake::hand("children DEF PALM Inline { url \"arm.wrl\" }").shows("file_that_inlines_itself");
}

#[test]
fn missing_texture() {
    Mistake::hand("children DEF PALM Shape { geometry Box { } appearance Appearance {\n  texture ImageTexture { url \"wood.png\" } } }")
        .shows("missing_texture");
}
