//! Scenes that Choreonoid ran, too: the differences between Bunraku's runs and its recordings.

use std::path::{Path, PathBuf};

use bunraku_test_support::{TestFolder, golden, share};
use nalgebra::Vector3;

use crate::common::{bunraku, load_motion, stderr};

/// Recordings of Choreonoid have every fifth step.
const STEPS_PER_FRAME: usize = 5;

/// Runs one of the project's scenes with Choreonoid's models.
fn run(scene: &str, settings: &[&str]) -> Option<(TestFolder, PathBuf)> {
    let (Some(share), Some(golden)) = (share(), golden()) else { return None };
    let out = TestFolder::new();
    let mut command = bunraku();
    command.args(["run", &format!("assets/scenes/{scene}.scene.yaml"), "--out"]).arg(out.path());
    for setting in settings {
        command.args(["--set", setting]);
    }
    let output = command.env("BUNRAKU_SHARE", share).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "", "it runs without a warning");
    Some((out, golden.join("runs")))
}

/// Position of the root at each frame of Choreonoid's recording: Bunraku's and Choreonoid's, m.
fn roots(ours: &Path, golden: &Path) -> Vec<[Vector3<f64>; 2]> {
    let (ours, golden) = (load_motion(ours).link_positions.unwrap(), load_motion(golden).link_positions.unwrap());
    assert_eq!((ours.frame_rate(), golden.frame_rate()), (1000.0, 200.0));
    let places = golden
        .frames()
        .enumerate()
        .map(|(frame, golden)| [ours.frame(frame * STEPS_PER_FRAME), golden].map(|poses| poses[0].translation.vector));
    places.collect()
}

/// Tolerance, rad, for the joints of the four-bar. It is not chaotic: two engines with the same integration stay together.
const FOUR_BAR: f64 = 0.005;

#[test]
fn a_closed_linkage_swings_as_recorded() {
    let Some((out, golden)) = run("closed_link", &[]) else { return };
    let ours = load_motion(&out.join("ClosedLinkSample.seq")).joint_displacements.unwrap();
    let golden = load_motion(&golden.join("ClosedLinkSample-ClosedLinkSample.seq")).joint_displacements.unwrap();
    assert_eq!((golden.num_frames(), golden.num_parts()), (601, 3));
    let off = |frame: usize| {
        let ours = ours.frame(frame * STEPS_PER_FRAME).iter();
        ours.zip(golden.frame(frame)).map(|(ours, golden)| (ours - golden).abs()).fold(0.0, f64::max)
    };
    let largest = (0..golden.num_frames()).map(off).fold(0.0, f64::max);
    println!("closed linkage: joints at most {largest:.4} rad off in 3 s");
    assert!(largest < FOUR_BAR, "{largest} rad");
}

/// Semi-implicit Euler falls ½·g·dt·t too far. Bunraku divides a step of 1 ms into four, Choreonoid does not: 1.5 mm in
/// 0.4 s.
const FREE_FALL: f64 = 0.002;
/// Tolerance for the bounces of two engines with the same coefficient of restitution.
const BOUNCE: f64 = 0.01;

#[test]
fn a_ball_bounces_as_high_as_recorded() {
    let Some((out, golden)) = run("ball", &[]) else { return };
    let places = roots(&out.join("Ball.seq"), &golden.join("Ball-Ball.seq"));
    let second_bounce = 230;
    let falls = places[..=80].iter().map(|[ours, golden]| (ours - golden).norm()).fold(0.0, f64::max);
    let heights = places[..second_bounce].iter().map(|[ours, golden]| (ours.z - golden.z).abs()).fold(0.0, f64::max);
    // Choreonoid's ball has facets and rolls off; Bunraku's is round and stays.
    let aside = places[..second_bounce].iter().map(|[ours, golden]| (ours - golden).xy().norm()).fold(0.0, f64::max);
    println!(
        "ball: {:.1} mm off in free fall, heights {:.1} mm, {:.0} mm aside until the second bounce",
        falls * 1e3,
        heights * 1e3,
        aside * 1e3
    );
    assert!(falls < FREE_FALL, "{falls} m in free fall");
    assert!(heights < BOUNCE, "{heights} m");
    assert!(places.iter().all(|[ours, _]| ours.xy().norm() < 1e-3), "a round ball does not roll off");
}

/// The depth of a resting box in the floor differs with the softness of contacts.
const REST: f64 = 0.002;

#[test]
fn a_box_comes_to_rest_at_the_recorded_height() {
    let Some((out, golden)) = run("falling_boxes", &[]) else { return };
    // All four boxes have the same name there, and the recording of the last one was kept.
    let golden_file = golden.join("FallingBoxes-box1.seq");
    let places = roots(&out.join("Box4.seq"), &golden_file);
    let falls = places[..=75].iter().map(|[ours, golden]| (ours - golden).norm()).fold(0.0, f64::max);
    let [_, golden] = places.last().unwrap();
    // The box that ends on the floor depends on small differences: the fourth lands upright on the pile and leans against it; in the
    // recording it slips off after another second. Any box on the floor is accepted.
    let ends = ["Box1", "Box2", "Box3", "Box4"].map(|name| {
        let places = roots(&out.join(format!("{name}.seq")), &golden_file);
        let (last, before) = (places[places.len() - 1][0], places[places.len() - 100][0]);
        assert!((last - before).norm() < 1e-4, "{name} still moves");
        last
    });
    let ours = ends.iter().min_by(|one, other| one.z.total_cmp(&other.z)).unwrap();
    println!(
        "box: {:.1} mm off in free fall; at rest {:.2} mm high, recorded {:.2} mm",
        falls * 1e3,
        ours.z * 1e3,
        golden.z * 1e3
    );
    assert!(falls < FREE_FALL, "{falls} m in free fall");
    assert!((ours.z - golden.z).abs() < REST, "at rest {} m high, recorded {}", ours.z, golden.z);
}
