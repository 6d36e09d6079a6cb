//! Hashes of whole runs: the same in every build and on every machine of one kind.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use bunraku_test_support::TestFolder;

use crate::common::{bunraku, stderr};

/// A loop: a four-bar that swings.
const LOOP: &str = "\
format: BunrakuScene
format_version: 1
simulation: { duration: 0.5 }
bodies:
  - { name: FourBar, file: ROOT/benches/peers/models/four_bar.body, fixed: true }
";

/// A pile: boxes, balls and cylinders fall into each other on a floor.
fn pile() -> String {
    let mut text =
        "format: BunrakuScene\nformat_version: 1\nsimulation: { duration: 0.5 }\nbodies:\n  - { name: Floor, \
                    shape: { type: box, size: [ 10, 10, 0.1 ] }, translation: [ 0, 0, -0.05 ], drive: static }\n"
            .to_owned();
    let shapes = ["box, size: [ 0.1, 0.12, 0.08 ]", "sphere, radius: 0.05", "cylinder, radius: 0.05, height: 0.1"];
    for index in 0..12 {
        let (x, z) = (0.03 * f64::from(index % 3), 0.06 + 0.09 * f64::from(index));
        let shape = shapes[index as usize % 3];
        let _ = writeln!(
            text,
            "  - {{ name: B{index:02}, shape: {{ type: {shape} }}, translation: [ {x:.2}, 0, {z:.2} ], rotation: [ 1, 2, 3, {} ] }}",
            10 * index
        );
    }
    text
}

/// Name of a file of results, and its hash, for each file that has no times of the wall clock.
fn hashes(scene: &Path, duration: &str) -> String {
    let out = TestFolder::new();
    let output =
        bunraku().arg("run").arg(scene).args(["--duration", duration, "--out"]).arg(out.path()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let summary: serde_json::Value = serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
    let files = summary["sha256"]["files"].as_object().unwrap();
    let mut lines: Vec<String> =
        files.iter().map(|(name, hash)| format!("{} {name}", &hash.as_str().unwrap()[..16])).collect();
    lines.sort_by(|one, other| one[17..].cmp(&other[17..]));
    lines.join("\n")
}

/// After a deliberate change of the solver: `INSTA_UPDATE=always cargo test --test system golden_hashes`.
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
#[test]
fn a_robot_a_pile_a_loop_and_sensors_have_the_hashes_of_this_release() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = TestFolder::new();
    let pile = folder.write("pile.scene.yaml", pile());
    let closed = folder.write("loop.scene.yaml", LOOP.replace("ROOT", root.to_str().unwrap()));
    let scenes = root.join("assets/scenes");
    let runs = [
        ("a robot on two legs", scenes.join("legs.scene.yaml"), "0.5"),
        ("a pile", pile, "0.5"),
        ("a loop", closed, "0.5"),
        ("all sensors", scenes.join("sensors_all.scene.yaml"), "0.2"),
    ];
    let found: Vec<String> =
        runs.iter().map(|(name, scene, duration)| format!("{name}:\n{}", hashes(scene, duration))).collect();
    insta::assert_snapshot!("golden_hashes", found.join("\n\n"));
}
