//! The most important use case: SR1 walks from its file to a recorded `.seq`, as recorded by Choreonoid.

use std::path::Path;

use bunraku::body::{LoadOptions, MassProperties, WriteOptions};
use bunraku::document::{Reporter, SearchRoots};
use bunraku_test_support::{TestFolder, golden, share};
use nalgebra::Vector3;

use crate::common::{bunraku, load_motion, stderr};

/// The model that Choreonoid recorded.
const SR1: &str = "${SHARE}/model/SR1/SR1.body";
/// Steps of the walk: one for each frame of the pattern.
const STEPS: usize = 6701;
/// Maximum distance of the root from the recorded one, m, with Choreonoid's contacts.
const ON_THE_WAY: f64 = 0.006;
const AT_THE_END: f64 = 0.004;
/// The same for other contact laws, which are chaotic at small scales: MuJoCo differs from the same recording by 14 mm
/// during the walk and 6 mm at the end.
const ON_ANOTHER_WAY: f64 = 0.015;
const AT_ANOTHER_END: f64 = 0.01;

fn walk(share: &Path, out: &Path, model: &str) -> Vec<u8> {
    walk_with(share, out, &[&format!("bodies.SR1.file={model}")])
}

/// The walk with other values in the scene.
fn walk_with(share: &Path, out: &Path, settings: &[&str]) -> Vec<u8> {
    let mut command = bunraku();
    command.args(["run", "assets/scenes/sr1_walk.scene.yaml", "--out"]).arg(out).env("BUNRAKU_SHARE", share);
    for setting in settings {
        command.args(["--set", setting]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "", "the walk runs without a warning");
    std::fs::read(out.join("SR1.seq")).unwrap()
}

/// The distance of the root of a recorded walk from Choreonoid's: maximum, and at the end; m.
fn distances(out: &Path, golden: &Path) -> (f64, f64) {
    let motion = load_motion(&out.join("SR1.seq"));
    let joints = motion.joint_displacements.as_ref().unwrap();
    assert_eq!(
        (motion.frame_rate, motion.num_frames(), joints.num_frames(), joints.num_parts()),
        (500.0, STEPS + 1, STEPS + 1, 29)
    );
    let root = motion.link_positions.as_ref().unwrap();
    assert_eq!(root.num_parts(), 1);

    let upright = root.frames().map(|pose| (pose[0].rotation * Vector3::z()).z).fold(1.0, f64::min);
    assert!(upright > 0.99, "the up-vector of the root sinks to {upright}");

    let golden = load_motion(&golden.join("runs/SR1Walk-SR1.seq"));
    let golden = golden.link_positions.as_ref().unwrap();
    let distance = |frame: usize| {
        let ours = root.frame(frame * 5)[0].translation.vector;
        (ours - golden.frame(frame)[0].translation.vector).norm()
    };
    let frames = golden.num_frames();
    assert_eq!((frames, golden.frame_rate()), (1341, 100.0));
    let (worst, at) = (0..frames).map(|frame| (distance(frame), frame)).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    let end = distance(frames - 1);
    println!("root: {:.2} mm off at {:.2} s, {:.2} mm at the end", worst * 1e3, at as f64 / 100.0, end * 1e3);
    (worst, end)
}

fn assert_as_recorded((worst, end): (f64, f64)) {
    assert!(worst < ON_THE_WAY, "the root is {:.1} mm off on the way", worst * 1e3);
    assert!(end < AT_THE_END, "the root is {:.1} mm off at the end", end * 1e3);
}

#[test]
fn walks_as_choreonoid_recorded_it() {
    let (Some(share), Some(golden)) = (share(), golden()) else { return };
    let out = TestFolder::new();
    walk(&share, out.path(), SR1);
    assert_as_recorded(distances(out.path(), &golden));
}

/// The OpenHRP model of SR1 has other masses and centres of mass than the recorded one, and no sole material, so its
/// path differs.
const PATH_OF_ITS_OWN: f64 = 0.06;

#[test]
fn the_openhrp_model_walks_too() {
    let (Some(share), Some(golden)) = (share(), golden()) else { return };
    let out = TestFolder::new();
    walk(&share, out.path(), "${SHARE}/model/SR1/SR1.wrl");
    let (worst, _) = distances(out.path(), &golden);
    assert!(worst < PATH_OF_ITS_OWN, "the root is {:.1} mm off", worst * 1e3);
}

#[test]
fn the_openhrp_model_walks_as_recorded_when_it_has_the_masses_of_the_other() {
    let (Some(share), Some(golden)) = (share(), golden()) else { return };
    let (roots, reporter) = (SearchRoots::new(Some(share.clone())), Reporter::new());
    let options = LoadOptions { roots: roots.clone(), ..LoadOptions::default() };
    let model = |file: &str| bunraku::body::load(&share.join("model/SR1").join(file), &options, &reporter).unwrap();
    let (recorded, openhrp) = (model("SR1.body"), model("SR1.wrl"));
    let out = TestFolder::new();
    let path = out.join("SR1.body");
    let text = bunraku::body::write(&openhrp, &WriteOptions { path: &path, roots: &roots }, &reporter).text;
    let mut mixed = String::new();
    for line in text.lines() {
        let key = line.strip_prefix("    ").and_then(|line| line.split(':').next()).unwrap_or_default();
        if ["mass", "center_of_mass", "inertia", "material"].contains(&key) {
            continue;
        }
        mixed += &format!("{line}\n");
        if let Some(name) = line.strip_prefix("  - name: ") {
            let link = recorded.link(recorded.find_link(name).unwrap());
            let MassProperties { mass, center_of_mass, inertia } = link.mass;
            mixed += &format!("    mass: {mass}\n    center_of_mass: {:?}\n", center_of_mass.coords.as_slice());
            // Symmetric, so that columns are rows.
            mixed += &format!("    inertia: {:?}\n", inertia.as_slice());
            mixed += &format!("    material: {}\n", link.material.as_deref().unwrap_or("default"));
        }
    }
    std::fs::write(&path, mixed).unwrap();
    walk(&share, out.path(), path.to_str().unwrap());
    assert_as_recorded(distances(out.path(), &golden));
}

#[test]
fn two_runs_write_the_same_bytes() {
    let Some(share) = share() else { return };
    let (first, second) = (TestFolder::new(), TestFolder::new());
    assert!(walk(&share, first.path(), SR1) == walk(&share, second.path(), SR1), "two runs differ");
    let summary = |directory: &Path| std::fs::read(directory.join("summary.json")).unwrap().len();
    // The summaries differ only in the names of the directories.
    assert_eq!(summary(first.path()), summary(second.path()));
}

const SERVO: &str = "bodies.SR1.controller.type=servo";
const RIGID: &str = "simulation.contacts=rigid";
const IMPULSE: [&str; 2] = ["simulation.joints=impulse", RIGID];
const MULTIBODY: &str = "simulation.joints=multibody";

#[test]
fn walks_with_other_joints_contacts_and_controllers_too() {
    let (Some(share), Some(golden)) = (share(), golden()) else { return };
    for settings in [&[SERVO][..], &[RIGID], &[RIGID, SERVO], &IMPULSE] {
        let out = TestFolder::new();
        walk_with(&share, out.path(), settings);
        println!("{settings:?}:");
        let (worst, end) = distances(out.path(), &golden);
        assert!(worst < ON_ANOTHER_WAY, "{settings:?}: the root is {:.1} mm off on the way", worst * 1e3);
        assert!(end < AT_ANOTHER_END, "{settings:?}: the root is {:.1} mm off at the end", end * 1e3);
    }
}

const PRESCRIBED: &str = "bodies.SR1.drive={ root: physics, joints: motion }";
/// Choreonoid's SR1 walks the second pattern with its joints in position mode.
const PATTERNS: [(&str, &str, usize); 2] = [("SR1WalkPattern1", "13.402", 6701), ("SR1WalkPattern2", "14.29", 7145)];
/// Prescribed joints are within rounding of their pattern, rad.
const ON_THE_PATTERN: f64 = 2e-6;

#[test]
fn prescribed_joints_walk_both_patterns_to_their_ends() {
    let Some(share) = share() else { return };
    let golden = golden().map(|golden| load_motion(&golden.join("runs/SR1Walk-SR1.seq")));
    // Without a setting, the scene chooses the solver that supports such joints.
    for solver in [None, Some(MULTIBODY)] {
        for (name, duration, steps) in PATTERNS {
            let out = TestFolder::new();
            let pattern = format!("${{SHARE}}/motion/SR1/{name}.seq");
            let (motion, duration) =
                (format!("bodies.SR1.motion={pattern}"), format!("simulation.duration={duration}"));
            let settings = [PRESCRIBED, &motion, "bodies.SR1.controller={ type: none }", &duration];
            let mut command = bunraku();
            command.args(["run", "assets/scenes/sr1_walk.scene.yaml", "--out"]).arg(out.path());
            command.env("BUNRAKU_SHARE", &share);
            for setting in settings.into_iter().chain(solver) {
                command.args(["--set", setting]);
            }
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
            assert!(stderr(&output).contains("`joint_displacements` does nothing"), "{}", stderr(&output));

            let motion = load_motion(&out.join("SR1.seq"));
            let (root, joints) = (motion.link_positions.unwrap(), motion.joint_displacements.unwrap());
            assert_eq!(root.num_frames(), steps + 1);
            let upright = root.frames().map(|pose| (pose[0].rotation * Vector3::z()).z).fold(1.0, f64::min);
            let pattern = load_motion(&share.join(format!("motion/SR1/{name}.seq"))).joint_displacements.unwrap();
            let off = (0..steps)
                .flat_map(|frame| joints.frame(frame).iter().zip(pattern.frame(frame)))
                .map(|(found, wanted)| (found - wanted).abs())
                .fold(0.0, f64::max);
            let end = root.frame(steps)[0].translation.vector;
            let distance = golden.as_ref().map_or(f64::NAN, |golden| {
                let poses = golden.link_positions.as_ref().unwrap();
                (end - poses.frame(poses.num_frames() - 1)[0].translation.vector).norm()
            });
            println!(
                "{solver:?}, {name}: joints off by {off:.1e} rad, upright {upright:.4}, ends {:.0} mm from the recorded walk",
                distance * 1e3
            );
            assert!(upright > 0.99, "{solver:?}, {name}: the up-vector of the root sinks to {upright}");
            assert!(off < ON_THE_PATTERN, "{solver:?}, {name}: joints are {off} rad off");
        }
    }
}

#[test]
fn servos_walk_the_second_pattern_to_its_end_with_all_contacts() {
    let Some(share) = share() else { return };
    let motion = "bodies.SR1.controller.motion=${SHARE}/motion/SR1/SR1WalkPattern2.seq";
    for solver in [MULTIBODY, RIGID] {
        let out = TestFolder::new();
        walk_with(&share, out.path(), &[solver, SERVO, motion, "simulation.duration=14.29"]);
        let motion = load_motion(&out.join("SR1.seq"));
        let root = motion.link_positions.as_ref().unwrap();
        assert_eq!(root.num_frames(), 7146);
        let upright = root.frames().map(|pose| (pose[0].rotation * Vector3::z()).z).fold(1.0, f64::min);
        println!("{solver:?}: upright {upright:.4}, ends at {:.3}", root.frame(7145)[0].translation.vector);
        assert!(upright > 0.99, "{solver:?}: the up-vector of the root sinks to {upright}");
    }
}
