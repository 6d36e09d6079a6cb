//! Hostile files consume little memory until a limit refuses them.

use std::fmt::Write;

use bunraku_test_support::{MODEL_HEAD, Random, TestFolder};

use crate::common::cost;

/// Maximum memory of a refusal, in addition to earlier allocations, bytes.
const MOST_MEMORY: usize = 50 << 20;

/// Loads `model.body`, written with other files by `write`, and asserts that it is refused with the code `code` using
/// little memory.
#[track_caller]
fn assert_cheap(code: &str, write: impl FnOnce(&TestFolder)) {
    assert_cost(MOST_MEMORY, code, write);
}

/// As [`assert_cheap`], with another maximum.
#[track_caller]
fn assert_cost(most: usize, code: &str, write: impl FnOnce(&TestFolder)) {
    let findings = cost::assert_refused("model.body", most, code, write);
    assert!(findings <= 20, "{findings} findings");
}

/// As [`assert_cheap`], for a single file.
#[track_caller]
fn assert_text_is_cheap(code: &str, text: impl FnOnce() -> Vec<u8>) {
    assert_cheap(code, |directory| drop(directory.write("model.body", text())));
}

/// Aliases of aliases: each level contains the one below ten times.
fn bomb(innermost: &str, level: impl Fn(&str) -> String) -> String {
    let mut text = format!("a0: &a0 {innermost}\n");
    for number in 1..=30 {
        let below = format!("*a{}, ", number - 1).repeat(10);
        writeln!(text, "a{number}: &a{number} {}", level(&below)).unwrap();
    }
    text
}

fn groups() -> String {
    bomb("{ type: Group }", |below| format!("{{ type: Group, elements: [ {below} ] }}"))
}

fn elements(elements: &str) -> String {
    format!("{MODEL_HEAD}  - name: BASE\n    elements: [ {elements} ]\n")
}

fn geometry(geometry: &str) -> String {
    elements(&format!("{{ type: Shape, geometry: {{ {geometry} }} }}"))
}

#[test]
fn aliases_of_aliases() {
    assert_text_is_cheap("limit-elements", || (groups() + &elements("*a30")).into());
}

#[test]
fn aliases_of_shapes() {
    let shapes =
        bomb("{ type: Shape, geometry: { type: Box } }", |below| format!("{{ type: Group, elements: [ {below} ] }}"));
    assert_text_is_cheap("limit-elements", || (shapes + &elements("*a30")).into());
}

#[test]
fn aliases_of_aliases_in_a_device() {
    assert_text_is_cheap("limit-properties", || {
        (bomb("[ 1 ]", |below| format!("[ {below} ]")) + &elements("{ type: ForceSensor, data: *a30 }")).into()
    });
}

#[test]
fn merges_of_merges() {
    // `<<` copies keys, including those that were copied before.
    let mut text = "a0: &a0 { k0: 1 }\n".to_owned();
    for number in 1..3000 {
        writeln!(text, "a{number}: &a{number} {{ <<: *a{}, k{number}: 1 }}", number - 1).unwrap();
    }
    assert_text_is_cheap("limit-merged", || (text + &elements("")).into());
}

#[test]
fn a_hundred_thousand_brackets() {
    assert_text_is_cheap("limit-depth", || elements(&"[".repeat(100_000)).into());
}

#[test]
fn brackets_that_are_closed() {
    assert_text_is_cheap("limit-depth", || elements(&("[".repeat(20_000) + &"]".repeat(20_000))).into());
}

#[test]
fn a_million_random_bytes() {
    assert_text_is_cheap("yaml-syntax", || Random::new(1).bytes(1_000_000));
}

#[test]
fn one_endless_word() {
    assert_text_is_cheap("wrong-type", || vec![b'x'; 4_000_000]);
}

#[test]
fn a_hundred_thousand_faces_and_a_bad_index() {
    let faces = "0, 1, 2, -1, ".repeat(50_000);
    let vertices = "vertices: [ 0, 0, 0, 1, 0, 0, 0, 1, 0 ]";
    assert_text_is_cheap("bad-mesh", || {
        geometry(&format!("type: IndexedFaceSet, {vertices}, faces: [ {faces} 9, -1 ]")).into()
    });
}

#[test]
fn a_grid_of_a_million_million_points() {
    assert_text_is_cheap("bad-mesh", || {
        geometry("type: ElevationGrid, x_dimension: 1000000, z_dimension: 1000000, height: [ 0 ]").into()
    });
}

