//! The main job: SR1 walks from its file to a recorded `.seq`, as Choreonoid recorded it.

// A test that cannot go on should say so loudly.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)]

mod common;

use std::path::Path;

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;
use common::{bunraku, golden, share, stderr};
use nalgebra::Vector3;

/// Steps of the walk: one for each frame of the pattern.
const STEPS: usize = 6701;
/// Contacts are chaotic in the small: MuJoCo differs from the same recording by 14 mm on the way and 6 mm at the end.
const ON_THE_WAY: f64 = 0.015;
const AT_THE_END: f64 = 0.005;

fn walk(share: &Path, out: &Path, model: &str) -> Vec<u8> {
    let mut command = bunraku();
    command.args(["run", "assets/scenes/sr1_walk.scene.yaml", "--out"]).arg(out).env("BUNRAKU_SHARE", share);
    command.args(["--set", &format!("bodies.SR1.file=${{SHARE}}/model/SR1/{model}")]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "", "the walk runs without a warning");
    std::fs::read(out.join("SR1.seq")).unwrap()
}

fn load(path: &Path) -> BodyMotion {
    let reporter = Reporter::strict();
    let motion = BodyMotion::load(path, &reporter).unwrap_or_else(|error| panic!("{error}"));
    assert!(!reporter.has_errors(), "{:?}", reporter.diagnostics());
    motion
}

#[test]
fn walks_as_choreonoid_recorded_it() {
    assert_walks("SR1.body");
}

#[test]
fn the_openhrp_model_walks_likewise() {
    assert_walks("SR1.wrl");
}

fn assert_walks(model: &str) {
    let (Some(share), Some(golden)) = (share(), golden()) else { return };
    let out = tempfile::tempdir().unwrap();
    walk(&share, out.path(), model);
    let motion = load(&out.path().join("SR1.seq"));
    let joints = motion.joint_displacements.as_ref().unwrap();
    assert_eq!(
        (motion.frame_rate, motion.num_frames(), joints.num_frames(), joints.num_parts()),
        (500.0, STEPS + 1, STEPS + 1, 29)
    );
    let root = motion.link_positions.as_ref().unwrap();
    assert_eq!(root.num_parts(), 1);

    let upright = root.frames().map(|pose| (pose[0].rotation * Vector3::z()).z).fold(1.0, f64::min);
    assert!(upright > 0.99, "the up-vector of the root sinks to {upright}");

    let golden = load(&golden.join("runs/SR1Walk-SR1.seq"));
    let golden = golden.link_positions.as_ref().unwrap();
    let distance = |frame: usize| {
        let ours = root.frame(frame * 5)[0].translation.vector;
        (ours - golden.frame(frame)[0].translation.vector).norm()
    };
    let frames = golden.num_frames();
    assert_eq!((frames, golden.frame_rate()), (1341, 100.0));
    let (worst, at) = (0..frames).map(|frame| (distance(frame), frame)).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    println!(
        "root: {:.2} mm off at {:.2} s, {:.2} mm at the end",
        worst * 1e3,
        at as f64 / 100.0,
        distance(frames - 1) * 1e3
    );
    assert!(worst < ON_THE_WAY, "the root is {:.1} mm off at {:.2} s", worst * 1e3, at as f64 / 100.0);
    assert!(distance(frames - 1) < AT_THE_END, "the root is {:.1} mm off at the end", distance(frames - 1) * 1e3);
}

#[test]
fn two_runs_write_the_same_bytes() {
    let Some(share) = share() else { return };
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert!(walk(&share, first.path(), "SR1.body") == walk(&share, second.path(), "SR1.body"), "two runs differ");
    let summary = |directory: &Path| std::fs::read(directory.join("summary.json")).unwrap().len();
    // The summaries differ only in the names of the directories.
    assert_eq!(summary(first.path()), summary(second.path()));
}
