//! Errors of sensors compared with their laws.

use bunraku_body::JointIndex;
use bunraku_sensors::{Channel, ChannelState, Encoder, EncoderState, Random, VectorError};
use nalgebra::Vector3;

/// Samples a second.
const RATE: f64 = 100.0;

/// Number of simulated hours, each with three axes.
const HOURS: u64 = 24;

/// Sums of the samples of each second of an hour at rest, by axis.
fn hour(error: &VectorError, seed: u64) -> Vec<Vector3<f64>> {
    let (channel, mut state) = (Channel { error: *error, ..Channel::default() }, ChannelState::default());
    let mut sample = 0;
    let mut second = || {
        let mut sum = Vector3::zeros();
        for _ in 0..100 {
            let random = &mut || Random::of_sample(seed, sample);
            sum += channel.measure(Vector3::zeros(), (sample, 1.0 / RATE), &mut state, random);
            sample += 1;
        }
        sum / 100.0
    };
    (0..3600).map(|_| second()).collect()
}

/// Overlapping Allan variance (IEEE Std 952-1997) of means of one second for means of `seconds`, mean of all axes.
fn allan_variance(means: &[Vector3<f64>], seconds: usize) -> f64 {
    let mut angles = vec![Vector3::zeros()];
    for mean in means {
        angles.push(angles.last().unwrap() + mean);
    }
    let tau = seconds as f64;
    let parts = angles
        .windows(2 * seconds + 1)
        .map(|window| ((window[2 * seconds] - window[seconds] * 2.0 + window[0]) / tau).norm_squared() / 3.0);
    parts.clone().sum::<f64>() / (2.0 * parts.count() as f64)
}

/// Mean Allan deviations of many hours at some times, and the law.
fn compare(error: VectorError, times: &[usize]) -> Vec<(f64, f64)> {
    let hours: Vec<_> = (0..HOURS).map(|seed| hour(&error, seed)).collect();
    let (n, b, k) = (error.density.x, error.instability.x, error.walk.x);
    let law = |tau: f64| n * n / tau + 2.0 * 2_f64.ln() / std::f64::consts::PI * b * b + k * k * tau / 3.0;
    let mean = |seconds: usize| hours.iter().map(|hour| allan_variance(hour, seconds)).sum::<f64>() / HOURS as f64;
    times.iter().map(|&seconds| (mean(seconds).sqrt(), law(seconds as f64).sqrt())).collect()
}

/// A gyro of a phone: 0.005 °/s/√Hz; 5 °/h; random walk so that it dominates at 1000 s.
#[test]
fn the_allan_deviation_of_an_hour_follows_its_law_at_1_s_and_at_1000_s() {
    let (n, b, k) = (1e-4, 2.5e-5, 2e-6);
    let error = VectorError {
        density: Vector3::repeat(n),
        instability: Vector3::repeat(b),
        walk: Vector3::repeat(k),
        ..VectorError::default()
    };
    let found = compare(error, &[1, 10, 1000]);
    println!("Allan deviation at 1, 10 and 1000 s, and by the law: {found:?}");
    // 2.6 independent means of 1000 s in an hour, in 72 axes: 8 % of the deviation; of 1 s 0.2 %.
    for ((measured, law), tolerance) in found.into_iter().zip([0.01, 0.02, 0.15]) {
        assert!((measured / law - 1.0).abs() < tolerance, "{measured} instead of {law}");
    }
    // White noise falls by √τ, random walk grows by it.
    let slopes = |error: VectorError, times: [usize; 2]| {
        let found = compare(error, &times);
        (found[1].0 / found[0].0).ln() / (times[1] as f64 / times[0] as f64).ln()
    };
    let white = slopes(VectorError { density: Vector3::repeat(n), ..VectorError::default() }, [1, 100]);
    assert!((white + 0.5).abs() < 0.02, "{white}");
    let walk = slopes(VectorError { walk: Vector3::repeat(k), ..VectorError::default() }, [10, 300]);
    assert!((walk - 0.5).abs() < 0.03, "{walk}");
}

