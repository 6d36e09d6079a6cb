//! `joints: impulse`: `check` and `run` warn of what rapier's step does not do, and refuse what would mean nothing, with place and remedy.

use std::fs;

use bunraku_test_support::project;

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::stderr;

const IMPULSE: &str = "simulation.joints=impulse";

/// `check` and `run` report the limitation once, at this place and with these words; the default has nothing to report.
#[track_caller]
fn warned(model: &str, scene: &str, code: &str, place: &str, words: &str) {
    let desk = Desk::new(model, scene);
    let output = desk.run(&[]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{code}: the default");
    let scene = replaced(scene, "duration: 0.01", "duration: 0.01\n  joints: impulse");
    let desk = Desk::new(model, &scene);
    let warning = format!("warning[{code}]");
    for arguments in [&["check", "arm.scene.yaml"][..], &["run", "arm.scene.yaml", "--out", "out"]] {
        let output = desk.bunraku(arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {message}");
        assert_eq!(message.matches(&warning).count(), 1, "{arguments:?}: {message}");
        assert_eq!(message.matches(words).count(), 1, "{arguments:?}: no {words:?} in:\n{message}");
        assert!(message.contains(place) && message.contains("`joints: multibody`"), "{arguments:?}: {message}");
        assert_eq!(message.matches("warning").count(), 1, "{arguments:?}: {message}");
    }
    assert_eq!(desk.run(&["--strict"]).status.code(), Some(1), "{code}: --strict");
}

#[test]
fn each_limitation_is_a_warning_at_its_body() {
    let joint = "joint `ARM` of `Arm` has";
    let body = "arm.scene.yaml:7:11";
    let arm = |keys: &str| replaced(ARM, "    mass: 1\n", &format!("    mass: 1\n{keys}"));
    let rotor = arm("    rotor_inertia: 0.01\n    gear_ratio: 5\n");
    warned(&rotor, SCENE, "impulse-rotor", body, &format!("{joint} a rotor inertia"));
    let servo = replaced(SCENE, "type: pd", "type: servo");
    warned(ARM, &servo, "impulse-servo", body, &format!("{joint} a servo"));
    let friction = format!("{SCENE}    joint_friction: 2\n");
    warned(ARM, &friction, "impulse-dry-friction", body, &format!("{joint} dry friction"));
    let spring = format!("{SCENE}    joint_stiffness: 2\n");
    warned(ARM, &spring, "impulse-spring", body, &format!("{joint} a spring"));
    let ranged = arm("    joint_velocity_range: [ -90, 90 ]\n");
    let hard = format!("{SCENE}    velocity_limits: hard\n");
    warned(&ranged, &hard, "impulse-hard-velocity-range", body, &format!("{joint} a hard velocity range"));
    let wide = arm("    joint_range: [ -720, 90 ]\n");
    let enforced = format!("{SCENE}    limits: enforce\n");
    warned(&wide, &enforced, "impulse-wide-range", body, &format!("{joint} a range of a full turn or more"));
    let weight = "  - { name: WEIGHT, parent: ARM, joint_type: revolute, joint_axis: X, joint_id: 1, mass: 90, inertia: [ 1, 0, 0, 1, 0, 1 ] }\n";
    let light = replaced(ARM, "  - name: BASE\n", "  - { name: BASE, joint_type: fixed }\n") + weight;
    let follower = "  - { name: WEIGHT, parent: BASE, joint_type: revolute, joint_axis: X, joint_id: 1, mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ] }\njoint_couplings:\n  - { joint: WEIGHT, leader: ARM }\n";
    warned(
        &format!("{ARM}{follower}"),
        SCENE,
        "impulse-coupling",
        body,
        "joint `WEIGHT` of `Arm` follows another joint",
    );
    warned(&light, SCENE, "impulse-light-link", body, "link `ARM` of `Arm`, which carries 90 times its mass,");
}

#[test]
fn restitution_is_a_warning_at_the_body_that_bounces() {
    let shape = arm_with_shape();
    let table = "materials: table.yaml\n";
    let scene = replaced(SCENE, "bodies:\n", &format!("{table}bodies:\n"));
    let desk = Desk::new(&shape, &scene);
    desk.write(
        "table.yaml",
        "materials: [ { name: default, friction: 0.5, restitution: 0.5 } ]\ncontactMaterials: [ { materials: [ default, default ], friction: 0.5, \
         restitution: 0.5 } ]\n",
    );
    let message = stderr(&desk.run(&["--set", IMPULSE]));
    assert_eq!(message.matches("warning[impulse-impact]").count(), 1, "{message}");
    assert!(message.contains("link `ARM` of `Arm` bounces"), "{message}");
}

fn arm_with_shape() -> String {
    replaced(
        ARM,
        "    mass: 1\n",
        "    mass: 1\n    elements: [ { type: Shape, geometry: { type: Sphere, radius: 0.1 } } ]\n",
    )
}

/// Two bodies with the same rotor are one warning.
#[test]
fn bodies_with_the_same_limitation_are_one_warning() {
    let rotor = replaced(ARM, "    mass: 1\n", "    mass: 1\n    rotor_inertia: 0.01\n");
    let mut scene = SCENE.to_owned();
    for (index, name) in ["B", "C"].iter().enumerate() {
        scene += &format!("  - {{ name: {name}, file: arm.body, translation: [ 0, {}, 0 ] }}\n", 2 * index + 2);
    }
    let message = stderr(&Desk::new(&rotor, &scene).run(&["--set", IMPULSE]));
    assert_eq!(message.matches("warning").count(), 1, "{message}");
    assert!(message.contains("joint `ARM` of `Arm` has a rotor inertia"), "{message}");
    assert!(message.contains("; 2 more bodies have the same"), "{message}");
}

/// `run` and `check` refuse the scene with rapier's step and name the solver that runs it.
#[track_caller]
fn refused(model: &str, scene: &str, code: &str, words: &str) {
    let scene = replaced(scene, "duration: 0.01", "duration: 0.01\n  joints: impulse");
    let error = format!("error[{code}]");
    let desk = Desk::new(model, &scene);
    desk.fails(&[], &[&error, words, "use `joints: multibody`, which supports it", "arm.scene.yaml:"]);
    let output = desk.bunraku(&["check", "arm.scene.yaml"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains(&error), "{}", stderr(&output));
}

#[test]
fn tracks_are_refused() {
    let track = "  - { name: TRACK, parent: BASE, joint_type: pseudo_continuous_track, joint_axis: Y, joint_id: 1 }\n";
    let scene = replaced(SCENE, "    controller: { type: pd, kp: 10, kd: 1 }\n", "");
    refused(&format!("{ARM}{track}"), &scene, "impulse-track", "link `TRACK` of `Arm` is a track");
    let ring = format!(
        "  - {{ type: ContinuousTrack, name: SHOE, parent: BASE, numJoints: 6, joint_offset: [ 0.1, 0, 0 ], joint_axis: Y, initialJointAngles: [ {} \
         ], mass: 0.5, inertia: [ 0.001, 0, 0, 0.001, 0, 0.001 ] }}\n",
        ["60"; 5].join(", ")
    );
    refused(&format!("{ARM}{ring}"), &scene, "impulse-track", "the ring of links from `SHOE0` of `Arm` is a track");
}

/// A hinge that is 40 mm above the plane in which three others let its links move.
#[test]
fn a_loop_that_cannot_close_is_refused_and_one_that_is_open_a_warning() {
    let bar = |name: &str, parent: &str, at: f64, id: usize| {
        format!(
            "  - {{ name: {name}, parent: {parent}, translation: [ {at}, 0, 0 ], joint_type: revolute, joint_axis: Z, joint_id: {id}, mass: 0.3, \
             inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ] }}\n"
        )
    };
    let model = |height: f64| {
        format!(
            "format: ChoreonoidBody\nformat_version: 2.0\nname: Bars\nlinks:\n  - {{ name: BASE, joint_type: fixed }}\n{}{}{}extra_joints:\n  - {{ \
             link1_name: BASE, link2_name: ROCKER, joint_type: hinge, axis: [ 0, 0, 1 ], translation_in_link1: [ 0.4, 0, {height} ], \
             translation_in_link2: [ 0.1, 0, 0 ] }}\n",
            bar("CRANK", "BASE", 0.0, 0),
            bar("COUPLER", "CRANK", 0.1, 1),
            bar("ROCKER", "COUPLER", 0.4, 2)
        )
    };
    let at = |crank: f64| {
        let start = format!("    joint_displacements: [ {crank}, -90, -90 ]\n");
        replaced(SCENE, "    controller: { type: pd, kp: 10, kd: 1 }\n", &start)
    };
    let words = "the hinge extra joint of `Arm` between `BASE` and `ROCKER`";
    refused(&model(0.04), &at(90.0), "impulse-offset-loop", words);
    for (crank, code) in [(90.0, "impulse-redundant-loop"), (95.0, "impulse-open-loop")] {
        let message = stderr(&Desk::new(&model(0.0), &at(crank)).run(&["--set", IMPULSE]));
        assert_eq!(message.matches(&format!("warning[{code}]")).count(), 1, "{message}");
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn the_page_has_all_codes() {
    let read = |path: &str| fs::read_to_string(project().join(path)).unwrap();
    let (source, page) = (read("plugins/physics/src/model/limitations.rs"), read("docs/explanation/method.md"));
    let codes: Vec<_> = source.split('"').filter(|text| text.starts_with("impulse-")).collect();
    assert!(codes.len() >= 12, "{codes:?}");
    for code in codes {
        assert!(page.contains(&format!("| `{code}` |")), "{code}");
    }
}