#[test]
fn a_million_elements() {
    // Text without aliases costs as much memory as a large model: a few dozen times its size.
    assert_cost(256 << 20, "limit-elements", |directory| {
        directory.write("model.body", elements(&"{ type: Group }, ".repeat(1_000_000)));
    });
}

#[test]
fn models_of_models_of_models() {
    assert_cheap("limit-sub-bodies", |directory| {
        let model = |next: &str| {
            let sub = |number| format!("  - {{ type: SubBody, uri: {next}, parent: BASE, prefix: p{number} }}\n");
            MODEL_HEAD.to_owned() + "  - name: BASE\n" + &(0..10).map(sub).collect::<String>()
        };
        directory.write("model.body", model("b.body"));
        for (name, next) in [("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")] {
            directory.write(format!("{name}.body"), model(&format!("{next}.body")));
        }
        directory.write("f.body", MODEL_HEAD.to_owned() + "  - name: BASE\n");
    });
}

fn named_links(count: usize) -> String {
    let link = |number| format!("  - {{ name: L{number}, parent: BASE }}\n");
    MODEL_HEAD.to_owned() + "  - name: BASE\n" + &(0..count).map(link).collect::<String>()
}

fn track(number: usize, more: &str) -> String {
    format!(
        "  - {{ type: ContinuousTrack, name: T{number}_, parent: BASE, num_joints: 1000, joint_offset: [ 0, 0, 0.1 ], \
         joint_axis: Y, {more} }}\n"
    )
}

#[test]
fn tracks_of_tracks() {
    let tracks = |count| (0..count).map(|number| track(number, "")).collect::<String>();
    assert_text_is_cheap("limit-links", || (MODEL_HEAD.to_owned() + "  - name: BASE\n" + &tracks(500)).into());
}

#[test]
fn a_track_of_thousands_of_shapes() {
    let shapes = "{ type: Shape, geometry: { type: Box } }, ".repeat(1_000);
    let more = [format!("elements: [ {shapes} ]"), format!("notes: [ {} ]", "x, ".repeat(1_000))];
    for (more, code) in more.iter().zip(["limit-elements", "limit-properties"]) {
        assert_text_is_cheap(code, || (MODEL_HEAD.to_owned() + "  - name: BASE\n" + &track(0, more)).into());
    }
}

#[test]
fn aliases_of_a_link() {
    let links = "  - *a\n".repeat(100_000);
    assert_text_is_cheap("limit-links", || format!("a: &a {{ name: X }}\n{MODEL_HEAD}  - name: BASE\n{links}").into());
}

#[test]
fn the_limit_of_links_counts_all_models_together() {
    assert_cheap("limit-links", |directory| {
        let sub = |number| format!("  - {{ type: SubBody, uri: full.body, parent: BASE, prefix: p{number} }}\n");
        directory
            .write("model.body", MODEL_HEAD.to_owned() + "  - name: BASE\n" + &(0..300).map(sub).collect::<String>());
        directory.write("full.body", named_links(1_000));
    });
}

#[test]
fn large_files_are_not_read_a_thousand_times() {
    for wrapped in [false, true] {
        // Parsing a large text takes some memory.
        assert_cost(MOST_MEMORY, "limit-sub-bodies", |directory| {
            let uri = if wrapped { "full.yaml" } else { "full.body" };
            let sub = |number| format!("  - {{ type: SubBody, uri: {uri}, parent: BASE, prefix: p{number} }}\n");
            let subs = (0..100).map(sub).collect::<String>();
            directory.write("model.body", MODEL_HEAD.to_owned() + "  - name: BASE\n" + &subs);
            directory.write("full.yaml", "model_file: full.wrl\n");
            directory.write("full.body", MODEL_HEAD.to_owned() + "  - name: BASE\n#" + &"x".repeat(5_000_000));
            directory.write("full.wrl", "Shape { geometry Box { } }\n#".to_owned() + &"x".repeat(5_000_000));
        });
    }
}

