//! Errors about other files, existing or missing.

use crate::messages::Mistake;

fn resource(uri: &str) -> Mistake {
    Mistake::elements(&format!("      - {{ type: Resource, uri: \"{uri}\" }}\n"))
}

fn sub_body(uri: &str) -> Mistake {
    Mistake::links(&format!("  - name: BASE\n  - {{ type: SubBody, uri: \"{uri}\", parent: BASE }}\n"))
}

#[test]
fn missing_model() {
    Mistake::model("").without_place("no file, no line").read("models/arm/amr.body", "missing_model");
}

#[test]
fn directory_for_a_model() {
    Mistake::model("")
        .with("models/hand.body/x", "")
        .without_place("no file, no line")
        .read("models/hand.body", "directory_for_a_model");
}

#[test]
fn unknown_kind_of_file() {
    Mistake::model("")
        .with("arm.txt", "")
        .without_place("the file was not read")
        .read("arm.txt", "unknown_kind_of_file");
}

#[test]
fn missing_mesh() {
    resource("hand.stl").shows("missing_mesh");
}

#[test]
fn missing_mesh_as_geometry() {
    Mistake::elements("      - type: Shape\n        geometry: { type: Resource, uri: hand.stl }\n")
        .shows("missing_mesh_as_geometry");
}

#[test]
fn missing_texture() {
    Mistake::elements(
        "      - type: Shape\n        geometry: { type: Box }\n        appearance:\n          texture: { url: wood.png }\n",
    )
    .shows("missing_texture");
}

#[test]
fn resource_without_uri() {
    Mistake::elements("      - { type: Resource, url: hand.stl }\n").shows("resource_without_uri");
}

#[test]
fn path_out_of_the_search_roots() {
    resource("../../secret.stl").with("secret.stl", "").shows("path_out_of_the_search_roots");
}

#[test]
fn absolute_path_out_of_the_search_roots() {
    sub_body("/etc/passwd").shows("absolute_path_out_of_the_search_roots");
}

#[test]
fn unsupported_uri_scheme() {
    resource("http://example.com/hand.stl").shows("unsupported_uri_scheme");
}

#[test]
fn package_that_is_nowhere() {
    resource("package://hand_description/hand.stl").shows("package_that_is_nowhere");
}

#[test]
fn share_directory_not_set() {
    resource("${SHARE}/model/hand.stl").shows("share_directory_not_set");
}

#[test]
fn unknown_variable() {
    resource("${SHRE}/model/hand.stl").shows("unknown_variable");
}

#[test]
fn unclosed_variable() {
    resource("${SHARE/model/hand.stl").shows("unclosed_variable");
}

#[test]
fn empty_path() {
    resource("").shows("empty_path");
}

#[test]
fn unknown_kind_of_mesh() {
    resource("hand.blend").with("models/arm/hand.blend", "BLENDER").shows("unknown_kind_of_mesh");
}

#[test]
fn broken_text_stl() {
    let stl = "solid hand\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 zero\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    resource("hand.stl").with("models/arm/hand.stl", stl).shows("broken_text_stl");
}

#[test]
fn broken_binary_stl() {
    let mut stl = vec![0; 80];
    stl.extend(7_u32.to_le_bytes());
    resource("hand.stl")
        .with("models/arm/hand.stl", stl)
        .without_place("a binary file has no lines")
        .shows("broken_binary_stl");
}

#[test]
fn unknown_part_of_a_mesh() {
    let obj = "o Palm\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    Mistake::elements("      - { type: Resource, uri: hand.obj, node: Plam }\n")
        .with("models/arm/hand.obj", obj)
        .shows("unknown_part_of_a_mesh");
}

#[test]
fn unknown_fragment() {
    Mistake::elements("      - { type: Resource, uri: parts.yaml, fragment: Hul }\n      - { type: Resource, uri: parts.yaml, fragment: Wheel }\n")
        .with("models/arm/parts.yaml", "- &Hull { type: Group }\n- &Mast { type: Group }\n")
        .shows("unknown_fragment");
}

#[test]
fn missing_yaml_resource() {
    resource("parts.yaml").shows("missing_yaml_resource");
}

#[test]
fn yaml_resource_as_geometry() {
    Mistake::elements("      - type: Shape\n        geometry: { type: Resource, uri: parts.yaml }\n")
        .with("models/arm/parts.yaml", "[]\n")
        .shows("yaml_resource_as_geometry");
}

#[test]
fn unknown_length_unit() {
    Mistake::elements("      - { type: Resource, uri: hand.obj, metadata: { length_unit: cm, upper_axis: X } }\n")
        .with("models/arm/hand.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        .shows("unknown_length_unit");
}

#[test]
fn resource_cycle() {
    resource("parts.yaml")
        .with("models/arm/parts.yaml", "- { type: Resource, uri: more.yaml }\n")
        .with("models/arm/more.yaml", "- { type: Resource, uri: parts.yaml }\n")
        .shows("resource_cycle");
}

#[test]
fn missing_sub_body() {
    sub_body("hand.body").shows("missing_sub_body");
}

#[test]
fn cyclic_sub_body() {
    let hand = "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n  - name: PALM\n  - { type: SubBody, uri: arm.body, parent: PALM }\n";
    sub_body("hand.body").with("models/arm/hand.body", hand).shows("cyclic_sub_body");
}

#[test]
fn sub_body_that_needs_a_wrapper() {
    sub_body("hand.WRL").with("models/arm/hand.WRL", "#VRML V2.0 utf8\n").shows("sub_body_that_needs_a_wrapper");
}

#[test]
fn sub_body_with_a_mistake() {
    let hand = "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n  - name: PALM\n    mass: heavy\n";
    sub_body("hand.body").with("models/arm/hand.body", hand).shows("sub_body_with_a_mistake");
}

#[test]
fn two_sub_bodies_of_one_name() {
    let hand = "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n  - name: PALM\n";
    Mistake::links("  - name: BASE\n  - { type: SubBody, uri: hand.body, parent: BASE }\n  - { type: SubBody, uri: hand.body, parent: BASE }\n")
        .with("models/arm/hand.body", hand)
        .shows("two_sub_bodies_of_one_name");
}

#[test]
fn wrapper_of_a_missing_model() {
    Mistake::model("")
        .with("models/arm.yaml", "modelFile: arm.wlr\n")
        .read("models/arm.yaml", "wrapper_of_a_missing_model");
}

#[test]
fn wrapper_of_itself() {
    Mistake::model("").with("models/arm.yaml", "modelFile: arm.yaml\n").read("models/arm.yaml", "wrapper_of_itself");
}

#[test]
fn wrapper_that_names_an_unknown_link() {
    Mistake::links("  - name: BASE\n")
        .with("models/arm.yaml", "modelFile: arm/arm.body\nlinkInfo: { BSAE: { a: 1 }, WHEEL: { b: 2 } }\n")
        .read("models/arm.yaml", "wrapper_that_names_an_unknown_link");
}
