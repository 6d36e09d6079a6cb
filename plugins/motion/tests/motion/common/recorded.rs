//! Frames to record, and the resulting motion.

use std::ops::Range;
use std::path::Path;

use bunraku_motion::{BodyMotion, Recorder, RecordingLayout, Sequence};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

pub const LAYOUT: RecordingLayout = RecordingLayout { frame_rate: 500.0, num_links: 2, num_joints: 3 };

pub fn links(frame: usize) -> Vec<Isometry3<f64>> {
    (0..2)
        .map(|link| {
            let x = 0.1 * frame as f64 + link as f64;
            Isometry3::from_parts(Translation3::new(x, 1e-9, -x), UnitQuaternion::from_euler_angles(x, 0.0, 1.0))
        })
        .collect()
}

pub fn joints(frame: usize) -> [f64; 3] {
    [frame as f64, 1e-7 * frame as f64, -0.0]
}

/// Records the next frames up to `end`.
pub fn record_to(recorder: &mut Recorder, end: usize) {
    for frame in recorder.num_frames()..end {
        recorder.record(&links(frame), &joints(frame)).unwrap();
    }
}

/// An unfinished recording of this many frames.
pub fn record(path: &Path, frames: usize) -> Recorder {
    let mut recorder = Recorder::create(path, LAYOUT).unwrap();
    record_to(&mut recorder, frames);
    recorder
}

/// The motion of these frames of the recording, at their times.
pub fn motion(frames: Range<usize>) -> BodyMotion {
    let offset = frames.start as f64 / LAYOUT.frame_rate;
    let links = Sequence::new(LAYOUT.frame_rate, 2, frames.clone().flat_map(links).collect());
    let joints = Sequence::new(LAYOUT.frame_rate, 3, frames.flat_map(joints).collect());
    let mut motion = BodyMotion::new(LAYOUT.frame_rate);
    motion.link_positions = links.and_then(|links| links.with_offset(offset)).ok();
    motion.joint_displacements = joints.and_then(|joints| joints.with_offset(offset)).ok();
    motion
}
