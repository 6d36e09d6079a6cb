//! How far ahead contacts are detected.
//!
//! Rapier has one distance for all pairs, [`PREDICTION`]. A part that is fast needs more, and no other pair may change because of it: its
//! colliders get a *margin*, rapier's contact skin, by which they are detected earlier. The gap of a contact does not count it.

/// Shapes nearer than this are contacts, m: rapier's own distance for robots of usual size.
pub(super) const PREDICTION: f32 = 0.002;
/// Nothing farther apart is a contact, m, however fast it moves.
const FARTHEST_PREDICTION: f32 = 0.25;
/// Of the distances that the points of two parts move in half a step: the other half, and some margin.
const AHEAD: f32 = 1.25;

/// The gap, m, up to which two parts are in contact whose points move as far as this in half a step, m.
pub(super) fn prediction(ways: [f32; 2]) -> f32 {
    (AHEAD * (ways[0] + ways[1])).clamp(PREDICTION, FARTHEST_PREDICTION)
}

/// The margin of a part whose points move as far as this in half a step, m: with [`PREDICTION`], the margins of two parts are no less than their
/// [`prediction`]. One of a few values, so that it seldom changes.
pub(super) fn margin(way: f32) -> f32 {
    let share = 0.5 * PREDICTION;
    let needed = (AHEAD * way).min(FARTHEST_PREDICTION) - share;
    if needed <= 0.0 { 0.0 } else { share * (needed / share).max(1.0).log2().ceil().exp2() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_reach_as_far_as_the_prediction_of_any_pair() {
        let ways = [0.0, 1e-4, 7e-4, 8.1e-4, 9e-4, 2e-3, 0.013, 0.09, 0.2, 5.0];
        for pair in ways.into_iter().flat_map(|one| ways.map(|other| [one, other])) {
            let [one, other] = pair.map(margin);
            assert!(PREDICTION + one + other >= prediction(pair), "{pair:?}");
        }
        assert_eq!(margin(5e-4), 0.0);
        assert!(margin(f32::INFINITY) < 2.0 * FARTHEST_PREDICTION);
    }
}
