//! Sampling of motions, and conversion to other rates.

use std::fmt::Debug;

use bunraku_motion::{Interpolate, Sampling, Sequence};
use nalgebra::{Isometry3, UnitQuaternion};

use crate::properties::bits::{Numbers, bits};
use crate::properties::random::{Features, Random};

const SEQUENCES: u64 = 500;
const ALL: Features = Features { offsets: true, times: true, labels: true };
const FIXED: Features = Features { times: false, ..ALL };
const RULES: [Sampling; 3] = [Sampling::Hold, Sampling::Nearest, Sampling::Linear];

/// A check of sequences of any kind.
trait Check {
    fn check<T: Numbers + Interpolate + Debug + PartialEq>(&self, sequence: &Sequence<T>, random: &mut Random);
}

fn check_all(features: Features, check: &impl Check) {
    for seed in 0..SEQUENCES {
        let mut random = Random::new(seed);
        let (num_frames, num_parts) = (random.num_frames(), 1 + random.below(4));
        let numbers = random.sequence(num_frames, num_parts, features, Random::number);
        check.check(&numbers, &mut random);
        let poses = random.sequence(num_frames, num_parts, features, Random::pose);
        check.check(&poses, &mut random);
        let vectors = random.sequence(num_frames, num_parts, features, Random::vector);
        check.check(&vectors, &mut random);
    }
}

fn sample<T: Interpolate>(sequence: &Sequence<T>, rule: Sampling, time: f64) -> Vec<T> {
    let mut out = sequence.frame(0).to_vec();
    sequence.sample_by(rule, time, &mut out);
    out
}

#[test]
fn at_its_time_a_frame_is_sampled_bit_for_bit() {
    struct AtFrames;
    impl Check for AtFrames {
        fn check<T: Numbers + Interpolate + Debug + PartialEq>(&self, sequence: &Sequence<T>, _: &mut Random) {
            for (index, frame) in sequence.frames().enumerate() {
                for rule in RULES {
                    let found = sample(sequence, rule, sequence.time(index));
                    assert_eq!(bits(&found), bits(frame), "frame {index} of {sequence:?}");
                }
            }
        }
    }
    check_all(ALL, &AtFrames);
}

#[test]
fn interpolation_follows_the_sampling_rule() {
    struct Between;
    impl Check for Between {
        fn check<T: Numbers + Interpolate + Debug + PartialEq>(&self, sequence: &Sequence<T>, random: &mut Random) {
            for index in 1..sequence.num_frames() {
                let [from, to] = [index - 1, index].map(|index| sequence.time(index));
                // If a millionth of a frame exceeds the resolution of the times, there is nothing between frames.
                if (to - from) * 1e-8 < from.abs().max(to.abs()).max(1e-290) * f64::EPSILON {
                    continue;
                }
                let fraction = 1e-5 + (1.0 - 2e-5) * random.unit();
                let time = from + (to - from) * fraction;
                let [before, after] = [index - 1, index].map(|index| sequence.frame(index));
                assert_eq!(bits(&sample(sequence, Sampling::Hold, time)), bits(before));
                if (fraction - 0.5).abs() > 1e-6 {
                    let nearest = if fraction < 0.5 { before } else { after };
                    assert_eq!(bits(&sample(sequence, Sampling::Nearest, time)), bits(nearest));
                }
                for (mixed, (from, to)) in sample(sequence, Sampling::Linear, time).iter().zip(before.iter().zip(after))
                {
                    // The first three numbers of a pose are its translation.
                    let numbers = mixed.numbers().into_iter().zip(from.numbers().into_iter().zip(to.numbers()));
                    for (mixed, (from, to)) in numbers.take(3) {
                        assert!(from.min(to) <= mixed && mixed <= from.max(to), "{mixed} of {from} and {to}");
                    }
                }
            }
        }
    }
    check_all(ALL, &Between);
}

/// Angle between two rotations, rad; exact near 0 and near π.
fn angle(from: &UnitQuaternion<f64>, to: &UnitQuaternion<f64>) -> f64 {
    let between = from.inverse() * to;
    2.0 * between.imag().norm().atan2(between.w.abs())
}

#[test]
fn a_rotation_turns_at_constant_speed() {
    for seed in 0..5 * SEQUENCES {
        let mut random = Random::new(seed);
        let from = random.pose();
        let mut to = random.pose();
        if random.chance(3) {
            // Close to the other one, up to the sign.
            let small = 10.0_f64.powf(-12.0 * random.unit());
            to.rotation = from.rotation * UnitQuaternion::from_euler_angles(small, -0.5 * small, 0.1 * small);
            if random.chance(2) {
                to.rotation = UnitQuaternion::new_unchecked(-to.rotation.into_inner());
            }
        }
        let whole = angle(&from.rotation, &to.rotation);
        for step in 0..=10 {
            let fraction = f64::from(step) / 10.0;
            let mixed = Isometry3::interpolate(&from, &to, fraction).rotation;
            assert!((mixed.norm() - 1.0).abs() < 1e-15 * 4.0, "seed {seed}");
            let (before, after) = (angle(&from.rotation, &mixed), angle(&mixed, &to.rotation));
            assert!((before - fraction * whole).abs() < 1e-12, "seed {seed}: {before} of {whole} at {fraction}");
            assert!((after - (1.0 - fraction) * whole).abs() < 1e-12, "seed {seed}: {after} of {whole} at {fraction}");
        }
    }
}

#[test]
fn at_a_multiple_of_its_rate_and_back_a_sequence_is_the_same() {
    struct ThereAndBack;
    impl Check for ThereAndBack {
        fn check<T: Numbers + Interpolate + Debug + PartialEq>(&self, sequence: &Sequence<T>, random: &mut Random) {
            let times = 1 + random.below(7);
            for rule in RULES {
                let more = sequence.resample(times as f64 * sequence.frame_rate(), rule).unwrap();
                assert_eq!(more.num_frames(), times * (sequence.num_frames() - 1) + 1);
                for (index, frame) in sequence.frames().enumerate() {
                    assert_eq!(bits(more.frame(times * index)), bits(frame));
                }
                let back = more.resample(sequence.frame_rate(), rule).unwrap();
                assert_eq!(&back, sequence);
                assert_eq!(bits(back.values()), bits(sequence.values()));
            }
        }
    }
    check_all(FIXED, &ThereAndBack);
}

#[test]
fn with_times_written_out_a_sequence_is_the_same_everywhere() {
    struct WithTimes;
    impl Check for WithTimes {
        fn check<T: Numbers + Interpolate + Debug + PartialEq>(&self, sequence: &Sequence<T>, _: &mut Random) {
            let timed = sequence.with_times();
            assert_eq!((timed.start(), timed.end()), (sequence.start(), sequence.end()));
            assert_eq!(bits(timed.values()), bits(sequence.values()));
            assert_eq!(timed.part_labels(), sequence.part_labels());
            for (index, frame) in sequence.frames().enumerate() {
                assert_eq!(bits(&sample(&timed, Sampling::Linear, sequence.time(index))), bits(frame));
            }
        }
    }
    check_all(FIXED, &WithTimes);
}
