//! Tracks that are driven by a scene.

use std::path::PathBuf;

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;
use bunraku_test_support::{TestFolder, share};
use nalgebra::Isometry3;

use super::desk::Desk;
use crate::common::{bunraku, stderr};

/// A box on a track.
const CRAWLER: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Crawler
links:
  - { name: TRUNK, joint_type: free, translation: [ 0, 0, 0.25 ], mass: 5, inertia: [ 0.5, 0, 0, 0.5, 0, 0.5 ] }
  - name: TRACK
    parent: TRUNK
    joint_type: pseudo_continuous_track
    joint_id: 0
    joint_axis: Y
    mass: 5
    inertia: [ 0.5, 0, 0, 0.5, 0, 0.5 ]
    elements: [ { type: Shape, geometry: { type: Box, size: [ 1, 0.8, 0.5 ] } } ]
";

/// 0.5 m/s for three seconds.
const MOTION: &str = "\
type: CompositeSeq
content: BodyMotion
formatVersion: 2
frameRate: 1
components:
  - { type: MultiValueSeq, content: JointDisplacement, numParts: 1, frames: [ [ 0 ], [ 0.5 ], [ 1 ], [ 1.5 ] ] }
";

const FLOOR: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Floor
links:
  - { name: FLOOR, translation: [ 0, 0, -0.1 ], elements: [ { type: Shape, geometry: { type: Box, size: [ 20, 20, 0.2 ] } } ] }
";

fn scene(keys: &str) -> String {
    format!(
        "format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: 2 }}\nbodies:\n  - {{ name: Crawler, file: arm.body, {keys} \
         }}\n  - {{ name: Floor, file: floor.body, drive: static }}\n"
    )
}

fn desk(keys: &str) -> Desk {
    let desk = Desk::new(CRAWLER, &scene(keys));
    desk.write("floor.body", FLOOR);
    desk.write("drive.seq", MOTION);
    desk.write("drive.csv", "time,TRACK\n0,0.5\n1,0.5\n");
    desk
}

/// The displacement of the root of a recorded body, relative to its pose at frame `start`.
fn way(recording: PathBuf, start: usize) -> Isometry3<f64> {
    let motion = BodyMotion::load(&recording, &Reporter::strict()).unwrap();
    let root = motion.link_positions.unwrap();
    root.frame(start)[0].inverse() * root.frame(root.num_frames() - 1)[0]
}

#[test]
fn a_track_moves_its_body_however_it_is_driven() {
    for keys in [
        "controller: { type: velocity, velocity: 0.5 }",
        "controller: { type: velocity, velocity: { TRACK: [ [ 0, 0.5 ], [ 1, 0.5 ] ] } }",
        "controller: { type: velocity, velocity: drive.csv }",
        "controller: { type: effort, velocity: [ 0.5 ] }",
        "controller: { type: velocity, motion: drive.seq }",
        "controller: { type: servo, motion: drive.seq }",
        "controller: { type: pd, motion: drive.seq }",
        "drive: { root: physics, joints: motion }, motion: drive.seq",
    ] {
        let desk = desk(keys);
        let output = desk.run(&[]);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{keys}");
        let way = way(desk.path().join("out/Crawler.seq"), 0).translation;
        println!("{keys}: {way}");
        // It loses some of it while the track takes hold.
        assert!((way.x - 1.0).abs() < 0.05 && way.y.abs() < 0.01, "{keys}: {way}");
    }
}

#[test]
fn a_track_without_a_drive_is_reported() {
    let still = MOTION.replace("[ 0.5 ], [ 1 ], [ 1.5 ]", "[ 0 ], [ 0 ], [ 0 ]");
    for (keys, said) in [
        ("fixed: false", "nothing drives the track `TRACK` of `Crawler`: it stands still"),
        ("controller: { type: servo, kp: 1, kd: 1 }", "nothing drives the track"),
        ("controller: { type: pd, motion: still.seq }", "the motion does not run the track"),
    ] {
        let desk = desk(keys);
        desk.write("still.seq", &still);
        let message = stderr(&desk.run(&["--duration", "0.01"]));
        for part in [said, "idle-track", "velocity: { TRACK: 0.5 }", "arm.scene.yaml:5"] {
            assert!(message.contains(part), "no {part:?} in:\n{message}");
        }
    }
    for keys in ["controller: { type: none }", "drive: static", "controller: { type: velocity, velocity: 0 }"] {
        assert_eq!(stderr(&desk(keys).run(&["--duration", "0.01"])), "", "{keys}");
    }
}

