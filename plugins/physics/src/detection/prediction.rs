//! The distance up to which contacts are detected.

/// Shapes nearer than this are contacts, m: rapier's own distance for robots of usual size.
const PREDICTION: f64 = 0.002;
/// Nothing farther apart is a contact, m, however fast it moves.
const FARTHEST_PREDICTION: f64 = 0.25;
/// Of the distances that the points of two parts move in half a step: the other half, and some margin.
const AHEAD: f64 = 1.25;

/// The gap, m, up to which two parts are in contact whose points move as far as this in half a step, m.
pub(super) fn prediction(ways: [f64; 2]) -> f64 {
    (AHEAD * (ways[0] + ways[1])).clamp(PREDICTION, FARTHEST_PREDICTION)
}
