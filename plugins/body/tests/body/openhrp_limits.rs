//! Hostile OpenHRP models consume little memory until a limit refuses them.

use std::fmt::Write;

use bunraku_test_support::{Random, TestFolder};

use crate::common::cost;

/// Maximum memory of a refusal, in addition to earlier allocations, bytes.
const MOST_MEMORY: usize = 50 << 20;

const PROTOS: &str = "PROTO Humanoid [ field MFNode humanoidBody [ ] ] { Group { children IS humanoidBody } }
PROTO Joint [ field MFNode children [ ] field SFString jointType \"fixed\" ] { Group { children IS children } }
PROTO Segment [ field MFNode children [ ] field SFFloat mass 0 ] { Group { children IS children } }
";

/// Loads a model of the declarations and the text of `model`, which is built outside of other measurements.
#[track_caller]
fn assert_cheap(code: &str, model: impl FnOnce() -> String) {
    assert_bytes_are_cheap(code, || (PROTOS.to_owned() + &model()).into_bytes());
}

#[track_caller]
fn assert_bytes_are_cheap(code: &str, text: impl FnOnce() -> Vec<u8>) {
    assert_directory_is_cheap(code, |directory| drop(directory.write("model.wrl", text())));
}

#[track_caller]
fn assert_directory_is_cheap(code: &str, write: impl FnOnce(&TestFolder)) {
    let findings = cost::assert_refused("model.wrl", MOST_MEMORY, code, write);
    assert!(findings <= 20, "{findings} findings");
}

/// A robot whose root joint has these children.
fn robot(children: &str) -> String {
    format!("DEF ROBOT Humanoid {{ humanoidBody DEF BASE Joint {{ children [\n{children}\n] }} }}\n")
}

/// Nodes that contain the one before twice, thirty levels deep; the last is `N30`.
fn doubled(first: &str, node: impl Fn(&str) -> String) -> String {
    let mut text = format!("DEF N0 {first}\n");
    for level in 1..=30 {
        writeln!(text, "DEF N{level} {}", node(&format!("[ USE N{0} USE N{0} ]", level - 1))).unwrap();
    }
    text
}

#[test]
fn a_hundred_thousand_groups_in_each_other() {
    assert_cheap("limit-depth", || robot(&"Group { children [ ".repeat(100_000)));
    assert_cheap("limit-depth", || robot(&("Group { children [ ".repeat(100_000) + &"] } ".repeat(100_000))));
}

#[test]
fn a_million_brackets() {
    assert_cheap("unclosed-bracket", || robot(&format!("Group {{ weight {}", "[".repeat(1_000_000))));
    assert_cheap("unclosed-bracket", || format!("PROTO P [ ] {}", "{".repeat(1_000_000)));
}

#[test]
fn a_million_random_bytes() {
    assert_bytes_are_cheap("syntax", || Random::new(1).bytes(1_000_000));
}

#[test]
fn one_endless_word() {
    assert_bytes_are_cheap("syntax", || vec![b'x'; 4_000_000]);
    assert_cheap("unterminated-string", || robot(&format!("Joint {{ jointType \"{}", "x".repeat(4_000_000))));
}

#[test]
fn groups_doubled_by_use() {
    let groups = || doubled("Group { }", |twice| format!("Group {{ children {twice} }}"));
    assert_cheap("limit-links", || groups() + &robot("USE N30"));
    assert_cheap("limit-links", || groups() + &robot("Segment { children USE N30 }"));
}

#[test]
fn shapes_doubled_by_use() {
    let shapes = doubled("Shape { geometry Box { } }", |twice| format!("Group {{ children {twice} }}"));
    assert_cheap("limit-scene", || shapes + "USE N30\n");
}

#[test]
fn joints_doubled_by_use() {
    let joints = doubled("Joint { }", |twice| format!("Joint {{ children {twice} }}"));
    // Ten thousand links with their data are read before the limit.
    let findings = cost::assert_refused("model.wrl", 2 * MOST_MEMORY, "limit-links", |directory| {
        directory.write("model.wrl", format!("{PROTOS}{joints}{}", robot("USE N30")));
    });
    assert!(findings < 300, "{findings} findings");
}

#[test]
fn prototypes_doubled_by_prototypes() {
    let mut text = "PROTO P0 [ field SFString s \"\" ] { WorldInfo { title IS s } }\n".to_owned();
    for level in 1..=30 {
        let twice = format!("P{} {{ s IS s }} ", level - 1).repeat(2);
        writeln!(text, "PROTO P{level} [ field SFString s \"\" ] {{ Group {{ children [ {twice}] }} }}").unwrap();
    }
    assert_cheap("limit-instances", || text + "P30 { }\n");
}

#[test]
fn a_prototype_that_contains_itself() {
    assert_cheap("recursive-prototype", || "PROTO P [ ] { Group { children [ P { } P { } ] } }\nP { }\n".to_owned());
}

#[test]
fn a_picture_of_a_million_million_pixels() {
    let texture = "texture PixelTexture { image 1000000 1000000 4 0 }";
    let shape = format!("Shape {{ geometry Box {{ }} appearance Appearance {{ {texture} }} }}");
    assert_cheap("syntax", || robot(&format!("Segment {{ children {shape} }}")));
}

#[test]
fn files_that_inline_each_other() {
    assert_directory_is_cheap("recursive-inline", |directory| {
        directory.write("model.wrl", format!("{PROTOS}{}", robot("Inline { url \"other.wrl\" }")));
        directory
            .write("other.wrl", "Group { children [ Inline { url \"model.wrl\" } Inline { url \"model.wrl\" } ] }");
    });
}

#[test]
fn files_that_inline_others_twice() {
    assert_directory_is_cheap("limit-links", |directory| {
        directory.write("model.wrl", format!("{PROTOS}{}", robot("Inline { url \"0.wrl\" }")));
        for number in 0..30 {
            let next = format!("Inline {{ url \"{}.wrl\" }} ", number + 1);
            directory.write(format!("{number}.wrl"), next.repeat(2));
        }
        directory.write("30.wrl", "Group { }");
    });
}