#[test]
fn a_command_beyond_the_range_of_a_track_is_kept_within_it() {
    let desk = desk("controller: { type: velocity, velocity: 3 }");
    desk.write("arm.body", &CRAWLER.replace("    joint_axis: Y\n", "    joint_axis: Y\n    max_joint_velocity: 0.5\n"));
    let output = desk.run(&[]);
    let message = stderr(&output);
    assert!(message.contains("commanded 3 m/s, outside its velocity range from -0.5 m/s to 0.5 m/s"), "{message}");
    let way = way(desk.path().join("out/Crawler.seq"), 0).translation;
    assert!((way.x - 1.0).abs() < 0.05, "{way}");
}

/// Half a second to settle on the tracks and start moving, at 100 frames per second.
const SETTLED: usize = 50;

/// Share by which the angle on the spot depends on how the points of a track share its load, which the laws leave open: 1.95 to 2.02 rad for
/// solves that all meet them to 10⁻⁶ m/s.
const SHARING: f64 = 0.05;

/// Choreonoid's own vehicles, with their two tracks and the distance between the track centres, m.
const VEHICLES: [(&str, [&str; 2], f64); 2] = [
    ("model/misc/crawler.body", ["CRAWLER_TRACK_L", "CRAWLER_TRACK_R"], 0.4),
    ("model/Tank/Tank.body", ["TRACK_L", "TRACK_R"], 0.44),
];

#[test]
fn vehicles_of_the_corpus_drive_straight_and_turn() {
    let Some(share) = share() else { return };
    for (file, [left, right], tread) in VEHICLES {
        let drive_with = |contacts: &str, speeds: [f64; 2]| {
            let place = TestFolder::new();
            let text = format!(
                "format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: 2.5, contacts: {contacts} }}\nmaterials: \
                 ${{SHARE}}/default/materials.yaml\nbodies:\n  - name: Vehicle\n    file: ${{SHARE}}/{file}\n    translation: [ 0, 0, \
                 0.11 ]\n    controller: {{ type: servo, kp: 500, kd: 50, velocity: {{ {left}: {}, {right}: {} }} }}\n  - {{ name: Floor, \
                 file: '${{SHARE}}/model/misc/floor.body', drive: static }}\nrecord: {{ frame_rate: 100 }}\n",
                speeds[0], speeds[1]
            );
            let scene = place.write("drive.scene.yaml", text);
            let out = place.join("out");
            let run = bunraku().arg("run").arg(&scene).arg("--out").arg(&out).env("BUNRAKU_SHARE", &share).output();
            let run = run.unwrap();
            assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
            assert!(!stderr(&run).contains("idle-track"), "{}", stderr(&run));
            way(out.join("Vehicle.seq"), SETTLED)
        };
        let drive = |speeds: [f64; 2]| drive_with("rigid", speeds);
        let straight = drive([0.3, 0.3]);
        let (place, heading) = (straight.translation.vector, straight.rotation.scaled_axis().z);
        println!("{file}: straight on {place}, turned by {heading:.4} rad");
        assert!((place.x - 0.6).abs() < 0.02, "{file}: {place}");
        assert!(place.y.abs() < 0.01 && heading.abs() < 0.02, "{file}: {place} {heading} rad");

        let back = drive([-0.3, -0.3]).translation.vector;
        assert!((back.x + 0.6).abs() < 0.02 && back.y.abs() < 0.01, "{file}: {back}");

        // Long tracks rub where they turn: less than wheels would, but to the right side.
        let turned = drive([-0.3, 0.3]);
        let (place, heading) = (turned.translation.vector, turned.rotation.scaled_axis().z);
        let wheels = 0.6 / tread * 2.0;
        println!("{file}: on the spot by {heading:.3} rad (wheels {wheels:.3}), moved {:.3} m", place.norm());
        assert!(heading > 0.3 * wheels && heading < 1.1 * wheels, "{file}: {heading} rad");
        // It turns about a place between its middle and its centre of mass, which lies before it.
        assert!(place.norm() < 0.2, "{file}: {place}");
        // Surfaces that sink carry the same load at the same points, up to how rigid tracks share it among these: with them a crawler turned
        // twice as far.
        let sunk = drive_with("choreonoid", [-0.3, 0.3]).rotation.scaled_axis().z;
        println!("{file}: with Choreonoid's contacts by {sunk:.3} rad");
        assert!((sunk / heading - 1.0).abs() < SHARING, "{file}: {sunk} rad, rigid {heading} rad");
    }
}