#[test]
fn links_of_wrapped_models_count() {
    assert_cheap("limit-links", |directory| {
        let sub = |number| format!("  - {{ type: SubBody, uri: full.yaml, parent: BASE, prefix: p{number} }}\n");
        directory
            .write("model.body", MODEL_HEAD.to_owned() + "  - name: BASE\n" + &(0..300).map(sub).collect::<String>());
        directory.write("full.yaml", "model_file: full.wrl\n");
        let protos = "PROTO Humanoid [ field MFNode humanoidBody [ ] ] { }\nPROTO Joint [ field MFNode children [ ] field \
                      SFString jointType \"fixed\" field SFInt32 jointId -1 field SFVec3f jointAxis 0 0 1 field SFVec3f \
                      translation 0 0 0 field SFRotation rotation 0 0 1 0 ] { }\n";
        let joints = (0..1000).map(|number| format!("DEF J{number} Joint {{ }}\n")).collect::<String>();
        let humanoid = format!("Humanoid {{ humanoidBody DEF BASE Joint {{ children [\n{joints}] }} }}\n");
        directory.write("full.wrl", protos.to_owned() + &humanoid);
    });
}

#[test]
fn shapes_of_wrapped_models_count() {
    // Two hundred thousand shapes are read before the limit.
    assert_cost(2 * MOST_MEMORY, "limit-shapes", |directory| {
        let sub = |number| format!("  - {{ type: SubBody, uri: full.yaml, parent: BASE, prefix: p{number} }}\n");
        directory
            .write("model.body", MODEL_HEAD.to_owned() + "  - name: BASE\n" + &(0..900).map(sub).collect::<String>());
        directory.write("full.yaml", "model_file: full.wrl\n");
        directory.write("full.wrl", "Shape { geometry Box { } }\n".repeat(1_000));
    });
}

#[test]
fn a_long_text_again_and_again() {
    let word = "x".repeat(1_000_000);
    let long = |more: &str| format!("a: &a {word}\n{MODEL_HEAD}  - name: BASE\n    {more}\n");
    let data = "*a, ".repeat(10_000);
    // A hundred million bytes are read before the limit.
    assert_cost(3 * MOST_MEMORY, "limit-properties", |directory| {
        let sensor = format!("{{ type: ForceSensor, data: [ {data} ] }}");
        directory.write("model.body", long(&format!("elements: [ {sensor} ]")));
    });
    let sensors = "{ type: ForceSensor, name: *a }, ".repeat(1_000);
    assert_text_is_cheap("limit-elements", || long(&format!("elements: [ {sensors} ]")).into());
    let links = (0..1_000).map(|number| format!("  - {{ name: L{number}, parent: BASE, material: *a }}\n"));
    let links: String = links.collect();
    assert_text_is_cheap("limit-links", || long(&format!("joint_type: fixed\n{links}")).into());
    assert_cheap("limit-links", |directory| {
        directory.write(
            "model.body",
            long("joint_type: fixed\n  - { type: SubBody, uri: full.body, parent: BASE, prefix: *a }"),
        );
        directory.write("full.body", named_links(1_000));
    });
}

#[test]
fn the_limit_of_elements_counts_all_models_together() {
    assert_cheap("limit-elements", |directory| {
        let sub = |number| format!("  - {{ type: SubBody, uri: full.body, parent: BASE, prefix: p{number} }}\n");
        directory
            .write("model.body", MODEL_HEAD.to_owned() + "  - name: BASE\n" + &(0..900).map(sub).collect::<String>());
        directory.write("full.body", groups() + &elements("*a4"));
    });
}

#[test]
fn resources_of_aliases_of_aliases() {
    assert_cheap("limit-elements", |directory| {
        directory.write("model.body", elements("{ type: Resource, uri: parts.yaml, fragment: a30 }"));
        directory.write("parts.yaml", groups());
    });
}

#[test]
fn resources_of_resources_of_resources() {
    assert_cheap("limit-resources", |directory| {
        let twice = |next: usize| format!("- {{ type: Resource, uri: {next}.yaml }}\n").repeat(2);
        directory.write("model.body", elements("{ type: Resource, uri: 0.yaml }"));
        for number in 0..30 {
            directory.write(format!("{number}.yaml"), twice(number + 1));
        }
        directory.write("30.yaml", "[]\n");
    });
}

#[test]
fn an_element_of_twenty_thousand_attributes() {
    // The parser compares each attribute with all others of its element.
    cost::assert_refused("model.urdf", MOST_MEMORY, "limit-attributes", |directory| {
        let attributes: String = (0..20_000).map(|number| format!(" a{number}=\"1\"")).collect();
        directory.write("model.urdf", format!("<robot name=\"r\">\n  <link name=\"l\"{attributes}/>\n</robot>\n"));
    });
}