/// Bias instability is flat: 0.664 B over three decades.
#[test]
fn bias_instability_is_flat_between_1_s_and_1000_s() {
    let error = VectorError { instability: Vector3::repeat(1.0), ..VectorError::default() };
    let found = compare(error, &[1, 10, 100, 1000]);
    println!("Allan deviation of bias instability at 1, 10, 100 and 1000 s: {found:?}");
    for ((measured, law), tolerance) in found.into_iter().zip([0.03, 0.03, 0.05, 0.15]) {
        assert!((law - 0.6643).abs() < 1e-4);
        assert!((measured / law - 1.0).abs() < tolerance, "{measured} instead of {law}");
    }
}

#[test]
fn scale_misalignment_and_quantization_act_in_this_order() {
    let channel = |error: VectorError| Channel { error, ..Channel::default() };
    let read = |error: VectorError, value: Vector3<f64>| {
        let random = &mut || Random::of_sample(0, 0);
        channel(error).measure(value, (0, 0.01), &mut ChannelState::default(), random)
    };
    let scale = VectorError { scale: Vector3::new(0.01, 0.0, -0.02), ..VectorError::default() };
    assert!((read(scale, Vector3::new(2.0, 3.0, 4.0)) - Vector3::new(2.02, 3.0, 3.92)).norm() < 1e-15);
    // A sensor that is turned by 90° about its Z axis measures along its X axis what is along Y.
    let turned = VectorError { misalignment: Vector3::z() * std::f64::consts::FRAC_PI_2, ..scale };
    assert!((read(turned, Vector3::y()) - Vector3::new(1.01, 0.0, 0.0)).norm() < 1e-15);
    let counted =
        VectorError { quantization: Vector3::new(0.5, 0.0, 0.1), bias: Vector3::repeat(0.2), ..VectorError::default() };
    let found = read(counted, Vector3::new(1.1, 1.11, 1.11));
    assert!((found - Vector3::new(1.5, 1.31, 1.3)).norm() < 1e-12, "{found}");
}

#[test]
fn a_low_pass_filter_falls_to_its_time_constant_whatever_the_steps_are() {
    let channel = Channel { cut_off: Some(2.0), ..Channel::default() };
    for step in [0.001, 0.01] {
        let mut state = ChannelState::default();
        channel.filter(Vector3::zeros(), step, &mut state);
        let mut found = Vector3::zeros();
        for _ in 0..(0.1 / step).round() as u32 {
            found = channel.filter(Vector3::repeat(1.0), step, &mut state);
        }
        // 1 − exp(−2π·2 Hz·0.1 s)
        assert!((found.x - 0.715_391).abs() < 1e-6, "{found}");
    }
}

#[test]
fn an_encoder_counts_and_its_motor_side_follows_after_the_play() {
    let encoder = Encoder { resolution: 0.1, backlash: 0.4, ..Encoder::new(JointIndex(0)) };
    let mut state = EncoderState::default();
    let mut read = |displacement: f64| {
        encoder.follow(displacement, &mut state);
        let [value, velocity] = encoder.measure(0.5, &mut state, || Random::of_sample(0, 0));
        [(value * 1e9).round() / 1e9, (velocity * 1e9).round() / 1e9]
    };
    // In the middle of the play: 0.2 to each side.
    assert_eq!(read(0.0), [0.0, 0.0]);
    assert_eq!(read(0.19), [0.0, 0.0]);
    assert_eq!(read(0.53), [0.3, 0.6]);
    assert_eq!(read(1.04), [0.8, 1.0]);
    // Back: nothing until the play is crossed.
    assert_eq!(read(0.7), [0.8, 0.0]);
    assert_eq!(read(0.64), [0.8, 0.0]);
    assert_eq!(read(0.3), [0.5, -0.6]);
}
