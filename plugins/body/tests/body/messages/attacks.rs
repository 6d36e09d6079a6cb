//! Messages about hostile files.

use crate::messages::Mistake;

#[test]
fn alias_bomb() {
    let mut links = "  - name: BASE\n    elements:\n      - &a0 { type: Group }\n".to_owned();
    for level in 1..30 {
        let below = format!("*a{}, ", level - 1).repeat(10);
        links += &format!("      - &a{level} {{ type: Group, elements: [ {below} ] }}\n");
    }
    Mistake::links(&links).shows("alias_bomb");
}

#[test]
fn alias_bomb_in_a_device() {
    let mut links = "  - name: BASE\n    a0: &a0 [ 1 ]\n".to_owned();
    for level in 1..30 {
        let below = format!("*a{}, ", level - 1).repeat(10);
        links += &format!("    a{level}: &a{level} [ {below} ]\n");
    }
    Mistake::links(&format!("{links}    elements: [ {{ type: ForceSensor, data: *a29 }} ]\n"))
        .shows("alias_bomb_in_a_device");
}

#[test]
fn hundred_thousand_brackets() {
    Mistake::links(&format!("  - name: BASE\n    elements: {}\n", "[".repeat(100_000)))
        .shows("hundred_thousand_brackets");
}

#[test]
fn sub_body_bomb() {
    let model = |next: &str| {
        let sub = format!("  - {{ type: SubBody, uri: {next}.body, parent: BASE }}\n").repeat(10);
        format!("format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n  - name: BASE\n{sub}")
    };
    Mistake::model(model("b"))
        .with("models/arm/b.body", model("c"))
        .with("models/arm/c.body", model("d"))
        .with("models/arm/d.body", model("e"))
        .with("models/arm/e.body", "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n  - name: BASE\n")
        .shows("sub_body_bomb");
}

#[test]
fn grid_of_a_thousand_million_points() {
    Mistake::elements("      - type: Shape\n        geometry: { type: ElevationGrid, x_dimension: 1000000000, z_dimension: 1000000000, height: [ 0 ] }\n")
        .shows("grid_of_a_thousand_million_points");
}
