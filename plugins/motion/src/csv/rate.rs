//! Detection of a frame rate from times.

use crate::sampling::FRAME_TOLERANCE;

/// Frame rate (Hz) of these times, starting at the first; `None` if they are irregular or fewer than two.
///
/// Among the rates that fit, one that reproduces the times exactly is preferred, so that a motion reads back as
/// written; next a round one, because times in tables are often rounded.
pub(super) fn steady_rate(times: &[f64]) -> Option<f64> {
    let (first, last) = (*times.first()?, *times.last()?);
    let steps = times.len().checked_sub(1).filter(|&steps| steps > 0)? as f64;
    let estimate = steps / (last - first);
    if !(estimate > 0.0 && estimate.is_finite()) {
        return None;
    }
    let fits = |rate: f64| each(times, |index, time| ((time - first) * rate - index).abs() < FRAME_TOLERANCE);
    if !fits(estimate) {
        return None;
    }
    let exact = |rate: f64| each(times, |index, time| (first + index / rate).to_bits() == time.to_bits());
    let likely = || round_rates(estimate).chain([estimate]);
    likely().chain(neighbours(estimate)).find(|&rate| exact(rate)).or_else(|| likely().find(|&rate| fits(rate)))
}

fn each(times: &[f64], holds: impl Fn(f64, f64) -> bool) -> bool {
    times.iter().enumerate().all(|(index, &time)| holds(index as f64, time))
}

/// Typical rates near this one: integers, numbers with few decimals, fractions, and inverses of round periods.
fn round_rates(estimate: f64) -> impl Iterator<Item = f64> {
    let decimals = (0..7).map(move |digits| round(estimate, 10_f64.powi(digits)));
    let fractions = [3.0, 7.0, 9.0, 11.0, 13.0, 1001.0].into_iter().map(move |parts| round(estimate, parts));
    let periods = (0..10).map(move |digits| 1.0 / round(1.0 / estimate, 10_f64.powi(digits)));
    decimals.chain(fractions).chain(periods).filter(|rate| *rate > 0.0 && rate.is_finite())
}

fn round(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

/// Adjacent f64 values, nearest first: a quotient of rounded numbers is off by a few.
fn neighbours(estimate: f64) -> impl Iterator<Item = f64> {
    let bits = estimate.to_bits();
    let at = |bits: Option<u64>| bits.map(f64::from_bits).filter(|rate| *rate > 0.0 && rate.is_finite());
    (1..=64).flat_map(move |step| [at(bits.checked_add(step)), at(bits.checked_sub(step))]).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(rate: f64, offset: f64, count: u32) -> Vec<f64> {
        (0..count).map(|index| offset + f64::from(index) / rate).collect()
    }

    #[test]
    fn every_rate_is_found_to_the_last_bit() {
        for rate in
            [1.0, 100.0, 500.0, 1000.0, 1000.0 / 3.0, 29.97, 30_000.0 / 1001.0, 1e-3, 44_100.0, 0.1, 123.456_789]
        {
            for offset in [0.0, 0.5, -2.0, 1.0 / 3.0] {
                for count in [2, 3, 1000] {
                    assert_eq!(steady_rate(&times(rate, offset, count)), Some(rate), "{rate} {offset} {count}");
                }
            }
        }
        // An unusual rate, from 0 s on.
        let odd = std::f64::consts::PI * 31.0;
        assert_eq!(steady_rate(&times(odd, 0.0, 5000)), Some(odd));
    }

    #[test]
    fn rounded_times_give_the_round_rate() {
        let rounded: Vec<_> = times(300.0, 0.0, 500).iter().map(|time| (time * 1e9).round() / 1e9).collect();
        assert_eq!(steady_rate(&rounded), Some(300.0));
        let products: Vec<_> = (0..500).map(|index| f64::from(index) * 0.001).collect();
        assert_eq!(steady_rate(&products), Some(1000.0));
    }

    #[test]
    fn uneven_times_have_no_rate() {
        assert_eq!(steady_rate(&[0.0, 0.1, 0.3]), None);
        assert_eq!(steady_rate(&[0.0, 0.1, 0.200_001]), None);
        assert_eq!(steady_rate(&[0.0]), None);
        assert_eq!(steady_rate(&[]), None);
        assert_eq!(steady_rate(&[0.0, 5e-324]), None);
    }
}
