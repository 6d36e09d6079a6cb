//! Motions with all features, and their comparison to the last bit.

use bunraku_motion::{BodyMotion, OtherFrames, OtherSequence, Sequence, Timing, Zmp};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// Numbers that are easily damaged when written and read.
pub const AWKWARD: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    1.0 / 3.0,
    1e-7,
    1.5e-7,
    1e16,
    1e20,
    -1e300,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    9_007_199_254_740_993.0,
    std::f64::consts::PI,
];

/// Names that are easily mistaken for something else.
pub const NAMES: [&str; 8] = ["yes", "a: b", "右腕", "# \"a\" \\", "1e3", "- x", "\u{1F916}\n\u{7}", "null"];

pub fn pose(seed: f64) -> Isometry3<f64> {
    Isometry3::from_parts(
        Translation3::new(seed, -1e-9 * seed, 1e9 * seed),
        UnitQuaternion::from_euler_angles(seed, 2.0 * seed, 3.0 * seed),
    )
}

pub fn poses(count: u32) -> Vec<Isometry3<f64>> {
    (0..count).map(|index| pose(0.37 * f64::from(index))).collect()
}

pub fn vectors(count: u32) -> Vec<Vector3<f64>> {
    (0..count).map(|index| Vector3::new(1e-5 * f64::from(index), -0.0, 1e21 / 3.0)).collect()
}

/// Eight joints of awkward numbers, two frames.
pub fn joints(rate: f64) -> Sequence<f64> {
    Sequence::new(rate, 8, AWKWARD.to_vec()).unwrap()
}

pub fn other(content: &str, frames: OtherFrames) -> OtherSequence {
    OtherSequence { content: content.to_owned(), frames }
}

/// One motion for each feature, with its name.
pub fn features() -> Vec<(&'static str, BodyMotion)> {
    let rate = 1000.0 / 3.0;
    let with = |change: &dyn Fn(&mut BodyMotion)| {
        let mut motion = BodyMotion::new(rate);
        motion.joint_displacements = Some(joints(rate));
        change(&mut motion);
        motion
    };
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let zmp = |root_relative| Zmp { root_relative, frames: Sequence::new(rate, 1, vectors(2)).unwrap() };
    let labelled = joints(rate).with_part_labels(names(&NAMES));
    let timed =
        |times: &[f64]| Sequence::timed(times.to_vec(), 8, AWKWARD.to_vec()).unwrap().with_frame_rate(rate).unwrap();
    let timed_poses = Sequence::timed(vec![0.1, 1.0 / 3.0], 2, poses(4)).unwrap().with_frame_rate(rate).unwrap();
    let timed_vectors = Sequence::timed(vec![-0.0, 5e-324], 1, vectors(2)).unwrap().with_frame_rate(20.0).unwrap();
    vec![
        ("joints", with(&|_| {})),
        ("links", with(&|motion| motion.link_positions = Sequence::new(rate, 2, poses(4)).ok())),
        ("links alone", {
            let mut motion = BodyMotion::new(50.0);
            motion.link_positions = Sequence::new(50.0, 3, poses(9)).ok();
            motion
        }),
        ("offset", with(&|motion| motion.joint_displacements = joints(rate).with_offset(-1.0 / 7.0).ok())),
        ("offset of a zero with a sign", {
            with(&|motion| motion.joint_displacements = joints(rate).with_offset(-0.0).ok())
        }),
        ("labels", with(&|motion| motion.joint_displacements = Some(labelled.clone()))),
        ("other rates and lengths", {
            with(&|motion| {
                motion.zmp = Some(Zmp { root_relative: false, frames: Sequence::new(50.0, 1, vectors(5)).unwrap() });
                motion.others.push(other("Slow", OtherFrames::Poses(Sequence::new(1e-3, 1, poses(1)).unwrap())));
            })
        }),
        ("ZMP", with(&|motion| motion.zmp = Some(zmp(false)))),
        ("ZMP relative to the root", with(&|motion| motion.zmp = Some(zmp(true)))),
        ("ZMP alone", {
            let mut motion = BodyMotion::new(rate);
            motion.zmp = Some(zmp(true));
            motion
        }),
        ("others", {
            with(&|motion| {
                for (index, name) in NAMES.into_iter().enumerate() {
                    let frames = match index % 3 {
                        0 => OtherFrames::Values(joints(rate).with_part_labels(names(&NAMES))),
                        1 => OtherFrames::Poses(Sequence::new(rate, 2, poses(4)).unwrap()),
                        _ => OtherFrames::Vectors(Sequence::new(rate, 1, vectors(2)).unwrap()),
                    };
                    motion.others.push(other(name, frames));
                }
            })
        }),
        ("others alone", {
            let mut motion = BodyMotion::new(rate);
            motion.others.push(other("Effort", OtherFrames::Values(joints(rate))));
            motion
        }),
        ("times", with(&|motion| motion.joint_displacements = Some(timed(&[0.0, 1.0 / 3.0])))),
        ("times of some", {
            with(&|motion| {
                motion.link_positions = Some(timed_poses.clone());
                motion.joint_displacements = joints(rate).with_offset(0.5).ok();
                motion.zmp = Some(Zmp { root_relative: true, frames: timed_vectors.clone() });
                motion.others.push(other("Effort", OtherFrames::Values(timed(&[1e-9, 1e9]))));
            })
        }),
    ]
}

/// All numbers of a motion as bits and all names, in a fixed order.
pub fn bits(motion: &BodyMotion) -> Vec<String> {
    fn of<T>(sequence: &Sequence<T>, numbers: impl Fn(&T) -> Vec<f64>) -> Vec<String> {
        let mut lines = vec![format!("{} {:?}", sequence.num_parts(), sequence.part_labels())];
        match sequence.timing() {
            Timing::Rate { frame_rate, offset } => {
                lines.push(format!("{:x} {:x}", frame_rate.to_bits(), offset.to_bits()));
            }
            Timing::Times { times, frame_rate } => {
                lines.push(format!("{:x}", frame_rate.to_bits()));
                lines.extend(times.iter().map(|time| format!("{:x}", time.to_bits())));
            }
        }
        lines.extend(sequence.values().iter().map(|value| {
            let bits: Vec<_> = numbers(value).iter().map(|number| format!("{:x}", number.to_bits())).collect();
            bits.join(" ")
        }));
        lines
    }
    let pose = |pose: &Isometry3<f64>| {
        pose.translation.vector.iter().chain(pose.rotation.coords.iter()).copied().collect::<Vec<_>>()
    };
    let vector = |vector: &Vector3<f64>| vector.iter().copied().collect::<Vec<_>>();
    let mut lines = vec![format!("{:x}", motion.frame_rate.to_bits())];
    if let Some(links) = &motion.link_positions {
        lines.push("links".to_owned());
        lines.extend(of(links, pose));
    }
    if let Some(joints) = &motion.joint_displacements {
        lines.push("joints".to_owned());
        lines.extend(of(joints, |value| vec![*value]));
    }
    if let Some(zmp) = &motion.zmp {
        lines.push(format!("zmp {}", zmp.root_relative));
        lines.extend(of(&zmp.frames, vector));
    }
    for other in &motion.others {
        lines.push(format!("other {:?}", other.content));
        lines.extend(match &other.frames {
            OtherFrames::Values(frames) => of(frames, |value| vec![*value]),
            OtherFrames::Poses(frames) => of(frames, pose),
            OtherFrames::Vectors(frames) => of(frames, vector),
        });
    }
    lines
}
