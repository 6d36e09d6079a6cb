//! Hashes of whole runs: the same in every build and on every machine of one kind. `golden_builds.py` compares them between
//! builds of other processors and optimization levels.

use std::fs;
use std::path::Path;

use bunraku_test_support::TestFolder;

use crate::common::{bunraku, stderr};

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
    let golden = root.join("tests/system/golden_scenes");
    let scenes = root.join("assets/scenes");
    let runs = [
        ("a robot on two legs", scenes.join("legs.scene.yaml"), "0.5"),
        ("a pile", golden.join("pile.scene.yaml"), "0.5"),
        ("a loop", golden.join("loop.scene.yaml"), "0.5"),
        ("all sensors", scenes.join("sensors_all.scene.yaml"), "0.2"),
    ];
    let found: Vec<String> =
        runs.iter().map(|(name, scene, duration)| format!("{name}:\n{}", hashes(scene, duration))).collect();
    insta::assert_snapshot!("golden_hashes", found.join("\n\n"));
}
