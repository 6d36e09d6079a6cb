//! How far ahead contacts are seen.

/// Shapes nearer than this are contacts, m: rapier's own distance for robots of usual size.
const PREDICTION: f32 = 0.002;
/// Nothing farther apart is a contact, m, however fast it moves.
const FARTHEST_PREDICTION: f32 = 0.25;
/// Of the ways that the points of two parts go in half a step: the other half, and some margin.
const AHEAD: f32 = 1.25;

/// The gap, m, up to which two parts that go these ways in half a step, m, are in contact.
pub(super) fn prediction(ways: [f32; 2]) -> f32 {
    (AHEAD * (ways[0] + ways[1])).clamp(PREDICTION, FARTHEST_PREDICTION)
}
