//! Sampling times of sensors.

use bunraku_sensors::{SampleRate, Schedule};

/// Times at which a sensor measures in steps of `step` seconds.
fn times(schedule: &mut Schedule, step: f64, from: u64, to: u64) -> Vec<u64> {
    (from..to).filter(|&index| schedule.step(index as f64 * step).is_some()).collect()
}

#[test]
fn samples_come_at_their_rate_without_drift() {
    // 30 Hz in steps of 1 ms over an hour: sample k at the first step at or after k / 30 s.
    let mut schedule = Schedule::new(SampleRate::of_file(30.0).unwrap(), true);
    let found = times(&mut schedule, 0.001, 0, 3_600_001);
    let expected: Vec<u64> = (0..=108_000_u64).map(|sample| (sample * 1000).div_ceil(30)).collect();
    assert_eq!(found, expected);
    // A rate whose period is a multiple of the step, although 0.002 s is not exact in binary.
    let mut schedule = Schedule::new(SampleRate::of_file(100.0).unwrap(), true);
    assert_eq!(times(&mut schedule, 0.002, 0, 500_001), (0..=100_000).map(|sample| sample * 5).collect::<Vec<_>>());
}

#[test]
fn a_rate_above_that_of_steps_reports_missed_samples() {
    let mut schedule = Schedule::new(SampleRate::of_file(1000.0).unwrap(), true);
    let due: Vec<_> = (0..4).map(|index| schedule.step(f64::from(index) * 0.004).unwrap()).collect();
    assert_eq!(due.iter().map(|due| due.missed).collect::<Vec<_>>(), [0, 3, 3, 3]);
    assert_eq!(due.iter().map(|due| due.sample).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let mut each = Schedule::new(SampleRate::EveryStep, true);
    assert!((0..10).all(|index| each.step(f64::from(index)).is_some_and(|due| due.missed == 0)));
}

#[test]
fn a_sensor_that_is_switched_on_measures_at_once_and_counts_on() {
    let mut schedule = Schedule::new(SampleRate::of_file(10.0).unwrap(), false);
    assert_eq!(times(&mut schedule, 0.01, 0, 7), [0_u64; 0]);
    schedule.switch(true, 0.07);
    assert_eq!(times(&mut schedule, 0.01, 7, 30), [7, 17, 27]);
    schedule.switch(false, 0.3);
    assert_eq!(times(&mut schedule, 0.01, 30, 45), [0_u64; 0]);
    schedule.switch(true, 0.45);
    assert_eq!(schedule.step(0.45).unwrap().sample, 3);
    assert_eq!(schedule.taken(), 4);
}

#[test]
fn rates_above_1000_hz_are_not_cut_and_invalid_ones_are_refused() {
    for rate in [1e-3, 4000.0, 1e9] {
        assert_eq!(SampleRate::of_file(rate), Some(SampleRate::Hertz(rate)));
    }
    let mut fast = Schedule::new(SampleRate::of_file(4000.0).unwrap(), true);
    assert_eq!(times(&mut fast, 0.000_25, 0, 100), (0..100).collect::<Vec<_>>());
    for nonsense in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(SampleRate::of_file(nonsense), None);
    }
}

#[test]
fn a_schedule_goes_on_from_a_snapshot() {
    let mut original = Schedule::new(SampleRate::of_file(30.0).unwrap(), true);
    times(&mut original, 0.001, 0, 777);
    let text = serde_json::to_string(&original).unwrap();
    let mut copy: Schedule = serde_json::from_str(&text).unwrap();
    assert_eq!(copy, original);
    assert_eq!(times(&mut copy, 0.001, 777, 2000), times(&mut original, 0.001, 777, 2000));
}
