//! `bunraku compare` and `bunraku plot`.

use std::fs;

use super::desk::{ARM, Desk, SCENE};
use crate::common::{stderr, stdout};

/// A motion of the arm that moves along X and turns by `turn` in each of ten steps.
fn motion(turn: f64) -> String {
    let frames: String = (0..=10).map(|frame| format!("      - [ {} ]\n", f64::from(frame) * turn)).collect();
    let roots: String =
        (0..=10).map(|frame| format!("      - [ [ {}, 0, 0, 1, 0, 0, 0 ] ]\n", f64::from(frame) * 0.1)).collect();
    format!(
        "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 10\ncomponents:\n  -\n    type: MultiSE3Seq\n    \
         content: LinkPosition\n    SE3Format: XYZQWQXQYQZ\n    frameRate: 10\n    numParts: 1\n    frames:\n{roots}  -\n    \
         type: MultiValueSeq\n    content: JointDisplacement\n    frameRate: 10\n    numParts: 1\n    frames:\n{frames}"
    )
}

fn desk() -> Desk {
    let arm = ARM.replace(
        "    mass: 1\n",
        "    mass: 1\n  - { name: TIP, parent: ARM, joint_type: fixed, translation: [ 1, 0, 0 ] }\n",
    );
    let desk = Desk::new(&arm, SCENE);
    desk.write("a.seq", &motion(0.01));
    desk.write("b.seq", &motion(0.02));
    desk
}

#[test]
fn the_largest_differences_are_reported_by_link_and_joint() {
    let desk = desk();
    let output = desk.bunraku(&["compare", "a.seq", "b.seq", "--body", "arm.body", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["num_frames"], &document["links"][2]["name"]), (&11.into(), &"TIP".into()));
    // At the end one is rotated by 0.1 rad and the other by 0.2: the tips, at 1 m, are apart by the chord of 0.1 rad.
    let close = |value: &serde_json::Value, expected: f64| {
        assert!((value.as_f64().unwrap() - expected).abs() < 1e-9, "{value} is not {expected}");
    };
    close(&document["links"][2]["distance"]["value"], 2.0 * 0.05_f64.sin());
    close(&document["links"][2]["distance_at_end"], 2.0 * 0.05_f64.sin());
    close(&document["links"][2]["distance"]["time"], 1.0);
    close(&document["links"][1]["angle"]["value"], 0.1);
    close(&document["links"][0]["distance"]["value"], 0.0);
    close(&document["joints"][0]["difference"]["value"], 0.1);

    let output = desk.bunraku(&["compare", "a.seq", "b.seq", "--body", "arm.body"]);
    let text = stdout(&output);
    assert!(text.contains("compared   11 frames from 0.0000 s to 1.0000 s"), "{text}");
    assert!(text.contains("TIP") && text.contains("0.099958 m") && text.contains("5.729578°"), "{text}");
}

#[test]
fn a_tolerance_decides_the_exit_code() {
    let desk = desk();
    let code = |arguments: &[&str]| {
        desk.bunraku(&[&["compare", "a.seq", "b.seq", "--body", "arm.body"], arguments].concat()).status.code()
    };
    assert_eq!(code(&["--tolerance", "0.11", "--angle-tolerance", "6", "--joint-tolerance", "6"]), Some(0));
    assert_eq!(code(&["--tolerance", "0.09"]), Some(1));
    assert_eq!(code(&["--angle-tolerance", "5"]), Some(1));
    assert_eq!(code(&["--joint-tolerance", "5"]), Some(1));
    assert_eq!(code(&["--tolerance", "-1"]), Some(2));
    let output = desk.bunraku(&["compare", "a.seq", "b.seq", "--body", "arm.body", "--tolerance", "0.09"]);
    assert!(stderr(&output).contains("link `TIP` is 0.099958 m apart at t = 1.0000 s"), "{}", stderr(&output));
    // A motion is equal to itself.
    assert_eq!(
        desk.bunraku(&["compare", "a.seq", "a.seq", "--tolerance", "0", "--joint-tolerance", "0"]).status.code(),
        Some(0)
    );
}

