//! A motion that is recorded, played and recorded again gives the same file.

use std::fs;
use std::path::Path;

use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, RecordOptions, Recorder, Recording, RecordingLayout, partial_path, write_seq};
use nalgebra::Isometry3;

use crate::properties::random::Random;

/// Records a motion during playback.
fn play_into(recorder: &mut Recorder, motion: &BodyMotion) {
    let mut links = vec![Isometry3::identity(); motion.num_links()];
    let mut joints = vec![0.0; motion.num_joints()];
    for index in 0..motion.num_frames() {
        let time = motion.start() + index as f64 / motion.frame_rate;
        if let Some(frames) = &motion.link_positions {
            frames.sample(time, &mut links);
        }
        if let Some(frames) = &motion.joint_displacements {
            frames.sample(time, &mut joints);
        }
        recorder.record(&links, &joints).unwrap();
    }
}

fn load(path: &Path) -> BodyMotion {
    BodyMotion::load(path, &Reporter::new()).unwrap()
}

#[test]
fn recorded_played_and_recorded_again() {
    let directory = tempfile::tempdir().unwrap();
    let [first, second, third, written] =
        ["1.seq", "2.seq", "3.seq", "written.seq"].map(|name| directory.path().join(name));
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let layout =
            RecordingLayout { frame_rate: random.rate(), num_links: 1 + random.below(4), num_joints: random.below(6) };
        let mut recorder = Recorder::create(&first, layout).unwrap();
        for _ in 0..1 + random.below(40) {
            let links: Vec<_> = (0..layout.num_links).map(|_| random.pose()).collect();
            let joints: Vec<_> = (0..layout.num_joints).map(|_| random.number()).collect();
            recorder.record(&links, &joints).unwrap();
        }
        // From the partial file and from the finished file.
        recorder.flush().unwrap();
        let unfinished = load(&partial_path(&first));
        recorder.finish().unwrap();
        let finished = load(&first);
        for (motion, path) in [(&unfinished, &second), (&finished, &third)] {
            let mut recorder = Recorder::create(path, layout).unwrap();
            play_into(&mut recorder, motion);
            recorder.finish().unwrap();
            assert!(fs::read(&first).unwrap() == fs::read(path).unwrap(), "seed {seed}");
        }
        write_seq(&finished, &written).unwrap();
        assert!(fs::read(&first).unwrap() == fs::read(&written).unwrap(), "seed {seed}");
    }
}

/// Recorder and writer must agree on the location of the time of the first frame.
#[test]
fn a_recorded_tail_equals_a_written_one() {
    let directory = tempfile::tempdir().unwrap();
    let [path, written] = ["tail.seq", "written.seq"].map(|name| directory.path().join(name));
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let layout = RecordingLayout { frame_rate: random.rate(), num_links: 1, num_joints: random.below(3) };
        let duration = (1 + random.below(9)) as f64 / layout.frame_rate;
        let options = RecordOptions { recording: Recording::Tail { duration }, ..RecordOptions::default() };
        let mut recorder = Recorder::with_options(&path, layout, options).unwrap();
        for _ in 0..1 + random.below(60) {
            let joints: Vec<_> = (0..layout.num_joints).map(|_| random.number()).collect();
            recorder.record(&[random.pose()], &joints).unwrap();
        }
        let finished = recorder.finish().unwrap();
        let motion = load(&path);
        assert_eq!((motion.start(), motion.num_frames()), (finished.start, finished.num_frames), "seed {seed}");
        write_seq(&motion, &written).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), fs::read_to_string(&written).unwrap(), "seed {seed}");
    }
}
