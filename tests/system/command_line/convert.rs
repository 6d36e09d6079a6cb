//! `bunraku convert`.

use std::fs;
use std::process::Output;

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{stderr, stdout};

/// `bunraku convert` on the desk.
fn convert(desk: &Desk, arguments: &[&str]) -> Output {
    desk.bunraku(&[&["convert"], arguments].concat())
}

#[test]
fn convert_writes_an_equivalent_model() {
    let desk = Desk::new(&replaced(ARM, "mass: 1", "mass: 1   # heavy"), SCENE);
    let output = convert(&desk, &["arm.body", "copy.body"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!((stdout(&output).as_str(), stderr(&output).as_str()), ("written    copy.body\n", ""));
    let info = |file: &str| {
        let output = desk.bunraku(&["info", "--json", file]);
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    assert_eq!(info("copy.body"), info("arm.body"));
    let left: Vec<_> = fs::read_dir(desk.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");

    let output = convert(&desk, &["arm.body", "copy.body", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document, serde_json::json!({ "files": ["copy.body"], "diagnostics": [] }));
}

#[test]
fn convert_replaces_its_input_only_if_forced() {
    let desk = Desk::new(&replaced(ARM, "mass: 1", "mass: 1   # heavy"), SCENE);
    let output = convert(&desk, &["arm.body", "./arm.body"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("OUT is IN") && stderr(&output).contains("--force"), "{}", stderr(&output));
    let text = || fs::read_to_string(desk.path().join("arm.body")).unwrap();
    assert!(text().contains("# heavy"));
    assert_eq!(convert(&desk, &["arm.body", "./arm.body", "--force"]).status.code(), Some(0));
    assert!(!text().contains("# heavy") && text().contains("format_version: 2.0"), "{}", text());
}

#[test]
fn convert_says_what_it_cannot_do() {
    let desk = Desk::new(ARM, SCENE);
    let fails = |arguments: &[&str], code: i32, expected: &str| {
        let output = convert(&desk, arguments);
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert!(stderr(&output).contains(expected), "no {expected:?} in:\n{}", stderr(&output));
        assert!(!desk.path().join("out.body").exists());
    };
    fails(&["arm.body", "out.csv"], 2, "a model cannot become a motion");
    fails(&["arm.body", "out.txt"], 2, "OUT must end in `.body`, `.urdf` or `.xml` (MJCF) for a model");
    fails(&["arm.body", "out.body", "--rate", "100"], 2, "are for motions");
    fails(&["arm.scene.yaml", "out.body"], 2, "a scene cannot become a model");
    fails(&["none.body", "out.body"], 1, "file not found: none.body");
    fails(&["arm.body", "nowhere/out.body"], 1, "cannot write the file");
    desk.write("arm.body", &replaced(ARM, "joint_axis", "joitAxis"));
    fails(&["arm.body", "out.body", "--strict"], 1, "error[unknown-key]");
}

/// Two joints and a root at 10 Hz, with a key of another program.
const WALK: &str = "\
type: CompositeSeq
content: BodyMotion
formatVersion: 2
frameRate: 10
numFrames: 3
author: me
components:
  -
    type: MultiSE3Seq
    content: LinkPosition
    numParts: 1
    SE3Format: XYZQWQXQYQZ
    frames:
      - [ [ 0, 0, 0.7, 1, 0, 0, 0 ] ]
      - [ [ 0.1, 0, 0.7, 1, 0, 0, 0 ] ]
      - [ [ 0.2, 0, 0.7, 1, 0, 0, 0 ] ]
  -
    type: MultiValueSeq
    content: JointDisplacement
    numParts: 1
    frames:
      - [ 0.30000000000000004 ]
      - [ 0.5 ]
      - [ 1e-7 ]
";

fn motion(desk: &Desk, file: &str) -> BodyMotion {
    BodyMotion::load(&desk.path().join(file), &Reporter::new()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn convert_writes_motions_in_every_format_and_back_without_loss() {
    let desk = Desk::new(ARM, SCENE);
    desk.write("walk.seq", WALK);
    let converts = |arguments: &[&str]| {
        let output = convert(&desk, arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    };
    let original = motion(&desk, "walk.seq");
    for version in ["1", "2", "4"] {
        converts(&["walk.seq", "other.seq", "--seq-version", version]);
        assert_eq!(motion(&desk, "other.seq"), original, "version {version}");
    }
    assert!(fs::read_to_string(desk.path().join("other.seq")).unwrap().contains("format_version: 4"));
    converts(&["walk.seq", "walk.json"]);
    converts(&["walk.json", "back.seq"]);
    let back = motion(&desk, "back.seq");
    // The key of the other program is quoted in the output.
    assert_eq!(back.kept.len(), 1);
    assert_eq!(back, BodyMotion { kept: back.kept.clone(), ..original.clone() });
    converts(&["walk.seq", "walk.csv", "--body", "arm.body"]);
    let table = fs::read_to_string(desk.path().join("walk.csv")).unwrap();
    assert!(
        table.starts_with("time,BASE.x,BASE.y,BASE.z,BASE.qw,BASE.qx,BASE.qy,BASE.qz,ARM\n0,0,0,0.7,1,0,0,0,"),
        "{table}"
    );
    converts(&["walk.csv", "back.seq", "--body", "arm.body"]);
    let back = motion(&desk, "back.seq");
    assert_eq!(
        (&back.joint_displacements, &back.link_positions),
        (&original.joint_displacements, &original.link_positions)
    );
    // The columns of a table are described without a model, too.
    let output = desk.bunraku(&["info", "walk.csv"]);
    assert!(stdout(&output).starts_with("motion     3 frames at 10 Hz, 0.2000 s\n"), "{}", stdout(&output));
}

#[test]
fn convert_changes_rates_and_times() {
    let desk = Desk::new(ARM, SCENE);
    desk.write("walk.seq", WALK);
    let joints = |arguments: &[&str]| {
        let output = convert(&desk, arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        motion(&desk, arguments[1]).joint_displacements.unwrap()
    };
    let twice = joints(&["walk.seq", "twice.seq", "--rate", "20"]);
    assert_eq!((twice.num_frames(), twice.frame_rate(), twice.frame(1)), (5, 20.0, &[0.4][..]));
    let timed = joints(&["walk.seq", "timed.seq", "--timed"]);
    assert_eq!(timed.times(), Some(&[0.0, 0.1, 0.2][..]));
    let output = desk.bunraku(&["info", "timed.seq"]);
    assert!(stdout(&output).starts_with("motion     3 frames with times of their own"), "{}", stdout(&output));
    // As in the manual: held until the next.
    let held = joints(&["timed.seq", "held.seq", "--rate", "20"]);
    assert_eq!((held.times(), held.frame(1), held.frame(2)), (None, &[0.30000000000000004][..], &[0.5][..]));
    let straight = joints(&["timed.seq", "straight.seq", "--rate", "20", "--interpolate"]);
    assert_eq!(straight.values(), twice.values());
    assert_eq!(joints(&["timed.seq", "fixed.seq", "--fixed"]).times(), None);
    let output = convert(&desk, &["timed.seq", "old.seq", "--seq-version", "1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("--fixed") || stderr(&output).contains("--rate"), "{}", stderr(&output));
    for wrong in [&["--rate", "0"][..], &["--rate", "x"], &["--fixed", "--timed"], &["--seq-version", "3"]] {
        let output = convert(&desk, &[&["walk.seq", "no.seq"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}