#[test]
fn files_that_are_no_motions_are_named_with_a_solution() {
    let desk = desk();
    let output = desk.bunraku(&["compare", "a.seq", "arm.body"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("give it as `--body`"), "{}", stderr(&output));
    let output = desk.bunraku(&["plot", "arm.scene.yaml"]);
    assert!(stderr(&output).contains("plot what it records"), "{}", stderr(&output));
}

#[test]
fn channels_are_drawn() {
    let desk = desk();
    let output = desk.bunraku(&["plot", "a.seq", "--body", "arm.body"]);
    assert_eq!(
        (output.status.code(), stdout(&output).as_str()),
        (Some(0), "written    a.svg\n"),
        "{}",
        stderr(&output)
    );
    let svg = fs::read_to_string(desk.path().join("a.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains(">ARM</text>") && !svg.contains("root.x"), "{svg}");

    let output = desk.bunraku(&["plot", "a.seq", "--channel", "root.*", "--channel", "joint0", "--out", "b.svg"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let svg = fs::read_to_string(desk.path().join("b.svg")).unwrap();
    for name in ["root.x", "root.y", "root.z", "joint0"] {
        assert!(svg.contains(&format!(">{name}</text>")), "{name}");
    }
    let output = desk.bunraku(&["plot", "a.seq", "--channel", "rot.x"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("did you mean `root.x`?"), "{}", stderr(&output));

    desk.write("t.csv", "time,ARM.effort,note\n0,1,a\n0.5,2,\n1,-1,b\n");
    let output = desk.bunraku(&["plot", "t.csv", "--channel", "ARM.effort"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(fs::read_to_string(desk.path().join("t.svg")).unwrap().contains(">effort</text>"));
}

#[test]
fn recordings_are_drawn_over_each_other_with_their_differences() {
    let desk = desk();
    let difference = "ARM - ARM (b.seq)";
    let plot =
        |more: &[&str]| desk.bunraku(&[&["plot", "a.seq", "--body", "arm.body", "--out", "c.svg"], more].concat());
    let output = plot(&["--with", "b.seq", "--channel", "ARM", "--channel", difference]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let svg = fs::read_to_string(desk.path().join("c.svg")).unwrap();
    for name in ["ARM", "ARM (b.seq)", difference] {
        assert!(svg.contains(&format!(">{name}</text>")), "{name}");
    }
    // Angles of the root and poses of links are drawn on demand.
    assert_eq!(plot(&["--with", "b.seq"]).status.code(), Some(0));
    let svg = fs::read_to_string(desk.path().join("c.svg")).unwrap();
    assert!(svg.contains(">ARM (b.seq)</text>") && !svg.contains(".yaw") && !svg.contains(".x"), "{svg}");
    assert_eq!(plot(&["--channel", "root.yaw", "--channel", "root.x"]).status.code(), Some(0));
    let svg = fs::read_to_string(desk.path().join("c.svg")).unwrap();
    assert!(svg.contains(">rad</text>") && svg.contains(">m</text>"), "{svg}");
    for (wrong, reason) in [("ARM - root.x", "mixes units: rad and m"), ("ARM - ROM", "no channel `ROM`")] {
        let output = plot(&["--channel", wrong]);
        assert_ne!(output.status.code(), Some(0));
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
}

#[test]
fn motions_are_compared_from_a_time_on_with_their_root_mean_squares() {
    let desk = desk();
    let compare = |more: &[&str]| desk.bunraku(&[&["compare", "a.seq", "b.seq"], more].concat());
    let output = compare(&["--from", "0.85", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // Differences of 0.09 and 0.1 rad.
    assert_eq!(document["num_frames"], 2, "{document}");
    let rms = document["joints"][0]["difference"]["rms"].as_f64().unwrap();
    assert!((rms - (0.0181_f64 / 2.0).sqrt()).abs() < 1e-12, "{rms}");
    let text = stdout(&compare(&["--from", "0.85", "--body", "arm.body"]));
    assert!(text.contains("RMS") && text.contains("5.450"), "{text}");
    let output = compare(&["--from", "2"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("the motions have no time in common from 2 s on"), "{}", stderr(&output));
}
