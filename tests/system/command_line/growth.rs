//! Generated scenes and models that are too large: refused with a location, before they take minutes or all the memory.

use std::fmt::Write;
use std::process::Output;

use super::desk::{ARM, Desk};
use crate::common::stderr;

fn scene(bodies: &str) -> String {
    format!("format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: 0.01 }}\nbodies:\n{bodies}")
}

fn box_at(name: &str, place: &str) -> String {
    format!("  - {{ name: {name}, shape: {{ type: box, size: [ 1, 1, 1 ] }}{place} }}\n")
}

/// Exit code and messages of `check` for a scene.
fn checked(scene: &str) -> (Option<i32>, String) {
    let output = Desk::new(ARM, scene).bunraku(&["check", "arm.scene.yaml"]);
    (output.status.code(), stderr(&output))
}

#[track_caller]
fn assert_refused(scene: &str, place: &str, message: &str) {
    let (code, printed) = checked(scene);
    assert!(code == Some(1) && printed.contains(place) && printed.contains(message), "{code:?}: {printed}");
    assert!(printed.len() < 4000, "{} bytes", printed.len());
}

#[test]
fn a_thousand_bodies_without_a_translation_stand_in_one_place() {
    let bodies: String = (0..1000).map(|number| box_at(&format!("A{number}"), "")).collect();
    assert_refused(
        &scene(&bodies),
        "arm.scene.yaml:5:5",
        "error[one-place]: 1000 bodies stand in one place: `A0`, `A1` and others",
    );
}

#[test]
fn bodies_that_may_be_in_one_place_are_not_refused() {
    let many = |place: &str, number: usize| -> String {
        (0..number).map(|index| box_at(&format!("A{index}"), place)).collect()
    };
    for bodies in [
        // Static bodies, bodies without collision, and a wall of boxes beside and above each other.
        many(", drive: static", 300),
        many(", collision: false, fixed: true", 300),
        (0..300)
            .map(|index| {
                box_at(
                    &format!("A{index}"),
                    &format!(", fixed: true, translation: [ 0, {}, {} ]", index % 20, index / 20),
                )
            })
            .collect(),
    ] {
        let (code, printed) = checked(&scene(&bodies));
        assert!(code == Some(0) && !printed.contains("one-place"), "{printed}");
    }
}

#[test]
fn twenty_thousand_extra_joints_between_the_same_bodies_are_refused_instead_of_aborting() {
    let joints = "  - { type: ball, link1: A }\n".repeat(20_000);
    let text = format!("{}extra_joints:\n{joints}", scene(&box_at("A", "")));
    // 1365 ball joints constrain 4095 directions.
    assert_refused(&text, "arm.scene.yaml:1372:5", "error[limit-extra-joints]");
}

#[test]
fn the_limit_on_extra_joints_is_for_connected_ones() {
    let mut text = scene("");
    for number in 0..2 {
        text += &box_at(&format!("A{number}"), &format!(", translation: [ {}, 0, 1 ]", 3 * number));
    }
    text += "extra_joints:\n";
    for number in 0..2 {
        text += &format!("  - {{ type: ball, link1: A{number}, translation_in_link2: [ {}, 0, 1 ] }}\n", 3 * number)
            .repeat(90);
    }
    let (code, printed) = checked(&text);
    assert!(code == Some(0) && !printed.contains("limit-extra-joints"), "{printed}");
}

#[test]
fn copies_of_a_model_with_many_links_have_a_limit_together() {
    let mut model =
        "format: ChoreonoidBody\nformat_version: 2.0\nname: Chain\nlinks:\n  - { name: L0, joint_type: fixed }\n"
            .to_owned();
    for number in 1..30 {
        writeln!(model, "  - {{ name: L{number}, parent: L{}, joint_type: fixed }}", number - 1).unwrap();
    }
    let bodies = "  - name: Chain\n    file: arm.body\n    count: 10000\n    spacing: [ 1, 0, 0 ]\n";
    let output = Desk::new(&model, &scene(bodies)).bunraku(&["check", "arm.scene.yaml"]);
    let printed = stderr(&output);
    assert!(output.status.code() == Some(1) && printed.contains("arm.scene.yaml:7:12"), "{printed}");
    assert!(
        printed.contains("error[limit-scene]: the bodies of the scene have more than 200000 links together"),
        "{printed}"
    );
}

#[test]
fn twenty_spheres_of_a_thousand_divisions_are_refused_by_picture() {
    let sphere = "      - { type: Shape, geometry: { type: Sphere, radius: 0.1, division_number: 1000 } }\n";
    let model = format!("{ARM}    elements:\n{}", sphere.repeat(20));
    let desk = Desk::new(&model, "");
    let output = desk.bunraku(&["picture", "arm.body", "--out", "p.png", "--size", "16x16"]);
    let printed = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("arm.body") && printed.contains("limit-triangles") && printed.contains("link `ARM` of `Arm`"),
        "{printed}"
    );
    assert!(!desk.path().join("p.png").exists());
}

#[test]
fn an_unknown_key_of_a_megabyte_is_not_printed_whole() {
    let (code, printed) = checked(&format!("{}? {}\n: 1\n", scene(&box_at("A", "")), "k".repeat(1 << 20)));
    assert!(code == Some(1) && printed.contains("unknown-key"), "{}", printed.len());
    assert!(printed.len() < 2000, "{} bytes", printed.len());
}

#[test]
fn a_path_of_a_hundred_thousand_components_is_refused_by_its_length() {
    let model = format!("{ARM}    elements: [ {{ type: Resource, uri: \"{}x.stl\" }} ]\n", "a/".repeat(100_000));
    let output = Desk::new(&model, "").bunraku(&["check", "arm.body"]);
    let printed = stderr(&output);
    assert!(printed.contains("bad-path") && printed.contains("200005 bytes"), "{}", printed.len());
    assert!(printed.len() < 2000, "{} bytes", printed.len());
}

#[test]
fn a_picture_beyond_the_end_of_a_scene_is_refused_before_a_step() {
    let desk = Desk::new(ARM, &scene(&box_at("A", "")));
    let picture = |at: &str| -> Output { desk.bunraku(&["picture", "arm.scene.yaml", "--at", at, "--out", "p.png"]) };
    for at in ["1e300", "0.02"] {
        let output = picture(at);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("`simulation.duration` is 0.01 s"), "{}", stderr(&output));
    }
    assert_eq!(picture("0.01").status.code(), Some(0));
    desk.write("arm.scene.yaml", &scene(&box_at("A", "")).replace("{ duration: 0.01 }", "{ }"));
    let output = picture("1e300");
    assert!(output.status.code() == Some(2) && stderr(&output).contains("100000000 steps"), "{}", stderr(&output));
}
